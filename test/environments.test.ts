// All environments keep the contract, with and without noise; what cannot be an environment is refused.

import { describe, expect, test } from "vitest";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import { environmentContract } from "./support/environment-contract.ts";

for (const stick of [0, 0.25]) {
  for (const [alphabet, length] of [
    ["AB", 4],
    ["ACGT", 2],
    ["ABCDE", 1],
    ["A", 3],
  ] as const) {
    environmentContract(`strings of ${length} letters out of ${alphabet} at stick ${stick}`, () =>
      sequenceEnvironment({ alphabet, length, stick }),
    );
  }
  for (const [alphabet, length] of [
    ["AB", 3],
    ["ABC", 2],
    ["A", 2],
  ] as const) {
    environmentContract(`strings of up to ${length} letters out of ${alphabet} at stick ${stick}`, () =>
      sequenceEnvironment({ alphabet, length, stick, variable: true }),
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
    environmentContract(`a grid of ${dimensions} dimensions and side ${side} at stick ${stick}`, () =>
      hypergridEnvironment({ dimensions, side, stick }),
    );
  }
}

describe("what cannot be is refused in one sentence", () => {
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
      "sequenceEnvironment: 2 letters and length 40 give more than 2^31 prefixes",
      () => sequenceEnvironment({ ...strings, length: 40 }),
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
