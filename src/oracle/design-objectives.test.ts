// Design objectives: the score of several values, constraints, and answers of every kind of oracle.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { combinedScore, type DesignObjective, scaledValue, violation } from "./design-objectives.ts";
import { functionOracle } from "./function-oracle.ts";
import { httpOracle } from "./http-oracle.ts";
import { moduleOracle } from "./module-oracle.ts";
import type { Answer } from "./oracle.ts";
import { programOracle } from "./program-oracle.ts";
import { openScoreStore } from "./score-store.ts";
import { tableOracle } from "./table-oracle.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-objectives-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const binding: DesignObjective = { name: "binding", goal: "maximise", weight: 3, worst: 0, best: 1 };
const toxicity: DesignObjective = { name: "toxicity", goal: "minimise", weight: 1, worst: 10, best: 0 };
const both = [binding, toxicity];

describe("the score of several values", () => {
  test("is the weighted mean of the values between worst and best", () => {
    expect(scaledValue(toxicity, 4)).toBe(0.6);
    expect(combinedScore(both, [0.5, 4])).toBeCloseTo((3 * 0.5 + 0.6) / 4, 15);
  });

  test("counts a value beyond worst as 0, and one beyond best as more than 1", () => {
    expect(combinedScore(both, [-5, 0])).toBe(0.25);
    expect(combinedScore(both, [2, 10])).toBe(1.5);
  });

  test("is 0.1 + 0.9·S if the constraints are met, and 0.05 / (1 + V) if not", () => {
    const limited = [
      { ...binding, atLeast: 0.25 },
      { ...toxicity, atMost: 4 },
    ];
    expect(violation(limited, [0.25, 4])).toBe(0);
    expect(combinedScore(limited, [0.25, 4])).toBeCloseTo(0.1 + (0.9 * (3 * 0.25 + 0.6)) / 4, 15);
    expect(violation(limited, [0, 9])).toBeCloseTo(0.25 + 0.5, 15);
    expect(combinedScore(limited, [0, 9])).toBeCloseTo(0.05 / 1.75, 15);
  });

  test("puts every violation below every string that meets the constraints, and less violation first", () => {
    const limited = [binding, { ...toxicity, atMost: 4 }];
    const worstFeasible = combinedScore(limited, [-100, 4]);
    const scores = [5, 6, 50, 1e9].map((value) => combinedScore(limited, [1, value]));
    const barely = combinedScore(limited, [1, 4 + 1e-15]);
    expect(barely).toBeLessThan(worstFeasible);
    expect([worstFeasible, barely, ...scores]).toEqual(
      [worstFeasible, barely, ...scores].toSorted((a, b) => b - a),
    );
    expect(Math.min(...scores)).toBeGreaterThan(0);
  });
});

/** What the oracles below must answer for AC, GG and TT. */
const EXPECTED: readonly Answer[] = [
  { score: combinedScore(both, [0.5, 4]), values: [0.5, 4] },
  { failure: "its toxicity must be a finite number, got none" },
  { score: combinedScore(both, [1, 0]), values: [1, 0] },
];
const STRINGS = ["AC", "GG", "TT"];
const VALUES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AC: { binding: 0.5, toxicity: 4 },
  GG: { binding: 0.5 },
  TT: { binding: 1, toxicity: -0 },
};

describe("answers with several values come from", () => {
  test("a function that returns a record", async () => {
    const oracle = functionOracle({ score: (string) => VALUES[string], objectives: both });
    expect(await oracle.score(STRINGS)).toEqual(EXPECTED);
    const one = functionOracle({ scores: (strings) => strings.map(() => 1), objectives: both });
    expect(await one.score(["AC"])).toEqual([
      { failure: "its scores must be a map of binding, toxicity, got 1" },
    ]);
  });

  test("a module", async () => {
    const file = join(folder, "oracle.mjs");
    writeFileSync(
      file,
      `const values = ${JSON.stringify(VALUES)};\nexport const score = (s) => values[s];\n`,
    );
    expect(await (await moduleOracle({ file, objectives: both })).score(STRINGS)).toEqual(EXPECTED);
  });

  test("a table with a column per objective, in which a missing value is a failure", async () => {
    const file = join(folder, "values.csv");
    writeFileSync(file, "toxicity,x2,string,binding\n4,a,AC,0.5\n,b,GG,0.5\n0,c,TT,1\n");
    expect(await (await tableOracle({ file, objectives: both })).score(STRINGS)).toEqual(EXPECTED);
    await expect(tableOracle({ file, objectives: [binding, { ...toxicity, name: "cost" }] })).rejects.toThrow(
      /has no column "cost"/,
    );
    const twice = join(folder, "twice.csv");
    writeFileSync(twice, "string,binding,toxicity\nAC,0.5,4\nAC,0.5,5\n");
    await expect(tableOracle({ file: twice, objectives: both })).rejects.toThrow(
      'has two scores for "AC", (0.5, 4) and (0.5, 5); keep one row',
    );
  });

  test("a program of JSON lines, by the member scores", async () => {
    const program = `for await (const line of require("readline").createInterface({ input: process.stdin }))
      { const { string } = JSON.parse(line); console.log(JSON.stringify({ string, scores: (${JSON.stringify(VALUES)})[string] })) }`;
    const command = [process.execPath, "-e", `(async () => { ${program} })()`];
    const oracle = await programOracle({ command, objectives: both });
    expect(await oracle.score(STRINGS)).toEqual(EXPECTED);
    await oracle.close();
  });

  test("a program of plain lines, with numbers between white space in the order of the objectives", async () => {
    const lines = { AC: "0.5 4", GG: "0.5", TT: "1\\t0", NN: "0.5 nan" };
    const program = `for await (const line of require("readline").createInterface({ input: process.stdin }))
      console.log((${JSON.stringify(lines).replaceAll("\\\\", "\\")})[line])`;
    const command = [process.execPath, "-e", `(async () => { ${program} })()`];
    const oracle = await programOracle({ command, protocol: "plain-lines", objectives: both });
    expect(await oracle.score([...STRINGS, "NN"])).toEqual([
      EXPECTED[0],
      { failure: 'its scores must be 2 numbers, got 1: "0.5"' },
      EXPECTED[2],
      { failure: 'its toxicity must be a finite number, got "nan"' },
    ]);
    await oracle.close();
  });

  test("an HTTP service", async () => {
    const answers = STRINGS.map((string) => ({ string, scores: VALUES[string] }));
    const server = createServer((_, response) => response.end(JSON.stringify({ answers })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await httpOracle({ url, objectives: both }).score(STRINGS)).toEqual(EXPECTED);
    server.close();
  });
});

test("the journal keeps the values, also those that were told, and a store that is opened again has them", async () => {
  const oracle = functionOracle({ score: (string) => VALUES[string], objectives: both });
  const place = { folder: join(folder, "store"), oracle, onFailure: "skip" } as const;
  const store = await openScoreStore(place);
  await store.score(STRINGS);
  await store.tell([{ string: "AA", score: 0.5, values: [0.5, 5] }]);
  const scored = store.scored();
  await store.close();
  expect(scored).toEqual([
    { string: "AA", score: 0.5, values: [0.5, 5] },
    { string: "AC", ...EXPECTED[0] },
    { string: "TT", ...EXPECTED[2] },
  ]);
  expect(readFileSync(join(folder, "store", "scores.jsonl"), "utf8")).toContain('"values":[0.5,4]');
  const again = await openScoreStore(place);
  expect(again.scored()).toEqual(scored);
  await again.close();
});

test("the version of an oracle changes with its objectives, because the scores do", () => {
  const score = (string: string) => VALUES[string];
  const versions = [undefined, both, [{ ...binding, weight: 1 }, toxicity]].map(
    (objectives) => functionOracle({ score, objectives, version: "1" }).version,
  );
  expect(versions[0]).toBe("1");
  expect(new Set(versions).size).toBe(3);
});
