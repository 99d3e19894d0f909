import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { parseProblemText } from "./read-problem.ts";

async function noiseOf(noise: string, length = "3") {
  const { problem } = await parseProblemText(`alphabet: AB\nlength: ${length}\nnoise: ${noise}\n`);
  return problem.noise;
}

const IDENTITY = [
  [1, 0],
  [0, 1],
];

test("stick noise while building is within the constraints by default", async () => {
  expect(await noiseOf("{ stick: 0.1 }")).toEqual({
    when: "building",
    letters: { kind: "stick", stick: 0.1, mode: "within" },
  });
  expect(await noiseOf("{ stick: 0 }")).toEqual({ when: "building", letters: { kind: "none" } });
});

test("a substitution matrix fills the probability of the intended token", async () => {
  expect(await noiseOf("{ substitution: { A: { B: 0.25 } }, mode: free }")).toEqual({
    when: "building",
    letters: {
      kind: "substitution",
      matrix: [
        [0.75, 0.25],
        [0, 1],
      ],
      mode: "free",
    },
  });
});

test("a substitution matrix per position", async () => {
  expect(
    await noiseOf(
      "{ substitution: [{ A: { B: 0.5 } }, { B: { A: 1, B: 0 } }, { A: { A: 1 } }], when: after }",
    ),
  ).toEqual({
    when: "after",
    substitution: [
      [
        [0.5, 0.5],
        [0, 1],
      ],
      [
        [1, 0],
        [1, 0],
      ],
      IDENTITY,
    ],
    insertion: 0,
    deletion: 0,
  });
});

test("stick noise after the design is a matrix whose rows sum to 1", async () => {
  expect(await noiseOf("{ stick: 0.5, when: after, insertion: 0.01 }")).toEqual({
    when: "after",
    substitution: [
      [0.75, 0.25],
      [0.25, 0.75],
    ],
    insertion: 0.01,
    deletion: 0,
  });
  expect(await noiseOf("{ deletion: 0.02, when: after }")).toEqual({
    when: "after",
    substitution: IDENTITY,
    insertion: 0,
    deletion: 0.02,
  });
});

describe("noise is refused:", () => {
  test.each([
    ["{}", /^noise: must have stick, substitution, insertion or deletion/],
    [
      "{ stick: 0.1, substitution: { A: { B: 0.1 } } }",
      /^noise.substitution: excludes `stick`; give one of them/,
    ],
    ["{ stick: 0.1, when: after, mode: free }", /^noise.mode: belongs to `when` building, and it is after/],
    ["{ stick: 0.1, insertion: 0.1 }", /^noise.insertion: belongs to `when` after, and it is building/],
    ["{ substitution: { C: { A: 0.1 } } }", /^noise.substitution.C: must consist of tokens of the alphabet/],
    [
      "{ substitution: { A: { C: 0.1 } } }",
      /^noise.substitution.A.C: must consist of tokens of the alphabet/,
    ],
    ["{ substitution: { A: { B: 1.1 } } }", /^noise.substitution.A.B: must be a number in \[0, 1\], got 1.1/],
    [
      "{ substitution: { A: { A: 0.5, B: 0.4 } } }",
      /^noise.substitution.A: must have probabilities with a sum of 1, because the token itself is listed, got 0.9/,
    ],
    [
      "{ substitution: [{ A: { B: 0.1 } }] }",
      /^noise.substitution: must have one map per position, 3, got 1/,
    ],
    ["{ substitution: 0.1 }", /^noise.substitution: must be a map such as/],
    ["{ deletion: 1, when: after }", /^noise.deletion: must be a number in \[0, 1\), got 1/],
  ])("%s", async (noise, message) => {
    const error = await noiseOf(noise).catch((reason: unknown) => reason);
    if (!(error instanceof UserError)) throw error;
    expect(error.issues.map(({ path, message: text }) => `${path}: ${text}`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test("probabilities with a sum above 1", async () => {
    const text = "alphabet: ABC\nlength: 3\nnoise: { substitution: { A: { B: 0.6, C: 0.6 } } }";
    await expect(parseProblemText(text)).rejects.toThrow(
      "noise.substitution.A: must have probabilities with a sum of at most 1, got 1.2 (line 3)",
    );
  });
});
