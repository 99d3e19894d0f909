// Design folders: new ones, those of another problem, foreign content, and when a run may continue.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  type DesignKey,
  isSameRun,
  openDesignFolder,
  problemHash,
  readDesignKey,
  startDesignRun,
} from "./design-folder.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-design-folder-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const key: DesignKey = {
  problem: problemHash("alphabet: DNA"),
  oracle: "v1",
  budget: 10,
  seed: 0,
  iterations: null,
  seconds: null,
  told: 2,
  calls: 0,
  known: ["ACG"],
};

test("a new folder gets a copy of the problem, and no key before a run starts", async () => {
  const folder = join(base, "new", "deep");
  expect(await openDesignFolder(folder, "alphabet: DNA")).toBeNull();
  expect(readFileSync(join(folder, "problem.yaml"), "utf8")).toBe("alphabet: DNA");
  expect(await readDesignKey(folder)).toBeNull();
});

test("a started run is found again, and its old run folder is removed while the scores stay", async () => {
  const folder = join(base, "started");
  await openDesignFolder(folder, "alphabet: DNA");
  mkdirSync(join(folder, "run"));
  writeFileSync(join(folder, "run", "config.json"), "{}");
  writeFileSync(join(folder, "scores.jsonl"), "kept");
  await startDesignRun(folder, key);
  expect(await openDesignFolder(folder, "alphabet: DNA")).toEqual(key);
  expect(readdirSync(folder).sort()).toEqual(["design.json", "problem.yaml", "scores.jsonl"]);
});

test("a changed problem is refused and the copy in the folder stays", async () => {
  const folder = join(base, "changed");
  await openDesignFolder(folder, "alphabet: DNA");
  await startDesignRun(folder, key);
  await expect(openDesignFolder(folder, "alphabet: RNA")).rejects.toThrow(
    /has designs of another problem file, or of this one before it was changed; give another folder with --out$/,
  );
  expect(readFileSync(join(folder, "problem.yaml"), "utf8")).toBe("alphabet: DNA");
});

test("a folder with other content is refused, and nothing is written to it", async () => {
  const folder = join(base, "foreign");
  mkdirSync(folder);
  writeFileSync(join(folder, "thesis.tex"), "");
  await expect(openDesignFolder(folder, "alphabet: DNA")).rejects.toThrow(
    /it has thesis\.tex; give another folder/,
  );
  expect(readdirSync(folder)).toEqual(["thesis.tex"]);
});

test("a folder whose first file was being written when the process was killed is used again", async () => {
  const folder = join(base, "killed");
  mkdirSync(folder);
  const temporary = "00000000-0000-4000-8000-000000000000.tmp";
  for (const name of [
    `.problem.yaml.${temporary}`,
    ".scores.lock.takeover",
    `..scores.lock.takeover.${temporary}`,
  ]) {
    writeFileSync(join(folder, name), "alph");
  }
  expect(await openDesignFolder(folder, "alphabet: DNA")).toBeNull();
  expect(readFileSync(join(folder, "problem.yaml"), "utf8")).toBe("alphabet: DNA");
});

test.each(["{", "[]", "null", '{"format":"gflownet design","version":2,"known":[]}'])(
  "a damaged key %s is one clear sentence",
  async (text) => {
    const folder = join(base, "damaged");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "design.json"), text);
    await expect(openDesignFolder(folder, "alphabet: DNA")).rejects.toThrow(
      /design\.json must be a file of gflownet design of version 1; give another folder$/,
    );
  },
);

test("a run continues only if the same is asked for and nothing was told since", () => {
  const { known, calls, ...asked } = key;
  expect(isSameRun(key, asked)).toBe(true);
  const changes = [
    { problem: "other" },
    { oracle: null },
    { budget: 11 },
    { seed: 1 },
    { iterations: 5 },
    { seconds: 1 },
    { told: 3 },
  ];
  for (const change of changes) expect(isSameRun(key, { ...asked, ...change })).toBe(false);
});

test("a file in the place of the folder is named, and stays", async () => {
  const file = join(base, "file.py");
  writeFileSync(file, "print()");
  await expect(openDesignFolder(file, "alphabet: DNA")).rejects.toThrow(
    `${file} is not a folder; give another name with --out`,
  );
  expect(readFileSync(file, "utf8")).toBe("print()");
});
