// The proxy of k-mers against functions of motifs and of positions.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { kernelProxy } from "./kernel-proxy.ts";
import { kmerProxy } from "./kmer-proxy.ts";
import { foldsOf, momentsOf, type ProxyData, type ScoreProxy, type Tokens } from "./proxy.ts";
import { reverseComplementOf } from "./strands.ts";

const [TOKENS, LENGTH] = [4, 10];
const mirror = reverseComplementOf(["A", "C", "G", "T"])!;

/** How often a motif of three letters stands anywhere. */
const motifs = (string: Tokens) =>
  Array.from(string).filter((token, i) => token === 0 && string[i + 1] === 2 && string[i + 2] === 3).length;
/** A sum of one number for each letter of each position. */
const effects = Array.from({ length: LENGTH * TOKENS }, (_, i) => Math.sin(7 * i));
const letters = (string: Tokens) =>
  Array.from(string).reduce((sum, token, i) => sum + effects[i * TOKENS + token], 0);

function stringsOf(count: number, seed: number): number[][] {
  const stream = RandomStream.fromSeed(seed);
  return Array.from({ length: count }, () => Array.from({ length: LENGTH }, () => stream.integer(TOKENS)));
}

function dataOf(count: number, score: (string: Tokens) => number): ProxyData {
  const strings = stringsOf(count, 1);
  return { strings, scores: strings.map(score), tokens: TOKENS, length: LENGTH };
}

/** Share of the variance of new strings that the mean prediction explains. */
async function explained(proxy: ScoreProxy, score: (string: Tokens) => number): Promise<number> {
  const unseen = stringsOf(300, 2);
  const { mean } = momentsOf(await proxy.predict(unseen));
  const values = unseen.map(score);
  const centre = values.reduce((a, b) => a + b) / values.length;
  const total = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return 1 - values.reduce((sum, value, i) => sum + (value - mean[i]) ** 2, 0) / total;
}

test("a motif that may stand anywhere is learned from few strings", async () => {
  const data = dataOf(150, motifs);
  const byPositions = await explained(kernelProxy("pairwise", data), motifs);
  expect(await explained(kmerProxy(data), motifs)).toBeGreaterThan(byPositions + 0.3);
});

test("effects of positions are learned too", async () => {
  expect(await explained(kmerProxy(dataOf(200, letters)), letters)).toBeGreaterThan(0.6);
});

test("mirrored strings have equal predictions", async () => {
  const score = (string: Tokens) => motifs(string) + motifs(mirror(string));
  const proxy = kmerProxy({ ...dataOf(100, score), mirror });
  const strings = stringsOf(10, 3);
  const [one, other] = [await proxy.predict(strings), await proxy.predict(strings.map(mirror))];
  one.forEach((values, member) => {
    values.forEach((value, i) => {
      expect(value).toBeCloseTo(other[member][i], 9);
    });
  });
});

test("with more strings than are fitted, each is predicted by a member that has not seen it", async () => {
  const data = dataOf(1100, motifs);
  const proxy = kmerProxy(data);
  const members = await proxy.predict(data.strings);
  const folds = foldsOf(data);
  proxy.outOfFold.forEach((value, i) => {
    expect(value).toBe(members[folds[i]][i]);
  });
  expect(await explained(proxy, motifs)).toBeGreaterThan(0.9);
});
