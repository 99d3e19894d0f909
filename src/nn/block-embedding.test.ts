// Tests of block embeddings: sums of value and position embeddings, independence of blocks, gradients.

import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import { blockEmbedding } from "./block-embedding.ts";

const [BLOCKS, BLOCK, WIDTH] = [3, 4, 2];
const module = blockEmbedding({ blocks: BLOCKS, blockSize: BLOCK, width: WIDTH });
const values = randomInput([BLOCK, WIDTH], "values");
const positions = randomInput([BLOCKS, WIDTH], "positions");

/** Rows of one-hot blocks with these values; −1 is a block of zeros. */
function rows(...values: readonly (readonly number[])[]): HostInput {
  const data = values.flatMap((row) =>
    row.flatMap((value) => Array.from({ length: BLOCK }, (_, i) => +(i === value))),
  );
  return { shape: [values.length, BLOCKS * BLOCK], data };
}

function embedded(x: HostInput): { shape: readonly number[]; embeddings: Float64Array } {
  let shape: readonly number[] = [];
  const { embeddings } = evaluate(
    ({ values, positions, x }) => {
      const embeddings = module.apply({ values, positions }, x);
      shape = embeddings.shape;
      return { embeddings };
    },
    { values, positions, x },
  );
  return { shape, embeddings };
}

test("the embedding of a block is its value embedding plus its position embedding", () => {
  const blockValues = [
    [0, 3, 1],
    [2, 2, -1],
  ];
  const { shape, embeddings } = embedded(rows(...blockValues));
  expect(shape).toEqual([2, BLOCKS * WIDTH]);
  const expected = blockValues.flatMap((row) =>
    row.flatMap((value, block) =>
      Array.from({ length: WIDTH }, (_, i) => {
        const ofValue = value < 0 ? 0 : values.data[value * WIDTH + i];
        return ofValue + positions.data[block * WIDTH + i];
      }),
    ),
  );
  expect(largestDifference(embeddings, expected)).toBeLessThan(1e-12);
});

test("a row of zeros becomes the position embeddings", () => {
  expect([...embedded(rows([-1, -1, -1])).embeddings]).toEqual([...Array.from(positions.data)]);
});

describe("rows that differ in one block", () => {
  test.each([0, 1, 2])("have embeddings that differ in that block only: %i", (block) => {
    const [one, other] = [
      [1, 1, 1],
      [1, 1, 1],
    ];
    other[block] = 3;
    const { embeddings } = embedded(rows(one, other));
    const differs = Array.from(
      { length: BLOCKS * WIDTH },
      (_, i) => embeddings[i] !== embeddings[BLOCKS * WIDTH + i],
    );
    expect(differs).toEqual(
      Array.from({ length: BLOCKS * WIDTH }, (_, i) => Math.floor(i / WIDTH) === block),
    );
  });
});

test("has the right gradients, in float64 and on both engines", async () => {
  const x = rows([0, 3, 1], [2, 2, -1], [-1, -1, -1]);
  await expectGradientsOnEngines(
    checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x }),
  );
});

test("rejects invalid sizes and shapes", () => {
  expect(() => blockEmbedding({ blocks: 2.5, blockSize: 2, width: 2 })).toThrow(
    "blockEmbedding: blocks must be a positive whole number, got 2.5",
  );
  expect(() => embedded(randomInput([2, 11], "x"))).toThrow("blockEmbedding: x must be [R, 12], got [2, 11]");
});
