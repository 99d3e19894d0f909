// Tests that a dashboard starts, stops and resumes runs, by a program that takes the part of the command line.

import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Client, clientOf } from "../../test/support/dashboard-client.ts";
import { watchedFolder } from "../../test/support/entry-folders.ts";
import type { EntryList } from "../views/page-data.ts";
import { type Dashboard, startDashboard } from "./server.ts";

const program = fileURLToPath(new URL("../../test/support/fake-training.mjs", import.meta.url));
const folder = watchedFolder();
const outside = watchedFolder();
const open: Dashboard[] = [];

async function started(
  path = folder.root,
): Promise<{ readonly dashboard: Dashboard; readonly client: Client }> {
  const dashboard = await startDashboard({
    ...{ folder: path, version: "", port: 0, trainingCommand: [process.execPath, program] },
  });
  open.push(dashboard);
  return { dashboard, client: await clientOf(dashboard.url) };
}

const stateOf = async (client: Client, id: string) => {
  await new Promise((done) => setTimeout(done, 300)); // a list may be that old
  return (await client.json<EntryList>("/api/runs")).entries.find((entry) => entry.id === id)?.state;
};
const errorOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { error: string }).error;

async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + 20_000;
  while (!condition() && performance.now() < limit) await new Promise((done) => setTimeout(done, 20));
  expect(condition()).toBe(true);
}

afterEach(() => Promise.all(open.splice(0).map((dashboard) => dashboard.close())));
afterAll(() => until(() => !existsSync(folder.at("runs/hypergrid-1/run.lock"))));

test("a run is started in the folder of runs, stopped and resumed", async () => {
  const { client } = await started();
  const settings = { task: "hypergrid", side: 4, iterations: 10 };
  const { id } = await client.json<{ id: string }>("/api/train", { settings });
  expect(id).toBe("runs/hypergrid-1");
  expect(await stateOf(client, id)).toBe("running");
  expect(JSON.parse(readFileSync(folder.at(id, "config.json"), "utf8"))).toMatchObject(settings);
  await client.json("/api/stop", { id });
  expect(await stateOf(client, id)).toBe("interrupted");
  await client.json("/api/resume", { id });
  expect(await stateOf(client, id)).toBe("running");
  const again = await client.post("/api/resume", { id });
  expect([again.status, errorOf(again)]).toEqual([
    ...[409, "hypergrid-1 is running; only interrupted runs can be resumed"],
  ]);
});

test("all mistakes of the settings are reported at once, and nothing is left behind", async () => {
  const { client } = await started();
  const before = readdirSync(folder.at("runs"));
  const answer = await client.post("/api/train", { settings: { task: "hypergrid", stick: 2, bach: 3 } });
  expect(answer.status).toBe(400);
  expect(errorOf(answer)).toContain("the input has 2 problems");
  const failed = await client.post("/api/train", { settings: { task: "hypergrid", seed: 666 } });
  expect([failed.status, errorOf(failed)]).toEqual([422, "the seed is unlucky; choose another one"]);
  expect(readdirSync(folder.at("runs"))).toEqual(before);
});

test("settings may name files of the watched folder only", async () => {
  const { client } = await started();
  outside.write("table.txt", "");
  folder.write("table.txt", "");
  symlinkSync(outside.at("table.txt"), folder.at("link.txt"));
  for (const table of ["/etc/passwd", "../table.txt", outside.at("table.txt"), "link.txt", "missing.txt"]) {
    const answer = await client.post("/api/train", { settings: { task: "tfbind8", table } });
    expect([answer.status, errorOf(answer)]).toEqual([
      ...[400, "table: must be a file in the folder that the dashboard shows"],
    ]);
  }
  const { id } = await client.json<{ id: string }>("/api/train", {
    settings: { task: "tfbind8", table: "table.txt" },
  });
  expect(id).toBe("runs/tfbind8-1");
});

test("runs that were started elsewhere are not stopped", async () => {
  folder.run("runs/other", {}, []);
  const { client } = await started();
  const answer = await client.post("/api/stop", { id: "runs/other" });
  expect([answer.status, errorOf(answer)]).toEqual([409, "other was not started by this dashboard"]);
});

test("a dashboard that stops interrupts each of its runs once", async () => {
  const { dashboard, client } = await started(folder.at("of-its-own"));
  const { id } = await client.json<{ id: string }>("/api/train", { settings: { task: "hypergrid" } });
  expect(dashboard.training).toBe(1);
  await dashboard.close();
  const at = (name: string) => folder.at("of-its-own", id, name);
  await until(() => !existsSync(at("run.lock")));
  expect(readFileSync(at("interrupted.txt"), "utf8")).toBe("1");
});

test("a watched folder of runs gets the run itself", async () => {
  const { client } = await started(folder.at("runs"));
  const { id } = await client.json<{ id: string }>("/api/train", { settings: { task: "bit-sequence" } });
  expect(id).toBe("bit-sequence-1");
});

test("no more runs are trained at a time than there are processors", async () => {
  const { client } = await started(folder.at("many"));
  const answers = [];
  for (let i = 0; i < 70 && answers.at(-1)?.status !== 429; i++) {
    answers.push(await client.post("/api/train", { settings: { task: "hypergrid" } }));
  }
  expect(answers.at(-1)?.status).toBe(429);
  expect(errorOf(answers.at(-1)!)).toMatch(/^\d+ runs of this dashboard are training; stop one first$/);
});
