// The objectives of problem files: defaults, every mistake as one sentence, and known strings with several values.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { parseProblem } from "./read-problem.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-problem-objectives-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base = { alphabet: "DNA", length: 4 };
const two = [{ name: "binding" }, { name: "toxicity", goal: "minimise" }];

async function issuesOf(value: object): Promise<string[]> {
  try {
    await parseProblem({ ...base, ...value }, { folder });
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
}

test("objectives are maximised between 0 and 1 by default, and minimised between 1 and 0", async () => {
  const { problem } = await parseProblem({ ...base, objectives: two });
  expect(problem.objectives).toEqual([
    { name: "binding", goal: "maximise", weight: 1, worst: 0, best: 1 },
    { name: "toxicity", goal: "minimise", weight: 1, worst: 1, best: 0 },
  ]);
  expect(problem.preferences).toBeUndefined();
});

test("a problem without objectives has none", async () => {
  const { problem } = await parseProblem(base);
  expect("objectives" in problem).toBe(false);
});

describe("a mistake is one sentence:", () => {
  test.each<[object, string]>([
    [{ objectives: [{ name: "a" }] }, 'objectives: must be a list of 2 to 6 objectives, got [{"name":"a"}]'],
    [
      { objectives: [{ name: "2nd" }, { name: "b" }] },
      'objectives[0].name: must begin with a letter and have at most 40 letters, digits and underscores, got "2nd"',
    ],
    [
      { objectives: [{ name: "Score" }, { name: "b" }] },
      "objectives[0].name: must not be Score, which is the name of another column",
    ],
    [{ objectives: [{ name: "a" }, { name: "A" }] }, "objectives[1].name: must occur once, got A again"],
    [
      { objectives: [{ name: "a", worst: 2 }, { name: "b" }] },
      "objectives[0]: must have a worst below best to maximise, got 2 and 1",
    ],
    [
      { objectives: [{ name: "a", goal: "minimise", best: 3 }, { name: "b" }] },
      "objectives[0]: must have a worst above best to minimise, got 1 and 3",
    ],
    [
      { objectives: [{ name: "a", atLeast: 2, atMost: 1 }, { name: "b" }] },
      "objectives[0]: must have an atLeast of at most atMost, got 2 and 1",
    ],
    [
      { objectives: two.map((each) => ({ ...each, weight: 0 })) },
      "objectives: must have a weight above 0 in at least one objective, got none",
    ],
    [
      { objectives: two, reward: { goal: "minimise" } },
      "reward.goal: must be maximise: each of the `objectives` has its own goal",
    ],
    [
      { objectives: two, oracle: { landscape: "nk", k: 1 } },
      "oracle.landscape: gives one score, so it excludes `objectives`",
    ],
    [{ preferences: "conditioned" }, "preferences: conditioned needs `objectives`"],
    [
      { objectives: two, preferences: "conditioned", noise: { stick: 0.1, when: "after" } },
      "preferences: conditioned excludes noise `after`; use fixed preferences",
    ],
    [
      { objectives: two, known: [{ string: "ACGT", score: 1 }] },
      "known[0].score: must be absent; with `objectives`, give `scores`",
    ],
    [
      { known: [{ string: "ACGT", scores: { binding: 1 } }] },
      "known[0].scores: must be absent; without `objectives`, give `score`",
    ],
    [
      { objectives: two, known: [{ string: "ACGT", scores: { binding: 1 } }] },
      "known[0].scores: its toxicity must be a finite number, got none",
    ],
  ])("%j", async (value, message) => {
    expect(await issuesOf(value)).toEqual([message]);
  });
});

test("known strings have the value of each objective, and the score that they make", async () => {
  const known = [{ string: "ACGT", scores: { toxicity: 0.25, binding: 0.5 } }];
  const { problem } = await parseProblem({ ...base, objectives: two, known });
  expect(problem.known).toMatchObject([{ string: "ACGT", values: [0.5, 0.25], score: (0.5 + 0.75) / 2 }]);
});

test("a table of known strings has a column per objective, and rows that lack a value are left out", async () => {
  writeFileSync(join(folder, "known.csv"), "string,toxicity,binding\nACGT,0.25,0.5\nAAAA,,0.5\n");
  const { problem, notes } = await parseProblem(
    { ...base, objectives: two, known: { file: "known.csv" } },
    { folder },
  );
  expect(problem.known).toMatchObject([{ string: "ACGT", values: [0.5, 0.25] }]);
  expect(notes).toEqual(["known.file: 1 of 2 rows have no score and are left out"]);
});
