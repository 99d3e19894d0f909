// A complete training iteration of a stochastic GFlowNet on strings as one array function, to test and benchmark the engine.
//
// It consists of a rollout with stick noise, the reward lookup, an update of the dynamics model, the detailed-balance
// residual with the updated dynamics, and an update of the policy.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArraySpec, type RandomStream, spec, type TypedArray } from "../../src/engine/index.ts";
import { gumbelNoise, oneHotArgmax } from "../../src/nn/categorical.ts";
import { type AdamState, adam, clipByGlobalNorm, layout, logSoftmax, mlp } from "../../src/nn/index.ts";

export interface BenchmarkIterationOptions {
  /** Strings per iteration. */
  readonly batch: number;
  /** Letters per string. */
  readonly length: number;
  /** Size of the alphabet. */
  readonly letters: number;
  /** Width of both hidden layers, in the policy and in the dynamics network. */
  readonly hidden: number;
  /** Probability that the environment replaces an action by a uniformly drawn letter. */
  readonly stick: number;
  readonly learningRate: number;
  /** Largest norm of each gradient. */
  readonly clip: number;
}

/** The sizes of TFBind8: strings of eight letters out of four. */
export const DEFAULT_BENCHMARK_ITERATION: BenchmarkIterationOptions = {
  batch: 32,
  length: 8,
  letters: 4,
  hidden: 64,
  stick: 0.25,
  learningRate: 1e-3,
  clip: 10,
};

const OPTIMISER_STATE = ["m", "v"] as const;
export const BENCHMARK_ITERATION_STATE = [
  "step",
  "policy",
  ...OPTIMISER_STATE.map((part) => `policy.${part}` as const),
  "dynamics",
  ...OPTIMISER_STATE.map((part) => `dynamics.${part}` as const),
] as const;

export type BenchmarkIterationState = (typeof BENCHMARK_ITERATION_STATE)[number];
type Arrays = Readonly<Record<BenchmarkIterationState | "uniform", np.Array>>;

/** The iteration for these sizes. `logReward` has one entry per string in alphabetical order. */
export function benchmarkIteration(options: BenchmarkIterationOptions, logReward: Float32Array) {
  const { batch: B, length: T, letters: A, hidden, stick } = options;
  checkOptions(options, logReward);
  const policy = mlp({ inputs: T * A, hidden: [hidden, hidden], outputs: 2 * A + 1 });
  const dynamics = mlp({ inputs: T * A + A, hidden: [hidden, hidden], outputs: A });
  const policyLayout = layout(policy.params);
  const dynamicsLayout = layout(dynamics.params);
  const optimiser = adam({ learningRate: options.learningRate });

  function iteration(inputs: Arrays) {
    const uniform = inputs.uniform; // [T, B, A + 2]
    const policyParams = policyLayout.split(inputs.policy);
    const { states, actionRows, outcomeRows } = rollout((s) => policy.apply(policyParams, s), uniform);
    const before = np.concatenate(states.slice(0, T), 0); // [T·B, T·A]
    const after = np.concatenate(states, 0); // [(T + 1)·B, T·A]
    const actions = np.concatenate(actionRows, 0); // [T·B, A]
    const outcomes = np.concatenate(outcomeRows, 0); // [T·B, A]
    const terminal = logRewards(states[T]); // [B]

    // First the dynamics model: cross-entropy on the outcomes of the rollout.
    const dynamicsInputs = np.concatenate([before, actions], 1); // [T·B, T·A + A]
    const logOutcome = (flat: np.Array) => {
      const logits = dynamics.apply(dynamicsLayout.split(flat), dynamicsInputs); // [T·B, A]
      return np.sum(np.multiply(logSoftmax(logits), outcomes), 1); // [T·B]
    };
    const crossEntropy = (flat: np.Array) => np.negative(np.mean(logOutcome(flat))); // []
    const [dynamicsLoss, dynamicsGradient] = valueAndGrad(crossEntropy)(inputs.dynamics);
    const dynamicsUpdate = update("dynamics", inputs, dynamicsGradient);

    // Then the policy, with the updated dynamics model as a constant.
    const logDynamics = lax.stopGradient(logOutcome(dynamicsUpdate.params)); // [T·B]
    const balance = (flat: np.Array) => {
      const outputs = policy.apply(policyLayout.split(flat), after); // [(T + 1)·B, 2A + 1]
      const [forwardLogits, backwardLogits, flow] = np.split(outputs, [A, 2 * A], 1); // [.., A], [.., A], [.., 1]
      const [forward] = np.split(forwardLogits, [T * B], 0); // [T·B, A]
      const [, backward] = np.split(backwardLogits, [B], 0); // [T·B, A]
      const [flows] = np.split(flow.reshape([(T + 1) * B]), [T * B], 0); // [T·B]
      const [, later] = np.split(np.concatenate([flows, terminal], 0), [B], 0); // [T·B]
      const logForward = np.sum(np.multiply(logSoftmax(forward), actions), 1); // [T·B]
      const logBackward = np.sum(np.multiply(logSoftmax(backward), actions), 1); // [T·B]
      const residual = flows.add(logForward).add(logDynamics).sub(later).sub(logBackward); // [T·B]
      return np.mean(np.multiply(residual, residual)); // []
    };
    const [loss, policyGradient] = valueAndGrad(balance)(inputs.policy);
    const policyUpdate = update("policy", inputs, policyGradient);
    return {
      step: policyUpdate.state.step,
      policy: policyUpdate.params,
      "policy.m": policyUpdate.state.m,
      "policy.v": policyUpdate.state.v,
      dynamics: dynamicsUpdate.params,
      "dynamics.m": dynamicsUpdate.state.m,
      "dynamics.v": dynamicsUpdate.state.v,
      loss,
      dynamicsLoss,
      gradientNorm: policyUpdate.norm,
    };
  }

  /** Samples actions by Gumbel-max and outcomes by stick noise, both as one-hot rows. */
  function rollout(apply: (state: np.Array) => np.Array, uniform: np.Array) {
    const [forPolicy, forNoise, forLetter] = np.split(uniform, [A, A + 1], 2); // [T, B, A], [T, B, 1], [T, B, 1]
    const noise = np.split(gumbelNoise(forPolicy).reshape([T * B, A]), T, 0); // T × [B, A]
    const noisy = np.split(np.less(forNoise, stick).reshape([T * B, 1]), T, 0); // T × [B, 1]
    const slots = np.arange(A).astype(np.float32); // [A]
    const letter = np.floor(np.multiply(forLetter, A)).reshape([T * B, 1]); // [T·B, 1]
    const drawn = np.split(np.equal(letter, slots).astype(np.float32), T, 0); // T × [B, A]
    const states: np.Array[] = [np.zeros([B, T * A])]; // [B, T·A]
    const actionRows: np.Array[] = [];
    const outcomeRows: np.Array[] = [];
    for (let t = 0; t < T; t++) {
      const [logits] = np.split(apply(states[t]), [A], 1); // [B, A]
      const action = oneHotArgmax(np.add(logits, noise[t])); // [B, A]
      const outcome = np.where(noisy[t], drawn[t], action); // [B, A]
      actionRows.push(action);
      outcomeRows.push(outcome);
      const rest = T - 1 - t;
      const parts = rest > 0 ? [...outcomeRows, np.zeros([B, rest * A])] : outcomeRows;
      states.push(np.concatenate(parts, 1)); // [B, T·A]
    }
    return { states, actionRows, outcomeRows };
  }

  /** log R of complete strings, by a lookup of their index in alphabetical order. */
  function logRewards(state: np.Array): np.Array {
    const weights = Float32Array.from(
      { length: T * A },
      (_, i) => (i % A) * A ** (T - 1 - Math.floor(i / A)),
    );
    const index = np.matmul(state, np.array(weights)).astype(np.int32); // [B]
    return np.take(np.array(logReward), index, 0); // [B]
  }

  function update(net: "policy" | "dynamics", inputs: Arrays, raw: np.Array) {
    const { gradient, norm } = clipByGlobalNorm(raw, options.clip);
    const state: AdamState = { m: inputs[`${net}.m`], v: inputs[`${net}.v`], step: inputs.step };
    return { ...optimiser.update(inputs[net], gradient, state), norm };
  }

  const example: Record<BenchmarkIterationState | "uniform", ArraySpec> = {
    uniform: spec([T, B, A + 2]),
    step: spec([], "int32"),
    policy: spec([policyLayout.size]),
    "policy.m": spec([policyLayout.size]),
    "policy.v": spec([policyLayout.size]),
    dynamics: spec([dynamicsLayout.size]),
    "dynamics.m": spec([dynamicsLayout.size]),
    "dynamics.v": spec([dynamicsLayout.size]),
  };

  return {
    iteration,
    example,
    /** Initial parameters. The state of the optimiser starts at 0, as the state of every program does. */
    init(stream: RandomStream): { policy: TypedArray; dynamics: TypedArray } {
      return {
        policy: policyLayout.init(stream.split("policy")),
        dynamics: dynamicsLayout.init(stream.split("dynamics")),
      };
    },
    /** The policy alone: log-probabilities of the actions, and the log flow, of each state. */
    policyFunction(flat: Float32Array, rows = B) {
      const parameters = np.array(flat);
      return {
        f: ({ state }: { readonly state: np.Array }) => {
          const outputs = policy.apply(policyLayout.split(parameters), state); // [rows, 2A + 1]
          const [logits, , flow] = np.split(outputs, [A, 2 * A], 1); // [rows, A], [rows, A], [rows, 1]
          return { logPolicy: logSoftmax(logits), logFlow: flow.reshape([rows]) };
        },
        example: { state: spec([rows, T * A]) },
      };
    },
  };
}

function checkOptions(options: BenchmarkIterationOptions, logReward: Float32Array): void {
  const { batch, length, letters, hidden, stick } = options;
  for (const [name, value] of Object.entries({ batch, length, letters, hidden })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new RangeError(`benchmarkIteration: ${name} must be a whole number of at least 1, got ${value}`);
    }
  }
  if (!(stick >= 0 && stick < 1))
    throw new RangeError(`benchmarkIteration: stick must be in [0, 1), got ${stick}`);
  if (letters ** length > 2 ** 24) {
    throw new RangeError(`benchmarkIteration: ${letters} letters and length ${length} are over 2^24 strings`);
  }
  if (logReward.length !== letters ** length) {
    throw new RangeError(
      `benchmarkIteration: logReward must have ${letters ** length} entries, got ${logReward.length}`,
    );
  }
}
