// Sequences of fixed length whose noise level depends on a hidden regime.
//
// A regime is drawn at the start of a trajectory, and may be drawn again after any step. The pairs of actions and
// outcomes are evidence about it, so a state carries a belief: the posterior probability of each regime. Outcomes are
// sampled under the belief instead of under a sampled regime. The distribution of trajectories is the same, and the
// state stays free of hidden variables. Features and index are those of the written letters, as for other sequences.

import { numpy as np } from "@jax-js/jax";
import type { HistoryDependentEnvironment, State } from "./environment.ts";
import { withRecipe } from "./recipe.ts";
import {
  canIndexPrefixes,
  longSequenceEnvironment,
  type SequenceEnvironment,
  type SequenceOptions,
  sequenceEnvironment,
} from "./sequence.ts";
import { stickKernel, stickNoise } from "./stick-noise.ts";

/** One hidden noise level. */
export interface Regime {
  /** Level of the stick noise in this regime, in [0, 1]. */
  readonly stick: number;
  /** Probability of this regime when one is drawn. The shares of all regimes sum to 1. */
  readonly share: number;
}

/** Options of `regimeEnvironment`. */
export interface RegimeOptions extends Pick<SequenceOptions, "alphabet" | "length"> {
  readonly regimes: readonly Regime[];
  /** Probability that the regime is drawn again after a step. Default: 0, one regime per trajectory. */
  readonly switching?: number;
}

/** States of a batch, with the belief about the hidden regime. */
export interface RegimeState extends State {
  /** Posterior probability of each regime, float32 [B, Z]. */
  readonly belief: np.Array;
}

/** Sequences whose noise level depends on a hidden regime. */
export interface RegimeEnvironment extends HistoryDependentEnvironment, SequenceEnvironment {
  readonly kind: "sequence";
  readonly regimes: readonly Regime[];
  readonly switching: number;
  start(batch: number): RegimeState;
  advance(state: RegimeState, t: number, action: np.Array, outcome: np.Array): RegimeState;
}

/** Sequences under a hidden regime. `stick` is the mean noise level over the regimes. `State.index` is the heap index of
 * the prefix if int32 can hold all heap indices, and a hash otherwise. */
export function regimeEnvironment(options: RegimeOptions): RegimeEnvironment {
  const { alphabet, length, regimes, switching = 0 } = options;
  checkRegimes(regimes, switching);
  const A = alphabet.length;
  const Z = regimes.length;
  const levels = regimes.map(({ stick }) => stick);
  const shares = regimes.map(({ share }) => share);
  const stick = mean(shares, levels);
  const sequences = withoutEnumeration({ alphabet, length, stick });
  const row = (values: readonly number[]) => np.array(Float32Array.from(values), { shape: [1, Z] }); // [1, Z]

  const environment: RegimeEnvironment = {
    ...sequences,
    name: `${sequences.name}, noise of hidden level ${levels.join(" or ")}`,
    regimes,
    switching,

    start(batch) {
      return { ...sequences.start(batch), belief: np.broadcastTo(row(shares), [batch, Z]) }; // [B, Z]
    },
    // Stick noise whose level is drawn from the belief equals stick noise of the mean level.
    sampleOutcome({ belief }: RegimeState, _, action, uniform) {
      const level = np.sum(np.multiply(belief, row(levels)), 1, { keepdims: true }); // [B, 1]
      return stickNoise(action, np.ones([1, A]), uniform, level); // [B, A]
    },
    advance(state, t, action, outcome) {
      const matches = np.sum(np.multiply(action, outcome), 1, { keepdims: true }); // [B, 1]
      const likelihood = np.add(
        np.multiply(matches, row(levels.map((level) => 1 - level))),
        row(levels.map((level) => level / A)),
      ); // [B, Z]
      const joint = np.multiply(state.belief, likelihood); // [B, Z]
      const evidence = np.sum(joint, 1, { keepdims: true }); // [B, 1]
      // The belief stays if the action is unknown, or if the outcome is impossible in every regime.
      const hasAction = np.less(0.5, np.sum(action, 1, { keepdims: true })); // [B, 1]
      const informative = np.logicalAnd(hasAction, np.less(0, evidence)); // [B, 1]
      const posterior = np.divide(joint, np.where(informative, evidence, 1)); // [B, Z]
      const belief = np.where(informative, posterior, state.belief); // [B, Z]
      const next =
        switching > 0
          ? np.add(np.multiply(belief, 1 - switching), np.multiply(row(shares), switching)) // [B, Z]
          : belief; // [B, Z]
      return { ...sequences.advance(state, t, action, outcome), belief: next };
    },

    kernelAfter(actions, outcomes) {
      let belief = shares;
      outcomes.forEach((outcome, t) => {
        const likelihood = levels.map((level) => (outcome === actions[t] ? 1 - level : 0) + level / A);
        const evidence = mean(belief, likelihood);
        if (evidence > 0) belief = belief.map((p, z) => (p * likelihood[z]) / evidence);
        belief = belief.map((p, z) => (1 - switching) * p + switching * shares[z]);
      });
      return stickKernel(A, mean(belief, levels));
    },
  };
  return withRecipe(environment, { factory: "regimeEnvironment", options });
}

/** Sequences without the members of an enumerable environment: their enumeration would have a different kernel. */
function withoutEnumeration(options: SequenceOptions): SequenceEnvironment {
  if (!canIndexPrefixes(options)) {
    const { kernelAt, ...sequences } = longSequenceEnvironment(options);
    return sequences;
  }
  const { kernelAt, enumerate, tree, sampleTrajectoryTo, featuresOf, ...sequences } =
    sequenceEnvironment(options);
  return sequences;
}

function mean(shares: readonly number[], values: readonly number[]): number {
  return shares.reduce((sum, share, z) => sum + share * values[z], 0);
}

function checkRegimes(regimes: readonly Regime[], switching: number): void {
  const where = "regimeEnvironment";
  if (regimes.length === 0) throw new RangeError(`${where}: regimes must be one or more, got none`);
  for (const { stick, share } of regimes) {
    if (!(stick >= 0 && stick <= 1)) {
      throw new RangeError(`${where}: the stick of a regime must be in [0, 1], got ${stick}`);
    }
    if (!(share > 0)) throw new RangeError(`${where}: the share of a regime must be above 0, got ${share}`);
  }
  if (regimes.every(({ stick }) => stick === 1)) {
    throw new RangeError(`${where}: a regime must have a stick below 1, got 1 for all`);
  }
  const sum = regimes.reduce((total, { share }) => total + share, 0);
  if (Math.abs(sum - 1) > 1e-9) {
    throw new RangeError(`${where}: the shares of all regimes must sum to 1, got ${sum}`);
  }
  if (!(switching >= 0 && switching <= 1)) {
    throw new RangeError(`${where}: switching must be in [0, 1], got ${switching}`);
  }
}
