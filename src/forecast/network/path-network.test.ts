// The network of paths: what each step sees, that both ways of asking agree, and its gradients.

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
  context: W,
  known: D,
  earlier: P,
  hidden: [7],
  heads: { policy: K, flow: 1 },
  embeddingWidth: 4,
  activation: "tanh",
};

/** One-hot tokens [B, n, K] that depend on the name; some changed afterwards. */
function tokens(n: number, change: Readonly<Record<number, number>> = {}): HostInput {
  const stream = RandomStream.fromSeed(3).split("tokens");
  const data = new Float32Array(B * n * K);
  for (let i = 0; i < B * n; i++) {
    const drawn = stream.integer(K);
    data[i * K + ((drawn + (change[i % n] ?? 0)) % K)] = 1;
  }
  return { shape: [B, n, K], data };
}

function said(
  changes: Partial<PathNetworkOptions<Head>> = {},
  change: Readonly<Record<number, number>> = {},
) {
  const all = { ...options, ...changes };
  const network = pathNetwork(all);
  const params = layout(network.params);
  return evaluate(
    ({ flat, context, known, tokens }) => {
      const arrays = params.split(flat);
      const inputs = {
        ...(all.context > 0 && { context }),
        ...(all.known > 0 && { known }),
        tokens,
      };
      const steps = Array.from({ length: H }, (_, t) => network.at(arrays, t, inputs));
      return {
        ...network.all(arrays, inputs),
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
    {
      flat: randomInput([params.size], "flat"),
      context: randomInput([B, W], "context"),
      known: randomInput([B, H, D], "known"),
      tokens: tokens((all.earlier ?? 0) + H, change),
    },
  );
}

describe.each<[string, Partial<PathNetworkOptions<Head>>]>([
  ["as it is", {}],
  ["with no tokens before the path", { earlier: 0 }],
  ["with one lag", { lags: 1 }],
  ["with more lags than there are tokens", { lags: 50 }],
  ["with no lag", { lags: 0 }],
  ["without context and known numbers", { context: 0, known: 0 }],
  ["with a table of the token just before", { table: true, lags: 2 }],
  ["with a table, and no tokens before the path", { table: true, earlier: 0 }],
])("a path network %s", (_, changes) => {
  test("says step by step what it says in one pass", () => {
    const { policy, flow, policySteps, flowSteps } = said(changes);
    expect(policy.length).toBe(H * B * K);
    expect(largestDifference(policy, policySteps)).toBeLessThan(1e-12);
    expect(largestDifference(flow, flowSteps)).toBeLessThan(1e-12);
  });

  test("sees the tokens within its lags and no others", () => {
    const { earlier = P, lags = H } = { ...options, ...changes };
    const before = said(changes).policy;
    for (let position = 0; position < earlier + H; position++) {
      const after = said(changes, { [position]: 1 }).policy;
      for (let t = 0; t < H; t++) {
        const back = earlier + t - position; // how far before step t the token stands
        const step = (array: Float64Array) => array.subarray(t * B * K, (t + 1) * B * K);
        const difference = largestDifference(step(before), step(after));
        if (back >= 1 && back <= lags) expect(difference).toBeGreaterThan(1e-3);
        else expect(difference).toBe(0);
      }
    }
  });
});

test("steps differ by their place alone where all else is the same", () => {
  const { policy } = said({ lags: 0, known: 0 });
  expect(largestDifference(policy.subarray(0, B * K), policy.subarray(B * K, 2 * B * K))).toBeGreaterThan(
    1e-3,
  );
});

test("has the right gradients, and its engines agree", async () => {
  const network = pathNetwork({ ...options, table: true });
  const checked = checkModuleGradients(
    network,
    (params, { context, known, tokens }) => {
      const { policy, flow } = network.all(params, { context, known, tokens });
      return np.concatenate([policy, flow], 1); // [H·B, K + 1]
    },
    {
      context: randomInput([B, W], "context"),
      known: randomInput([B, H, D], "known"),
      tokens: tokens(P + H),
    },
  );
  await expectGradientsOnEngines(checked);
});

test("heads that are to start at zero do, and only those", () => {
  const network = pathNetwork({ ...options, zeroHeads: ["flow"] });
  const params = layout(network.params);
  const { policy, flow } = evaluate(
    ({ flat, context, known, tokens }) => network.all(params.split(flat), { context, known, tokens }),
    {
      flat: { shape: [params.size], data: params.init(RandomStream.fromSeed(0)) },
      context: randomInput([B, W], "context"),
      known: randomInput([B, H, D], "known"),
      tokens: tokens(P + H),
    },
  );
  expect(flow.every((value) => value === 0)).toBe(true);
  expect(policy.every((value) => value !== 0)).toBe(true);
});

test("says what is wrong with sizes, steps and inputs", () => {
  expect(() => pathNetwork({ ...options, context: -1 })).toThrow(
    "pathNetwork: context must be a whole number of at least 0, got -1",
  );
  expect(() => pathNetwork({ ...options, heads: {} as Record<Head, number> })).toThrow(
    "pathNetwork: heads must name at least one head, got none",
  );
  const network = pathNetwork(options);
  const params = layout(network.params);
  const ask = (t: number, n: number) =>
    evaluate(
      ({ flat, context, known, tokens }) =>
        network.at(params.split(flat), t, { context, known, tokens: tokens.slice([], [0, n]) }),
      {
        flat: randomInput([params.size], "flat"),
        context: randomInput([B, W], "context"),
        known: randomInput([B, H, D], "known"),
        tokens: tokens(P + H),
      },
    );
  expect(() => ask(H, P + H)).toThrow("pathNetwork: the step must be a whole number from 0 to 3, got 4");
  expect(() => ask(3, P + 2)).toThrow("pathNetwork: tokens must be at least 5 per path, got 4");
});
