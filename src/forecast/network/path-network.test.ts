// The path network: which tokens each step sees, agreement of `allSteps` with `step`, and gradients.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  largestDifference,
  randomInput,
} from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { RandomStream } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import { type PathNetworkOptions, pathNetwork } from "./path-network.ts";

const [K, H, W, D, P, B] = [3, 4, 5, 2, 2, 6];
type Head = "policy" | "flow";
const options: PathNetworkOptions<Head> = {
  tokens: K,
  horizon: H,
  contextWidth: W,
  futureWidth: D,
  pastTokens: P,
  hidden: [7],
  heads: { policy: K, flow: 1 },
  embeddingWidth: 4,
  activation: "tanh",
};

/** Random one-hot tokens [B, n, K]; `change` adds a number to the tokens at some positions. */
function randomPaths(n: number, change: Readonly<Record<number, number>> = {}): HostInput {
  const stream = RandomStream.fromSeed(3).split("tokens");
  const data = new Float32Array(B * n * K);
  for (let i = 0; i < B * n; i++) {
    const token = stream.integer(K);
    data[i * K + ((token + (change[i % n] ?? 0)) % K)] = 1;
  }
  return { shape: [B, n, K], data };
}

function randomInputs(n = P + H, change: Readonly<Record<number, number>> = {}) {
  return {
    context: randomInput([B, W], "context"),
    future: randomInput([B, H, D], "known"),
    tokens: randomPaths(n, change),
  };
}

/** Outputs of both heads, from one pass and step by step. */
function outputs(
  changes: Partial<PathNetworkOptions<Head>> = {},
  change: Readonly<Record<number, number>> = {},
) {
  const all = { ...options, ...changes };
  const network = pathNetwork(all);
  const params = layout(network.params);
  return evaluate(
    ({ flat, context, future, tokens }) => {
      const arrays = params.split(flat);
      const inputs = {
        ...(all.contextWidth > 0 && { context }),
        ...(all.futureWidth > 0 && { future }),
        tokens,
      };
      const steps = Array.from({ length: H }, (_, t) => network.step(arrays, t, inputs));
      return {
        ...network.allSteps(arrays, inputs),
        policySteps: np.concatenate(
          steps.map(({ policy }) => policy),
          0,
        ),
        flowSteps: np.concatenate(
          steps.map(({ flow }) => flow),
          0,
        ),
      };
    },
    { flat: randomInput([params.size], "flat"), ...randomInputs((all.pastTokens ?? 0) + H, change) },
  );
}

describe.each<[string, Partial<PathNetworkOptions<Head>>]>([
  ["with default lags", {}],
  ["without past tokens", { pastTokens: 0 }],
  ["with one lag", { lags: 1 }],
  ["with more lags than there are tokens", { lags: 50 }],
  ["without lags", { lags: 0 }],
  ["without context and future inputs", { contextWidth: 0, futureWidth: 0 }],
  ["with a bigram table", { bigramTable: true, lags: 2 }],
  ["with a bigram table and no past tokens", { bigramTable: true, pastTokens: 0 }],
])("a path network %s", (_, changes) => {
  test("returns the same outputs step by step as in one pass", () => {
    const { policy, flow, policySteps, flowSteps } = outputs(changes);
    expect(policy.length).toBe(H * B * K);
    expect(largestDifference(policy, policySteps)).toBeLessThan(1e-12);
    expect(largestDifference(flow, flowSteps)).toBeLessThan(1e-12);
  });

  test("depends on the tokens within its lags and on no others", () => {
    const { pastTokens = P, lags = H } = { ...options, ...changes };
    const before = outputs(changes).policy;
    for (let position = 0; position < pastTokens + H; position++) {
      const after = outputs(changes, { [position]: 1 }).policy;
      for (let t = 0; t < H; t++) {
        const lag = pastTokens + t - position;
        const atStep = (array: Float64Array) => array.subarray(t * B * K, (t + 1) * B * K);
        const difference = largestDifference(atStep(before), atStep(after));
        if (lag >= 1 && lag <= lags) expect(difference).toBeGreaterThan(1e-3);
        else expect(difference).toBe(0);
      }
    }
  });
});

test("the output depends on the position of the step", () => {
  const { policy } = outputs({ lags: 0, futureWidth: 0 });
  expect(largestDifference(policy.subarray(0, B * K), policy.subarray(B * K, 2 * B * K))).toBeGreaterThan(
    1e-3,
  );
});

test("has the right gradients, and the engines agree", async () => {
  const network = pathNetwork({ ...options, bigramTable: true });
  const checked = checkModuleGradients(
    network,
    (params, inputs) => {
      const { policy, flow } = network.allSteps(params, inputs);
      return np.concatenate([policy, flow], 1); // [H·B, K + 1]
    },
    randomInputs(),
  );
  await expectGradientsOnEngines(checked);
});

test("zeroHeads, and only they, start at zero", () => {
  const network = pathNetwork({ ...options, zeroHeads: ["flow"] });
  const params = layout(network.params);
  const { policy, flow } = evaluate(({ flat, ...inputs }) => network.allSteps(params.split(flat), inputs), {
    flat: { shape: [params.size], data: params.init(RandomStream.fromSeed(0)) },
    ...randomInputs(),
  });
  expect(flow.every((value) => value === 0)).toBe(true);
  expect(policy.every((value) => value !== 0)).toBe(true);
});

test("rejects invalid sizes, steps and inputs", () => {
  expect(() => pathNetwork({ ...options, contextWidth: -1 })).toThrow(
    "pathNetwork: contextWidth must be a whole number of at least 0, got -1",
  );
  expect(() => pathNetwork({ ...options, heads: {} as Record<Head, number> })).toThrow(
    "pathNetwork: heads must contain at least one head, got none",
  );
  const network = pathNetwork(options);
  const params = layout(network.params);
  const outputsAt = (t: number, n: number) =>
    evaluate(
      ({ flat, context, future, tokens }) =>
        network.step(params.split(flat), t, { context, future, tokens: tokens.slice([], [0, n]) }),
      { flat: randomInput([params.size], "flat"), ...randomInputs() },
    );
  expect(() => outputsAt(H, P + H)).toThrow(
    "pathNetwork: the step must be a whole number from 0 to 3, got 4",
  );
  expect(() => outputsAt(3, P + 2)).toThrow("pathNetwork: tokens must be at least 5 per path, got 4");
});
