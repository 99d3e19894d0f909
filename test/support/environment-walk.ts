// Takes every transition of a small environment once, with its array functions evaluated in float64.

import { numpy as np } from "@jax-js/jax";
import type { Arrays } from "../../src/engine/trace.ts";
import type { Enumeration } from "../../src/gfn/environment/enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "../../src/gfn/environment/environment.ts";
import { oneHotRows } from "../../src/nn/one-hot.ts";
import type { HostInputs } from "./gradients.ts";
import { inFloat64, type Step, stepsOf } from "./tabular.ts";

/** The state of one trajectory on the host. */
export interface HostState {
  readonly index: number;
  readonly features: readonly number[];
  readonly running: number;
}

export interface WalkedStep extends Step {
  /** Number of the step in its trajectory. */
  readonly t: number;
  readonly before: HostState;
  readonly after: HostState;
  readonly terminalIndex: number;
  readonly backwardAllowed: readonly number[];
  readonly backwardAction: readonly number[];
  /** Null if every state has one parent. */
  readonly sameParent: readonly number[] | null;
}

export interface Walk {
  readonly steps: readonly WalkedStep[];
  /** For each step, the running states before it, with their masks of legal actions. */
  readonly levels: readonly (readonly { readonly state: HostState; readonly allowed: readonly number[] }[])[];
}

/** Takes every transition of the enumeration, from states that earlier steps reached. */
export function walk(environment: EnumerableEnvironment, enumeration: Enumeration): Walk {
  const all = [...stepsOf(enumeration)];
  const steps: WalkedStep[] = [];
  const levels: Walk["levels"][number][] = [];
  let states = hostStatesOf(startOf(environment));
  for (let t = 0; states.length > 0; t++) {
    const masks = allowedAt(environment, t, states);
    levels.push(states.map((state, i) => ({ state, allowed: masks[i] })));
    const transitions = states.flatMap((before) =>
      all.filter(({ state }) => state === before.index).map((step) => ({ before, ...step })),
    );
    const taken = take(environment, t, transitions);
    steps.push(...taken);
    const next = new Map(
      taken.filter(({ after }) => after.running > 0).map(({ after }) => [after.index, after]),
    );
    states = [...next.values()];
  }
  return { steps, levels };
}

function startOf(environment: EnumerableEnvironment) {
  return inFloat64(() => ({ ...environment.start(1) }), {});
}

function allowedAt(environment: EnumerableEnvironment, t: number, states: readonly HostState[]): number[][] {
  const { allowed } = inFloat64(
    (inputs) => ({
      allowed: np.broadcastTo(environment.allowed(stateOf(inputs), t), [states.length, environment.actions]),
    }),
    stateInputs(environment, states),
  );
  return rowsOf(allowed, states.length);
}

function take(
  environment: EnumerableEnvironment,
  t: number,
  steps: readonly (Step & { before: HostState })[],
): WalkedStep[] {
  const { actions, outcomes, backwardActions } = environment;
  const n = steps.length;
  const inputs: HostInputs = {
    ...stateInputs(
      environment,
      steps.map(({ before }) => before),
    ),
    action: {
      shape: [n, actions],
      data: oneHotRows(
        steps.map(({ action }) => action),
        actions,
      ),
    },
    outcome: {
      shape: [n, outcomes],
      data: oneHotRows(
        steps.map(({ outcome }) => outcome),
        outcomes,
      ),
    },
  };
  const results = inFloat64((arrays) => {
    const { action, outcome } = arrays;
    const after = environment.advance(stateOf(arrays), t, action, outcome);
    const sameParent = environment.sameParent(stateOf(arrays), outcome);
    return {
      ...after,
      terminal: environment.terminalIndex(after),
      backwardAllowed: np.broadcastTo(environment.backwardAllowed(after, t), [n, backwardActions]),
      backwardAction: environment.backwardAction(stateOf(arrays), action, outcome),
      ...(sameParent && { sameParent }),
    } as Record<
      "index" | "features" | "running" | "terminal" | "backwardAllowed" | "backwardAction" | "sameParent",
      np.Array
    >;
  }, inputs);
  const states = hostStatesOf(results);
  const [allowed, taken] = [rowsOf(results.backwardAllowed, n), rowsOf(results.backwardAction, n)];
  const parents = results.sameParent && rowsOf(results.sameParent, n);
  return steps.map((step, i) => ({
    ...step,
    t,
    after: states[i],
    terminalIndex: results.terminal[i],
    backwardAllowed: allowed[i],
    backwardAction: taken[i],
    sameParent: parents?.[i] ?? null,
  }));
}

/** States as inputs of an array function. */
export function stateInputs({ features }: Environment, states: readonly HostState[]): HostInputs {
  const n = states.length;
  const all = new Float64Array(n * features); // [n, features]
  states.forEach((state, i) => {
    all.set(state.features, i * features);
  });
  return {
    index: { shape: [n], dtype: "int32", data: states.map(({ index }) => index) },
    features: { shape: [n, features], data: all },
    running: { shape: [n], data: states.map(({ running }) => running) },
  };
}

export function stateOf({ index, features, running }: Arrays): State {
  return { index, features, running };
}

export function hostStatesOf(
  results: Readonly<Record<"index" | "features" | "running", Float64Array>>,
): HostState[] {
  const features = rowsOf(results.features, results.index.length);
  return Array.from(results.index, (index, i) => ({
    index,
    features: features[i],
    running: results.running[i],
  }));
}

/** Splits a flat array into rows of equal length. */
export function rowsOf(values: Float64Array, count: number): number[][] {
  const width = values.length / count;
  return Array.from({ length: count }, (_, i) => Array.from(values.subarray(i * width, (i + 1) * width)));
}
