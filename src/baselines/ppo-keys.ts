// The settings of PPO beside those that it shares with a GFlowNet: the rule, help and default of each.
//
// The module imports no networks, because `--help` loads it.

import { is, type Keys, key } from "../settings/keys.ts";
import { number, whole } from "../settings/kinds.ts";
import { schedule } from "../settings/schedule-kind.ts";
import type { PpoSettings } from "./ppo-settings.ts";
import { SHARED_SETTINGS, type SharedSetting } from "./shared-settings.ts";

/**
 * Shared settings that PPO does not use: it has no dynamics model and no ramp of the reward exponent, and its `clip`
 * has a different rule.
 */
const NOT_SHARED = [
  "rewardRamp",
  "dynamicsHidden",
  "dynamicsStateTableRows",
  "dynamicsStateTableRateScale",
  "dynamicsLearningRate",
  "clip",
  "dynamicsClip",
] as const satisfies readonly SharedSetting[];

export type PpoSharedSetting = Exclude<SharedSetting, (typeof NOT_SHARED)[number]>;

/**
 * Settings that PPO shares with a GFlowNet: those of the policy network (whose flow output is the critic), the reward
 * and the learning.
 */
export const PPO_SHARED_SETTINGS: readonly PpoSharedSetting[] = SHARED_SETTINGS.filter(
  (name): name is PpoSharedSetting => !(NOT_SHARED as readonly SharedSetting[]).includes(name),
);

/** Settings that only PPO has, or that have another rule than in a GFlowNet. */
export type PpoOwnSettings = Omit<PpoSettings, PpoSharedSetting>;

const positive = number({ above: 0 });

// biome-ignore format: a table
export const PPO_KEYS: Keys<PpoOwnSettings> = {
  epochs: key(whole(1), "learning", "updates per iteration, all on the same trajectories", is(4)),
  clip: key(positive, "learning", "largest norm of the gradient", is(1)),
  ratioClip: key(positive, "learning", "half-width of the interval to which the ratio of probabilities is clipped", is(0.2)),
  lambda: key(number({ from: 0, to: 1 }), "learning", "λ of generalised advantage estimation", is(0.95)),
  entropyWeight: key(schedule({ from: 0 }), "learning", "weight of the entropy bonus", is({ from: 0.4, to: 0, until: 0.5 })),
  valueWeight: key(positive, "learning", "weight of the squared error of the critic", is(0.5)),
};
