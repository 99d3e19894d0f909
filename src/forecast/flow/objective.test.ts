// The loss of GFlowNets over token paths: zero at the optimum in closed form, its gradients, and gradients that must be
// zero.

import { grad, type numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { checkGradients, evaluate, type HostInputs, randomInput } from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { RandomStream } from "../../engine/index.ts";
import { pathOf } from "../verify/contexts.ts";
import { logChannelMatrix, uniformChannel } from "./channel.ts";
import { prefixFlows } from "./exact.ts";
import type { FlowModel } from "./flow-model.ts";
import { policyRealising } from "./limit.ts";
import { channelLoss, FLOW_BALANCES, FLOW_FORMS, type FlowObjective, flowLoss } from "./objective.ts";

const [K, H] = [3, 3];
const leaves = K ** H;
/** Every path once, with actions that differ from step to step. */
const B = leaves;
const stream = RandomStream.fromSeed(7);
/** Rewards that a channel with ε = 0.2 can reach. */
const logReward = Float64Array.from({ length: leaves }, () => 0.3 * stream.normal());
const { flows, logPeak } = prefixFlows(logReward, K, H);

/** The inputs of the loss at the optimum, for all paths and a uniform channel with this ε. */
function optimum(epsilon: number): HostInputs {
  const channel = uniformChannel(K, epsilon);
  const N = H * B;
  const policy = new Float32Array(N * K);
  const backward = new Float32Array(N * K * K);
  const flow = new Float32Array(N);
  const actions = new Float32Array(N * K);
  const outcomes = new Float32Array(N * K);
  const partial = new Float32Array(B * H);
  for (let t = 0; t < H; t++) {
    for (let b = 0; b < B; b++) {
      const row = t * B + b;
      const path = pathOf(b % leaves, K, H);
      const prefix = path.slice(0, t).reduce((number, token) => number * K + token, 0);
      const next = Float64Array.from(
        { length: K },
        (_, x) => flows[t + 1][prefix * K + x] / flows[t][prefix],
      );
      const best = policyRealising(next, channel)!;
      expect(Math.min(...best)).toBeGreaterThan(0);
      for (let a = 0; a < K; a++) {
        policy[row * K + a] = Math.log(best[a]);
        for (let x = 0; x < K; x++) {
          const share = (best[a] * channel[a * K + x]) / next[x];
          backward[(row * K + x) * K + a] = share > 0 ? Math.log(share) : stream.normal();
        }
      }
      flow[row] = Math.log(flows[t][prefix]) + logPeak;
      outcomes[row * K + path[t]] = 1;
      // Without a channel the outcome is the action.
      actions[row * K + (epsilon > 0 ? (b + t) % K : path[t])] = 1;
      partial[b * H + t] = 0.1 * (path[t] + 1) * (t + 1);
    }
  }
  return {
    policy: { shape: [N, K], data: policy },
    backward: { shape: [N, K * K], data: backward },
    flow: { shape: [N, 1], data: flow },
    actions: { shape: [N, K], data: actions },
    outcomes: { shape: [N, K], data: outcomes },
    partial: { shape: [B, H], data: partial },
    logReward: { shape: [B], data: Float32Array.from({ length: B }, (_, b) => logReward[b % leaves]) },
    offPolicy: { shape: [B], data: Float32Array.from({ length: B }, (_, b) => b % 2) },
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
    const { policy, backward, flow, actions, outcomes, partial, logReward, offPolicy, uniform } = inputs;
    return flowLoss(model, objective, {
      outputs: { policy, flow, backward },
      rollout: { actions, outcomes },
      logChannel: logC ?? (channel ? logChannelMatrix(K, channel) : null),
      logReward,
      partialLogRewards: objective.forwardLooking ? partial : null,
      offPolicy,
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
    "is zero at the optimum for a channel with ε = %s, and positive elsewhere",
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

test("the forward-looking form adds the partial rewards to the flow of the network", () => {
  const at = optimum(0);
  const learned = Float32Array.from(at.flow.data);
  for (let t = 0; t < H; t++) {
    for (let b = 0; b < B; b++) {
      for (let before = 0; before < t; before++) learned[t * B + b] -= at.partial.data[b * H + before];
    }
  }
  for (const balance of FLOW_BALANCES) {
    const loss = lossFor({ balance, form: "marginal", loss: "squared", forwardLooking: true }, null);
    const forwardLooking = { ...at, flow: { ...at.flow, data: learned } };
    expect(evaluate((inputs) => ({ loss: loss(inputs) }), forwardLooking).loss[0]).toBeLessThan(1e-10);
    if (balance === "tb") continue; // tb uses only the flow of the start, which has no partial reward
    expect(evaluate((inputs) => ({ loss: loss(inputs) }), at).loss[0]).toBeGreaterThan(1e-2);
  }
});

test("without noise the mask leaves one possible action, so the backward policy has no gradient", () => {
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
  "has the right gradients, and none for the channel: %s",
  async (form) => {
    const loss = lossFor({ balance: "subtb", form, loss: "squared", lambda: 0.9 }, 0.2);
    const { policy, backward, flow, offPolicy, ...fixed } = optimum(0.2);
    const checked = checkGradients(
      ({ logC, ...inputs }) => loss(inputs, logC),
      {
        policy: randomInput(policy.shape, "policy"),
        flow: randomInput(flow.shape, "flow"),
        backward: randomInput(backward.shape, "backward"),
      },
      // No off-policy rows: their actions are sampled from the backward policy, so finite differences would change them.
      {
        fixed: {
          ...fixed,
          offPolicy: { ...offPolicy, data: new Float32Array(B) },
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

test("the channel model is fitted to the rows that are not off-policy", () => {
  const oneHot = (...tokens: number[]) => ({
    shape: [tokens.length, K],
    data: tokens.flatMap((token) => Array.from({ length: K }, (_, k) => Number(k === token))),
  });
  const logC = randomInput([K, K], "model");
  // Two steps of two paths. The second path is off-policy.
  const { onPolicy, all } = evaluate(
    ({ actions, outcomes, offPolicy, logC }) => ({
      onPolicy: channelLoss(logC, { actions, outcomes }, offPolicy),
      all: channelLoss(logC, { actions, outcomes }, null),
    }),
    {
      actions: oneHot(0, 1, 2, 0),
      outcomes: oneHot(0, 2, 1, 1),
      offPolicy: { shape: [2], data: [0, 1] },
      logC,
    },
  );
  const [on1, off1, on2, off2] = [0, 1 * K + 2, 2 * K + 1, 1].map((i) => logC.data[i]);
  expect(onPolicy[0]).toBeCloseTo(-(on1 + on2) / 2, 6);
  expect(all[0]).toBeCloseTo(-(on1 + off1 + on2 + off2) / 4, 6);
});
