// Tests `gflownet dashboard` as a user starts it: the address, the port, Ctrl-C, and a real training that a page starts.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { buildCommandLine, type Started } from "./support/command-line.ts";
import { clientOf } from "./support/dashboard-client.ts";
import { CONFIG, iteration } from "./support/entry-folders.ts";

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

/** Most memory that a process has had. */
function peakMiB(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

test.skipIf(process.platform !== "linux")(
  "memory is bounded when many slow pages follow a run with a large file, and others are answered",
  async () => {
    const run = cli.at("large", "runs", "a");
    mkdirSync(run, { recursive: true });
    writeFileSync(`${run}/config.json`, JSON.stringify(CONFIG));
    for (let part = 0; part < 60; part++) {
      const lines = Array.from({ length: 10_000 }, (_, i) =>
        JSON.stringify(iteration(part * 1e4 + i + 1, i)),
      );
      appendFileSync(`${run}/metrics.jsonl`, `${lines.join("\n")}\n`);
    }
    const { url, command } = await started("--port", "0", "large");
    const client = await clientOf(url);
    const list = async () => (await client.json<{ entries: unknown[] }>("/api/runs")).entries.length;
    expect(await list()).toBe(1);
    const before = peakMiB(command.child.pid);
    const { port } = new URL(url);
    const query = `entries=${encodeURIComponent('["runs/a"]')}&cursor=none`;
    const sockets = Array.from({ length: 80 }, () => {
      const socket = createConnection(Number(port), "127.0.0.1").pause();
      socket.write(
        `GET /api/stream?${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${client.cookie}\r\n\r\n`,
      );
      return socket;
    });
    // Until the buffers of all connections are full, which the kernel keeps.
    for (let i = 0; i < 20; i++) {
      await new Promise((done) => setTimeout(done, 100));
      expect(await list()).toBe(1);
    }
    // All of what they could be sent would take some gigabytes.
    expect(peakMiB(command.child.pid) - before).toBeLessThan(800);
    for (const socket of sockets) socket.destroy();
    command.child.kill("SIGINT");
    expect((await command.ended).status).toBe(0);
  },
);
