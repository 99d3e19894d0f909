// Scores of all objects that there are, made ready to be looked up.

import { RandomStream } from "../engine/index.ts";
import { type Environment, hasHistories, isEnumerable, listingOf } from "./environment.ts";
import { isStrings } from "./environments/kind.ts";
import { canBeNumbered } from "./environments/sequence.ts";
import type { LogRewardTable } from "./iteration.ts";
import { DEFAULT_FLOOR, logOf, type RewardOptions, rewardTable } from "./reward.ts";

/** Rewards of all terminals, and as the program looks them up. */
export function scoreTable(
  environment: Environment,
  scores: Float64Array,
  transform: RewardOptions,
): { reward: Float64Array; logRewards: LogRewardTable } {
  const { terminals, decode } = objectsOf(environment);
  if (scores.length !== terminals) {
    throw new RangeError(
      `${environment.name} has ${terminals} objects, but ${scores.length} scores were given`,
    );
  }
  const reward = rewardTable(scores, { ...transform, decode });
  if (!(transform.ramp && transform.ramp > 0)) {
    return { reward, logRewards: { values: Float32Array.from(reward, Math.log) } };
  }
  const { floor = DEFAULT_FLOOR } = transform;
  const logLargest = Math.log(scores.reduce((a, b) => Math.max(a, b)));
  const ramp = { logLargest, logFloor: logOf(floor) };
  return { reward, logRewards: { values: Float32Array.from(scores, logOf), ramp } };
}

/** How many objects there are, and each as text. */
function objectsOf(environment: Environment): {
  readonly terminals: number;
  decode(terminal: number): string;
} {
  if (isEnumerable(environment)) {
    const { terminals } = listingOf(environment);
    return {
      terminals,
      decode: (terminal) => environment.describe(environment.wayTo(terminal, RandomStream.fromSeed(0))),
    };
  }
  if (hasHistories(environment) && isStrings(environment) && canBeNumbered(environment)) {
    const { outcomes: A, length } = environment;
    const lettersOf = (terminal: number) =>
      Array.from({ length }, (_, place) => Math.floor(terminal / A ** (length - 1 - place)) % A);
    return { terminals: A ** length, decode: (terminal) => environment.describe(lettersOf(terminal)) };
  }
  throw new RangeError(`${environment.name} are not listed, so a table cannot score them; give a function`);
}
