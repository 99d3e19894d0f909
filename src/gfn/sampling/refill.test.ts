// Refilled strings: they keep their letters, are legal, and have the distribution of the policy over the other letters.

import { expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { RandomStream } from "../../engine/index.ts";
import { constrainedSequenceEnvironment } from "../environment/constrained-sequence.ts";
import { model as modelOf } from "../policy/model.ts";
import { defaultSettings } from "../training/defaults.ts";
import { refiller } from "./refill.ts";

const environment = constrainedSequenceEnvironment({
  space: { tokens: ["A", "B", "C"], length: { min: 3, max: 3 } },
  constraints: [{ kind: "forbid", motif: [2, 1] }],
  noise: { kind: "none" },
});
/** The mask of a pattern with one text of letters per position. */
const maskOf = (...letters: string[]) =>
  Uint8Array.from(letters.flatMap((allowed) => ["A", "B", "C"].map((letter) => +allowed.includes(letter))));

test("each row follows its own mask, and a row without a legal letter is null", async () => {
  // With parameters 0 the policy is uniform over the legal letters.
  const model = modelOf(environment, defaultSettings(environment, { hidden: [8], outputInit: "zeros" }));
  const policy = new Float32Array(model.policyLayout.size);
  const compiled = await refiller(model);
  const masks = Array.from({ length: 3000 }, (_, i) =>
    i % 3 === 0 ? maskOf("ABC", "B", "ABC") : i % 3 === 1 ? maskOf("C", "AC", "A") : maskOf("C", "B", "A"),
  );
  const strings = await compiled.refill(policy, masks, RandomStream.fromSeed(1));
  await compiled.dispose();
  const row = (kind: number) => strings.filter((_, i) => i % 3 === kind);
  // C before B is forbidden, but no letter before the second position depends on it here: those rows get stuck.
  const free = row(0);
  const isStuck = free.filter((string) => string === null).length;
  expect(isStuck / free.length).toBeGreaterThan(0.28);
  expect(isStuck / free.length).toBeLessThan(0.39);
  const expected = ["A", "B"].flatMap((first) => ["A", "B", "C"].map((last) => `${first}B${last}`));
  const counts = expected.map((text) => free.filter((string) => string === text).length);
  const share = expected.map(() => 1 / expected.length);
  expect(counts.reduce((a, b) => a + b)).toBe(free.length - isStuck);
  expect(chiSquare(counts, share)).toBeLessThan(chiSquareLimit(share));
  expect(new Set(row(1))).toEqual(new Set(["CAA", "CCA"]));
  expect(new Set(row(2))).toEqual(new Set([null]));
});
