// Tests `gflownet dashboard` as a user starts it: the address, the port, Ctrl-C, and a real training that a page starts.

import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { buildCommandLine, type Started } from "./support/command-line.ts";
import { clientOf } from "./support/dashboard-client.ts";

const cli = buildCommandLine();
afterAll(() => cli.remove());

async function started(
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly command: Started }> {
  const command = cli.start("dashboard", "--json", ...args);
  let text = "";
  command.child.stdout?.on("data", (part: string) => {
    text += part;
  });
  await command.printed(/\n/);
  return { url: JSON.parse(text).url, command };
}

test("the printed address opens the dashboard, and Ctrl-C ends it", async () => {
  const { url, command } = await started("--port", "0");
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
  const client = await clientOf(url);
  expect(await client.json("/api/runs")).toMatchObject({ folder: ".", entries: [], allowsTraining: false });
  const following = await client.follow([]); // an open stream does not keep it alive
  command.child.kill("SIGINT");
  expect(await command.ended).toMatchObject({ status: 0, stderr: "" });
  following.close();
});

test("without --json it prints the address and how to end it", async () => {
  const command = cli.start("dashboard", "--no-open", "--port", "0", "missing");
  await command.printed(/Ctrl-C ends it/);
  command.child.kill("SIGTERM");
  const { status, stdout } = await command.ended;
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^The dashboard of missing is at http:\/\/127\.0\.0\.1:\d+\/\?token=\S+\nOpen it in a browser\. Ctrl-C ends it\.\n$/,
  );
});

test("a port in use, a wrong port and a file instead of a folder give one sentence and code 2", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as { port: number };
  const used = cli.start("dashboard", "--no-open", "--port", String(port));
  expect(await used.ended).toMatchObject({
    ...{ status: 2, stdout: "" },
    stderr: `gflownet: --port: ${port} is in use; choose another one, or leave it out\n`,
  });
  other.close();
  expect(cli.gflownet("dashboard", "--port", "70000")).toMatchObject({
    ...{
      status: 2,
      stdout: "",
      stderr: 'gflownet: --port: must be a whole number from 0 to 65535, got "70000"\n',
    },
  });
  writeFileSync(cli.at("file"), "");
  expect(cli.gflownet("dashboard", "file")).toMatchObject({
    ...{ status: 2, stderr: "gflownet: file is a file; give a folder of runs\n" },
  });
});

test("two dashboards run at the same time", async () => {
  const both = await Promise.all([started("--no-open"), started("--no-open")]);
  for (const { url } of both) expect((await (await clientOf(url)).get("/api/runs")).status).toBe(200);
  expect(new URL(both[0].url).port).not.toBe(new URL(both[1].url).port);
  for (const { command } of both) command.child.kill("SIGINT");
  for (const { command } of both) expect((await command.ended).status).toBe(0);
});

test("views are computed from the files of a run", async () => {
  cli.output(
    "train",
    "hypergrid",
    "--side",
    "3",
    "--iterations",
    "5",
    "--hidden",
    "8",
    "--out",
    "watched/a",
    "--quiet",
  );
  const { url, command } = await started("--port", "0", "watched");
  const client = await clientOf(url);
  const { views } = await client.json<{ views: string[] }>("/api/entry?id=a");
  expect(views).toEqual(expect.arrayContaining(["distribution", "flow", "grid"]));
  const grid = await client.json<{ exact: boolean; learned: number[] }>("/api/view?id=a&view=grid");
  expect([grid.exact, grid.learned.length]).toEqual([true, 9]);
  expect(grid.learned.reduce((sum, value) => sum + value)).toBeCloseTo(1, 3);
  const refused = await client.get("/api/view?id=a&view=forecast");
  expect(refused.status).toBe(422);
  command.child.kill("SIGINT");
  expect(await command.ended).toMatchObject({ status: 0, stderr: "" });
});

test("a page starts a training, follows it, and the run is stopped with the dashboard", async () => {
  const { url, command } = await started("--port", "0", "--allow-train");
  const client = await clientOf(url);
  const { id } = await client.json<{ id: string }>("/api/train", {
    settings: { task: "hypergrid", side: 3, hidden: [8], batch: 8, iterations: 1_000_000, logEvery: 1 },
  });
  expect(id).toBe("runs/hypergrid-1");
  const following = await client.follow([id]);
  await following.until(() => following.messages.some(({ points }) => points?.loss));
  following.close();
  command.child.kill("SIGINT");
  expect((await command.ended).status).toBe(0);
  const limit = performance.now() + 30_000;
  const isRunning = () => existsSync(cli.at(id, "run.lock"));
  while (isRunning() && performance.now() < limit) await new Promise((done) => setTimeout(done, 50));
  expect([isRunning(), existsSync(cli.at(id, "checkpoint.safetensors"))]).toEqual([false, true]);
  const [run] = JSON.parse(cli.output("runs", "--json"));
  expect(run).toMatchObject({ name: "hypergrid-1", state: "interrupted" });
});
