// Numbers of prefixes; what else environments must do is in check-environment.test.ts.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { follow } from "../rollout.ts";
import { sequenceEnvironment } from "./sequence.ts";

/** Numbers of all prefixes of strings, given letter by letter [T, B], by the environment and by their place in a heap. */
function numbersOf(alphabet: string, letters: readonly (readonly number[])[]) {
  const [T, B, A] = [letters.length, letters[0].length, alphabet.length];
  const environment = sequenceEnvironment({ alphabet, length: T, stick: 0.25 });
  const numbers = { shape: [T, B], dtype: "int32", data: Int32Array.from(letters.flat()) } as const;
  const { found } = evaluate(
    ({ numbers }) => {
      const { states } = follow(environment, { actions: numbers, outcomes: numbers });
      return {
        found: np.concatenate(
          states.map(({ index }) => index),
          0,
        ),
      };
    },
    { numbers },
  );
  const places = [new Array<number>(B).fill(0)];
  for (const row of letters) places.push(row.map((letter, b) => places.at(-1)![b] * A + 1 + letter));
  return { found: Array.from(found), places: places.flat() };
}

// From 11 letters on, numbers are too large to be exact in float32.
test.each([1, 4, 10, 11, 12])("a prefix of %i letters has its place in a heap as its number", (length) => {
  const stream = RandomStream.fromSeed(length);
  const letters = Array.from({ length }, () => [3, 0, ...Array.from({ length: 6 }, () => stream.integer(4))]);
  const { found, places } = numbersOf("ACGT", letters);
  expect(found).toEqual(places);
});

test("strings of one letter are numbered by their length", () => {
  expect(numbersOf("A", [[0], [0], [0]]).found).toEqual([0, 1, 2, 3]);
});
