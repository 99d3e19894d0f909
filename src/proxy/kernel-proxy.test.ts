// Linear and pairwise proxies against functions that they can represent, and against other data of a fold.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { kernelProxy } from "./kernel-proxy.ts";
import { foldsOf, momentsOf, type ProxyData } from "./proxy.ts";

const [TOKENS, LENGTH] = [3, 4];
const stream = RandomStream.fromSeed(7);
const effects = Array.from({ length: LENGTH * TOKENS }, () => stream.normal());
const pairEffects = Array.from({ length: TOKENS * TOKENS }, () => stream.normal());
const additive = (string: readonly number[]) =>
  string.reduce((sum, token, i) => sum + effects[i * TOKENS + token], 0);
const paired = (string: readonly number[]) =>
  additive(string) + 2 * pairEffects[string[0] * TOKENS + string[3]];

/** All strings, in a random order: 60 to fit, 21 to predict. */
const STRINGS = Array.from({ length: TOKENS ** LENGTH }, (_, i) =>
  Array.from({ length: LENGTH }, (_, place) => Math.floor(i / TOKENS ** place) % TOKENS),
)
  .map((string) => ({ string, order: stream.uniform() }))
  .sort((a, b) => a.order - b.order)
  .map(({ string }) => string);

function dataOf(score: (string: readonly number[]) => number, count = 60): ProxyData {
  const strings = STRINGS.slice(0, count);
  return { strings, scores: strings.map(score), tokens: TOKENS, length: LENGTH };
}

async function explained(name: "linear" | "pairwise", score: (string: readonly number[]) => number) {
  const unseen = STRINGS.slice(60);
  const { mean } = momentsOf(await kernelProxy(name, dataOf(score)).predict(unseen));
  const values = unseen.map(score);
  const centre = values.reduce((a, b) => a + b) / values.length;
  const total = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return 1 - values.reduce((sum, value, i) => sum + (value - mean[i]) ** 2, 0) / total;
}

test("the linear proxy learns a sum of letters, and not an interaction of two positions", async () => {
  expect(await explained("linear", additive)).toBeGreaterThan(0.98);
  expect(await explained("linear", paired)).toBeLessThan(0.9);
});

test("the pairwise proxy learns an interaction of two positions", async () => {
  expect(await explained("pairwise", paired)).toBeGreaterThan(0.9);
});

test("the out-of-fold prediction of a string is that of the member without its fold", async () => {
  const data = dataOf(paired);
  const proxy = kernelProxy("pairwise", data);
  const members = await proxy.predict(data.strings);
  const folds = foldsOf(data);
  proxy.outOfFold.forEach((value, i) => {
    expect(value).toBeCloseTo(members[folds[i]][i], 9);
  });
});

test("mirrored strings share their scores and their folds", async () => {
  const mirror = (string: ArrayLike<number>) => Array.from(string).reverse();
  const mirrored = (string: readonly number[]) => paired(string) + paired(mirror(string));
  const data = dataOf(mirrored, 24);
  const unseen = STRINGS.slice(60);
  const errorOf = async (given: ProxyData) => {
    const { mean } = momentsOf(await kernelProxy("pairwise", given).predict(unseen));
    return unseen.reduce((sum, string, i) => sum + (mean[i] - mirrored(string)) ** 2, 0);
  };
  expect(await errorOf({ ...data, mirror })).toBeLessThan((await errorOf(data)) / 2);
  const folds = foldsOf({ ...data, mirror });
  const texts = data.strings.map((string) => Array.from(string).join());
  data.strings.forEach((string, i) => {
    const other = texts.indexOf(mirror(string).join());
    if (other >= 0) expect(folds[other]).toBe(folds[i]);
  });
  const [one, other] = [
    [0, 0, 1, 2],
    [2, 1, 0, 0],
  ];
  const predicted = await kernelProxy("pairwise", { ...data, mirror }).predict([one, other]);
  for (const member of predicted) expect(member[0]).toBeCloseTo(member[1], 12);
});

test("a string of another length differs at the positions that only one of them has", async () => {
  const strings = Array.from({ length: 16 }, (_, i) => (i % 2 ? [0, 1] : [0, 1, 2, 0]));
  const data = { strings, scores: strings.map(({ length }) => length), tokens: TOKENS, length: LENGTH };
  const { mean } = momentsOf(
    await kernelProxy("linear", data).predict([
      [0, 1],
      [0, 1, 2, 0],
    ]),
  );
  expect(mean[0]).toBeCloseTo(2, 1);
  expect(mean[1]).toBeCloseTo(4, 1);
});
