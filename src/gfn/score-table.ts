// Scores of all objects that there are, made ready to be looked up.

import { RandomStream } from "../engine/index.ts";
import { type Environment, isEnumerable, listingOf } from "./environment.ts";
import type { LogRewardTable } from "./iteration.ts";
import { DEFAULT_FLOOR, logOf, type RewardOptions, rewardTable } from "./reward.ts";

/** Rewards of all terminals, and as the program looks them up. */
export function scoreTable(
  environment: Environment,
  scores: Float64Array,
  transform: RewardOptions,
): { reward: Float64Array; logRewards: LogRewardTable } {
  if (!isEnumerable(environment)) {
    throw new RangeError(`${environment.name} are not listed, so a table cannot score them; give a function`);
  }
  const { terminals } = listingOf(environment);
  if (scores.length !== terminals) {
    throw new RangeError(
      `${environment.name} has ${terminals} objects, but ${scores.length} scores were given`,
    );
  }
  const decode = (terminal: number) =>
    environment.describe(environment.wayTo(terminal, RandomStream.fromSeed(0)));
  const reward = rewardTable(scores, { ...transform, decode });
  if (!(transform.ramp && transform.ramp > 0)) {
    return { reward, logRewards: { values: Float32Array.from(reward, Math.log) } };
  }
  const { floor = DEFAULT_FLOOR } = transform;
  const logLargest = Math.log(scores.reduce((a, b) => Math.max(a, b)));
  const ramp = { logLargest, logFloor: logOf(floor) };
  return { reward, logRewards: { values: Float32Array.from(scores, logOf), ramp } };
}
