// One iteration of PPO as an array function: rollout, advantages, and several updates on the same trajectories.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../engine/index.ts";
import { weightedMean } from "../gfn/objectives/residuals.ts";
import type { Model } from "../gfn/policy/model.ts";
import { policyPass } from "../gfn/policy/policy-pass.ts";
import { type Batch, flattenTrajectories } from "../gfn/sampling/batch.ts";
import { rollout, uniformsPerStep } from "../gfn/sampling/rollout.ts";
import { type AdamState, adam, markedEntries, maskedLogSoftmax, optimiserStep } from "../nn/index.ts";
import type { PpoSettings } from "./ppo-settings.ts";

export const PPO_STATE = ["policy", "m", "v", "updates"] as const;
type StateName = (typeof PPO_STATE)[number];
type InputName = StateName | "uniform" | "rate" | "entropy";

/** Network outputs for a batch of N = T·B steps. */
interface StepValues {
  /** log π of the sampled action, [N]. */
  readonly logProbability: np.Array;
  /** Entropy of the policy, [N]. */
  readonly entropy: np.Array;
  /** Value of the state before the step, from the critic, [N]. */
  readonly value: np.Array;
}

/** Added to the standard deviation of the advantages, because that is 0 if all actions are equally good. */
const DEVIATION_OFFSET = 1e-6;

/**
 * `rewards` holds the reward of every terminal, scaled to at most about 1 because the critic then learns more easily.
 */
export function ppoIteration(model: Model, rewards: Float32Array, settings: PpoSettings) {
  const { environment, policyLayout } = model;
  const { batch: B, epochs, ratioClip, lambda, clip, valueWeight } = settings;

  function stepValues(policy: np.Array, batch: Batch): StepValues {
    const N = batch.T * B;
    const { forward, logFlow } = policyPass(model, policy, batch, { finalStates: false });
    const [logits] = np.split(forward, [N], 0); // [N, actions]
    const [value] = np.split(logFlow, [N], 0); // [N]
    const logPolicy = maskedLogSoftmax(logits, batch.allowed); // [N, actions]
    const weighted = np.multiply(np.exp(logPolicy), logPolicy); // [N, actions]
    return {
      logProbability: markedEntries(logPolicy, batch.actions), // [N]
      entropy: np.negative(np.sum(weighted, 1)), // [N]
      value,
    };
  }

  function run(
    inputs: Readonly<Record<InputName, np.Array>>,
  ): Record<StateName | "loss" | "terminal", np.Array> {
    const { policy, uniform, rate, entropy } = inputs;
    const trajectories = rollout(
      environment,
      ({ features, index }) => model.applyPolicy(policy, features, index).forward, // [B, actions] or [1, actions]
      uniform,
    );
    const batch = flattenTrajectories(environment, trajectories);
    const before = stepValues(policy, batch);
    const reward = np.take(np.array(rewards), batch.terminal, 0); // [B]
    const advantage = generalisedAdvantages(batch, before.value, reward, lambda); // [N]
    const valueTarget = np.add(advantage, before.value); // [N]
    const standardAdvantage = standardised(advantage, batch.running); // [N]

    const loss = (parameters: np.Array) => {
      const now = stepValues(parameters, batch);
      const surrogate = clippedSurrogate(
        now.logProbability,
        before.logProbability,
        standardAdvantage,
        ratioClip,
      ); // [N]
      const error = np.subtract(now.value, valueTarget); // [N]
      const cost = np.subtract(np.multiply(np.multiply(error, error), valueWeight), surrogate); // [N]
      return weightedMean(np.subtract(cost, np.multiply(now.entropy, entropy)), batch.running); // []
    };
    const optimiser = adam({
      learningRate: rate,
      rateScale: model.rateScales.policy,
    });
    let [current, state]: [np.Array, AdamState] = [
      policy,
      { m: inputs.m, v: inputs.v, step: inputs.updates },
    ];
    const losses: np.Array[] = [];
    for (let epoch = 0; epoch < epochs; epoch++) {
      const [value, gradient] = valueAndGrad(loss)(current); // [], [P]
      ({ params: current, state } = optimiserStep(optimiser, current, gradient, state, clip));
      losses.push(value);
    }
    return {
      policy: current,
      m: state.m,
      v: state.v,
      updates: state.step,
      loss: np.divide(
        losses.reduce((a, b) => np.add(a, b)),
        epochs,
      ), // []
      terminal: batch.terminal,
    };
  }

  const vector = spec([policyLayout.size]);
  const example: Record<InputName, ArraySpec> = {
    policy: vector,
    m: vector,
    v: vector,
    updates: spec([], "int32"),
    uniform: spec([environment.maxSteps, B, uniformsPerStep(environment)]),
    rate: spec([]),
    entropy: spec([]),
  };
  return { run: run as ArrayFunction<InputName, StateName | "loss" | "terminal">, example };
}

/** The clipped surrogate objective of PPO, [N]: min(r A, clip(r, 1 − ε, 1 + ε) A) with the probability ratio r and ε = `ratioClip`. */
export function clippedSurrogate(
  logProbability: np.Array,
  oldLogProbability: np.Array,
  advantage: np.Array,
  ratioClip: number,
): np.Array {
  const ratio = np.exp(np.subtract(logProbability, oldLogProbability)); // [N]
  const clipped = np.minimum(np.maximum(ratio, 1 - ratioClip), 1 + ratioClip); // [N]
  return np.minimum(np.multiply(ratio, advantage), np.multiply(clipped, advantage)); // [N]
}

/**
 * Generalised advantage estimates without discount, [N], 0 after the end of a trajectory: Σ λᵏ δ(t + k) with the temporal
 * difference δ(t) = V(s(t + 1)) − V(s(t)). The reward, [B], takes the place of the value after the last step.
 */
export function generalisedAdvantages(
  { T, B, running, ends }: Pick<Batch, "T" | "B" | "running" | "ends">,
  value: np.Array,
  reward: np.Array,
  lambda: number,
): np.Array {
  const rows = (array: np.Array) => np.split(array, T, 0); // T × [B]
  const [values, runs, ended] = [rows(value), rows(running), rows(ends)];
  const advantages: np.Array[] = [];
  let [nextValue, nextAdvantage] = [np.zeros([B]), np.zeros([B])]; // [B], [B]
  for (let t = T - 1; t >= 0; t--) {
    const continues = np.subtract(runs[t], ended[t]); // [B]
    const target = np.add(np.multiply(ended[t], reward), np.multiply(continues, nextValue)); // [B]
    nextValue = np.multiply(values[t], runs[t]); // [B]
    nextAdvantage = np.add(
      np.subtract(target, nextValue),
      np.multiply(np.multiply(continues, nextAdvantage), lambda),
    ); // [B]
    advantages.unshift(nextAdvantage);
  }
  return lax.stopGradient(np.concatenate(advantages, 0)); // [N]
}

/** Standardises to mean 0 and standard deviation 1 over the steps before the end of their trajectory. */
function standardised(values: np.Array, running: np.Array): np.Array {
  const centred = np.subtract(values, weightedMean(values, running)); // [N]
  const deviation = np.sqrt(weightedMean(np.multiply(centred, centred), running)); // []
  return np.divide(centred, np.add(deviation, DEVIATION_OFFSET)); // [N]
}
