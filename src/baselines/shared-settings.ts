// The settings that all learned methods of a comparison share. Flags, `comparison.json`, and the settings of GFlowNets
// and PPO derive from this list.
//
// The module imports no networks, because `--help` loads it.

import type { Settings } from "../gfn/training/settings.ts";

/**
 * The settings of the groups reward, networks and learning, in the order of the table of settings. Settings of the
 * object marginal, the kind of the network and the start of its last layer are left out, because not every compared
 * method has them.
 */
export const SHARED_SETTINGS = [
  "rewardExponent",
  "rewardFloor",
  "rewardRamp",
  "hidden",
  "activation",
  "stateTableRows",
  "stateTableRateScale",
  "state",
  "embeddingWidth",
  "dynamicsHidden",
  "dynamicsStateTableRows",
  "dynamicsStateTableRateScale",
  "batch",
  "learningRate",
  "dynamicsLearningRate",
  "clip",
  "dynamicsClip",
] as const satisfies readonly (keyof Settings)[];

export type SharedSetting = (typeof SHARED_SETTINGS)[number];
