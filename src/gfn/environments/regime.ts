// Strings of fixed length whose noise level follows a regime that nobody sees.
//
// The regime is drawn at the start of an episode, and may be drawn anew before any later step. What was intended and
// what came out tell of it. So a state carries a belief: the probability of each regime given all pairs so far.
// Outcomes are drawn under the belief, not in a regime that was drawn: the law of episodes is the same, and there is
// nothing hidden to store. Features and number are those of the written letters, as for other strings.

import { numpy as np } from "@jax-js/jax";
import { type Environment, type HistoryEnvironment, hasHistories, type State } from "../environment.ts";
import { stickNoise } from "../noise.ts";
import {
  canBeNumbered,
  type LongSequenceEnvironment,
  longSequenceEnvironment,
  type SequenceOptions,
  sequenceEnvironment,
} from "./sequence.ts";

export interface Regime {
  /** Noise level while it lasts, in [0, 1]. */
  readonly stick: number;
  /** How likely it is when a regime is drawn. */
  readonly share: number;
}

export interface RegimeOptions extends Pick<SequenceOptions, "alphabet" | "length"> {
  readonly regimes: readonly Regime[];
  /** Probability that the regime is drawn anew after a step; 0 if not given: it lasts for the whole episode. */
  readonly switching?: number;
}

/** A state of strings with the belief in each regime, float32 [B, Z]. */
export interface RegimeState extends State {
  readonly belief: np.Array;
}

export interface RegimeEnvironment extends HistoryEnvironment, LongSequenceEnvironment {
  readonly regimes: readonly Regime[];
  readonly switching: number;
  start(batch: number): RegimeState;
  advance(state: RegimeState, t: number, action: np.Array, outcome: np.Array): RegimeState;
}

/** Its `stick` is the mean over regimes. Prefixes are numbered where int32 has room for them, and hashed elsewhere. */
export function regimeEnvironment(options: RegimeOptions): RegimeEnvironment {
  const { alphabet, length, regimes, switching = 0 } = options;
  checkRegimes(regimes, switching);
  const A = alphabet.length;
  const Z = regimes.length;
  const levels = regimes.map(({ stick }) => stick);
  const shares = regimes.map(({ share }) => share);
  const stick = mean(shares, levels);
  const strings = withoutList({ alphabet, length, stick });
  const row = (values: readonly number[]) => np.array(Float32Array.from(values), { shape: [1, Z] }); // [1, Z]

  return {
    ...strings,
    name: `${strings.name}, noise of hidden level ${levels.join(" or ")}`,
    regimes,
    switching,

    start(batch) {
      return { ...strings.start(batch), belief: np.broadcastTo(row(shares), [batch, Z]) }; // [B, Z]
    },
    // Stick noise of a level drawn from the belief is stick noise of the mean level.
    realise({ belief }: RegimeState, _, action, uniform) {
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
      // An outcome says nothing where nobody intended anything, or where no regime could have made it.
      const known = np.less(0.5, np.sum(action, 1, { keepdims: true })); // [B, 1]
      const tells = np.logicalAnd(known, np.less(0, evidence)); // [B, 1]
      const posterior = np.divide(joint, np.where(tells, evidence, 1)); // [B, Z]
      const belief = np.where(tells, posterior, state.belief); // [B, Z]
      const next =
        switching > 0
          ? np.add(np.multiply(belief, 1 - switching), np.multiply(row(shares), switching)) // [B, Z]
          : belief; // [B, Z]
      return { ...strings.advance(state, t, action, outcome), belief: next };
    },

    kernelAfter(intended, realised) {
      let belief = shares;
      realised.forEach((outcome, t) => {
        const likelihood = levels.map((level) => (outcome === intended[t] ? 1 - level : 0) + level / A);
        const evidence = mean(belief, likelihood);
        if (evidence > 0) belief = belief.map((share, z) => (share * likelihood[z]) / evidence);
        belief = belief.map((share, z) => (1 - switching) * share + switching * shares[z]);
      });
      const level = mean(belief, levels);
      return Float64Array.from({ length: A * A }, (_, i) => (i % (A + 1) === 0 ? 1 - level : 0) + level / A);
    },
  };
}

export function hasRegimes(environment: Environment): environment is RegimeEnvironment {
  return "regimes" in environment && hasHistories(environment);
}

/** Strings with all but what lists them: their list would have another kernel. */
function withoutList(options: SequenceOptions): LongSequenceEnvironment {
  if (!canBeNumbered(options)) return longSequenceEnvironment(options);
  const { enumerate, tree, wayTo, featuresOf, ...strings } = sequenceEnvironment(options);
  return strings;
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
