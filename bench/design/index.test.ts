import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { channel } from "../../src/channel/channel.ts";
import { parseProblemText } from "../../src/problem/read-problem.ts";
import { UsageError } from "../benchmark.ts";
import { formatTable } from "../report.ts";
import type { ChannelResult } from "./channel.ts";
import type { DefaultsResult } from "./default-cases.ts";
import { ehrlichInstance } from "./ehrlich.ts";
import { design, selectCases } from "./index.ts";
import { MUTAZYME, NUCLEOTIDE_ANALOGUES, PHOTOLITHOGRAPHY, substitutionMatrix } from "./measured-channels.ts";
import { TABLE } from "./rows.ts";

const full = { ...design.full, quick: false };
const quick = { ...design.quick, quick: true };
const only = (pattern: RegExp, options = full) => selectCases({ ...options, only: pattern });

describe("a selection", () => {
  test("has rows of all sections, each setting once", () => {
    const all = selectCases(full);
    expect([...new Set(all.map(({ section }) => section))]).toEqual([
      ...["defaults", "Ehrlich", "channel", "oracles", "long strings"],
    ]);
    expect(new Set(all.map(({ setting }) => setting)).size).toBe(all.length);
  });

  test("contains the rows that match, with one process for each seed", () => {
    const [motif, ...others] = only(/GATC/);
    expect(others).toEqual([]);
    expect(motif.measurements).toEqual(
      [0, 1, 2].map((seed) => ({ section: "defaults", problem: "GATC in 4^12", calls: 100_000, seed })),
    );
    expect(only(/^long strings, .*transformer/)).toHaveLength(3);
  });

  test("without rows fails and lists them", () => {
    expect(() => only(/nothing like it/)).toThrow(UsageError);
    expect(() => only(/nothing like it/)).toThrow(/available rows: defaults, GATC in 4\^12, 100,000 calls; /);
  });
});

test("only complete results are recorded", () => {
  expect(design.recordProblem?.(full)).toBeUndefined();
  for (const options of [quick, { ...full, only: /NK/ }, { ...full, rounds: 2 }, { ...full, seconds: 5 }])
    expect(design.recordProblem?.(options)).toMatch(/--record needs a complete result/);
});

describe("requirements", () => {
  const outcome = (mean: number): DefaultsResult => ({
    ...{ uniform: 0.2, bestReachable: 0.7, mean, calls: 10, cpuSeconds: 1 },
  });

  test("hold for every seed, and are not checked in a quick run", () => {
    const results = [0.65, 0.6].map(outcome);
    expect(only(/GATC/)[0].figures(results)).toEqual({
      references: "uniform 0.2000, best reachable 0.7000",
      measured: "0.6500 (90 %), 0.6000 (80 %)",
      required: "share of the way at least 80 %",
      met: true,
    });
    expect(only(/GATC/)[0].figures([...results, outcome(0.59)]).met).toBe(false);
    expect(only(/GATC/, quick)[0].figures(results).met).toBeNull();
  });

  test("of the channel compare the runs, not the targets", () => {
    const result = (accounting: number): ChannelResult => ({
      ...{ accounting, ignoring: 0.5, accountingTarget: 0.6, ignoringTarget: 0.5, best: 1, bestIgnoring: 1 },
    });
    const [row] = only(/^channel, .*K = 3/);
    expect(row.figures([result(0.55), result(0.51)])).toMatchObject({
      measured: "0.5500, 0.5100 against 0.5000, 0.5000: +10.0 %, +2.0 %",
      met: true,
    });
    expect(row.figures([result(0.55), result(0.49)]).met).toBe(false);
  });

  test("stand beside the figures in the table", () => {
    const [row] = only(/GATC/);
    const line = { bench: "design", setting: row.setting, ...row.figures([outcome(0.5)]), results: [] };
    expect(formatTable([line], TABLE).split("\n")[1]).toMatch(/0\.5000 \(60 %\) +share .* 80 % +NO$/);
  });
});

test("an Ehrlich function comes from our own generator if there is no file", () => {
  const { instance, origin } = ehrlichInstance(join(import.meta.dirname, "no such file.json"));
  expect(origin).toBe("our own generator, seed 0");
  expect(instance).toMatchObject({ states: 4, length: 8, motifs: 2, motifLength: 4 });
});

describe("measured errors", () => {
  const near = (value: number) => expect.closeTo(value, 10);

  test.each([NUCLEOTIDE_ANALOGUES, MUTAZYME, PHOTOLITHOGRAPHY])(
    "of $name have the measured rate",
    (errors) => {
      const matrix = substitutionMatrix(errors);
      expect(() => channel({ letters: 4, substitution: { kind: "substitution", matrix } })).not.toThrow();
      const rate = matrix.reduce((sum, row, i) => sum + (1 - row[i]) / 4, 0);
      expect(rate).toBeCloseTo(errors.rate, 3);
    },
  );

  test("stand in the documents as blocks for problem files", async () => {
    const file = join(import.meta.dirname, "../../docs/synthesis-errors.md");
    const blocks = readFileSync(file, "utf8").matchAll(/```yaml\n(noise:[^`]*)```/g);
    const noises = await Promise.all(
      Array.from(blocks, async ([, block]) => {
        const { problem } = await parseProblemText(`alphabet: DNA\nlength: 8\n${block}`);
        return problem.noise;
      }),
    );
    const expected = [NUCLEOTIDE_ANALOGUES, MUTAZYME, PHOTOLITHOGRAPHY].map((errors) => ({
      when: "after",
      substitution: substitutionMatrix(errors).map((row) => row.map(near)),
      ...{ insertion: errors.insertion, deletion: errors.deletion },
    }));
    expect(noises).toEqual(expected);
  });

  test("of one strand are those of the other", () => {
    const [A, C, G, T] = substitutionMatrix(MUTAZYME);
    expect(T).toEqual(A.toReversed());
    expect(G).toEqual(C.toReversed());
    expect(A[3]).toBeCloseTo(0.016 * 2 * (28.5 / 94.4), 3);
  });
});
