// Proposals: new, legal, far apart, reproducible; and the plate that they are written to.

import { expect, test } from "vitest";
import { parseCsv } from "../formats/csv.ts";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import type { Trained } from "../trained/trained.ts";
import { type ProposeOptions, plateCsv, proposeFrom, proposeUniform } from "./propose.ts";

const environment = constrainedSequenceEnvironment({
  space: { tokens: ["A", "C", "G", "T"], length: { min: 6, max: 6 } },
  constraints: [{ kind: "homopolymer", longest: 2 }],
  noise: { kind: "none" },
});
const OPTIONS: ProposeOptions = {
  count: 8,
  radius: 2,
  distance: "hamming",
  isNew: (string) => environment.isLegal(string),
  seed: 1,
};
/** A model whose samples are these strings, in batches of three, again and again. */
const samplesOf = (strings: readonly string[]): Trained =>
  ({
    async *samples() {
      for (let i = 0; ; i = (i + 3) % strings.length) {
        yield [0, 1, 2].map((j) => ({ object: strings[(i + j) % strings.length], logProbability: -i }));
      }
    },
  }) as unknown as Trained;

test("uniform proposals are distinct legal strings that are farther apart than the radius", () => {
  const strings = proposeUniform(environment, OPTIONS).map(({ string }) => string);
  expect(new Set(strings).size).toBe(8);
  for (const [i, string] of strings.entries()) {
    expect(environment.isLegal(string)).toBe(true);
    const differing = (other: string) => [...string].filter((letter, at) => letter !== other[at]).length;
    for (const other of strings.slice(0, i)) expect(differing(other)).toBeGreaterThan(2);
  }
});

test("the same seed gives the same proposals, another seed others", () => {
  expect(proposeUniform(environment, OPTIONS)).toEqual(proposeUniform(environment, OPTIONS));
  expect(proposeUniform(environment, { ...OPTIONS, seed: 2 })).not.toEqual(
    proposeUniform(environment, OPTIONS),
  );
});

test("the policy's samples are taken in their order, neighbours and measured strings left out", async () => {
  const trained = samplesOf(["ACACAC", "ACACAG", "GTGTGT", "TCTCTC", "AAGGAA", "GTGTGA"]);
  const isNew = (string: string) => string !== "GTGTGT";
  const chosen = await proposeFrom(trained, { ...OPTIONS, count: 4, isNew });
  expect(chosen.map(({ string }) => string)).toEqual(["ACACAC", "TCTCTC", "AAGGAA", "GTGTGA"]);
});

test("neighbours fill the plate if there are too few others", async () => {
  const trained = samplesOf(["ACACAC", "ACACAG", "TCTCTC"]);
  const chosen = await proposeFrom(trained, { ...OPTIONS, count: 3 });
  expect(chosen.map(({ string }) => string)).toEqual(["ACACAC", "TCTCTC", "ACACAG"]);
});

test("fewer new strings than wells are an error that says what to do", async () => {
  await expect(proposeFrom(samplesOf(["ACACAC", "TCTCTC"]), { ...OPTIONS, count: 3 })).rejects.toThrow(
    "only 2 new strings were found where 3 are to be proposed; propose fewer, or loosen the constraints",
  );
});

test("wells are filled column by column, and a second plate follows the first", () => {
  const rows = parseCsv(plateCsv(Array.from({ length: 98 }, () => ({ string: "A", logProbability: -1 }))));
  const wells = rows.slice(1).map(([plate, well]) => `${plate} ${well}`);
  expect([wells[0], wells[7], wells[8], wells[95], wells[96], wells[97]]).toEqual([
    "1 A1",
    "1 H1",
    "1 A2",
    "1 H12",
    "2 A1",
    "2 B1",
  ]);
  expect(new Set(wells).size).toBe(98);
});
