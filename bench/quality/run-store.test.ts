import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "./run-store.ts";
import { runOf, timingCase, trainingResult } from "./test-support.ts";

const measurement = timingCase("limit").measurement as Parameters<ReturnType<typeof openStore>["save"]>[1];
const run = runOf(0, trainingResult());
const key = { name: "tfbind8, stick .25 60s seed 0", hash: "0123456789abcdef0123" };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quality-store-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a run is found only by its key", async () => {
  const store = openStore(join(folder, "deep", "folder"));
  expect(await store.find(key)).toBeUndefined();
  await store.save(key, measurement, run);
  expect(await store.find(key)).toEqual(run);
  expect(await openStore(join(folder, "deep", "folder")).find(key)).toEqual(run);
  expect(await store.find({ ...key, hash: "ffff456789abcdef0123" })).toBeUndefined();
  expect(await store.find({ ...key, hash: "0123456789abcdefffff" })).toBeUndefined();
});

test("file names are readable", async () => {
  await openStore(folder).save(key, measurement, run);
  expect(await readdir(folder)).toEqual(["tfbind8-stick-.25-60s-seed-0-0123456789abcdef.json"]);
});
