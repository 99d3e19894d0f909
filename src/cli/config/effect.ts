// Settings that were given and do nothing beside the others: no mistake, but worth a word.

import { isAlways } from "../../gfn/course.ts";
import { learnsDynamics } from "../../gfn/settings.ts";
import { encodersOf } from "./encoders.ts";
import type { CompleteConfig, Config, KeyName } from "./keys.ts";

interface Condition {
  readonly keys: readonly KeyName[];
  readonly holds: (config: CompleteConfig) => boolean;
  /** Completes "has no effect …". */
  readonly without: string;
}

const reads = (config: CompleteConfig) => Object.values(encodersOf(config)).some(Boolean);

const usesRatio = ({ entropyRatio, entropyRegulariser }: CompleteConfig) =>
  entropyRatio !== "none" || !isAlways(entropyRegulariser, 0);

const CONDITIONS: readonly Condition[] = [
  { keys: ["lambda"], holds: ({ balance }) => balance === "subtb", without: "without the balance subtb" },
  { keys: ["logZInitial", "logZRateScale"], holds: ({ ownLogZ }) => ownLogZ, without: "without ownLogZ" },
  { keys: ["memoryRateScale"], holds: ({ memoryRows }) => memoryRows > 0, without: "without a memory" },
  {
    keys: ["embeddingWidth"],
    holds: ({ state }) => state === "embedded",
    without: "unless state is embedded",
  },
  {
    keys: [
      "dynamicsHidden",
      "dynamicsMemoryRows",
      "dynamicsEncoder",
      "dynamicsLearningRate",
      "dynamicsClip",
      "dynamicsReplayCapacity",
    ],
    holds: learnsDynamics,
    without: "with an objective that learns no dynamics",
  },
  {
    keys: ["encoderLayers", "encoderWidth", "encoderHeads", "encoderFeedForward"],
    holds: reads,
    without: "without an encoder",
  },
  {
    keys: ["dynamicsReplayEpisodes", "dynamicsReplayRounds"],
    holds: (config) => learnsDynamics(config) && config.dynamicsReplayCapacity > 0,
    without: "without dynamicsReplayCapacity",
  },
  {
    keys: ["replayCapacity", "replayPriority"],
    holds: ({ replayShare }) => !isAlways(replayShare, 0),
    without: "without replayShare",
  },
  {
    keys: ["entropyEstimator", "entropyGamma"],
    holds: usesRatio,
    without: "without entropyRatio or entropyRegulariser",
  },
  {
    keys: ["entropyQuantile"],
    holds: (config) => usesRatio(config) && config.entropyEstimator !== "clamp",
    without: "without entropyRatio or entropyRegulariser, and an estimator by quantiles",
  },
  { keys: ["threads"], holds: ({ engine }) => engine === "native", without: "on the jax engine" },
];

/** One sentence for each key of `given` that does nothing; `complete` is the same config, completed. */
export function withoutEffect(given: Config, complete: CompleteConfig): string[] {
  return CONDITIONS.flatMap(({ keys, holds, without }) =>
    holds(complete)
      ? []
      : keys.filter((key) => given[key] !== undefined).map((key) => `${key} has no effect ${without}`),
  );
}
