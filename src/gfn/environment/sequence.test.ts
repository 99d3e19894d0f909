// Indices of prefixes. The rest of the contract is tested in check-environment.test.ts.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { followTrajectories } from "../sampling/rollout.ts";
import { sequenceEnvironment } from "./sequence.ts";

/** Indices of all prefixes of strings with the letters [T, B], by the environment and as heap indices. */
function prefixIndices(alphabet: string, letters: readonly (readonly number[])[]) {
  const [T, B, A] = [letters.length, letters[0].length, alphabet.length];
  const environment = sequenceEnvironment({ alphabet, length: T, stick: 0.25 });
  const indices = { shape: [T, B], dtype: "int32", data: Int32Array.from(letters.flat()) } as const;
  const { found } = evaluate(
    ({ indices }) => {
      const { states } = followTrajectories(environment, { actions: indices, outcomes: indices });
      return {
        found: np.concatenate(
          states.map(({ index }) => index),
          0,
        ),
      };
    },
    { indices },
  );
  const expected = [new Array<number>(B).fill(0)];
  for (const row of letters) expected.push(row.map((letter, b) => expected.at(-1)![b] * A + 1 + letter));
  return { found: Array.from(found), expected: expected.flat() };
}

// From 11 letters on, the indices are too large to be exact in float32.
test.each([1, 4, 10, 11, 12])("prefixes of up to %i letters have their heap indices", (length) => {
  const stream = RandomStream.fromSeed(length);
  const letters = Array.from({ length }, () => [3, 0, ...Array.from({ length: 6 }, () => stream.integer(4))]);
  const { found, expected } = prefixIndices("ACGT", letters);
  expect(found).toEqual(expected);
});

test("with an alphabet of one letter, the index is the length", () => {
  expect(prefixIndices("A", [[0], [0], [0]]).found).toEqual([0, 1, 2, 3]);
});
