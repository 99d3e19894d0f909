// The methods of comparisons: settings of a GFlowNet or of PPO, or a search over objects.

import { evolution } from "../baselines/evolution.ts";
import { metropolis } from "../baselines/metropolis.ts";
import { defaultPpoSettings, PPO_SHARED_SETTINGS, type PpoSettings } from "../baselines/ppo-settings.ts";
import { randomSearch } from "../baselines/random-search.ts";
import type { ObjectSearch, SearchOptions } from "../baselines/search.ts";
import type { SharedSetting } from "../baselines/shared-settings.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import type { ObjectiveName } from "../gfn/objectives/objective.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { isConstant, type Schedule } from "../nn/optim/schedule.ts";
import { DEFAULT_GAMMA, gammaOf, type MethodName, parseMethod } from "./method-names.ts";

export type Method = GflownetMethod | PpoMethod | SearchMethod;

export interface GflownetMethod {
  readonly kind: "gflownet";
  settings(environment: Environment, common: CommonSettings): Settings;
}

export interface PpoMethod {
  readonly kind: "ppo";
  settings(environment: Environment, common: CommonSettings): PpoSettings;
}

export interface SearchMethod {
  readonly kind: "search";
  /** Whether intended objects are uniform, so that the exact distribution of the samples is known. */
  readonly intendsUniformly: boolean;
  create(options: SearchOptions): ObjectSearch;
}

/** Values of the shared settings. Omitted settings have their default. */
export interface CommonSettings extends Partial<Pick<Settings, SharedSetting>> {
  /** Explore by uniform actions instead of off-policy rows with uniform objects. Default: false. */
  readonly onPolicy?: boolean;
  /**
   * With `onPolicy`, the probability of a uniform action. Default: the share of uniform objects that the method uses
   * without `onPolicy`.
   */
  readonly epsilon?: Schedule;
}

/** Finds a method such as "kl-entropy:0.25". Throws a RangeError if there is none. */
export function findMethod(method: string): Method {
  const parsed = parseMethod(method);
  return TABLE[parsed.name](gammaOf(parsed) ?? DEFAULT_GAMMA);
}

const TABLE: Readonly<Record<MethodName, (gamma: number) => Method>> = {
  none: () => gflownet("db"),
  sdb: () => gflownet("sdb"),
  "sdb-marginal": () => gflownet("sdb-marginal"),
  "sdb-marginal-uniform": () => gflownet("sdb-marginal", { uniformShare: 0.5 }),
  kl: () => gflownet("kl"),
  "kl-entropy": (gamma) =>
    gflownet("kl", { entropyRatio: "behaviour", entropyEstimator: "quantile", entropyGamma: gamma }),
  "soft-q": () => gflownet("soft-q"),
  eflow: () => gflownet("eflow"),
  ppo: () => ({ kind: "ppo", settings: ppoSettings }),
  metropolis: () => ({ kind: "search", intendsUniformly: false, create: metropolis }),
  evolution: () => ({ kind: "search", intendsUniformly: false, create: evolution }),
  random: () => ({ kind: "search", intendsUniformly: true, create: randomSearch }),
};

function gflownet(objective: ObjectiveName, changes: Partial<Settings> = {}): GflownetMethod {
  return {
    kind: "gflownet",
    settings(environment, { onPolicy, epsilon, ...common }) {
      const settings = { ...defaultSettings(environment, { objective, ...common }), ...changes };
      return onPolicy ? withUniformActions(settings, epsilon) : settings;
    },
  };
}

/** Replaces uniform objects in the batch by uniform actions, with the same probability by default. */
function withUniformActions(settings: Settings, epsilon?: Schedule): Settings {
  const { uniformShare } = settings;
  const defaultEpsilon = isConstant(uniformShare, 0) ? settings.epsilon : uniformShare;
  return { ...settings, uniformShare: 0, epsilon: epsilon ?? defaultEpsilon };
}

/** PPO is always on-policy and has no dynamics model. A clip of 0 (none) becomes the default clip of PPO. */
function ppoSettings(environment: Environment, common: CommonSettings): PpoSettings {
  const shared = PPO_SHARED_SETTINGS.flatMap((name) =>
    common[name] === undefined ? [] : [[name, common[name]]],
  );
  return defaultPpoSettings(environment, {
    ...Object.fromEntries(shared),
    ...(common.clip ? { clip: common.clip } : {}),
  });
}
