// What is done once before a split, and what stays piece by piece.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { spec } from "./dtype.ts";
import { interpret } from "./interpret.ts";
import { beforeSplits } from "./pieces.ts";
import { print } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, trace } from "./trace.ts";

const specs = { x: spec([8, 3]), row: spec([3]), column: spec([2, 1]), layers: spec([2, 1, 3]) };
const inputs = {
  x: Float32Array.from({ length: 24 }, (_, k) => 0.5 + 0.4 * Math.sin(k + 1)),
  row: Float32Array.of(0.5, -1, 2),
  column: Float32Array.of(3, -2),
  layers: Float32Array.of(1, -1, 2, 0.5, 3, -2),
};

/** How often each operation is left in a function, after checking that its results are the same. */
function left(f: ArrayFunction): Record<string, number> {
  const traced = trace(f, specs);
  const simplified = simplify(traced);
  const [before, after] = [traced, simplified].map((graph) => interpret(graph, inputs));
  for (const name in before) expect(relativeDifference(after[name], before[name]), name).toBeLessThan(1e-6);
  expect(print(simplify(simplified))).toBe(print(simplified));
  const counts: Record<string, number> = {};
  for (const { op } of simplified.nodes) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

/** A function of each of four pieces of x, [2, 3] each, with its result apart. */
const ofPieces =
  (of: (piece: np.Array, arrays: Readonly<Record<string, np.Array>>, i: number) => np.Array): ArrayFunction =>
  (arrays) =>
    Object.fromEntries(np.split(arrays.x, 4, 0).map((piece, i) => [`y${i}`, of(piece, arrays, i)]));

describe("what happens to all pieces of a split alike", () => {
  test("happens once, before the split", () => {
    expect(left(ofPieces((piece) => np.log(np.negative(np.log(piece)))))).toEqual({
      log: 2,
      neg: 1,
      split: 1,
    });
  });

  test("may take numbers, and rows that are the same for all", () => {
    expect(left(ofPieces((piece, { row }) => np.multiply(np.add(piece, 2), row)))).toEqual({
      constant: 1,
      add: 1,
      mul: 1,
      split: 1,
    });
  });

  test("may take numbers that have more axes than the pieces", () => {
    expect(left(ofPieces((piece, { layers }) => np.sin(np.multiply(piece, layers))))).toEqual({
      mul: 1,
      sin: 1,
      split: 1,
    });
  });

  test("may be a split along another axis, of which only a part is read", () => {
    expect(left(ofPieces((piece) => np.sin(np.split(piece, [2], 1)[1])))).toEqual({ split: 2, sin: 1 });
  });

  test("may take the piece twice", () => {
    expect(left(ofPieces((piece) => np.multiply(piece, piece)))).toEqual({ mul: 1, split: 1 });
  });

  test("may be one of several things: each happens once", () => {
    const both = left(({ x }) =>
      Object.fromEntries(
        np.split(x, 4, 0).flatMap((piece, i) => [
          [`sin${i}`, np.sin(piece)],
          [`cos${i}`, np.cos(piece)],
        ]),
      ),
    );
    expect(both).toEqual({ sin: 1, cos: 1, split: 2 });
  });

  test("leaves one split where results are cut up again", () => {
    const rows: ArrayFunction = ({ x }) => {
      const pieces = np.split(x, 4, 0).flatMap((piece) => np.split(np.sin(piece), 2, 0));
      return Object.fromEntries(pieces.map((piece, i) => [`y${i}`, piece]));
    };
    expect(left(rows)).toEqual({ sin: 1, split: 1 });
  });

  test("may take two pieces, and is done for one of them", () => {
    const products: ArrayFunction = ({ row }) => {
      // Broadcasts are not shared, so their pieces are the same twice.
      const [p, q] = [0, 1].map(() => np.split(np.broadcastTo(row, [2, 3]), 3, 1));
      const pairs = [
        [p[0], q[0]],
        [p[0], p[1]],
        [p[1], q[1]],
        [p[2], p[0]],
        [p[2], p[1]],
      ];
      return Object.fromEntries(pairs.map(([a, b], i) => [`y${i}`, np.multiply(a, b)]));
    };
    const made = beforeSplits(trace(products, specs)).nodes.flatMap(({ outputs }) => outputs);
    expect(new Set(made).size).toBe(made.length);
    expect(left(products)).toMatchObject({ mul: 3 });
  });

  test("may happen to the last pieces first", () => {
    const backwards: ArrayFunction = ({ x, row }) => {
      const pieces = np.split(x, 4, 0);
      const results: Record<string, np.Array> = {};
      let carried = row; // [3]
      for (const i of [3, 2, 1, 0]) {
        carried = np.add(np.sum(np.exp(pieces[i]), 0), np.sin(carried)); // [3]
        results[`y${i}`] = carried;
      }
      return results;
    };
    expect(left(backwards)).toMatchObject({ exp: 1, sin: 4, reduce: 4 });
  });
});

describe("stays piece by piece", () => {
  test("what happens to some of them only", () => {
    expect(left(ofPieces((piece, _, i) => (i === 2 ? np.cos(piece) : np.sin(piece))))).toMatchObject({
      sin: 3,
      cos: 1,
    });
  });

  test("what takes other numbers for each", () => {
    expect(left(ofPieces((piece, _, i) => np.add(piece, i + 1)))).toMatchObject({ add: 4 });
  });

  test("what takes numbers of the other sign of infinity, or of another zero", () => {
    const signs = [Infinity, -Infinity, 0, -0];
    const below = ofPieces((piece, _, i) => np.less(np.subtract(piece, piece), signs[i]).astype(np.float32));
    expect(left(below)).toMatchObject({ compare: 4 });
  });

  test("what takes numbers along the axis of the split", () => {
    expect(left(ofPieces((piece, { column }) => np.multiply(piece, column)))).toMatchObject({ mul: 4 });
  });

  test("a split into as many pieces as there are, or more", () => {
    const inTurn = (rows: number): ArrayFunction => {
      return ({ x }) => {
        const pieces = np.split(x, rows, 0).flatMap((piece) => np.split(piece, 3, 1));
        return Object.fromEntries(pieces.map((piece, i) => [`y${i}`, piece]));
      };
    };
    expect(left(inTurn(2))).toEqual({ split: 3 });
    expect(left(inTurn(4))).toEqual({ split: 4 });
    expect(left(inTurn(8))).toEqual({ split: 4 });
  });

  test("what only two pieces go through", () => {
    const halves: ArrayFunction = ({ x }) => {
      const [a, b] = np.split(x, 2, 0);
      return { a: np.sin(a), b: np.sin(b) };
    };
    expect(left(halves)).toEqual({ split: 1, sin: 2 });
  });
});
