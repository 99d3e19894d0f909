// Runs a few short trajectories of an environment in the interpreter and records the results of all its array functions.

import { numpy as np } from "@jax-js/jax";
import { RandomStream } from "../../../engine/index.ts";
import { MASKED_LOGIT } from "../../../nn/activations.ts";
import { oneHotArgmax } from "../../../nn/categorical.ts";
import type { Environment, State } from "../environment.ts";
import { type ArrayForm, checkArray, traceAndRun } from "./arrays.ts";
import { attempt, type Fail } from "./fail.ts";

const TRAJECTORIES = 8;
/** Number of steps at which the backward functions are called, at most. */
const BACKWARD_STEPS = 12;
/** The smallest and the largest uniform number of a random stream. */
const [LOWEST, HIGHEST] = [2 ** -24, 1 - 2 ** -24];

/** The state of one trajectory. */
export interface ObservedState {
  readonly index: number;
  readonly features: readonly number[];
  readonly running: number;
}

/** One step of one trajectory. */
export interface ObservedStep {
  readonly t: number;
  readonly before: ObservedState;
  readonly after: ObservedState;
  readonly allowed: readonly number[];
  /** The row of `outcomeAllowed`; the mask of the moves if there is no such function. */
  readonly outcomeAllowed: readonly number[];
  readonly action: number;
  /** Whether the action is the stop. */
  readonly stop: boolean;
  /** The row that `sampleOutcome` returned. */
  readonly outcomeRow: readonly number[];
  /** Index of the outcome, −1 for a stop. */
  readonly outcome: number;
  /** Rows of `backwardAllowed`, `backwardAction` and `sameParent`. Null at most steps, to save time. */
  readonly backward: {
    readonly allowed: readonly number[];
    readonly taken: readonly number[];
    readonly sameParent: readonly number[] | null;
  } | null;
  /** Index of the terminal object of the trajectory. */
  readonly terminal: number;
}

export interface Observed {
  /** Steps of all trajectories, ordered by time and then by trajectory, including steps after the end. */
  readonly steps: readonly ObservedStep[];
  /** Last state of each trajectory. */
  readonly ends: readonly ObservedState[];
  /** Outcomes of each trajectory. */
  readonly outcomes: readonly (readonly number[])[];
}

/** Runs the trajectories. Fails if a function throws or returns an array with a wrong shape or type. */
export function observe(environment: Environment, fail: Fail): Observed {
  const { actions: A, maxSteps: T } = environment;
  const { scores, noise } = randomInputs(environment);
  const results = traceAndRun(
    fail,
    (inputs, failing) => runTrajectories(environment, inputs.scores, inputs.noise, failing),
    {
      scores: { shape: [T * TRAJECTORIES, A], data: scores },
      noise: { shape: [T * TRAJECTORIES, 2], data: noise },
    },
  );
  const rows = (name: string) => splitRows(results[name]);
  const states = Array.from({ length: T + 1 }, (_, t): ObservedState[] => {
    const [index, features, running] = [
      results[`index ${t}`],
      rows(`features ${t}`),
      results[`running ${t}`],
    ];
    return features.map((row, b) => ({ index: index[b], features: row, running: running[b] }));
  });
  const steps = Array.from({ length: T }, (_, t) => {
    const [allowed, action, outcome] = [rows(`allowed ${t}`), rows(`action ${t}`), rows(`outcome ${t}`)];
    const outcomeAllowed = rows(`outcomeAllowed ${t}`);
    const backwardOf = (name: string) => (`${name} ${t}` in results ? rows(`${name} ${t}`) : null);
    const [backwardAllowed, taken, sameParent] = ["backwardAllowed", "backwardAction", "sameParent"].map(
      backwardOf,
    );
    return Array.from({ length: TRAJECTORIES }, (_, b): ObservedStep => {
      const actionIndex = action[b].indexOf(1);
      return {
        t,
        terminal: results.terminal[b],
        before: states[t][b],
        after: states[t + 1][b],
        allowed: allowed[b],
        outcomeAllowed: outcomeAllowed[b],
        action: actionIndex,
        stop: environment.hasStop && actionIndex === A - 1,
        outcomeRow: outcome[b],
        outcome: outcome[b].indexOf(1),
        backward: backwardAllowed &&
          taken && {
            allowed: backwardAllowed[b],
            taken: taken[b],
            sameParent: sameParent?.[b] ?? null,
          },
      };
    });
  }).flat();
  return {
    steps,
    ends: states[T],
    outcomes: Array.from({ length: TRAJECTORIES }, (_, b) =>
      steps
        .filter((_, i) => i % TRAJECTORIES === b)
        .filter(({ before, outcome }) => before.running === 1 && outcome >= 0)
        .map(({ outcome }) => outcome),
    ),
  };

  function splitRows(values: Float64Array): number[][] {
    const width = values.length / TRAJECTORIES;
    return Array.from({ length: TRAJECTORIES }, (_, b) =>
      Array.from(values.subarray(b * width, (b + 1) * width)),
    );
  }
}

/** The results of all functions, as arrays named by the function and the step. */
function runTrajectories(environment: Environment, scores: np.Array, noise: np.Array, fail: Fail) {
  const { actions: A, outcomes: C, maxSteps: T, features: F, backwardActions: K } = environment;
  const B = TRAJECTORIES;
  const outputs: Record<string, np.Array> = {};
  const perStep = (array: np.Array) => (T > 1 ? np.split(array, T, 0) : [array]);
  const [scoresOf, noiseOf] = [perStep(scores), perStep(noise)]; // T × [B, A], T × [B, 2]
  const every = Math.ceil(T / BACKWARD_STEPS);
  let at = "";

  const start = call("start", () => environment.start(B));
  let state = checkState("start", start, 0);
  for (let t = 0; t < T; t++) {
    at = ` at step ${t}`;
    const current = state;
    const mask = call("allowed", () => environment.allowed(current, t)); // [B, A] or [1, A]
    const legal = checked("allowed", mask, "bool", [B, A], [1, A]); // [B, A]
    const action = oneHotArgmax(np.where(legal, scoresOf[t], MASKED_LOGIT)); // [B, A]
    const outcome = checked(
      "sampleOutcome",
      call("sampleOutcome", () => environment.sampleOutcome(current, t, action, noiseOf[t])),
      "float32",
      [B, C],
    ); // [B, C]
    const after = checkState(
      "advance",
      call("advance", () => environment.advance(current, t, action, outcome)),
      t + 1,
    );
    outputs[`allowed ${t}`] = legal; // [B, A]
    outputs[`outcomeAllowed ${t}`] = legalOutcomes(current, t, legal); // [B, C]
    outputs[`action ${t}`] = action; // [B, A]
    outputs[`outcome ${t}`] = outcome; // [B, C]
    if (t % every === 0 || t === T - 1) observeBackward(current, after, t, action, outcome);
    state = after;
  }
  const last = state;
  const terminal = call("terminalIndex", () => environment.terminalIndex(last)); // [B]
  outputs.terminal = checked("terminalIndex", terminal, "int32", [B]); // [B]
  return outputs;

  function call<R>(member: string, f: () => R): R {
    return attempt(fail, member + at, f);
  }

  function legalOutcomes(state: State, t: number, legal: np.Array): np.Array {
    if (!environment.outcomeAllowed) return A > C ? np.split(legal, [C], 1)[0] : legal; // [B, C]
    const mask = call("outcomeAllowed", () => environment.outcomeAllowed?.(state, t)) as np.Array; // [B, C] or [1, C]
    return checked("outcomeAllowed", mask, "bool", [B, C], [1, C]); // [B, C]
  }

  function observeBackward(
    before: State,
    after: State,
    t: number,
    action: np.Array,
    outcome: np.Array,
  ): void {
    const allowed = call("backwardAllowed", () => environment.backwardAllowed(after, t)); // [B, K] or [1, K]
    const taken = call("backwardAction", () => environment.backwardAction(before, action, outcome)); // [B, K]
    const parent = call("sameParent", () => environment.sameParent(before, outcome)); // [B, K] or null
    outputs[`backwardAllowed ${t}`] = checked("backwardAllowed", allowed, "bool", [B, K], [1, K]); // [B, K]
    outputs[`backwardAction ${t}`] = checked("backwardAction", taken, "float32", [B, K]); // [B, K]
    if (parent === null) return;
    outputs[`sameParent ${t}`] = checked("sameParent", parent, "float32", [B, K]); // [B, K]
  }

  function checkState(member: string, state: State, t: number): State {
    if (state === null || typeof state !== "object") fail(`${member} must return a state, got ${state}${at}`);
    const index = checked(`the index of ${member}`, state.index, "int32", [B]); // [B]
    const features = checked(`the features of ${member}`, state.features, "float32", [B, F]); // [B, F]
    const running = checked(`the running of ${member}`, state.running, "float32", [B]); // [B]
    Object.assign(outputs, { [`index ${t}`]: index, [`features ${t}`]: features, [`running ${t}`]: running });
    // An environment may keep more arrays in its states.
    return { ...state, index, features, running };
  }

  function checked(
    what: string,
    array: np.Array,
    dtype: ArrayForm["dtype"],
    shape: number[],
    alternative?: number[],
  ) {
    return checkArray(fail, what, array, { shape, dtype, alternative }, at); // shape
  }
}

/**
 * Random scores of the actions and random numbers for the noise; each step takes the legal action with the largest score.
 * A third of the trajectories take any legal action, a third stop only if nothing else is legal, and a third stop early,
 * each at a different step. One trajectory receives the extreme random numbers at every step.
 */
function randomInputs({ actions: A, maxSteps: T, hasStop }: Environment) {
  const stream = RandomStream.fromSeed(0).split("check environment");
  const scores = stream.fillUniform(new Float32Array(T * TRAJECTORIES * A));
  const noise = stream.fillUniform(new Float32Array(T * TRAJECTORIES * 2));
  for (let t = 0; t < T; t++) {
    for (let b = 0; b < TRAJECTORIES; b++) {
      const row = t * TRAJECTORIES + b;
      if (hasStop && b % 3 === 1) scores[row * A + A - 1] -= 2;
      if (hasStop && b % 3 === 2) scores[row * A + A - 1] += t >= (b - 2) / 3 ? 2 : -2;
      if (b === 1) noise.set([LOWEST, HIGHEST], row * 2);
    }
  }
  return { scores, noise };
}
