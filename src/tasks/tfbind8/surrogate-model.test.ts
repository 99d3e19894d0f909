import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { reverseComplement, sequenceAt, sequenceIndex } from "./eight-mers.ts";
import { coefficientCount, MOTIF, siteSums, surrogateScores } from "./surrogate-model.ts";

const stream = RandomStream.fromSeed(1);
const motif = Array.from({ length: 4 * MOTIF }, () => stream.normal());

test("the sites of a motif are all positions at which it covers at least one letter", () => {
  const sums = siteSums(motif);
  for (const index of [0, 4711, 31000, 65535]) {
    const letters = [...sequenceAt(index)].map((letter) => "ACGT".indexOf(letter));
    let expected = 0;
    for (let offset = 1 - MOTIF; offset < 8; offset++) {
      let energy = 0;
      for (let i = 0; i < MOTIF; i++) {
        const letter = letters[offset + i];
        if (letter !== undefined) energy += motif[4 * i + letter];
      }
      expected += Math.exp(energy);
    }
    expect(sums[index]).toBeCloseTo(expected, 8);
  }
});

test("a motif for TGATAC gives high scores to strings that contain it on either strand", () => {
  const wanted = Array.from({ length: 4 * MOTIF }, (_, i) => ("TGATAC"[i >> 2] === "ACGT"[i & 3] ? 2 : -2));
  const scores = surrogateScores({ bias: -9, weights: [1], motifs: [wanted] });
  const [forward, reverse, absent] = ["ATGATACG", "CGTATCAT", "AAAAAAAA"].map(
    (s) => scores[sequenceIndex(s)],
  );
  expect(forward).toBe(reverse);
  expect(forward).toBeGreaterThan(0.9);
  expect(absent).toBeLessThan(0.1);
});

test("scores keep the order of the model, reach 0 and 1, and are equal for both strands", () => {
  const model = { bias: 0.1, weights: [0.4], motifs: [motif] };
  const sums = siteSums(motif);
  const scores = surrogateScores(model);
  const pooled = (index: number) => sums[index] + sums[reverseComplement(index)];
  const order = [...scores.keys()].sort((a, b) => pooled(a) - pooled(b));
  expect(scores[order[0]]).toBe(0);
  expect(scores[order[65535]]).toBe(1);
  expect(order.every((index, i) => i === 0 || scores[index] >= scores[order[i - 1]])).toBe(true);
  expect(scores.every((score, index) => score === scores[reverseComplement(index)])).toBe(true);
  expect(coefficientCount(model)).toBe(26);
});
