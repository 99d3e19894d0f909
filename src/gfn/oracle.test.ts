// A score function is asked for every object once, and its answers are held to what they must be.

import { describe, expect, test } from "vitest";
import { Oracle, type ScoreFunction } from "./oracle.ts";

/** Scores are lengths; questions are written down. */
function asking(score: (text: string) => number = (text) => text.length) {
  const questions: string[][] = [];
  const oracle = new Oracle((texts) => {
    questions.push([...texts]);
    return texts.map(score);
  });
  return { oracle, questions };
}

test("scores come in the order of the objects, repeated ones too", async () => {
  const { oracle } = asking();
  expect([...(await oracle.scores(["ab", "", "abcd", "ab"]))]).toEqual([2, 0, 4, 2]);
});

test("the function is asked for new objects only, each once", async () => {
  const { oracle, questions } = asking();
  await oracle.scores(["a", "bb", "a"]);
  await oracle.scores(["bb", "ccc", "a", "ccc"]);
  await oracle.scores(["a", "ccc"]);
  expect(questions).toEqual([["a", "bb"], ["ccc"]]);
  expect(oracle.calls).toBe(3);
});

test("what was answered stays, even if the function changes its mind", async () => {
  let next = 1;
  const { oracle } = asking(() => next++);
  expect([...(await oracle.scores(["x", "y"]))]).toEqual([1, 2]);
  expect([...(await oracle.scores(["y", "z", "x"]))]).toEqual([2, 3, 1]);
});

test("the function may take its time, and may give any kind of array", async () => {
  const oracle = new Oracle(async (texts) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return Float32Array.from(texts, (text) => text.length / 4);
  });
  expect([...(await oracle.scores(["a", "bb"]))]).toEqual([0.25, 0.5]);
});

describe("answers that cannot be are refused and named:", () => {
  test.each<[string, ScoreFunction, string]>([
    [
      "too few",
      () => [1],
      "the score function was asked for 2 objects and gave 1 scores; it must give one each",
    ],
    ["too many", () => [1, 2, 3], "asked for 2 objects and gave 3 scores"],
    ["none", () => undefined as unknown as number[], "asked for 2 objects and gave no scores"],
    ["a negative one", () => [1, -2], 'gave -2 for "bb"; scores must be finite and not negative'],
    ["NaN", () => [Number.NaN, 1], 'gave NaN for "a"'],
    ["infinity", () => [1, Number.POSITIVE_INFINITY], 'gave Infinity for "bb"'],
    ["no number", () => ["much", 1] as unknown as number[], 'gave much for "a"'],
  ])("%s", async (_, score, message) => {
    await expect(new Oracle(score).scores(["a", "bb"])).rejects.toThrow(message);
  });

  test("while zero is a score", async () => {
    expect([...(await asking(() => 0).oracle.scores(["a"]))]).toEqual([0]);
  });
});
