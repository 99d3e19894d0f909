// Rewards from a table with the scores of all objects, as float64 and as the lookup table of the training program.

import { RandomStream } from "../../engine/index.ts";
import { isSequence } from "../environment/capabilities.ts";
import {
  type Environment,
  enumerationOf,
  isEnumerable,
  isHistoryDependent,
} from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import { canIndexPrefixes } from "../environment/sequence.ts";
import type { LogRewardTable } from "../training/iteration.ts";
import { preferenceRewards } from "./preference-reward.ts";
import { DEFAULT_FLOOR, logScore, type RewardOptions, rewardTable } from "./reward.ts";

/** `reward` has the reward of each terminal, and `logRewards` is the lookup table of the training program. */
export function rewardsFromScoreTable(
  environment: Environment,
  scores: Float64Array,
  transform: RewardOptions,
): { reward: Float64Array; logRewards: LogRewardTable } {
  const { terminals, decode } = objectsOf(environment);
  if (scores.length !== terminals) {
    throw new RangeError(
      `scores: there must be one score for each of the ${terminals} objects of ${environment.name}, got ${scores.length}`,
    );
  }
  const reward = rewardTable(scores, { ...transform, decode });
  const preference = isPreference(environment)
    ? { preference: preferenceRewards(environment, transform) }
    : {};
  if (!(transform.ramp && transform.ramp > 0)) {
    return { reward, logRewards: { values: Float32Array.from(reward, Math.log), ...preference } };
  }
  const { floor = DEFAULT_FLOOR } = transform;
  const logLargest = Math.log(scores.reduce((a, b) => Math.max(a, b)));
  const ramp = { logLargest, logFloor: logScore(floor) };
  return { reward, logRewards: { values: Float32Array.from(scores, logScore), ramp, ...preference } };
}

/** The number of objects, and the text of each. */
function objectsOf(environment: Environment): {
  readonly terminals: number;
  decode(terminal: number): string;
} {
  if (isEnumerable(environment)) {
    const { terminals } = enumerationOf(environment);
    return {
      terminals,
      decode: (terminal) =>
        environment.describe(environment.sampleTrajectoryTo(terminal, RandomStream.fromSeed(0))),
    };
  }
  if (isHistoryDependent(environment) && isSequence(environment) && canIndexPrefixes(environment)) {
    const { outcomes: A, length } = environment;
    const lettersOf = (terminal: number) =>
      Array.from({ length }, (_, position) => Math.floor(terminal / A ** (length - 1 - position)) % A);
    return { terminals: A ** length, decode: (terminal) => environment.describe(lettersOf(terminal)) };
  }
  throw new RangeError(
    `scores: a table needs objects that can be enumerated, but those of ${environment.name} cannot be; give a score function`,
  );
}
