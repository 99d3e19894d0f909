// What each method does: the settings of a GFlowNet or of PPO, or a search over objects.

import { evolution } from "../baselines/evolution.ts";
import { metropolis } from "../baselines/metropolis.ts";
import { defaultPpoSettings, type PpoSettings } from "../baselines/ppo-settings.ts";
import { random } from "../baselines/random.ts";
import type { SearchOptions, StringSearch } from "../baselines/search.ts";
import { type Course, isAlways } from "../gfn/course.ts";
import { defaultSettings } from "../gfn/defaults.ts";
import type { Environment } from "../gfn/environment.ts";
import { OBJECTIVES, type ObjectiveName } from "../gfn/objectives/choice.ts";
import type { Settings } from "../gfn/settings.ts";
import { DEFAULT_GAMMA, type MethodName, methodProblem, partsOf } from "./method-names.ts";

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
  /** Whether its samples have a law that is known exactly: that of uniform objects. */
  readonly uniform: boolean;
  create(options: SearchOptions): StringSearch;
}

/** What all learned methods have in common; what is not said is the default. */
export interface CommonSettings
  extends Partial<
    Pick<
      Settings,
      | "policy"
      | "dynamics"
      | "batch"
      | "learningRate"
      | "dynamicsLearningRate"
      | "clip"
      | "dynamicsClip"
      | "reward"
    >
  > {
  /** Explores by uniform intentions instead of uniform objects, which cost oracle calls and no thought. */
  readonly onPolicy?: boolean;
  /** With `onPolicy`, the share of steps with a uniform intention; that of uniform objects by default. */
  readonly epsilon?: Course;
}

/** Looks a method up; throws a RangeError if there is none. */
export function methodNamed(method: string): Method {
  const problem = methodProblem(method);
  if (problem) throw new RangeError(`methodNamed: there is no method ${JSON.stringify(method)}`);
  const { name, gamma } = partsOf(method);
  return TABLE[name as MethodName](gamma === null ? DEFAULT_GAMMA : Number(gamma));
}

const TABLE: Readonly<Record<MethodName, (gamma: number) => Method>> = {
  none: () => gflownet("db"),
  sdb: () => gflownet("sdb"),
  "sdb-marginal": () => gflownet("sdb-marginal"),
  "sdb-marginal-uniform": () =>
    gflownet("sdb-marginal", ({ mixture }) => ({ mixture: { ...mixture, uniform: 0.5 } })),
  kl: () => gflownet("kl"),
  "kl-entropy": (gamma) =>
    gflownet("kl", () => ({
      entropyRatio: { use: "behaviour", estimator: "quantile", gamma, quantile: 0.25 },
    })),
  "soft-q": () => gflownet("soft-q"),
  eflow: () => gflownet("eflow"),
  ppo: () => ({ kind: "ppo", settings: ppoSettings }),
  metropolis: () => ({ kind: "search", uniform: false, create: metropolis }),
  evolution: () => ({ kind: "search", uniform: false, create: evolution }),
  random: () => ({ kind: "search", uniform: true, create: random }),
};

function gflownet(
  objective: ObjectiveName,
  change: (settings: Settings) => Partial<Settings> = () => ({}),
): GflownetMethod {
  return {
    kind: "gflownet",
    settings(environment, { onPolicy, epsilon, ...common }) {
      const settings = defaultSettings(environment, { objective: OBJECTIVES[objective], ...common });
      const own = { ...settings, ...change(settings) };
      return onPolicy ? exploringByIntentions(own, epsilon) : own;
    },
  };
}

/** The share of uniform objects becomes the share of steps with a uniform intention, unless that is given. */
function exploringByIntentions(settings: Settings, epsilon?: Course): Settings {
  const { mixture, exploration } = settings;
  const byDefault = isAlways(mixture.uniform, 0) ? exploration.epsilon : mixture.uniform;
  return {
    ...settings,
    mixture: { ...mixture, uniform: 0 },
    exploration: { ...exploration, epsilon: epsilon ?? byDefault },
  };
}

/** PPO plays every episode itself, whatever the others do. Its clip and its critic are its own. */
function ppoSettings(
  environment: Environment,
  { policy, batch, learningRate, clip, reward }: CommonSettings,
): PpoSettings {
  return defaultPpoSettings(environment, {
    ...(policy && { policy }),
    ...(batch !== undefined && { batch }),
    ...(learningRate !== undefined && { learningRate }),
    ...(clip !== undefined && { clip }),
    ...(reward && { reward: { exponent: reward.exponent, floor: reward.floor } }),
  });
}
