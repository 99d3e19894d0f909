// The methods of comparisons: settings of a GFlowNet or of PPO, or a search over objects.

import { evolution } from "../baselines/evolution.ts";
import { metropolis } from "../baselines/metropolis.ts";
import { PPO_SHARED_SETTINGS } from "../baselines/ppo-keys.ts";
import { defaultPpoSettings, type PpoSettings } from "../baselines/ppo-settings.ts";
import { randomSearch } from "../baselines/random-search.ts";
import { DEFAULT_SEARCH_BATCH, type ObjectSearch, type SearchOptions } from "../baselines/search.ts";
import type { SharedSetting } from "../baselines/shared-settings.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { Settings, SettingsInput } from "../gfn/training/settings.ts";
import { isConstant, type Schedule } from "../nn/optim/schedule.ts";
import { DEFAULT_GAMMA, type MethodName } from "./method-names.ts";
import { parseMethod } from "./method-text.ts";

export type Method = GflownetMethod | PpoMethod | SearchMethod;

export interface GflownetMethod {
  readonly kind: "gflownet";
  /** The settings in which it differs from a run with default settings: those of the method and its own. */
  readonly input: SettingsInput;
  settings(environment: Environment, common: CommonSettings): Settings;
}

export interface PpoMethod {
  readonly kind: "ppo";
  settings(environment: Environment, common: CommonSettings): PpoSettings;
}

export interface SearchMethod {
  readonly kind: "search";
  /** Oracle calls per step. */
  readonly batch: number;
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

type OwnSettings = Readonly<Record<string, unknown>>;

/** Finds a method such as "kl-entropy:0.25" or "kl:balance=tb". Throws a RangeError if there is none. */
export function findMethod(method: string): Method {
  const { name, settings } = parseMethod(method);
  return TABLE[name](settings);
}

/**
 * History-conditioned networks. `kl-thought` has a lower learning rate and a clip, because the learned object marginal
 * must follow the policy.
 */
const HISTORY = { encoder: "both", dynamicsEncoder: "both" } as const;
const THOUGHT = { ...HISTORY, learningRate: { from: 1e-3, to: 1e-5, shape: "cosine" }, clip: 0.5 } as const;
const ENTROPY = {
  entropyRatio: "behaviour",
  entropyEstimator: "quantile",
  entropyGamma: DEFAULT_GAMMA,
} as const;

const TABLE: Readonly<Record<MethodName, (own: OwnSettings) => Method>> = {
  none: (own) => gflownet({ objective: "db" }, own),
  sdb: (own) => gflownet({ objective: "sdb" }, own),
  "sdb-marginal": (own) => gflownet({ objective: "sdb-marginal" }, own),
  "sdb-marginal-uniform": (own) => gflownet({ objective: "sdb-marginal", uniformShare: 0.5 }, own),
  kl: (own) => gflownet({ objective: "kl" }, own),
  "kl-entropy": (own) => gflownet({ objective: "kl", ...ENTROPY }, own),
  "kl-history": (own) => gflownet({ objective: "kl", ...HISTORY }, own),
  "kl-thought": (own) => gflownet({ objective: "kl-thought", ...THOUGHT }, own),
  "soft-q": (own) => gflownet({ objective: "soft-q" }, own),
  eflow: (own) => gflownet({ objective: "eflow" }, own),
  ppo: (own) => ({
    kind: "ppo",
    settings: (environment, common) => ({ ...ppoSettings(environment, common), ...own }),
  }),
  metropolis: (own) => search(metropolis, own, false),
  evolution: (own) => search(evolution, own, false),
  random: (own) => search(randomSearch, own, true),
};

function search(
  create: (options: SearchOptions) => ObjectSearch,
  own: OwnSettings,
  intendsUniformly: boolean,
): SearchMethod {
  const { batch = DEFAULT_SEARCH_BATCH } = own as { readonly batch?: number };
  return { kind: "search", batch, intendsUniformly, create: (options) => create({ ...options, ...own }) };
}

function gflownet(named: SettingsInput, own: OwnSettings): GflownetMethod {
  const input: SettingsInput = { ...named, ...own };
  return {
    kind: "gflownet",
    input,
    settings(environment, { onPolicy, epsilon, ...common }) {
      const settings = defaultSettings(environment, { ...common, ...input });
      return onPolicy ? { ...withUniformActions(settings, epsilon), ...own } : settings;
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
