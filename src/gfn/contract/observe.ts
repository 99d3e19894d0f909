// A few short episodes of an environment, run by the interpreter, with everything its functions say along the way.

import { numpy as np } from "@jax-js/jax";
import { RandomStream } from "../../engine/index.ts";
import { FORBIDDEN } from "../../nn/index.ts";
import { largest } from "../draw.ts";
import type { Environment, State } from "../environment.ts";
import { checkArray, type Form, runOnce } from "./arrays.ts";
import { attempt, type Fail } from "./fail.ts";

const EPISODES = 8;
/** Steps of an episode at which the way back is looked at. */
const BACKWARD_LOOKS = 12;
/** The smallest and the largest number that a stream draws. */
const [LOWEST, HIGHEST] = [2 ** -24, 1 - 2 ** -24];

/** Where one episode stands. */
export interface SeenState {
  readonly index: number;
  readonly features: readonly number[];
  readonly running: number;
}

/** One step of one episode, as the environment's functions have it. */
export interface SeenStep {
  readonly t: number;
  readonly before: SeenState;
  readonly after: SeenState;
  readonly allowed: readonly number[];
  readonly action: number;
  /** Whether the action is to stop. */
  readonly stop: boolean;
  /** What `realise` gave. */
  readonly realised: readonly number[];
  /** Its number, −1 for none. */
  readonly outcome: number;
  /** The way back: classes allowed, the one taken, and those of the same parent; only looked at now and then. */
  readonly backward: {
    readonly allowed: readonly number[];
    readonly taken: readonly number[];
    readonly sameParent: readonly number[] | null;
  } | null;
  /** Number of the object that the episode ends in. */
  readonly terminal: number;
}

export interface Observed {
  /** Those of all episodes at each time, one time after the other; those after the end too. */
  readonly steps: readonly SeenStep[];
  readonly ends: readonly SeenState[];
  /** Outcomes of each episode. */
  readonly ways: readonly (readonly number[])[];
}

/** Runs episodes; fails where a function throws, or gives an array of another shape or type than it must. */
export function observe(environment: Environment, fail: Fail): Observed {
  const { actions: A, maxSteps: T } = environment;
  const { scores, noise } = drawsFor(environment);
  const said = runOnce(
    fail,
    (inputs, failing) => episodes(environment, inputs.scores, inputs.noise, failing),
    {
      scores: { shape: [T * EPISODES, A], data: scores },
      noise: { shape: [T * EPISODES, 2], data: noise },
    },
  );
  const rows = (name: string) => cut(said[name]);
  const states = Array.from({ length: T + 1 }, (_, t): SeenState[] => {
    const [index, features, running] = [said[`index ${t}`], rows(`features ${t}`), said[`running ${t}`]];
    return features.map((row, b) => ({ index: index[b], features: row, running: running[b] }));
  });
  const steps = Array.from({ length: T }, (_, t) => {
    const [allowed, action, realised] = [rows(`allowed ${t}`), rows(`action ${t}`), rows(`outcome ${t}`)];
    const backwardOf = (name: string) => (`${name} ${t}` in said ? rows(`${name} ${t}`) : null);
    const [into, taken, sameParent] = ["backwardAllowed", "backwardClass", "sameParent"].map(backwardOf);
    return Array.from({ length: EPISODES }, (_, episode): SeenStep => {
      const intended = action[episode].indexOf(1);
      return {
        t,
        terminal: said.terminal[episode],
        before: states[t][episode],
        after: states[t + 1][episode],
        allowed: allowed[episode],
        action: intended,
        stop: environment.stops && intended === A - 1,
        realised: realised[episode],
        outcome: realised[episode].indexOf(1),
        backward: into &&
          taken && {
            allowed: into[episode],
            taken: taken[episode],
            sameParent: sameParent?.[episode] ?? null,
          },
      };
    });
  }).flat();
  return {
    steps,
    ends: states[T],
    ways: Array.from({ length: EPISODES }, (_, episode) =>
      steps
        .filter((_, i) => i % EPISODES === episode)
        .filter(({ before, outcome }) => before.running === 1 && outcome >= 0)
        .map(({ outcome }) => outcome),
    ),
  };

  function cut(values: Float64Array): number[][] {
    const width = values.length / EPISODES;
    return Array.from({ length: EPISODES }, (_, b) =>
      Array.from(values.subarray(b * width, (b + 1) * width)),
    );
  }
}

/** What the environment says, step by step: arrays named by what they are and by the step. */
function episodes(environment: Environment, scores: np.Array, noise: np.Array, fail: Fail) {
  const { actions: A, outcomes: C, maxSteps: T, features: F, backwardClasses: K } = environment;
  const B = EPISODES;
  const outputs: Record<string, np.Array> = {};
  const perStep = (array: np.Array) => (T > 1 ? np.split(array, T, 0) : [array]);
  const [scoresOf, noiseOf] = [perStep(scores), perStep(noise)]; // T × [B, A], T × [B, 2]
  const every = Math.ceil(T / BACKWARD_LOOKS);
  let at = "";

  const start = call("start", () => environment.start(B));
  let state = checkState("start", start, 0);
  for (let t = 0; t < T; t++) {
    at = ` at step ${t}`;
    const here = state;
    const mask = call("allowed", () => environment.allowed(here, t)); // [B, A] or [1, A]
    const legal = checked("allowed", mask, "bool", [B, A], [1, A]); // [B, A]
    const action = largest(np.where(legal, scoresOf[t], FORBIDDEN)); // [B, A]
    const outcome = checked(
      "realise",
      call("realise", () => environment.realise(here, t, action, noiseOf[t])),
      "float32",
      [B, C],
    ); // [B, C]
    const after = checkState(
      "advance",
      call("advance", () => environment.advance(here, t, action, outcome)),
      t + 1,
    );
    outputs[`allowed ${t}`] = legal; // [B, A]
    outputs[`action ${t}`] = action; // [B, A]
    outputs[`outcome ${t}`] = outcome; // [B, C]
    if (t % every === 0 || t === T - 1) lookBack(after, t, action, outcome);
    state = after;
  }
  const last = state;
  const terminal = call("terminalIndex", () => environment.terminalIndex(last)); // [B]
  outputs.terminal = checked("terminalIndex", terminal, "int32", [B]); // [B]
  return outputs;

  function call<R>(member: string, f: () => R): R {
    return attempt(fail, member + at, f);
  }

  function lookBack(after: State, t: number, action: np.Array, outcome: np.Array): void {
    const into = call("backwardAllowed", () => environment.backwardAllowed(after, t)); // [B, K] or [1, K]
    const taken = call("backwardClass", () => environment.backwardClass(action, outcome)); // [B, K]
    const parent = call("sameParent", () => environment.sameParent(outcome)); // [B, K] or null
    outputs[`backwardAllowed ${t}`] = checked("backwardAllowed", into, "bool", [B, K], [1, K]); // [B, K]
    outputs[`backwardClass ${t}`] = checked("backwardClass", taken, "float32", [B, K]); // [B, K]
    if (parent === null) return;
    outputs[`sameParent ${t}`] = checked("sameParent", parent, "float32", [B, K]); // [B, K]
  }

  function checkState(member: string, given: State, t: number): State {
    if (given === null || typeof given !== "object") fail(`${member} must give a state, got ${given}${at}`);
    const index = checked(`the index of ${member}`, given.index, "int32", [B]); // [B]
    const features = checked(`the features of ${member}`, given.features, "float32", [B, F]); // [B, F]
    const running = checked(`the running of ${member}`, given.running, "float32", [B]); // [B]
    Object.assign(outputs, { [`index ${t}`]: index, [`features ${t}`]: features, [`running ${t}`]: running });
    // What else an environment keeps in its states is its own.
    return { ...given, index, features, running };
  }

  function checked(what: string, array: np.Array, dtype: Form["dtype"], shape: number[], other?: number[]) {
    return checkArray(fail, what, array, { shape, dtype, other }, at); // shape
  }
}

/**
 * What decides the episodes. A third of them intend anything legal, a third never stops while there is something else
 * to do, and a third stops soon, each at a step of its own. One meets the edges of the random numbers at every step.
 */
function drawsFor({ actions: A, maxSteps: T, stops }: Environment) {
  const stream = RandomStream.fromSeed(0).split("check environment");
  const scores = stream.fillUniform(new Float32Array(T * EPISODES * A));
  const noise = stream.fillUniform(new Float32Array(T * EPISODES * 2));
  for (let t = 0; t < T; t++) {
    for (let b = 0; b < EPISODES; b++) {
      const row = t * EPISODES + b;
      if (stops && b % 3 === 1) scores[row * A + A - 1] -= 2;
      if (stops && b % 3 === 2) scores[row * A + A - 1] += t >= (b - 2) / 3 ? 2 : -2;
      if (b === 1) noise.set([LOWEST, HIGHEST], row * 2);
    }
  }
  return { scores, noise };
}
