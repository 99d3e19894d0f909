import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { candidateCsv } from "../../src/design/candidate-files.ts";
import { chooseCandidates } from "../../src/design/candidates.ts";
import { trainValidRun } from "../fuzz/valid-files.ts";
import {
  compareDesigns,
  type DesignReference,
  designReference,
  inspectDesign,
  journalIn,
} from "./design-check.ts";
import { scoreOf } from "./score-of.mjs";

const base = mkdtempSync(join(tmpdir(), "gflownet-crash-design-"));
afterAll(() => rmSync(base, { recursive: true }));

const sent = (...strings: string[]) => `${JSON.stringify({ sent: strings })}\n`;
const answers = (...strings: string[]) =>
  `${JSON.stringify({ answers: strings.map((string) => ({ string, score: scoreOf(string) })) })}\n`;

describe("a journal", () => {
  test("has its strings in the order in which they were first sent, and counts each time", () => {
    const { calls, scores, ...rest } = journalIn(
      sent("AC", "GT") + answers("AC") + sent("GT", "TT") + answers("TT", "GT"),
    );
    expect([calls, rest.sent, [...scores.keys()]]).toEqual([4, ["AC", "GT", "TT"], ["AC", "TT", "GT"]]);
  });

  test("may end with an incomplete line, but no other line may be damaged", () => {
    expect(journalIn(`${sent("AC")}{"answ`).calls).toBe(1);
    expect(() => journalIn(`${sent("AC")}{"answ\n`)).toThrow(/line 2 is damaged/);
  });

  test("must have right scores, of strings that were sent", () => {
    expect(() => journalIn(`${sent("AC")}{"answers":[{"string":"AC","score":2}]}\n`)).toThrow(
      /has the score 2 of AC/,
    );
    expect(() => journalIn(answers("AC"))).toThrow(/AC, which was not sent/);
  });
});

describe("the folder of a design", async () => {
  const { metrics, checkpoint, iteration } = await trainValidRun();
  const limits = { budget: 6, inFlight: 2, iterations: iteration, candidates: 10, radius: 1 };
  let folder: string;
  let reference: DesignReference;
  let made = 0;
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  /** Candidates as a run writes them that has scored these strings. */
  const csv = (...strings: string[]) => {
    const designs = strings.map((string) => ({ string, score: scoreOf(string) }));
    const options = { count: 10, radius: 1, distance: "hamming", goal: "maximise", known: [] } as const;
    const extra = { logProbability: null, expectedScore: null, expectedScoreError: null };
    return candidateCsv(chooseCandidates(designs, options).map((candidate) => ({ ...candidate, ...extra })));
  };
  const problems = async () => (await inspectDesign(folder, reference, limits)).problems;

  beforeEach(async () => {
    folder = join(base, `design-${++made}`);
    await mkdir(join(folder, "run"), { recursive: true });
    write("design.json", "{}");
    write("scores.jsonl", sent("AC", "GT") + answers("GT", "AC") + sent("TT", "CC") + answers("TT", "CC"));
    write("candidates.csv", csv("AC", "GT", "TT", "CC"));
    write("candidates.fasta", ">");
    write("report.html", "<p>");
    write("run/checkpoint.safetensors", checkpoint);
    write("run/metrics.jsonl", metrics);
    reference = await designReference(folder);
  });

  test("is right if it equals the uninterrupted design", async () => {
    expect(await inspectDesign(folder, reference, limits)).toEqual({
      stage: "ended",
      iteration,
      problems: [],
    });
    expect(await compareDesigns(folder, reference, limits)).toEqual({ missing: 0, problems: [] });
    rmSync(join(folder, "report.html"));
    expect(await inspectDesign(folder, reference, limits)).toMatchObject({ stage: "at the end" });
  });

  test("must keep the budget and have few strings without answers", async () => {
    appendFileSync(join(folder, "scores.jsonl"), sent("AC", "GT", "TT"));
    expect(await problems()).toContain("7 calls were made, but the budget is 6");
    write("scores.jsonl", sent("AC", "GT", "TT"));
    expect(await problems()).toEqual(["3 strings have no answer, but at most 2 can be on their way"]);
    write("scores.jsonl", sent("GT"));
    expect(await problems()).toEqual(["string 1 is GT instead of AC"]);
  });

  test("must not have lost its beginning or its checkpoint", async () => {
    write("thesis.txt", "");
    expect(await problems()).toEqual(["thesis.txt is not a file of a design"]);
    rmSync(join(folder, "thesis.txt"));
    const before = { stage: "training", iteration: iteration + 1, problems: [] } as const;
    expect((await inspectDesign(folder, reference, limits, before)).problems).toEqual([
      `the checkpoint went back from iteration ${iteration + 1} to ${iteration}`,
    ]);
    rmSync(join(folder, "design.json"));
    expect((await inspectDesign(folder, reference, limits, before)).problems).toEqual([
      "strings were sent without a design.json",
      "design.json was lost",
    ]);
  });

  test("lacks as many strings as calls were counted twice, if the budget is spent", async () => {
    const tight = { ...limits, budget: 4 };
    write("scores.jsonl", sent("AC", "GT") + answers("AC") + sent("GT", "TT") + answers("GT", "TT"));
    write("candidates.csv", csv("AC", "GT", "TT"));
    expect(await compareDesigns(folder, reference, tight)).toEqual({ missing: 1, problems: [] });
    write("candidates.csv", csv("AC", "GT"));
    expect((await compareDesigns(folder, reference, tight)).problems).toEqual([
      expect.stringMatching(/^candidate \d is .* instead of/),
    ]);
    // With a larger budget the string should have been sent.
    expect((await compareDesigns(folder, reference, limits)).problems).toContain(
      "3 strings were sent instead of the first 4 of the uninterrupted design",
    );
  });

  test("lacks strings that were on their way when the last call was spent", async () => {
    write("scores.jsonl", sent("AC", "GT") + answers("AC", "GT") + sent("TT", "CC") + answers("TT"));
    write("candidates.csv", csv("AC", "GT", "TT"));
    const tight = { ...limits, budget: 4 };
    expect(await compareDesigns(folder, reference, tight)).toEqual({ missing: 1, problems: [] });
    expect((await compareDesigns(folder, reference, limits)).problems).toEqual([
      "1 strings have no answer at the end, though 2 calls are left",
    ]);
  });

  test("must be bit-identical if no string is missing", async () => {
    write("run/metrics.jsonl", `${metrics}{"kind":"end","iterations":5}\n`);
    write("candidates.fasta", ">other");
    expect((await compareDesigns(folder, reference, limits)).problems).toEqual([
      "candidates.fasta differs",
      expect.stringMatching(/^event \d+ of the metrics is .* instead of nothing$/),
    ]);
  });
});
