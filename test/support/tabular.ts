// Solutions of balance conditions as tables with a row per state, found by dynamic programming and not by training.
//
// Take any policy, let the reward be where it ends: then flows are how often states are passed, and the backward policy
// follows by Bayes' rule. Every balance must find its residual zero there.

import { numpy as np } from "@jax-js/jax";
import { interpret, type RandomStream, trace } from "../../src/engine/index.ts";
import type { ArrayFunction, Arrays } from "../../src/engine/trace.ts";
import { type Batch, flatten } from "../../src/gfn/batch.ts";
import type { Enumeration } from "../../src/gfn/enumeration.ts";
import type { EnumerableEnvironment, Environment } from "../../src/gfn/environment.ts";
import { type PolicyTable, uniformPolicy, visitation } from "../../src/gfn/evaluate/exact.ts";
import { type BalanceOptions, type Residuals, residualsOf } from "../../src/gfn/objectives/balance.ts";
import type { Balance, DynamicsForm } from "../../src/gfn/objectives/choice.ts";
import { termsOf } from "../../src/gfn/objectives/terms.ts";
import { rollout, uniformsPerStep } from "../../src/gfn/rollout.ts";
import { type HostInputs, specsOf } from "./gradients.ts";

/** log of nothing: far below anything, and finite. */
const LOG_ZERO = -1e9;
/** Logits where nothing may be chosen: no result may depend on them. */
const JUNK = 3;

/** Tables that stand for trained networks, all in float64. Rows are nodes: states, then strings of full length. */
export interface Tables {
  /** log π, [nodes, actions]. */
  readonly forward: Float64Array;
  /** log π_B, [nodes, classes]. */
  readonly backward: Float64Array;
  /** log F, [nodes]. */
  readonly logFlow: Float64Array;
  /** log K, [nodes, intentions, outcomes]. */
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

/** Number that the environment gives to where a step leads; a stop leads nowhere else. */
export function nodeAfter({ states }: Enumeration, { state, outcome, target }: Step): number {
  if (target >= 0) return target;
  return outcome < 0 ? state : states - 1 - target;
}

export function nodesOf({ stops }: Environment, { states, terminals }: Enumeration): number {
  return stops ? states : states + terminals;
}

/** Every row drawn anew, normalised over what is allowed. */
export function randomPolicy(listed: Enumeration, stream: RandomStream): PolicyTable {
  const policy = uniformPolicy(listed).map((p) => (p > 0 ? 0.2 - Math.log(stream.uniform()) : 0));
  for (let state = 0; state < listed.states; state++) {
    const row = policy.subarray(state * listed.actions, (state + 1) * listed.actions);
    const sum = row.reduce((a, b) => a + b, 0);
    row.forEach((p, action) => {
      row[action] = p / sum;
    });
  }
  return policy;
}

/** The balanced tables of a policy whose reward is e^logZ times where it ends. */
export function balancedTables(
  environment: EnumerableEnvironment,
  listed: Enumeration,
  policy: PolicyTable,
  logZ: number,
): Tables {
  const { states, terminals } = visitation(listed, policy);
  const { outcomes: C, backwardClasses } = environment;
  const nodes = nodesOf(environment, listed);
  const passed = Float64Array.from({ length: nodes }, (_, node) =>
    node < listed.states ? states[node] : terminals[node - listed.states],
  );
  const kernel = new Float64Array(nodes * C * C);
  const into = new Float64Array(nodes * backwardClasses);
  const classes = classTable(environment);
  for (const step of stepsOf(listed)) {
    const { state, action, outcome, probability } = step;
    if (outcome < 0) continue;
    kernel[(state * C + action) * C + outcome] = probability;
    const share =
      (states[state] * policy[state * listed.actions + action] * probability) /
      passed[nodeAfter(listed, step)];
    into[nodeAfter(listed, step) * backwardClasses + classes[action * C + outcome]] += share;
  }
  const forward = new Float64Array(nodes * listed.actions).fill(JUNK);
  policy.forEach((p, i) => {
    if (p > 0) forward[i] = Math.log(p);
  });
  return {
    forward,
    backward: into.map((p) => (p > 0 ? Math.log(p) : JUNK)),
    logFlow: passed.map((p) => logZ + Math.log(p)),
    logKernel: kernel.map((p) => (p > 0 ? Math.log(p) : LOG_ZERO)),
    logReward: terminals.map((p) => logZ + Math.log(p)),
    logZ: Float64Array.of(logZ),
  };
}

/** Number of the backward class of every (intention, outcome), [C · C]. */
export function classTable(environment: Environment): Int32Array {
  const { actions, outcomes: C, backwardClasses } = environment;
  const pairs = Array.from({ length: C * C }, (_, i) => i);
  const inputs: HostInputs = {
    action: {
      shape: [C * C, actions],
      data: oneHots(
        pairs.map((i) => Math.floor(i / C)),
        actions,
      ),
    },
    outcome: {
      shape: [C * C, C],
      data: oneHots(
        pairs.map((i) => i % C),
        C,
      ),
    },
  };
  const { classes } = inFloat64(
    ({ action, outcome }) => ({ classes: environment.backwardClass(action, outcome) }),
    inputs,
  );
  return Int32Array.from(pairs, (i) =>
    classes.subarray(i * backwardClasses, (i + 1) * backwardClasses).indexOf(1),
  );
}

/** Rows with a single 1; negative numbers give rows of zeros. */
export function oneHots(numbers: ArrayLike<number>, width: number): Float32Array {
  const rows = new Float32Array(numbers.length * width);
  for (let i = 0; i < numbers.length; i++) if (numbers[i] >= 0) rows[i * width + numbers[i]] = 1;
  return rows;
}

/** Tables and the random numbers of B episodes, as inputs of an array function. */
export function tabularInputs(
  environment: Environment,
  { forward, backward, logFlow, logKernel, logReward, logZ }: Tables,
  B: number,
  stream: RandomStream,
): HostInputs {
  const { actions, outcomes: C, backwardClasses, maxSteps } = environment;
  const nodes = logFlow.length;
  const uniform = [maxSteps, B, uniformsPerStep(environment)];
  return {
    forward: { shape: [nodes, actions], data: forward },
    backward: { shape: [nodes, backwardClasses], data: backward },
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

/** Episodes of the policy that a table of logits gives. */
export function tabularBatch(environment: Environment, logits: np.Array, uniform: np.Array): Batch {
  return flatten(
    environment,
    rollout(environment, ({ index }) => np.take(logits, index, 0), uniform),
  );
}

export interface Combination {
  readonly balance: Balance;
  readonly dynamics: DynamicsForm;
  /** log Z is a parameter of its own and not the start's flow. */
  readonly ownLogZ?: boolean;
}

/** Residuals of a batch when the networks are tables. */
export function tabularResiduals(
  { balance, dynamics, ownLogZ }: Combination,
  batch: Batch,
  { forward, backward, logFlow, logKernel, logReward, logZ }: Arrays,
): Residuals {
  const { index, T, B } = batch;
  const [before] = np.split(index, [T * B], 0); // [N]
  const partialLogReward = balance === "fl-db" ? np.take(logReward, index, 0) : undefined; // [(T + 1)·B]
  const flows = np.take(logFlow, index, 0); // [(T + 1)·B]
  const outputs = {
    forward: np.take(forward, index, 0), // [(T + 1)·B, actions]
    backward: np.take(backward, index, 0), // [(T + 1)·B, classes]
    logFlow: partialLogReward ? np.subtract(flows, partialLogReward) : flows, // [(T + 1)·B]
  };
  const terms = termsOf(dynamics, batch, outputs, np.take(logKernel, before, 0));
  const options: BalanceOptions = { lambda: 0.9, partialLogReward, ...(ownLogZ && { logZ }) };
  return residualsOf(balance, batch, terms, np.take(logReward, batch.terminal, 0), options);
}

/** Traces a function once, to evaluate it in float64, inputs included, as often as wanted. */
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
