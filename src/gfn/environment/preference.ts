// An environment whose objects have several scores, for policies that take a preference as input: the weights of the scores,
// which sum to 1. States have the features of the environment below it, followed by one feature per weight, so the policy and
// the flow depend on the preference, and the log flow of the start is log Z of that preference.

import { numpy as np } from "@jax-js/jax";
import { show, UserError } from "../../issues.ts";
import { type EnumerableEnvironment, type Environment, enumerationOf, type State } from "./environment.ts";

/** Options of `preferenceEnvironment`. */
export interface PreferenceOptions {
  /** The environment of the objects. */
  readonly environment: EnumerableEnvironment;
  /** The scores of all objects, one table per objective. They must be finite and not negative. */
  readonly objectives: readonly Float64Array[];
  /** The preference where none is given. Default: equal weights. */
  readonly preference?: readonly number[];
}

/** An environment for policies that take a preference as input. */
export interface PreferenceEnvironment extends EnumerableEnvironment {
  /** The environment of the objects. */
  readonly base: EnumerableEnvironment;
  /** The scores of all objects, one table per objective. */
  readonly objectives: readonly Float64Array[];
  /** The preference of the states that `start` and `featuresOf` give. */
  readonly preference: readonly number[];
  /** The weighted sum of the scores under this preference. */
  readonly scores: Float64Array;
  /** The same environment with another preference. */
  at(preference: readonly number[]): PreferenceEnvironment;
  /** The same environment in a traced program, with a preference per trajectory, [B, objectives]. */
  withRows(preferences: np.Array): Environment;
}

/** How far the sum of given weights may be from 1. */
const TOLERANCE = 1e-6;

/**
 * An environment whose policies take a preference as input. One training learns the targets of all preferences:
 * R(x | w) = (Σ w_i y_i(x))^β. `Trained.sample` and `Trained.evaluate` take a `preference`.
 *
 * @example
 * ```ts
 * import { fit, sequenceEnvironment } from "gflownet";
 * import { preferenceEnvironment } from "gflownet/gfn";
 *
 * const environment = preferenceEnvironment({
 *   environment: sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 }),
 *   objectives: [Float64Array.of(3, 1, 1, 0), Float64Array.of(0, 1, 1, 3)], // AA, AB, BA, BB
 * });
 * const trained = await fit({ environment, iterations: 20, hidden: [16] });
 * const samples = await trained.sample(4, { preference: [0.9, 0.1] });
 * console.log(samples.length, environment.at([1, 0]).scores.join(" ")); // 4 3 1 1 0
 * await trained.dispose();
 * ```
 */
export function preferenceEnvironment(options: PreferenceOptions): PreferenceEnvironment {
  const { environment: base, objectives } = options;
  const { terminals } = enumerationOf(base);
  if (objectives.length < 2) {
    throw new UserError(
      `preferenceEnvironment: there must be at least 2 objectives, got ${objectives.length}`,
    );
  }
  for (const [i, scores] of objectives.entries()) {
    if (scores.length !== terminals) {
      throw new UserError(
        `preferenceEnvironment: objective ${i} must have a score for each of the ${terminals} objects of ${base.name}, got ${scores.length}`,
      );
    }
    const wrong = scores.find((score) => !(score >= 0 && score < Number.POSITIVE_INFINITY));
    if (wrong !== undefined) {
      throw new UserError(
        `preferenceEnvironment: scores must be finite and not negative, got ${wrong} for objective ${i}`,
      );
    }
  }
  return atPreference(base, objectives, options.preference ?? objectives.map(() => 1 / objectives.length));
}

export function isPreference(environment: Environment): environment is PreferenceEnvironment {
  return "withRows" in environment && "objectives" in environment;
}

/** The environment that names and draws objects: the one below, if there are preferences. */
export function objectEnvironment(environment: Environment): Environment {
  return isPreference(environment) ? environment.base : environment;
}

/** The columns of features without those of the preference, [R, features of the environment below]. */
export function withoutPreference({ base }: PreferenceEnvironment, features: np.Array): np.Array {
  return np.split(features, [base.features], 1)[0]; // [R, base features]
}

/** The columns of features that are the preference, [R, objectives]. */
export function preferenceColumns({ base }: PreferenceEnvironment, features: np.Array): np.Array {
  return np.split(features, [base.features], 1)[1]; // [R, objectives]
}

/** Throws a UserError unless there is a weight from 0 to 1 per objective, and they sum to 1. */
export function checkPreference(preference: readonly number[], objectives: number): void {
  const total = preference.reduce((sum, weight) => sum + weight, 0);
  const isRight =
    preference.length === objectives &&
    preference.every((weight) => weight >= 0 && weight <= 1) &&
    Math.abs(total - 1) <= TOLERANCE;
  if (isRight) return;
  const message = `must be ${objectives} weights from 0 on that sum to 1, got ${show(preference)}`;
  throw new UserError([{ path: "preference", code: "range", message }]);
}

function atPreference(
  base: EnumerableEnvironment,
  objectives: readonly Float64Array[],
  preference: readonly number[],
): PreferenceEnvironment {
  const K = objectives.length;
  checkPreference(preference, K);
  const rowsOf = (batch: number) => np.broadcastTo(np.array([...preference]), [batch, K]); // [B, K]
  return {
    ...arrayFunctions(base, rowsOf, K),
    base,
    objectives,
    preference,
    scores: objectives[0].map((_, terminal) =>
      objectives.reduce((sum, scores, i) => sum + preference[i] * scores[terminal], 0),
    ),
    at: (other) => atPreference(base, objectives, other),
    withRows: (preferences) => ({ ...arrayFunctions(base, () => preferences, K), startsDiffer: true }),
    enumerate: () => enumerationOf(base),
    tree: base.tree,
    sampleTrajectoryTo: (terminal, stream) => base.sampleTrajectoryTo(terminal, stream),
    featuresOf(indices) {
      const features = base.featuresOf(indices);
      const width = base.features + K;
      const rows = new Float32Array(indices.length * width);
      for (let row = 0; row < indices.length; row++) {
        rows.set(features.subarray(row * base.features, (row + 1) * base.features), row * width);
        rows.set(preference, row * width + base.features);
      }
      return rows;
    },
  };
}

/** The members of the environment below, with the preference as further columns of the features. */
function arrayFunctions(
  base: EnumerableEnvironment,
  rowsOf: (batch: number) => np.Array,
  K: number,
): Environment {
  const inner = (state: State): State => ({
    ...state,
    features: np.split(state.features, [base.features], 1)[0], // [R, base features]
  });
  return {
    name: `${base.name} with preferences of ${K} objectives`,
    actions: base.actions,
    hasStop: base.hasStop,
    ...(base.stopsEverywhere !== undefined && { stopsEverywhere: base.stopsEverywhere }),
    outcomes: base.outcomes,
    maxSteps: base.maxSteps,
    states: base.states,
    features: base.features + K,
    featureBlock: 1,
    stick: base.stick,
    ...(base.noiseDescription !== undefined && { noiseDescription: base.noiseDescription }),
    backwardActions: base.backwardActions,
    ...(base.actionNames && { actionNames: base.actionNames }),
    start(batch) {
      const state = base.start(batch);
      return { ...state, features: np.concatenate([state.features, rowsOf(batch)], 1) }; // [B, features]
    },
    advance(state, t, action, outcome) {
      const preference = np.split(state.features, [base.features], 1)[1]; // [B, K]
      const next = base.advance(inner(state), t, action, outcome);
      return { ...next, features: np.concatenate([next.features, preference], 1) }; // [B, features]
    },
    allowed: (state, t) => base.allowed(inner(state), t),
    ...(base.outcomeAllowed && {
      outcomeAllowed: (state: State, t: number) =>
        (base.outcomeAllowed as typeof base.allowed)(inner(state), t),
    }),
    sampleOutcome: (state, t, action, uniform) => base.sampleOutcome(inner(state), t, action, uniform),
    terminalIndex: (state) => base.terminalIndex(inner(state)),
    backwardAllowed: (state, t) => base.backwardAllowed(inner(state), t),
    backwardAction: (state, action, outcome) => base.backwardAction(inner(state), action, outcome),
    sameParent: (state, outcome) => base.sameParent(inner(state), outcome),
    ...(base.kernelAt && {
      kernelAt: (outcomes: readonly number[]) => base.kernelAt?.(outcomes) as Float64Array,
    }),
    describe: (outcomes) => base.describe(outcomes),
    trajectoryOf: (text, stream) => base.trajectoryOf(text, stream),
    ...(base.uniformObject && {
      uniformObject: (stream: Parameters<EnumerableEnvironment["trajectoryOf"]>[1]) =>
        base.uniformObject?.(stream) as number[],
    }),
  };
}
