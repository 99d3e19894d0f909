// From a complete config to what training takes.

import { isAlways } from "../../gfn/course.ts";
import type { EntropySettings } from "../../gfn/entropy-ratio/options.ts";
import { rewardTable } from "../../gfn/reward.ts";
import { checkSettings, type Settings } from "../../gfn/settings.ts";
import type { TrainOptions } from "../../gfn/train.ts";
import { modesTaskOf, type Task } from "../../tasks/task.ts";
import { encodersOf } from "./encoders.ts";
import { ConfigError } from "./error.ts";
import { readNamedFile } from "./files.ts";
import type { CompleteConfig } from "./keys.ts";

/** Reads the known objects if there are any. Throws a ConfigError if something does not fit the task. */
export async function trainOptionsOf(config: CompleteConfig, task: Task): Promise<TrainOptions> {
  const settings = settingsOf(config);
  const { rewardExponent: exponent, rewardFloor: floor } = config;
  refused("config", () => checkSettings(settings));
  refused("reward", () => rewardTable(task.scores, { exponent, floor, decode: task.decode }));
  const known = config.known === undefined ? undefined : await knownObjects(config, task);
  return {
    ...settings,
    environment: task.environment,
    scores: task.scores,
    ...(known && { known }),
    iterations: config.iterations,
    ...(config.evaluateEvery > 0 && { evaluateEvery: config.evaluateEvery }),
    samples: config.samples,
    modes: modesTaskOf(task),
    seed: config.seed,
    engine: config.engine,
    threads: config.threads,
  };
}

/** What the library refuses is a mistake in the config. */
function refused(where: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError(where, [error.message.replace(/^rewardTable: /, "")], { cause: error });
  }
}

/** 0 stands for "none" in a config, and is left out of settings. */
export function settingsOf(config: CompleteConfig): Settings {
  const { activation, state, embeddingWidth, hidden } = config;
  const network = { activation, state, embeddingWidth };
  const { policy: encoder, dynamics: dynamicsEncoder } = encodersOf(config);
  return {
    objective: { balance: config.balance, dynamics: config.dynamics, loss: config.loss },
    batch: config.batch,
    policy: {
      ...network,
      hidden,
      ...(config.memoryRows > 0 && {
        memoryRows: config.memoryRows,
        memoryRateScale: config.memoryRateScale,
      }),
      ...(encoder && { encoder }),
    },
    dynamics: {
      ...network,
      hidden: config.dynamicsHidden,
      ...(config.dynamicsMemoryRows > 0 && { memoryRows: config.dynamicsMemoryRows }),
      // What reads nothing must see something.
      ...(dynamicsEncoder ? { encoder: dynamicsEncoder } : state === "none" && { state: "one-hot" as const }),
    },
    ...(config.dynamics === "thought" && encoder && { objectLaw: { hidden, activation } }),
    ...(config.ownLogZ && { logZ: { initial: config.logZInitial, rateScale: config.logZRateScale } }),
    learningRate: config.learningRate,
    dynamicsLearningRate: config.dynamicsLearningRate,
    ...(config.clip > 0 && { clip: config.clip }),
    ...(config.dynamicsClip > 0 && { dynamicsClip: config.dynamicsClip }),
    lambda: config.lambda,
    exploration: { epsilon: config.epsilon, temperature: config.temperature },
    mixture: { uniform: config.uniformShare, offline: config.offlineShare, replay: config.replayShare },
    replay: { capacity: config.replayCapacity, priority: config.replayPriority },
    ...(config.dynamicsReplayCapacity > 0 && {
      dynamicsReplay: {
        capacity: config.dynamicsReplayCapacity,
        episodes: config.dynamicsReplayEpisodes,
        rounds: config.dynamicsReplayRounds,
      },
    }),
    reward: { exponent: config.rewardExponent, floor: config.rewardFloor, ramp: config.rewardRamp },
    ...entropySettingsOf(config),
  };
}

/** The regulariser takes its γ and estimator from the ratio's keys, also where the ratio itself is used for nothing. */
function entropySettingsOf(config: CompleteConfig): EntropySettings {
  const { entropyRatio: use, entropyRegulariser: coefficient } = config;
  const ratio = {
    estimator: config.entropyEstimator,
    gamma: config.entropyGamma,
    quantile: config.entropyQuantile,
  };
  const regularised = !isAlways(coefficient, 0);
  return {
    ...((use !== "none" || regularised) && {
      entropyRatio: { ...ratio, use: use === "none" ? "observe" : use },
    }),
    ...(regularised && { entropyRegulariser: { coefficient } }),
  };
}

/** Objects of a file, one per line, as the task writes them. */
async function knownObjects(config: CompleteConfig, task: Task): Promise<string[]> {
  const { text, path } = await readNamedFile("known", config.known as string, config.knownSha256);
  const problems: string[] = [];
  const objects = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [task.decode(task.encode(line.trim()))];
      } catch (error) {
        problems.push(`${path}, line ${i + 1}: ${(error as Error).message}`);
        return [];
      }
    });
  if (problems.length > MOST_LINES) {
    problems.splice(MOST_LINES, problems.length, `and ${problems.length - MOST_LINES} lines more`);
  }
  if (problems.length > 0) throw new ConfigError("known", problems);
  if (objects.length === 0) throw new ConfigError("known", [`${path} has no objects; write one per line`]);
  return objects;
}

/** Wrong lines of a file that are named; a file of another kind has thousands. */
const MOST_LINES = 10;
