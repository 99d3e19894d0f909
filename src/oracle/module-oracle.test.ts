// Modules as oracles, in real threads: whatever a module does, its time limit and an interruption end it.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type ModuleOracleOptions, moduleOracle } from "./module-oracle.ts";
import { DeadOracleError, type Oracle } from "./oracle.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-modules-"));
const opened: Oracle[] = [];
afterAll(async () => {
  await Promise.all(opened.map((oracle) => oracle.close()));
  rmSync(folder, { recursive: true, force: true });
});

function moduleFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

let files = 0;
async function open(text: string, options: Partial<ModuleOracleOptions> = {}): Promise<Oracle> {
  const oracle = await moduleOracle({ file: moduleFile(`module-${files++}.mjs`, text), ...options });
  opened.push(oracle);
  return oracle;
}

describe("a module", () => {
  test("exports score or scores, and its version is a hash of its text", async () => {
    const one = await open("export const score = (s) => s.length;");
    const many = await open(
      "export const batch = 7; export const scores = (all) => all.map((s) => s.length);",
    );
    expect(await one.score(["abc"])).toEqual([{ score: 3 }]);
    expect(await many.score(["abc"])).toEqual([{ score: 3 }]);
    expect([one.batch, many.batch]).toEqual([128, 7]);
    expect(one.version).not.toBe(many.version);
  });

  test.each([
    ["none.mjs", "export const x = 1;", "must export one function, `score` or `scores`, got x"],
    ["broken.mjs", "export const score = (", "cannot be loaded:"],
  ])("that cannot be used gets one sentence: %s", async (name, text, message) => {
    await expect(moduleOracle({ file: moduleFile(name, text) })).rejects.toThrow(message);
  });

  test("that does not exist is named", async () => {
    const file = join(folder, "missing.mjs");
    await expect(moduleOracle({ file })).rejects.toThrow(`${file} cannot be read: it does not exist`);
  });

  test.each([
    ["await new Promise(() => {}); export const score = () => 1;", "it was not ready after 2 s"],
    ["for (;;) {} export const score = () => 1;", "it was not ready after 2 s"],
  ])("that is never ready gets one sentence: %s", async (text, message) => {
    await expect(open(text, { loadLimit: 2000 })).rejects.toThrow(message);
  });

  test.each([
    ["process.exit(3);", "it ended its thread with exit code 3"],
    ["export const score = () => 1; export const batch = 0.5;", "batch: must be a whole number"],
  ])("that is wrong gets one sentence: %s", async (text, message) => {
    await expect(open(text)).rejects.toThrow(message);
  });

  test("that never loads ends at once when it is aborted", async () => {
    const signal = AbortSignal.timeout(100);
    const start = performance.now();
    await expect(open("for (;;) {}", { signal })).rejects.toThrow("timeout");
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe("the answers of a module", () => {
  test("have uncertainties, values and failures of their own", async () => {
    const oracle = await open(`export const score = async (s) => {
      if (s === "error") throw new Error("not a\\u0007 molecule");
      return s === "nan" ? NaN : { score: s.length, uncertainty: 0.5 };
    };`);
    expect(await oracle.score(["abc", "error", "nan"])).toEqual([
      { score: 3, uncertainty: 0.5 },
      { failure: "not a\\u0007 molecule" },
      { failure: "its score must be a finite number, got NaN" },
    ]);
  });

  test("are failures if the function of a batch throws, and the next batch is scored", async () => {
    const oracle = await open(`let calls = 0;
      export const scores = (all) => { if (calls++ === 0) throw new Error("busy"); return all.map(() => calls); };`);
    expect(await oracle.score(["a", "b"])).toEqual([{ failure: "busy" }, { failure: "busy" }]);
    expect(await oracle.score(["a", "b"])).toEqual([{ score: 2 }, { score: 2 }]);
  });

  test("come from as many calls at once as the module permits", async () => {
    const oracle = await open(`export const concurrency = 2; let wake;
      export const score = (s) => s === "first" ? new Promise((done) => { wake = () => done(1); }) : (wake(), 2);`);
    expect(oracle.concurrency).toBe(2);
    expect(await Promise.all([oracle.score(["first"]), oracle.score(["second"])])).toEqual([
      [{ score: 1 }],
      [{ score: 2 }],
    ]);
  });
});

describe("a module that hangs at one string", () => {
  test.each([
    ["in a promise", "new Promise(() => {})"],
    ["in an endless loop", "(() => { for (;;) {} })()"],
  ])("%s fails for this string only", async (_, hang) => {
    const oracle = await open(`export const score = (s) => s === "X" ? ${hang} : s.length;`, {
      timeLimit: 500,
    });
    expect(await oracle.score(["a", "bb", "X", "ccc"])).toEqual([
      { score: 1 },
      { score: 2 },
      { failure: expect.stringContaining("it gave no answer for 0.5 s") },
      { score: 3 },
    ]);
  });

  test("lets other batches be scored", async () => {
    const oracle = await open(
      `export const concurrency = 2;
      export const score = (s) => s === "X" ? new Promise(() => {}) : new Promise((done) => setTimeout(done, 450, 1));`,
      { timeLimit: 1000 },
    );
    const hanging = oracle.score(["X"]);
    const scored: unknown[] = [];
    for (let i = 0; i < 3; i++) scored.push(...(await oracle.score([`${i}`])));
    expect(scored).toEqual([{ score: 1 }, { score: 1 }, { score: 1 }]);
    expect(await hanging).toEqual([{ failure: expect.stringContaining("no answer for 1 s") }]);
  });

  test("that never answers is given up after three time limits", async () => {
    const problems: string[] = [];
    const oracle = await open("export const score = () => { for (;;) {} };", {
      ...{ timeLimit: 300, onProblem: (problem: string) => problems.push(problem) },
    });
    await expect(oracle.score(["a", "b", "c", "d"])).rejects.toThrow(DeadOracleError);
    expect(problems).toHaveLength(3);
  });
});

test.each([
  ["in a promise", "new Promise(() => {})"],
  ["in an endless loop", "(() => { for (;;) {} })()"],
])("a batch that hangs %s ends at once when it is aborted, and the next one is scored", async (_, hang) => {
  const marker = join(folder, `marker-${files}`);
  const oracle = await open(`import { existsSync, writeFileSync } from "node:fs";
    export const score = (s) => {
      if (s !== "X") return s.length;
      writeFileSync(${JSON.stringify(marker)}, "");
      return ${hang};
    };`);
  const controller = new AbortController();
  const asked = oracle.score(["X"], controller.signal);
  asked.catch(() => {});
  while (!existsSync(marker)) await new Promise((resolve) => setTimeout(resolve, 5));
  const start = performance.now();
  controller.abort();
  await expect(asked).rejects.toThrow("aborted");
  expect(performance.now() - start).toBeLessThan(1000);
  expect(await oracle.score(["abc"])).toEqual([{ score: 3 }]);
});

test("a module whose thread ends is loaded again", async () => {
  const oracle = await open(`export const score = (s) => {
    if (s === "X") process.exit(2);
    if (s === "Y") setTimeout(() => { throw new Error("a stray error"); });
    return s === "Y" ? new Promise(() => {}) : s.length;
  };`);
  expect(await oracle.score(["a", "X", "Y", "bb"])).toEqual([
    { score: 1 },
    { failure: "it ended its thread with exit code 2" },
    { failure: "its thread ended with an error: a stray error" },
    { score: 2 },
  ]);
});
