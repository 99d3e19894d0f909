// Which settings a checkpoint fixes. A run that continues from it, or an evaluation of it, must have the same values.
//
// Fixed are the target, the loss, the function that the networks compute, and how the run began: with another value the
// same numbers would mean something else. Free are settings of the optimiser and of the data: they only change how
// training goes on.

import { isConstant } from "../../nn/optim/schedule.ts";
import type { Settings } from "./settings.ts";

/** Fixed, free, or fixed only where it has an effect, because a checkpoint has no buffer that the run does not use. */
type Rule = "fixed" | "free" | ((settings: Settings) => boolean);

export const SETTING_RULES: Readonly<Record<keyof Settings, Rule>> = {
  balance: "fixed",
  dynamics: "fixed",
  loss: "fixed",
  lambda: "fixed",
  learnLogZ: "fixed",
  logZInitial: "fixed",
  logZRateScale: "free",

  rewardExponent: "fixed",
  rewardFloor: "fixed",
  rewardRamp: "fixed",

  network: ({ network }) => network !== "mlp", // earlier checkpoints have no entry for it
  hidden: "fixed",
  activation: "fixed",
  stateTableRows: "fixed",
  stateTableRateScale: "free",
  state: "fixed",
  embeddingWidth: "fixed",
  // How a run began is part of its identity, but a checkpoint of an older version has no such key.
  outputInit: "free",
  dynamicsHidden: "fixed",
  dynamicsStateTableRows: "fixed",
  dynamicsStateTableRateScale: "free",
  objectMarginalHidden: "fixed",

  encoder: "fixed",
  dynamicsEncoder: "fixed",
  encoderLayers: "fixed",
  encoderWidth: "fixed",
  encoderHeads: "fixed",
  encoderFeedForward: "fixed",

  batch: "free",
  learningRate: "free",
  dynamicsLearningRate: "free",
  clip: "free",
  dynamicsClip: "free",

  epsilon: "free",
  temperature: "free",
  uniformShare: "free",
  offlineShare: "free",

  entropyRatio: "fixed",
  entropyEstimator: "fixed",
  entropyGamma: "fixed",
  entropyQuantile: "fixed",
  entropyRegulariser: "fixed",

  replayShare: "free",
  replayCapacity: ({ replayShare }) => !isConstant(replayShare, 0),
  replayPriority: "free",
  dynamicsReplayCapacity: ({ dynamicsReplayCapacity }) => dynamicsReplayCapacity > 0,
  dynamicsReplayBatch: "free",
  dynamicsReplayRounds: "free",
};

/** The fixed settings as text, for the fingerprint of a checkpoint. */
export function fixedSettings(settings: Settings): Record<string, string> {
  const entries = Object.entries(SETTING_RULES) as [keyof Settings, Rule][];
  return Object.fromEntries(
    entries
      .filter(([, rule]) => (typeof rule === "function" ? rule(settings) : rule === "fixed"))
      .map(([name]) => [name, textOf(settings[name])]),
  );
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
