// Tests of the spool: results survive, damaged ones are not given, and old ones are removed.

import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Spool } from "./spool.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-spool-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const id = (letter: string) => letter.repeat(64);
const result = { text: "{}", signature: "s" };

test("a result is kept until it is removed, also for another worker", async () => {
  const spool = await Spool.open(folder);
  expect(await spool.get(id("a"))).toBeNull();
  await spool.put(id("a"), result);
  expect(readdirSync(folder)).toEqual([`${id("a")}.json`]);
  const other = await Spool.open(folder);
  expect(await other.get(id("a"))).toEqual(result);
  await other.remove(id("a"));
  await other.remove(id("a"));
  expect(await spool.get(id("a"))).toBeNull();
});

test("a damaged result is none", async () => {
  const spool = await Spool.open(folder);
  for (const text of ["", '{"text":', "null", '{"text":1,"signature":""}']) {
    writeFileSync(join(folder, `${id("b")}.json`), text);
    expect(await spool.get(id("b"))).toBeNull();
  }
});

test("results and unfinished files of more than a week ago are removed, and nothing else", async () => {
  const names = [`${id("c")}.json`, `${id("d")}.json.12.tmp`, "notes.txt", `${id("e")}.json`];
  for (const name of names) writeFileSync(join(folder, name), "{}");
  const old = Date.now() / 1000 - 8 * 24 * 3600;
  for (const name of names.slice(0, 3)) utimesSync(join(folder, name), old, old);
  await Spool.open(folder);
  expect(names.map((name) => existsSync(join(folder, name)))).toEqual([false, false, true, true]);
});
