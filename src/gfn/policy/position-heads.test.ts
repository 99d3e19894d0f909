// Position heads: the number of letters of a state selects the head, and each head has weights of its own.

import { describe, expect, test } from "vitest";
import { rowsOf } from "../../../test/support/environment-walk.ts";
import { evaluate, randomInput } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { policyNetwork } from "./networks.ts";
import { selectedHead, writtenLetters } from "./position-heads.ts";

describe.each([
  ["a fixed length", false],
  ["a variable length", true],
])("for sequences of %s", (_, variable) => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0, variable });
  const indices = Array.from({ length: environment.states }, (_, i) => i);
  const features = { shape: [indices.length, 9], data: environment.featuresOf(indices) };

  test("the selected head is the number of letters", () => {
    const { heads, of } = writtenLetters(environment);
    const { selected } = evaluate((inputs) => ({ selected: of(inputs.features) }), { features });
    const expected = indices.map((i) => {
      const letters = i === 0 ? 0 : i < 4 ? 1 : i < 13 ? 2 : 3;
      return Array.from({ length: heads }, (_, k) => +(k === letters));
    });
    expect(rowsOf(selected, indices.length)).toEqual(expected);
  });

  test("a network with zeros in its last layer is uniform, and with Glorot weights it is not", () => {
    for (const outputHeads of ["shared", "position"] as const) {
      const largest = (["zeros", "glorot"] as const).map((outputInit) => {
        const network = policyNetwork(environment, { hidden: [8], outputHeads, outputInit });
        const { split, size, init } = layout(network.params);
        const params = { shape: [size], data: init(RandomStream.fromSeed(0)) };
        const index = { shape: [indices.length], dtype: "int32" as const, data: indices };
        const { logits } = evaluate(
          (inputs) => ({
            logits: network.apply(split(inputs.params), inputs.features, inputs.index).forward,
          }),
          { params, features, index },
        );
        return Math.max(...Array.from(logits, Math.abs));
      });
      expect(largest[0]).toBe(0);
      expect(largest[1]).toBeGreaterThan(0.01);
    }
  });
});

test("a row takes the outputs of its head", () => {
  const outputs = randomInput([2, 6], "outputs");
  const selected = { shape: [2, 3], data: [0, 0, 1, 1, 0, 0] };
  const { chosen } = evaluate((inputs) => ({ chosen: selectedHead(inputs.outputs, inputs.selected) }), {
    outputs,
    selected,
  });
  const all = rowsOf(Float64Array.from(outputs.data), 2);
  expect(rowsOf(chosen, 2)).toEqual([all[0].slice(4, 6), all[1].slice(0, 2)]);
});
