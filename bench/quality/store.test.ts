import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "./store.ts";
import { runOf, timed, trainingResult } from "./test-support.ts";

const assignment = timed("limit").work as Parameters<ReturnType<typeof openStore>["keep"]>[1];
const run = runOf(0, trainingResult());
const key = { name: "tfbind8, stick .25 60s seed 0", hash: "0123456789abcdef0123" };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quality-store-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a run is found again under its own key only", async () => {
  const store = openStore(join(folder, "deep", "folder"));
  expect(await store.find(key)).toBeUndefined();
  await store.keep(key, assignment, run);
  expect(await store.find(key)).toEqual(run);
  expect(await openStore(join(folder, "deep", "folder")).find(key)).toEqual(run);
  expect(await store.find({ ...key, hash: "ffff456789abcdef0123" })).toBeUndefined();
  expect(await store.find({ ...key, hash: "0123456789abcdefffff" })).toBeUndefined();
});

test("files have names that people can read", async () => {
  await openStore(folder).keep(key, assignment, run);
  expect(await readdir(folder)).toEqual(["tfbind8-stick-.25-60s-seed-0-0123456789abcdef.json"]);
});
