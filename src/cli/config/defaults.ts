// What a run does where nothing was said, for the task that it is about.

import { defaultSettings } from "../../gfn/defaults.ts";
import type { Environment } from "../../gfn/environment.ts";
import { hypergridEnvironment } from "../../gfn/environments/hypergrid.ts";
import { OBJECTIVES, type Objective, type ObjectiveName } from "../../gfn/objectives/choice.ts";
import { bitSequenceEnvironment } from "../../tasks/bit-sequence/index.ts";
import { pricingEnvironment } from "../../tasks/pricing/environment.ts";
import { regimeTask } from "../../tasks/regime/index.ts";
import { tfbind8Environment } from "../../tasks/tfbind8/index.ts";
import { encodersOf } from "./encoders.ts";
import {
  type CompleteConfig,
  type Config,
  isFor,
  KEY_NAMES,
  type KeyName,
  keyOf,
  type TaskName,
} from "./keys.ts";

/** A complete config, but for what is found on this machine: the engine, absolute paths, what is in files. */
export type FilledConfig = Omit<CompleteConfig, "engine">;

/** Reward exponents that are not 1. */
const EXPONENTS: Partial<Record<TaskName, number>> = { tfbind8: 3 };

/** Throws a RangeError if there is no such environment. */
export function withDefaults(config: Config): FilledConfig {
  const task = taskNameOf(config);
  const chosen = { ...staticDefaults(task), ...given(config) } as Config;
  const environment = environmentOf(chosen);
  const objective = chosen.objective ?? aliasOf(defaultSettings(environment).objective);
  const named = OBJECTIVES[objective];
  const form = chosen.dynamics ?? named.dynamics;
  const dynamicsEncoder = chosen.dynamicsEncoder ?? (form === "thought" ? chosen.encoder : "none");
  const encoders = encodersOf({ ...chosen, dynamics: form, dynamicsEncoder } as FilledConfig);
  const changes = { objective: { ...named, dynamics: form, balance: chosen.balance ?? named.balance } };
  const blind = defaultSettings(environment, changes);
  const settings = defaultSettings(environment, {
    ...changes,
    policy: { ...blind.policy, encoder: encoders.policy },
    dynamics: { ...blind.dynamics, encoder: encoders.dynamics },
  });
  const { policy, dynamics, exploration, mixture, replay, reward } = settings;
  return inOrder({
    ...staticDefaults(task),
    objective,
    ...named,
    lambda: settings.lambda,
    rewardExponent: EXPONENTS[task] ?? reward.exponent,
    rewardFloor: reward.floor,
    rewardRamp: reward.ramp,
    hidden: policy.hidden,
    memoryRows: policy.memoryRows ?? 0,
    memoryRateScale: policy.memoryRateScale ?? 1,
    dynamicsHidden: dynamics.hidden,
    dynamicsEncoder,
    batch: settings.batch,
    ownLogZ: settings.logZ !== undefined,
    learningRate: settings.learningRate,
    dynamicsLearningRate: settings.dynamicsLearningRate,
    clip: settings.clip ?? 0,
    epsilon: exploration.epsilon,
    temperature: exploration.temperature,
    uniformShare: mixture.uniform,
    offlineShare: mixture.offline,
    replayShare: mixture.replay,
    replayCapacity: replay.capacity,
    replayPriority: replay.priority,
    ...given(config),
  }) as FilledConfig;
}

export function taskNameOf(config: Config): TaskName {
  return config.task ?? "tfbind8";
}

/** Defaults that are the same in every run of a task, by key. */
export function staticDefaults(task: TaskName): Config {
  const entries = KEY_NAMES.flatMap((name) => {
    const { default: byDefault } = keyOf(name);
    return "value" in byDefault && isFor(name, task) ? [[name, byDefault.value]] : [];
  });
  return { ...Object.fromEntries(entries), task };
}

/** The environment alone: scores of all objects may take long, and defaults do not depend on them. */
function environmentOf(config: Config): Environment {
  const { stick, dimensions, side, bits, word, quietStick, noisyStick, quietShare, ...rest } =
    config as Required<Config>;
  const task = taskNameOf(config);
  switch (task) {
    case "tfbind8":
      return tfbind8Environment({ stick });
    case "hypergrid":
      return hypergridEnvironment({ dimensions, side, stick });
    case "bit-sequence":
      return bitSequenceEnvironment({ stick, bits, word });
    case "regime":
      return regimeTask({ quiet: quietStick, noisy: noisyStick, share: quietShare }).environment;
    case "pricing":
      return pricingEnvironment({ stick, months: rest.months, priceSensitivity: rest.priceSensitivity });
    default:
      return task satisfies never;
  }
}

function aliasOf({ balance, dynamics, loss }: Objective): ObjectiveName {
  const names = Object.keys(OBJECTIVES) as ObjectiveName[];
  const found = names.find((name) => {
    const other = OBJECTIVES[name];
    return other.balance === balance && other.dynamics === dynamics && other.loss === loss;
  });
  if (!found)
    throw new RangeError(`internal: the default objective ${balance}, ${dynamics}, ${loss} has no name`);
  return found;
}

/** Keys with a value: what is undefined was not said. */
function given(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

/** The order of the table, so that config files are alike. */
function inOrder(config: Readonly<Record<string, unknown>>): Config {
  const known = KEY_NAMES.filter((name) => config[name] !== undefined);
  const others = Object.keys(config).filter((name) => !known.includes(name as KeyName));
  return Object.fromEntries([...known, ...others].map((name) => [name, config[name]]));
}
