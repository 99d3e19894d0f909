// A cached score function is called once for each object, and its scores are validated.

import { describe, expect, test } from "vitest";
import { CachedScoreFunction, type ScoreFunction } from "./cached-score-function.ts";

/** A cached score function whose scores are lengths by default, and the requests that the function received. */
function recordingFunction(score: (text: string) => number = (text) => text.length) {
  const requests: string[][] = [];
  const cached = new CachedScoreFunction((texts) => {
    requests.push([...texts]);
    return texts.map(score);
  });
  return { cached, requests };
}

test("scores have the order of the objects, with repetitions", async () => {
  const { cached } = recordingFunction();
  expect([...(await cached.scores(["ab", "", "abcd", "ab"]))]).toEqual([2, 0, 4, 2]);
});

test("the function receives only new objects, each once", async () => {
  const { cached, requests } = recordingFunction();
  await cached.scores(["a", "bb", "a"]);
  await cached.scores(["bb", "ccc", "a", "ccc"]);
  await cached.scores(["a", "ccc"]);
  expect(requests).toEqual([["a", "bb"], ["ccc"]]);
  expect(cached.calls).toBe(3);
});

test("a score stays the same even if the function would return another one", async () => {
  let next = 1;
  const { cached } = recordingFunction(() => next++);
  expect([...(await cached.scores(["x", "y"]))]).toEqual([1, 2]);
  expect([...(await cached.scores(["y", "z", "x"]))]).toEqual([2, 3, 1]);
});

test("the function may be asynchronous and return any kind of array", async () => {
  const cached = new CachedScoreFunction(async (texts) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return Float32Array.from(texts, (text) => text.length / 4);
  });
  expect([...(await cached.scores(["a", "bb"]))]).toEqual([0.25, 0.5]);
});

test("free objects cost no call, before and after the content is restored", async () => {
  const isFree = (text: string) => text.startsWith("-");
  const known = { objects: ["k", "-k"], scores: Float64Array.of(7, 8) };
  const make = () => new CachedScoreFunction((texts) => texts.map(({ length }) => length), { known, isFree });
  const cached = make();
  expect([...(await cached.scores(["a", "-a", "k", "bb", "-b"]))]).toEqual([1, 2, 7, 2, 2]);
  const restored = make();
  restored.restore(cached.save());
  for (const each of [cached, restored]) {
    expect(each.calls).toBe(2);
    expect(each.known).toBe(2);
    expect(each.paidScores()).toEqual([7, 8, 1, 2]);
    expect([each.isFree("-new"), each.isFree("a"), each.isFree("new")]).toEqual([true, true, false]);
  }
});

describe("invalid scores are refused:", () => {
  test.each<[string, ScoreFunction, string]>([
    ["too few", () => [1], "the score function must return one score per object, got 1 scores for 2 objects"],
    ["too many", () => [1, 2, 3], "got 3 scores for 2 objects"],
    ["none", () => undefined as unknown as number[], "got no scores for 2 objects"],
    ["a negative one", () => [1, -2], 'must return finite scores that are not negative, got -2 for "bb"'],
    ["NaN", () => [Number.NaN, 1], 'got NaN for "a"'],
    ["infinity", () => [1, Number.POSITIVE_INFINITY], 'got Infinity for "bb"'],
    ["a string", () => ["much", 1] as unknown as number[], 'got much for "a"'],
  ])("%s", async (_, score, message) => {
    await expect(new CachedScoreFunction(score).scores(["a", "bb"])).rejects.toThrow(message);
  });

  test("but 0 is a valid score", async () => {
    expect([...(await recordingFunction(() => 0).cached.scores(["a"]))]).toEqual([0]);
  });
});
