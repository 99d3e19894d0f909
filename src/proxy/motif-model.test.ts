// Motif products: their scores in closed form, counted matches against a direct count, and the recovery of planted motifs.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { ehrlichLandscape } from "../landscapes/ehrlich.ts";
import { generateEhrlich } from "../landscapes/ehrlich-generator.ts";
import { MotifData } from "./motif-data.ts";
import { bestMatch, matchedShare, motifScore, motifScores } from "./motif-model.ts";
import { motifProxy } from "./motif-proxy.ts";
import { momentsOf } from "./proxy.ts";

describe("the score of a motif product", () => {
  const motif = { offsets: [0, 2], letters: [1, 3] };

  test("has the matches of each motif at its best place", () => {
    expect(bestMatch(motif, [1, 0, 3, 0])).toBe(2);
    expect(bestMatch(motif, [0, 1, 0, 0])).toBe(1);
    expect(bestMatch(motif, [0, 0, 0, 1])).toBe(0); // the 1 stands too near to the end
    expect(bestMatch(motif, [1])).toBe(0);
  });

  test("is proportional to the product of the matched shares", () => {
    const other = { offsets: [0], letters: [2] };
    const model = { motifs: [motif, other], quantum: 1, base: 0.5, scale: 2 };
    expect(motifScore(model, [1, 2, 3, 0])).toBe(0.5 + 2);
    expect(motifScore(model, [1, 2, 0, 0])).toBe(0.5 + 2 / 2);
    expect(motifScore(model, [1, 0, 3, 0])).toBe(0.5);
  });

  test("counts in steps of the quantum", () => {
    expect([0, 1, 2, 3, 4].map((matches) => matchedShare(matches, 4, 2))).toEqual([0, 0, 0.5, 0.5, 1]);
    expect(matchedShare(1, 1, 2)).toBe(0);
  });
});

test("models score many strings at once exactly as one by one", () => {
  const stream = RandomStream.fromSeed(3);
  const integers = (length: number, below: number) => Array.from({ length }, () => stream.integer(below));
  const strings = Array.from({ length: 2500 }, () => integers(3 + stream.integer(40), 5));
  const models = [1, 2, 3, 4].map((count) => ({
    motifs: Array.from({ length: count }, () => ({ offsets: [0, 2, 3, 7], letters: integers(4, 5) })),
    quantum: 1 + stream.integer(2),
    base: stream.normal(),
    scale: stream.normal(),
  }));
  const oneByOne = models.map((model) => Float64Array.from(strings, (string) => motifScore(model, string)));
  expect(motifScores(models, strings, 5)).toEqual(oneByOne);
  expect(motifScores(models, [], 5)).toEqual(models.map(() => new Float64Array()));
});

describe("matches that follow a change", () => {
  const stream = RandomStream.fromSeed(4);
  const strings = Array.from({ length: 30 }, () =>
    Array.from({ length: 4 + stream.integer(6) }, () => stream.integer(4)),
  );
  const data = new MotifData({ strings, scores: strings.map((_, i) => i), tokens: 4, length: 9 });
  const counted = (letters: readonly { readonly offset: number; readonly letter: number }[]) => {
    const first = letters[0].offset;
    const motif = {
      offsets: letters.map(({ offset }) => offset - first),
      letters: letters.map(({ letter }) => letter),
    };
    return strings.map((string) => bestMatch(motif, string));
  };

  test.each([
    ["a letter comes in the middle", null, { offset: 1, letter: 2 }],
    ["a letter comes before the first", null, { offset: -2, letter: 0 }],
    ["the first letter goes", { offset: 0, letter: 1 }, null],
    ["the last letter moves before the first", { offset: 3, letter: 3 }, { offset: -3, letter: 3 }],
    ["the last letter moves beyond", { offset: 3, letter: 3 }, { offset: 5, letter: 1 }],
  ])("agree with a direct count if %s", (_, removed, added) => {
    const before = [
      { offset: 0, letter: 1 },
      { offset: 2, letter: 2 },
      { offset: 3, letter: 3 },
    ];
    const motif = data.anchored(before);
    expect([...motif.best]).toEqual(counted(before));
    const kept = before.filter(({ offset }) => offset !== removed?.offset);
    const after = (added ? [...kept, added] : kept).sort((a, b) => a.offset - b.offset);
    const change = { removed, added };
    const changed = data.changed(motif, change, after);
    expect([...changed.best]).toEqual(counted(after));
    const next = changed.motif();
    expect([...next.best]).toEqual(counted(after));
    const last = { offset: next.letters[next.letters.length - 1].offset + 1, letter: 0 };
    const again = [...next.letters, last];
    expect([...data.changed(next, { removed: null, added: last }, again).best]).toEqual(counted(again));
  });
});

test("the energy is that of the least squares on the shares, with the cost of each letter", () => {
  const strings = [
    [0, 1],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const scores = [2, 0, 1, 1];
  const data = new MotifData({ strings, scores, tokens: 2, length: 2 });
  const motif = data.anchored([
    { offset: 0, letter: 0 },
    { offset: 1, letter: 1 },
  ]);
  // Shares 1, 0, 1/2 and 1/2 explain the scores with scale 2 and no error.
  const { energy, base, scale } = data.fit([motif.best], [2], 1);
  expect([base, scale]).toEqual([0, 2]);
  expect(energy).toBeCloseTo(data.leastEnergy(2), 9);
  const variance = 2 / 3; // of the scores
  expect(energy).toBeCloseTo((4 / 2) * Math.log(0.05 ** 2 * variance) + 2 * Math.log(2), 9);
});

test("an Ehrlich function is recovered exactly from 150 uniformly drawn strings", async () => {
  const landscape = ehrlichLandscape(
    generateEhrlich({ states: 8, length: 10, motifs: 2, motifLength: 3, quantization: 3, seed: 2 }),
  );
  const stream = RandomStream.fromSeed(1);
  const draw = () => {
    const string = [stream.integer(8)];
    while (string.length < 10) {
      const token = stream.integer(8);
      if (landscape.pairs.allowed[string[string.length - 1]][token]) string.push(token);
    }
    return string;
  };
  const strings = Array.from({ length: 150 }, draw);
  const data = { strings, scores: strings.map((each) => landscape.score(each)!), tokens: 8, length: 10 };
  const proxy = motifProxy(data, 3)!;
  const unseen = Array.from({ length: 200 }, draw);
  const { mean, deviation } = momentsOf(await proxy.predict(unseen));
  const wrong = unseen.filter((string, i) => Math.abs(mean[i] - landscape.score(string)!) > 1e-6);
  expect(wrong).toEqual([]);
  expect(Math.max(...deviation)).toBeLessThan(1e-6);
});

test("scores without motifs are given up after two members", () => {
  const stream = RandomStream.fromSeed(2);
  const strings = Array.from({ length: 100 }, () => Array.from({ length: 4 }, () => stream.integer(4)));
  const data = { strings, scores: strings.map(() => stream.normal()), tokens: 4, length: 4 };
  expect(motifProxy(data, 1)).toBeNull();
});
