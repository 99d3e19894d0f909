// Networks as proxies: what they learn from few strings, and the same fit again.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { mean, variance } from "../math/statistics.ts";
import { networkProxies } from "./network-proxy.ts";
import { momentsOf } from "./proxy.ts";

const [TOKENS, LENGTH] = [4, 8];
const stream = RandomStream.fromSeed(3);
const strings = Array.from({ length: 300 }, () =>
  Array.from({ length: LENGTH }, () => stream.integer(TOKENS)),
);
const effects = Array.from({ length: LENGTH * TOKENS }, () => stream.normal());
const additive = (string: readonly number[]) =>
  string.reduce((sum, token, i) => sum + effects[i * TOKENS + token], 0);

/** Share of the variance of unseen scores that the mean of the members explains. */
function explained(predicted: Float64Array, values: readonly number[]): number {
  return 1 - mean(values.map((value, i) => (value - predicted[i]) ** 2)) / variance(values);
}

describe.each(["mlp", "convolution"] as const)("%s", (name) => {
  test("learns a sum of letters from 200 strings, bit-identically again", async () => {
    const proxies = await networkProxies(name, { tokens: TOKENS, length: LENGTH });
    const seen = strings.slice(0, 200);
    const data = { strings: seen, scores: seen.map(additive), tokens: TOKENS, length: LENGTH };
    const unseen = strings.slice(200);
    const first = await proxies.fit(data, 1);
    const predicted = await first.predict(unseen);
    expect(explained(momentsOf(predicted).mean, unseen.map(additive))).toBeGreaterThan(0.8);
    expect(explained(first.outOfFold, data.scores)).toBeGreaterThan(0.6);
    const again = await (await proxies.fit(data, 1)).predict(unseen);
    expect(again).toEqual(predicted);
    await proxies.dispose();
  });

  test("with mirrored strings, predicts both the same", async () => {
    const proxies = await networkProxies(name, { tokens: TOKENS, length: LENGTH });
    const mirror = (string: ArrayLike<number>) => Array.from(string).reverse();
    const mirrored = (string: readonly number[]) => additive(string) + additive(mirror(string));
    const [seen, unseen] = [strings.slice(0, 100), strings.slice(200)];
    const data = { strings: seen, scores: seen.map(mirrored), tokens: TOKENS, length: LENGTH };
    const errorOf = (predicted: readonly Float64Array[]) =>
      1 - explained(momentsOf(predicted).mean, unseen.map(mirrored));
    const alone = errorOf(await (await proxies.fit(data, 1)).predict(unseen));
    const both = await proxies.fit({ ...data, mirror }, 1);
    const predicted = await both.predict(unseen);
    expect(errorOf(predicted)).toBeLessThan(0.8 * alone);
    expect(await both.predict(unseen.map(mirror))).toEqual(predicted);
    await proxies.dispose();
  });
});
