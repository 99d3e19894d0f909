// What a run of PPO may be told, as plain data.

import { type Course, checkCourse } from "../gfn/course.ts";
import { defaultSettings } from "../gfn/defaults.ts";
import type { Environment } from "../gfn/environment.ts";
import type { NetworkOptions } from "../gfn/networks.ts";
import type { RewardOptions } from "../gfn/reward.ts";

export interface PpoSettings {
  /** The network of the policy; its flow is the critic. */
  readonly policy: NetworkOptions;
  /** Episodes per iteration. */
  readonly batch: number;
  /** Updates per iteration, all on the same episodes. */
  readonly epochs: number;
  readonly learningRate: Course;
  /** Largest norm of the gradient. */
  readonly clip: number;
  /** How far the ratio of new to old probabilities may leave 1 before it stops to count. */
  readonly ratioClip: number;
  /** λ of the advantages: 0 trusts the critic after one step, 1 waits for the reward. */
  readonly lambda: number;
  /** How much the entropy of the policy counts; it must end at 0 if the policy is to end at the best. */
  readonly entropy: Course;
  /** How much the critic's squared error counts. */
  readonly valueWeight: number;
  readonly reward: Pick<RewardOptions, "exponent" | "floor">;
}

/**
 * Settings for an environment, with changes of your own on top: the network and the rates of a GFlowNet's defaults. The
 * entropy counts much at first: with an eighth of it, some seeds stay with the first good object that they find.
 */
export function defaultPpoSettings(
  environment: Environment,
  changes: Partial<PpoSettings> = {},
): PpoSettings {
  const { policy, batch, learningRate, reward } = defaultSettings(environment);
  return {
    policy,
    batch,
    epochs: 4,
    learningRate,
    clip: 1,
    ratioClip: 0.2,
    lambda: 0.95,
    entropy: { from: 0.4, to: 0, until: 0.5 },
    valueWeight: 0.5,
    reward: { exponent: reward.exponent, floor: reward.floor },
    ...changes,
  };
}

/** Throws one sentence that names the setting if one is out of its range. */
export function checkPpoSettings(settings: PpoSettings): void {
  const { learningRate, entropy, lambda } = settings;
  checkCourse("learningRate", learningRate, { low: 0, high: Number.MAX_VALUE });
  checkCourse("entropy", entropy, { low: 0, high: Number.MAX_VALUE });
  for (const name of ["batch", "epochs"] as const) {
    if (!Number.isInteger(settings[name]) || settings[name] < 1) {
      throw new RangeError(`${name} must be a whole number of at least 1, got ${settings[name]}`);
    }
  }
  for (const name of ["clip", "ratioClip", "valueWeight"] as const) {
    const value = settings[name];
    if (!(value > 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${name} must be a positive number, got ${value}`);
    }
  }
  if (!(lambda >= 0 && lambda <= 1)) throw new RangeError(`lambda must be in [0, 1], got ${lambda}`);
}
