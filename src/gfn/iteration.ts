// One training iteration as an array function: episodes, reward lookup, dynamics update, residual, policy update.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArraySpec, spec } from "../engine/index.ts";
import { type AdamState, adam, clipByGlobalNorm, layout, type Schedule } from "../nn/index.ts";
import { type Batch, flatten } from "./batch.ts";
import type { Environment } from "./environment.ts";
import { dynamicsNetwork, type NetworkOptions, policyNetwork } from "./networks.ts";
import { residualsOf, weightedMean } from "./objectives/balance.ts";
import type { Objective } from "./objectives/choice.ts";
import { lossOf } from "./objectives/loss.ts";
import { termsOf } from "./objectives/terms.ts";
import { rollout, uniformsPerStep } from "./rollout.ts";

export interface IterationOptions {
  readonly objective: Objective;
  /** Episodes per iteration. */
  readonly batch: number;
  readonly policy: NetworkOptions;
  readonly dynamics: NetworkOptions;
  readonly learningRate: Schedule;
  readonly dynamicsLearningRate: Schedule;
  /** Largest norm of either gradient. */
  readonly clip: number;
  /** Weight of n-step sub-trajectories is λⁿ. */
  readonly lambda: number;
}

export const STATE = [
  "step",
  "policy",
  "policy.m",
  "policy.v",
  "dynamics",
  "dynamics.m",
  "dynamics.v",
] as const;
export type StateName = (typeof STATE)[number];
export type InputName = StateName | "uniform" | "givenRows" | "givenActions" | "givenOutcomes";
type Inputs = Readonly<Record<InputName, np.Array>>;

/** `logReward` has one entry per terminal object. */
export function trainingIteration(
  environment: Environment,
  options: IterationOptions,
  logReward: Float32Array,
) {
  const { objective, batch: B } = options;
  const T = environment.maxSteps;
  const policy = policyNetwork(environment, options.policy);
  const dynamics = dynamicsNetwork(environment, options.dynamics);
  const policyLayout = layout(policy.params);
  const dynamicsLayout = layout(dynamics.params);
  const optimisers = {
    policy: adam({ learningRate: options.learningRate }),
    dynamics: adam({ learningRate: options.dynamicsLearningRate }),
  };
  const usesDynamics = objective.dynamics === "joint" || objective.dynamics === "marginal";

  function iteration(inputs: Inputs) {
    const params = policyLayout.split(inputs.policy);
    const given = { rows: inputs.givenRows, actions: inputs.givenActions, outcomes: inputs.givenOutcomes };
    const logits = (state: { features: np.Array; index: np.Array }) =>
      policy.apply(params, state.features, state.index).forward; // [B, actions]
    const batch = flatten(environment, rollout(environment, logits, inputs.uniform, {}, given));
    const terminal = np.take(np.array(logReward), batch.terminal, 0); // [B]

    const { logDynamics, ...dynamicsUpdate } = updateDynamics(inputs, batch);
    const loss = (flat: np.Array) => {
      const outputs = policy.apply(policyLayout.split(flat), batch.features, batch.index);
      const terms = termsOf(objective.dynamics, batch, outputs, usesDynamics ? logDynamics : null);
      const { residual, weight } = residualsOf(objective.balance, batch, terms, terminal, options);
      return weightedMean(lossOf(objective.loss, residual), weight); // []
    };
    const [value, gradient] = valueAndGrad(loss)(inputs.policy);
    const policyUpdate = update("policy", inputs, gradient);
    return {
      step: policyUpdate.state.step,
      ...named("policy", policyUpdate),
      ...named("dynamics", dynamicsUpdate),
      loss: value,
      dynamicsLoss: dynamicsUpdate.loss,
      gradientNorm: policyUpdate.norm,
    };
  }

  /** Cross-entropy on what the environment did to known intentions; then log P̂ of the updated model. */
  function updateDynamics(inputs: Inputs, batch: Batch) {
    const { outcomes: C } = environment;
    const [features] = np.split(batch.features, [T * B], 0); // [N, features]
    const [index] = np.split(batch.index, [T * B], 0); // [N]
    const [legal] = environment.stops ? np.split(batch.allowed, [C], 1) : [batch.allowed]; // [N, C]
    const [intended] = environment.stops ? np.split(batch.actions, [C], 1) : [batch.actions]; // [N, C]
    const own = np.subtract(1, inputs.givenRows); // [B]
    const everyStep = np.broadcastTo(own, [T, B]).reshape([T * B]); // [N]
    const counts = np.multiply(np.multiply(everyStep, batch.running), np.subtract(1, batch.stop)); // [N]
    const pairs = np.multiply(intended.reshape([T * B, C, 1]), batch.outcomes.reshape([T * B, 1, C])); // [N, a, c]
    const logModel = (flat: np.Array) => dynamics.apply(dynamicsLayout.split(flat), features, index, legal); // [N, a, c]
    const crossEntropy = (flat: np.Array) => {
      const logs = np.sum(np.multiply(logModel(flat), pairs), [1, 2] as unknown as number); // [N]
      return np.negative(np.divide(np.sum(np.multiply(logs, counts)), np.maximum(np.sum(counts), 1))); // []
    };
    const [loss, gradient] = valueAndGrad(crossEntropy)(inputs.dynamics);
    const updated = update("dynamics", inputs, gradient);
    return { ...updated, loss, logDynamics: lax.stopGradient(logModel(updated.params)) };
  }

  function update(net: "policy" | "dynamics", inputs: Inputs, raw: np.Array) {
    const { gradient, norm } = clipByGlobalNorm(raw, options.clip); // [P], []
    const state: AdamState = { m: inputs[`${net}.m`], v: inputs[`${net}.v`], step: inputs.step };
    return { ...optimisers[net].update(inputs[net], gradient, state), norm };
  }

  const P = spec([policyLayout.size]);
  const D = spec([dynamicsLayout.size]);
  const example: Record<InputName, ArraySpec> = {
    uniform: spec([T, B, uniformsPerStep(environment)]),
    givenRows: spec([B]),
    givenActions: spec([T, B], "int32"),
    givenOutcomes: spec([T, B], "int32"),
    step: spec([], "int32"),
    policy: P,
    "policy.m": P,
    "policy.v": P,
    dynamics: D,
    "dynamics.m": D,
    "dynamics.v": D,
  };
  return { iteration, example, policy, dynamics, policyLayout, dynamicsLayout };
}

function named<N extends "policy" | "dynamics">(net: N, update: { params: np.Array; state: AdamState }) {
  return { [net]: update.params, [`${net}.m`]: update.state.m, [`${net}.v`]: update.state.v } as Record<
    N | `${N}.m` | `${N}.v`,
    np.Array
  >;
}
