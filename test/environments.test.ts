// Tests that all environments meet their contract, with every kind of noise and without noise, and that invalid
// environments are refused.

import {
  environment,
  hypergridEnvironment,
  longSequenceEnvironment,
  sequenceEnvironment,
} from "gflownet/gfn";
import { pricingTask } from "gflownet/tasks";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "./support/custom-kernels.ts";
import { environmentContract } from "./support/environment-contract.ts";
import { randomPlainEnvironment } from "./support/random-plain-environment.ts";
import { unenumeratedEnvironmentContract } from "./support/unenumerated-environment-contract.ts";

for (const stick of [0, 0.25]) {
  for (const [alphabet, length] of [
    ["AB", 4],
    ["ACGT", 2],
    ["ABCDE", 1],
    ["A", 3],
  ] as const) {
    environmentContract(
      `strings of ${length} letters out of ${alphabet} at stick ${stick}`,
      () => sequenceEnvironment({ alphabet, length, stick }),
      { stickNoise: true },
    );
  }
  for (const [alphabet, length] of [
    ["AB", 3],
    ["ABC", 2],
    ["A", 2],
  ] as const) {
    environmentContract(
      `strings of up to ${length} letters out of ${alphabet} at stick ${stick}`,
      () => sequenceEnvironment({ alphabet, length, stick, variable: true }),
      { stickNoise: true },
    );
  }
}

for (const stick of [0, 0.25, 0.75]) {
  for (const [dimensions, side] of [
    [2, 4],
    [3, 3],
    [2, 2],
    [1, 3],
  ]) {
    environmentContract(
      `a grid of ${dimensions} dimensions and side ${side} at stick ${stick}`,
      () => hypergridEnvironment({ dimensions, side, stick }),
      { stickNoise: true },
    );
  }
}

environmentContract("a grid with a wind, which is no stick noise", () => windyGrid(4, 0.3));
environmentContract("strings in which one letter slips, which is no stick noise", () =>
  slippingStrings(3, 0.2),
);
environmentContract("strings whose noise depends on what was written", () => slippingStrings(3, 0.1, 0.6));
for (const stick of [0, 0.25]) {
  environmentContract(
    `premiums that a customer answers, at stick ${stick}`,
    () => pricingTask({ months: 2, priceSensitivity: 0.05, stick }).environment,
  );
}
for (const seed of [4, 5]) {
  environmentContract(`a random plain environment, seed ${seed}, with noise`, () =>
    randomPlainEnvironment({ seed, noise: true }),
  );
}
environmentContract("a random plain environment without noise", () =>
  randomPlainEnvironment({ seed: 6, noise: false }),
);
environmentContract(
  "plain strings under stick noise",
  () =>
    environment({
      start: "",
      actions: () => ["A", "B"],
      step: (text, letter) =>
        ["A", "B"].map((c) => ({ state: text + c, probability: c === letter ? 0.875 : 0.125 })),
      reward: () => 1,
      steps: 3,
    }),
  { stickNoise: true },
);
// The noise is so rare that a few hundred samples contain almost none of it.
environmentContract("strings in which one letter hardly ever slips", () => slippingStrings(2, 1e-4));

// There are more of these strings than 64 bits can number.
for (const stick of [0, 0.25]) {
  const aminoAcids = { alphabet: "ACDEFGHIKLMNPQRSTVWY", length: 16, stick };
  unenumeratedEnvironmentContract(
    `long strings at stick ${stick}`,
    () => longSequenceEnvironment(aminoAcids),
    [0, 1, 8, 15],
  );
  unenumeratedEnvironmentContract(
    `long strings that stop at stick ${stick}`,
    () => longSequenceEnvironment({ ...aminoAcids, variable: true }),
    [0, 1, 8, 15, 16],
  );
}

describe("invalid options are refused with one sentence", () => {
  const strings = { alphabet: "AB", length: 2, stick: 0 };
  const grid = { dimensions: 2, side: 3, stick: 0 };
  test.each([
    [
      "sequenceEnvironment: stick must be in [0, 1), got 1",
      () => sequenceEnvironment({ ...strings, stick: 1 }),
    ],
    [
      "sequenceEnvironment: stick must be in [0, 1), got NaN",
      () => sequenceEnvironment({ ...strings, stick: Number.NaN }),
    ],
    [
      'sequenceEnvironment: the alphabet "ABA" repeats a letter',
      () => sequenceEnvironment({ ...strings, alphabet: "ABA" }),
    ],
    ["sequenceEnvironment: length must be a positive", () => sequenceEnvironment({ ...strings, length: 0 })],
    [
      "sequenceEnvironment: 2 letters and length 40 give more than 2^31 prefixes; use longSequenceEnvironment",
      () => sequenceEnvironment({ ...strings, length: 40 }),
    ],
    [
      "sequenceEnvironment: 2 letters and length 4000 give more than 2^31 prefixes; use longSequenceEnvironment",
      () => sequenceEnvironment({ ...strings, length: 4000 }),
    ],
    [
      "longSequenceEnvironment: stick must be in [0, 1), got 1",
      () => longSequenceEnvironment({ ...strings, stick: 1 }),
    ],
    [
      'longSequenceEnvironment: the alphabet "A B" has " "',
      () => longSequenceEnvironment({ ...strings, alphabet: "A B" }),
    ],
    [
      "hypergridEnvironment: stick must be in [0, 1), got -0.1",
      () => hypergridEnvironment({ ...grid, stick: -0.1 }),
    ],
    [
      "hypergridEnvironment: side must be at least 2, got 1",
      () => hypergridEnvironment({ ...grid, side: 1 }),
    ],
    [
      "hypergridEnvironment: dimensions must be a positive",
      () => hypergridEnvironment({ ...grid, dimensions: 0 }),
    ],
    [
      "hypergridEnvironment: 3^40 cells are more than 2^31",
      () => hypergridEnvironment({ ...grid, dimensions: 40 }),
    ],
  ])("%s", (message, make) => {
    expect(make).toThrow(message);
  });
});
