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
const module = blockEmbedding({ blocks: BLOCKS, block: BLOCK, width: WIDTH });
const values = randomInput([BLOCK, WIDTH], "values");
const positions = randomInput([BLOCKS, WIDTH], "positions");

/** One-hot rows of what the blocks hold; −1 for an empty one. */
function rows(...held: readonly (readonly number[])[]): HostInput {
  const data = held.flatMap((row) =>
    row.flatMap((value) => Array.from({ length: BLOCK }, (_, i) => +(i === value))),
  );
  return { shape: [held.length, BLOCKS * BLOCK], data };
}

function embedded(x: HostInput): { shape: readonly number[]; said: Float64Array } {
  let shape: readonly number[] = [];
  const { said } = evaluate(
    ({ values, positions, x }) => {
      const said = module.apply({ values, positions }, x);
      shape = said.shape;
      return { said };
    },
    { values, positions, x },
  );
  return { shape, said };
}

test("a block becomes the row of what it holds plus the row of where it stands", () => {
  const held = [
    [0, 3, 1],
    [2, 2, -1],
  ];
  const { shape, said } = embedded(rows(...held));
  expect(shape).toEqual([2, BLOCKS * WIDTH]);
  const expected = held.flatMap((row) =>
    row.flatMap((value, block) =>
      Array.from({ length: WIDTH }, (_, i) => {
        const own = value < 0 ? 0 : values.data[value * WIDTH + i];
        return own + positions.data[block * WIDTH + i];
      }),
    ),
  );
  expect(largestDifference(said, expected)).toBeLessThan(1e-12);
});

test("an empty row becomes the positions alone", () => {
  expect([...embedded(rows([-1, -1, -1])).said]).toEqual([...Array.from(positions.data)]);
});

describe("rows that differ in one block only", () => {
  test.each([0, 1, 2])("come out different in that block only: %i", (block) => {
    const [one, other] = [
      [1, 1, 1],
      [1, 1, 1],
    ];
    other[block] = 3;
    const { said } = embedded(rows(one, other));
    const differs = Array.from({ length: BLOCKS * WIDTH }, (_, i) => said[i] !== said[BLOCKS * WIDTH + i]);
    expect(differs).toEqual(
      Array.from({ length: BLOCKS * WIDTH }, (_, i) => Math.floor(i / WIDTH) === block),
    );
  });
});

test("gradients are right, in float64 and on both engines", async () => {
  const x = rows([0, 3, 1], [2, 2, -1], [-1, -1, -1]);
  await expectGradientsOnEngines(
    checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x }),
  );
});

test("bad sizes and shapes are refused", () => {
  expect(() => blockEmbedding({ blocks: 2.5, block: 2, width: 2 })).toThrow(
    "blockEmbedding: blocks must be a positive whole number, got 2.5",
  );
  expect(() => embedded(randomInput([2, 11], "x"))).toThrow("blockEmbedding: x must be [R, 12], got [2, 11]");
});
