// The balance of flows over token paths: zero at the optimum in closed form, gradients, and what must not move.

import { grad, type numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { checkGradients, evaluate, type HostInputs, randomInput } from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { RandomStream } from "../../engine/index.ts";
import { pathOf } from "../verify/contexts.ts";
import { logMatrix, uniformChannel } from "./channel.ts";
import { prefixMasses } from "./exact.ts";
import type { FlowModel } from "./model.ts";
import { channelLoss, FLOW_BALANCES, FLOW_FORMS, type FlowObjective, flowLoss } from "./objective.ts";
import { policyFor } from "./reachable.ts";

const [K, H] = [3, 3];
const leaves = K ** H;
/** Every path once, with intentions that differ from step to step. */
const B = leaves;
const stream = RandomStream.fromSeed(7);
/** Rewards whose laws a channel of 0.2 can have. */
const logReward = Float64Array.from({ length: leaves }, () => 0.3 * stream.normal());
const { masses, logPeak } = prefixMasses(logReward, K, H);

/** Arrays of all paths at the optimum, for a channel of this share. */
function optimum(epsilon: number): HostInputs {
  const channel = uniformChannel(K, epsilon);
  const N = H * B;
  const policy = new Float32Array(N * K);
  const backward = new Float32Array(N * K * K);
  const flow = new Float32Array(N);
  const intended = new Float32Array(N * K);
  const tokens = new Float32Array(N * K);
  const partial = new Float32Array(B * H);
  for (let t = 0; t < H; t++) {
    for (let b = 0; b < B; b++) {
      const row = t * B + b;
      const path = pathOf(b % leaves, K, H);
      const prefix = path.slice(0, t).reduce((number, token) => number * K + token, 0);
      const law = Float64Array.from(
        { length: K },
        (_, x) => masses[t + 1][prefix * K + x] / masses[t][prefix],
      );
      const best = policyFor(law, channel)!;
      expect(Math.min(...best)).toBeGreaterThan(0);
      for (let a = 0; a < K; a++) {
        policy[row * K + a] = Math.log(best[a]);
        for (let x = 0; x < K; x++) {
          const share = (best[a] * channel[a * K + x]) / law[x];
          backward[(row * K + x) * K + a] = share > 0 ? Math.log(share) : stream.normal();
        }
      }
      flow[row] = Math.log(masses[t][prefix]) + logPeak;
      tokens[row * K + path[t]] = 1;
      // Without a channel what is intended comes.
      intended[row * K + (epsilon > 0 ? (b + t) % K : path[t])] = 1;
      partial[b * H + t] = 0.1 * (path[t] + 1) * (t + 1);
    }
  }
  return {
    policy: { shape: [N, K], data: policy },
    backward: { shape: [N, K * K], data: backward },
    flow: { shape: [N, 1], data: flow },
    intended: { shape: [N, K], data: intended },
    tokens: { shape: [N, K], data: tokens },
    partial: { shape: [B, H], data: partial },
    logReward: { shape: [B], data: Float32Array.from({ length: B }, (_, b) => logReward[b % leaves]) },
    given: { shape: [B], data: Float32Array.from({ length: B }, (_, b) => b % 2) },
    uniform: {
      shape: [N, K],
      data: Float32Array.from({ length: N * K }, () => stream.uniform()),
    },
  };
}

function lossFor(objective: FlowObjective, epsilon: number | null) {
  const channel = epsilon === null ? undefined : { matrix: uniformChannel(K, epsilon) };
  const model = { problem: { tokens: K, horizon: H, channel } } as unknown as FlowModel;
  return (inputs: Readonly<Record<string, np.Array>>, logC?: np.Array) => {
    const { policy, backward, flow, intended, tokens, partial, logReward, given, uniform } = inputs;
    return flowLoss(model, objective, {
      outputs: { policy, flow, backward },
      paths: { intended, tokens },
      logChannel: logC ?? (channel ? logMatrix(K, channel) : null),
      logReward,
      partial: objective.forwardLooking ? partial : null,
      given,
      uniform,
    }).loss;
  };
}

const cases: FlowObjective[] = FLOW_FORMS.flatMap((form) => [
  ...FLOW_BALANCES.map((balance) => ({ balance, form, loss: "squared" as const })),
  { balance: "db", form, loss: "kl" },
]);

describe.each(cases)("$balance, $form, $loss", (objective) => {
  test.each([null, 0, 0.2])(
    "is zero at the optimum through a channel of %s, and not beside it",
    (epsilon) => {
      const loss = lossFor(objective, epsilon);
      const at = optimum(epsilon ?? 0);
      expect(evaluate((inputs) => ({ loss: loss(inputs) }), at).loss[0]).toBeLessThan(1e-10);
      const beside = {
        ...at,
        policy: {
          ...at.policy,
          data: Float32Array.from(at.policy.data, (value, i) => value + 0.2 * (i % K)),
        },
      };
      expect(evaluate((inputs) => ({ loss: loss(inputs) }), beside).loss[0]).toBeGreaterThan(1e-3);
    },
  );
});

test("the forward-looking form counts what the partial rewards have already said", () => {
  const at = optimum(0);
  const said = Float32Array.from(at.flow.data);
  for (let t = 0; t < H; t++) {
    for (let b = 0; b < B; b++) {
      for (let before = 0; before < t; before++) said[t * B + b] -= at.partial.data[b * H + before];
    }
  }
  for (const balance of FLOW_BALANCES) {
    const loss = lossFor({ balance, form: "marginal", loss: "squared", forwardLooking: true }, null);
    const looking = { ...at, flow: { ...at.flow, data: said } };
    expect(evaluate((inputs) => ({ loss: loss(inputs) }), looking).loss[0]).toBeLessThan(1e-10);
    if (balance === "tb") continue; // the start has no partial reward, and no other flow counts
    expect(evaluate((inputs) => ({ loss: loss(inputs) }), at).loss[0]).toBeGreaterThan(1e-2);
  }
});

test("a backward policy over all intentions could swallow reward; masked, it has no say where nothing is noisy", () => {
  const loss = lossFor({ balance: "db", form: "joint", loss: "squared" }, 0);
  const { policy, backward, flow, ...fixed } = optimum(0);
  const { gradients } = checkGradients(
    (inputs) => loss(inputs),
    { policy, flow, backward: randomInput(backward.shape, "any") },
    { fixed, coordinates: 8 },
  );
  expect(gradients.backward.every((value) => value === 0)).toBe(true);
});

test.each(["marginal", "joint"] as const)(
  "has the right gradients, and none into the channel: %s",
  async (form) => {
    const loss = lossFor({ balance: "subtb", form, loss: "squared", lambda: 0.9 }, 0.2);
    const { policy, backward, flow, given, ...fixed } = optimum(0.2);
    const checked = checkGradients(
      ({ logC, ...inputs }) => loss(inputs, logC),
      {
        policy: randomInput(policy.shape, "policy"),
        flow: randomInput(flow.shape, "flow"),
        backward: randomInput(backward.shape, "backward"),
      },
      // No row is given: in hindsight the intention itself would change with the numbers.
      {
        fixed: {
          ...fixed,
          given: { ...given, data: new Float32Array(B) },
          logC: randomInput([K, K], "channel"),
        },
      },
    );
    await expectGradientsOnEngines(checked);
    const { slope } = evaluate(
      ({ logC, ...inputs }) => {
        const f = (channel: np.Array) => loss(inputs, channel);
        return { slope: grad(f)(logC) };
      },
      { ...optimum(0.2), logC: randomInput([K, K], "channel") },
    );
    expect(slope.every((value) => value === 0)).toBe(true);
  },
);

test("the channel's model is fitted to rows that were not given", () => {
  const oneHot = (...tokens: number[]) => ({
    shape: [tokens.length, K],
    data: tokens.flatMap((token) => Array.from({ length: K }, (_, k) => Number(k === token))),
  });
  const logC = randomInput([K, K], "model");
  // Two steps of two paths; the second path is given.
  const { some, all } = evaluate(
    ({ intended, tokens, given, logC }) => ({
      some: channelLoss(logC, { intended, tokens }, given),
      all: channelLoss(logC, { intended, tokens }, null),
    }),
    {
      intended: oneHot(0, 1, 2, 0),
      tokens: oneHot(0, 2, 1, 1),
      given: { shape: [2], data: [0, 1] },
      logC,
    },
  );
  const [own1, given1, own2, given2] = [0, 1 * K + 2, 2 * K + 1, 1].map((i) => logC.data[i]);
  expect(some[0]).toBeCloseTo(-(own1 + own2) / 2, 6);
  expect(all[0]).toBeCloseTo(-(own1 + given1 + own2 + given2) / 4, 6);
});
