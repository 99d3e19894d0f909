// The initial weights of the last layer: with zeros, a policy starts uniform.

import { expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { policyNetwork } from "./networks.ts";

const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
const indices = Array.from({ length: environment.states }, (_, i) => i);

/** The largest absolute logit of an untrained policy over all states. */
function largestLogit(outputInit: "zeros" | "glorot"): number {
  const network = policyNetwork(environment, { hidden: [8], outputInit });
  const { split, size, init } = layout(network.params);
  const { logits } = evaluate(
    (inputs) => ({ logits: network.apply(split(inputs.params), inputs.features, inputs.index).forward }),
    {
      params: { shape: [size], data: init(RandomStream.fromSeed(0)) },
      features: { shape: [indices.length, environment.features], data: environment.featuresOf(indices) },
      index: { shape: [indices.length], dtype: "int32", data: indices },
    },
  );
  return Math.max(...Array.from(logits, Math.abs));
}

test("all logits of a policy with zeros in its last layer are 0, and with Glorot weights they are not", () => {
  expect(largestLogit("zeros")).toBe(0);
  expect(largestLogit("glorot")).toBeGreaterThan(0.01);
});
