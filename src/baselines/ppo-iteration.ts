// One iteration of PPO as an array function: episodes, advantages, and several updates on them.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../engine/index.ts";
import { type Batch, flatten } from "../gfn/batch.ts";
import type { Model } from "../gfn/model.ts";
import { weightedMean } from "../gfn/objectives/balance.ts";
import { policyPass } from "../gfn/policy-pass.ts";
import { rollout, uniformsPerStep } from "../gfn/rollout.ts";
import { type AdamState, adam, clipByGlobalNorm, maskedLogSoftmax } from "../nn/index.ts";
import type { PpoSettings } from "./ppo-settings.ts";

export const PPO_STATE = ["policy", "m", "v", "updates"] as const;
type StateName = (typeof PPO_STATE)[number];
type InputName = StateName | "uniform" | "rate" | "entropy";

/** What the networks say of a batch, N = T·B steps. */
interface Judgement {
  /** log π of the intention that was drawn, [N]. */
  readonly chosen: np.Array;
  /** Entropy of the policy, [N]. */
  readonly entropy: np.Array;
  /** The critic's value of the state before the step, [N]. */
  readonly value: np.Array;
}

/** Advantages are so small only where all actions are as good as each other. */
const LEAST_DEVIATION = 1e-6;

/** `rewards` are those of all terminals, and best at most about 1 for the critic's sake. */
export function ppoIteration(model: Model, rewards: Float32Array, settings: PpoSettings) {
  const { environment, policyLayout } = model;
  const { batch: B, epochs, ratioClip, lambda, clip, valueWeight } = settings;

  function judge(policy: np.Array, batch: Batch): Judgement {
    const N = batch.T * B;
    const { forward, logFlow } = policyPass(model, policy, batch, { last: false });
    const [logits] = np.split(forward, [N], 0); // [N, actions]
    const [value] = np.split(logFlow, [N], 0); // [N]
    const logPolicy = maskedLogSoftmax(logits, batch.allowed); // [N, actions]
    const surprise = np.multiply(np.exp(logPolicy), logPolicy); // [N, actions]
    return {
      chosen: np.sum(np.multiply(logPolicy, batch.actions), 1), // [N]
      entropy: np.negative(np.sum(surprise, 1)), // [N]
      value,
    };
  }

  function run(
    inputs: Readonly<Record<InputName, np.Array>>,
  ): Record<StateName | "loss" | "terminal", np.Array> {
    const { policy, uniform, rate, entropy } = inputs;
    const episodes = rollout(
      environment,
      ({ features, index }) => model.policyOf(policy, features, index).forward, // [B, actions] or [1, actions]
      uniform,
    );
    const batch = flatten(environment, episodes);
    const before = judge(policy, batch);
    const reward = np.take(np.array(rewards), batch.terminal, 0); // [B]
    const advantage = advantagesOf(batch, before.value, reward, lambda); // [N]
    const aim = np.add(advantage, before.value); // [N]
    const standard = standardised(advantage, batch.running); // [N]

    const loss = (parameters: np.Array) => {
      const now = judge(parameters, batch);
      const gain = clippedGain(now.chosen, before.chosen, standard, ratioClip); // [N]
      const error = np.subtract(now.value, aim); // [N]
      const cost = np.subtract(np.multiply(np.multiply(error, error), valueWeight), gain); // [N]
      return weightedMean(np.subtract(cost, np.multiply(now.entropy, entropy)), batch.running); // []
    };
    const optimiser = adam({
      learningRate: { at: () => rate, value: () => Number.NaN }, // []
      rateScale: model.rateScales.policy,
    });
    let [current, state]: [np.Array, AdamState] = [
      policy,
      { m: inputs.m, v: inputs.v, step: inputs.updates },
    ];
    const losses: np.Array[] = [];
    for (let epoch = 0; epoch < epochs; epoch++) {
      const [value, raw] = valueAndGrad(loss)(current); // [], [P]
      const { gradient } = clipByGlobalNorm(raw, clip); // [P]
      ({ params: current, state } = optimiser.update(current, gradient, state));
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

/** What a step counts for, [N]: ratio times advantage, and no more once the ratio has left its range for the better. */
export function clippedGain(
  chosen: np.Array,
  before: np.Array,
  advantage: np.Array,
  ratioClip: number,
): np.Array {
  const ratio = np.exp(np.subtract(chosen, before)); // [N]
  const near = np.minimum(np.maximum(ratio, 1 - ratioClip), 1 + ratioClip); // [N]
  return np.minimum(np.multiply(ratio, advantage), np.multiply(near, advantage)); // [N]
}

/**
 * Generalised advantages without discount, [N], 0 after the end: Σ λᵏ δ(t + k), where δ is how much more a state turns
 * out to be worth one step later. The reward, [B], comes at the end, after which nothing is worth anything.
 */
export function advantagesOf(
  { T, B, running, ends }: Pick<Batch, "T" | "B" | "running" | "ends">,
  value: np.Array,
  reward: np.Array,
  lambda: number,
): np.Array {
  const rows = (array: np.Array) => np.split(array, T, 0); // T × [B]
  const [values, runs, lasts] = [rows(value), rows(running), rows(ends)];
  const advantages: np.Array[] = [];
  let [worth, ahead] = [np.zeros([B]), np.zeros([B])]; // [B], of the state after the step
  for (let t = T - 1; t >= 0; t--) {
    const goesOn = np.subtract(runs[t], lasts[t]); // [B]
    const after = np.add(np.multiply(lasts[t], reward), np.multiply(goesOn, worth)); // [B]
    worth = np.multiply(values[t], runs[t]); // [B]
    ahead = np.add(np.subtract(after, worth), np.multiply(np.multiply(goesOn, ahead), lambda)); // [B]
    advantages.unshift(ahead);
  }
  return lax.stopGradient(np.concatenate(advantages, 0)); // [N]
}

/** Mean 0 and deviation 1 over the steps that count. */
function standardised(values: np.Array, running: np.Array): np.Array {
  const centred = np.subtract(values, weightedMean(values, running)); // [N]
  const deviation = np.sqrt(weightedMean(np.multiply(centred, centred), running)); // []
  return np.divide(centred, np.add(deviation, LEAST_DEVIATION)); // [N]
}
