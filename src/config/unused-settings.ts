// Finds settings that have no effect in combination with the others, for a warning.

import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { isConstant } from "../nn/optim/schedule.ts";
import type { CompleteConfig, Config } from "./config.ts";

interface Condition {
  readonly keys: readonly string[];
  /** Whether the settings have an effect. */
  readonly holds: (config: CompleteConfig) => boolean;
  /** Completes "has no effect …". */
  readonly otherwise: string;
}

const hasEncoder = (config: CompleteConfig) => config.network !== "mlp" || hasTransformer(config);

const hasTransformer = (config: CompleteConfig) =>
  config.network === "transformer" ||
  config.encoder !== "none" ||
  (learnsDynamics(config) && config.dynamicsEncoder !== "none");

const usesRatio = ({ entropyRatio, entropyRegulariser }: CompleteConfig) =>
  entropyRatio !== "none" || !isConstant(entropyRegulariser, 0);

const CONDITIONS: readonly Condition[] = [
  {
    keys: ["r0", "r1", "r2"],
    holds: ({ reward, picture }) => reward === undefined && picture === undefined,
    otherwise: "with `reward` or `picture`",
  },
  { keys: ["lambda"], holds: ({ balance }) => balance === "subtb", otherwise: "without the balance subtb" },
  {
    keys: ["logZInitial", "logZRateScale"],
    holds: ({ learnLogZ }) => learnLogZ,
    otherwise: "without `learnLogZ`",
  },
  {
    keys: ["stateTableRateScale"],
    holds: ({ stateTableRows }) => stateTableRows > 0,
    otherwise: "without a state table",
  },
  {
    keys: ["dynamicsStateTableRateScale"],
    holds: (config) => learnsDynamics(config) && config.dynamicsStateTableRows > 0,
    otherwise: "without `dynamicsStateTableRows`",
  },
  {
    keys: ["embeddingWidth"],
    holds: ({ state }) => state === "embedded",
    otherwise: "unless `state` is embedded",
  },
  {
    keys: ["objectMarginalHidden"],
    holds: ({ dynamics }) => dynamics === "thought",
    otherwise: "without dynamics thought",
  },
  {
    keys: [
      "dynamicsHidden",
      "dynamicsStateTableRows",
      "dynamicsEncoder",
      "dynamicsLearningRate",
      "dynamicsClip",
      "dynamicsReplayCapacity",
    ],
    holds: learnsDynamics,
    otherwise: "with an objective that learns no dynamics",
  },
  {
    keys: ["encoderLayers", "encoderWidth"],
    holds: hasEncoder,
    otherwise: "without an encoder",
  },
  {
    keys: ["encoderHeads", "encoderFeedForward"],
    holds: hasTransformer,
    otherwise: "without a transformer",
  },
  {
    keys: ["dynamicsReplayBatch", "dynamicsReplayRounds"],
    holds: (config) => learnsDynamics(config) && config.dynamicsReplayCapacity > 0,
    otherwise: "without `dynamicsReplayCapacity`",
  },
  {
    keys: ["replayCapacity", "replayPriority"],
    holds: ({ replayShare }) => !isConstant(replayShare, 0),
    otherwise: "without `replayShare`",
  },
  {
    keys: ["entropyEstimator", "entropyGamma"],
    holds: usesRatio,
    otherwise: "without `entropyRatio` or `entropyRegulariser`",
  },
  {
    keys: ["entropyQuantile"],
    holds: (config) => usesRatio(config) && config.entropyEstimator !== "clamp",
    otherwise:
      "unless `entropyRatio` or `entropyRegulariser` is set and `entropyEstimator` is quantile or state",
  },
  { keys: ["threads"], holds: ({ engine }) => engine === "native", otherwise: "on the jax engine" },
];

/** One sentence for each key of `given` that has no effect. `complete` is the same config with all defaults. */
export function unusedSettings(given: Config, complete: CompleteConfig): string[] {
  return CONDITIONS.flatMap(({ keys, holds, otherwise }) =>
    holds(complete)
      ? []
      : keys.filter((key) => given[key] !== undefined).map((key) => `\`${key}\` has no effect ${otherwise}`),
  );
}
