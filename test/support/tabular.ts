// Solutions of the balances as tables with one row per state, computed by dynamic programming instead of training.
//
// For any policy, let the reward of an object be the probability that the policy builds it. Then the flow of a state is the
// probability of visiting it, and the backward policy follows from Bayes' rule. With these tables, the residual of
// every balance is zero.

import { numpy as np } from "@jax-js/jax";
import { interpret, type RandomStream, trace } from "../../src/engine/index.ts";
import type { ArrayFunction, Arrays } from "../../src/engine/trace.ts";
import type { Enumeration } from "../../src/gfn/environment/enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "../../src/gfn/environment/environment.ts";
import { type PolicyTable, uniformPolicy, visitation } from "../../src/gfn/evaluate/exact.ts";
import { balanceTerms } from "../../src/gfn/objectives/balance-terms.ts";
import type { Balance, DynamicsForm } from "../../src/gfn/objectives/objective.ts";
import { type BalanceOptions, balanceResiduals, type Residuals } from "../../src/gfn/objectives/residuals.ts";
import { type Batch, flattenTrajectories } from "../../src/gfn/sampling/batch.ts";
import { rollout, uniformsPerStep } from "../../src/gfn/sampling/rollout.ts";
import { oneHotRows } from "../../src/nn/one-hot.ts";
import { type HostInputs, specsOf } from "./gradients.ts";

/** A finite number used for log 0. */
const LOG_ZERO = -1e9;
/** Logit of illegal actions, on which no result may depend. */
const JUNK = 3;

/**
 * Tables in place of trained networks, in float64. Their rows are nodes: all states and, if the environment has no
 * stop, all terminal objects after them.
 */
export interface Tables {
  /** log π, [nodes, actions]. */
  readonly forward: Float64Array;
  /** log π_B, [nodes, backwardActions]. */
  readonly backward: Float64Array;
  /** log F, [nodes]. */
  readonly logFlow: Float64Array;
  /** Logarithm of the kernel, [nodes, actions without the stop, outcomes]. */
  readonly logKernel: Float64Array;
  /** log R, [terminals]. */
  readonly logReward: Float64Array;
  readonly logZ: Float64Array;
}

export interface Step {
  readonly state: number;
  readonly action: number;
  readonly outcome: number;
  /** A state, or −1 − t for terminal t. */
  readonly target: number;
  readonly probability: number;
}

/** All transitions, in the order of their states. */
export function* stepsOf({
  actions,
  offsets,
  targets,
  outcome,
  probabilities,
}: Enumeration): Generator<Step> {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [state, action] = [Math.floor(row / actions), row % actions];
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      yield { state, action, outcome: outcome[i], target: targets[i], probability: probabilities[i] };
    }
  }
}

/** Index of the node that a step leads to. A stop stays at its node. */
export function nodeAfter({ states }: Enumeration, { state, outcome, target }: Step): number {
  if (target >= 0) return target;
  return outcome < 0 ? state : states - 1 - target;
}

export function nodesOf({ hasStop }: Environment, { states, terminals }: Enumeration): number {
  return hasStop ? states : states + terminals;
}

/** A policy with random probabilities of the legal actions in every state. */
export function randomPolicy(enumeration: Enumeration, stream: RandomStream): PolicyTable {
  const policy = uniformPolicy(enumeration).map((p) => (p > 0 ? 0.2 - Math.log(stream.uniform()) : 0));
  for (let state = 0; state < enumeration.states; state++) {
    const row = policy.subarray(state * enumeration.actions, (state + 1) * enumeration.actions);
    const sum = row.reduce((a, b) => a + b, 0);
    row.forEach((p, action) => {
      row[action] = p / sum;
    });
  }
  return policy;
}

/** The balanced tables of a policy, for the reward e^logZ times the probability of each object under the policy. */
export function balancedTables(
  environment: EnumerableEnvironment,
  enumeration: Enumeration,
  policy: PolicyTable,
  logZ: number,
): Tables {
  const { states, terminals } = visitation(enumeration, policy);
  const { outcomes: C, backwardActions } = environment;
  const nodes = nodesOf(environment, enumeration);
  const visited = Float64Array.from({ length: nodes }, (_, node) =>
    node < enumeration.states ? states[node] : terminals[node - enumeration.states],
  );
  const kernel = new Float64Array(nodes * C * C);
  const backward = new Float64Array(nodes * backwardActions);
  const steps = [...stepsOf(enumeration)];
  const backwardActionOf = backwardActionsOf(environment, steps);
  for (const [i, step] of steps.entries()) {
    const { state, action, outcome, probability } = step;
    if (outcome < 0) continue;
    kernel[(state * C + action) * C + outcome] = probability;
    const share =
      (states[state] * policy[state * enumeration.actions + action] * probability) /
      visited[nodeAfter(enumeration, step)];
    backward[nodeAfter(enumeration, step) * backwardActions + backwardActionOf[i]] += share;
  }
  const forward = new Float64Array(nodes * enumeration.actions).fill(JUNK);
  policy.forEach((p, i) => {
    if (p > 0) forward[i] = Math.log(p);
  });
  return {
    forward,
    backward: backward.map((p) => (p > 0 ? Math.log(p) : JUNK)),
    logFlow: visited.map((p) => logZ + Math.log(p)),
    logKernel: kernel.map((p) => (p > 0 ? Math.log(p) : LOG_ZERO)),
    logReward: terminals.map((p) => logZ + Math.log(p)),
    logZ: Float64Array.of(logZ),
  };
}

/** Backward actions of transitions; −1 for stops. */
function backwardActionsOf(environment: EnumerableEnvironment, steps: readonly Step[]): number[] {
  const { actions, outcomes, features, backwardActions: K } = environment;
  const n = steps.length;
  const states = steps.map(({ state }) => state);
  const oneHotsOf = (name: "action" | "outcome", width: number) => ({
    shape: [n, width],
    data: oneHotRows(
      steps.map((step) => step[name]),
      width,
    ),
  });
  const inputs: HostInputs = {
    index: { shape: [n], dtype: "int32", data: states },
    features: { shape: [n, features], data: environment.featuresOf(states) },
    running: { shape: [n], data: new Float32Array(n).fill(1) },
    action: oneHotsOf("action", actions),
    outcome: oneHotsOf("outcome", outcomes),
  };
  const { rows } = inFloat64(
    ({ action, outcome, ...state }) => ({
      rows: environment.backwardAction(state as unknown as State, action, outcome),
    }),
    inputs,
  );
  return steps.map((_, i) => rows.subarray(i * K, (i + 1) * K).indexOf(1));
}

/** Tables and the random numbers of B trajectories, as inputs of an array function. */
export function tabularInputs(
  environment: Environment,
  { forward, backward, logFlow, logKernel, logReward, logZ }: Tables,
  B: number,
  stream: RandomStream,
): HostInputs {
  const { actions, outcomes: C, backwardActions, maxSteps } = environment;
  const nodes = logFlow.length;
  const uniform = [maxSteps, B, uniformsPerStep(environment)];
  return {
    forward: { shape: [nodes, actions], data: forward },
    backward: { shape: [nodes, backwardActions], data: backward },
    logFlow: { shape: [nodes], data: logFlow },
    logKernel: { shape: [nodes, C, C], data: logKernel },
    logReward: { shape: [logReward.length], data: logReward },
    logZ: { shape: [], data: logZ },
    uniform: {
      shape: uniform,
      data: stream.fillUniform(new Float32Array(uniform.reduce((a, b) => a * b))),
    },
  };
}

/** Trajectories of the policy with this table of logits. */
export function tabularBatch(environment: Environment, logits: np.Array, uniform: np.Array): Batch {
  return flattenTrajectories(
    environment,
    rollout(environment, ({ index }) => np.take(logits, index, 0), uniform),
  );
}

export interface Combination {
  readonly balance: Balance;
  readonly dynamics: DynamicsForm;
  /** Whether log Z is a learned parameter instead of the log flow of the start. */
  readonly learnedLogZ?: boolean;
}

/** Residuals of a batch, with tables in place of networks. */
export function tabularResiduals(
  { balance, dynamics, learnedLogZ: ownLogZ }: Combination,
  batch: Batch,
  { forward, backward, logFlow, logKernel, logReward, logZ }: Arrays,
): Residuals {
  const { index, T, B } = batch;
  const [before] = np.split(index, [T * B], 0); // [N]
  const partialLogReward = balance === "fl-db" ? np.take(logReward, index, 0) : undefined; // [(T + 1)·B]
  const flows = np.take(logFlow, index, 0); // [(T + 1)·B]
  const outputs = {
    forward: np.take(forward, index, 0), // [(T + 1)·B, actions]
    backward: np.take(backward, index, 0), // [(T + 1)·B, backwardActions]
    logFlow: partialLogReward ? np.subtract(flows, partialLogReward) : flows, // [(T + 1)·B]
  };
  const terms = balanceTerms(dynamics, batch, outputs, np.take(logKernel, before, 0));
  const options: BalanceOptions = { lambda: 0.9, partialLogReward, ...(ownLogZ && { logZ }) };
  return balanceResiduals(balance, batch, terms, np.take(logReward, batch.terminal, 0), options);
}

/** Traces a function once and evaluates it in float64, with float64 inputs, any number of times. */
export function float64Evaluator<O extends string>(
  f: (inputs: Arrays) => Readonly<Record<O, np.Array>>,
  example: HostInputs,
): (inputs: HostInputs) => Record<O, Float64Array> {
  const graph = trace(f as ArrayFunction, specsOf(example));
  return (inputs) => {
    const data = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.data]));
    return interpret(graph, data) as Record<O, Float64Array>;
  };
}

export function inFloat64<O extends string>(
  f: (inputs: Arrays) => Readonly<Record<O, np.Array>>,
  inputs: HostInputs,
): Record<O, Float64Array> {
  return float64Evaluator(f, inputs)(inputs);
}
