// The names and descriptions of all methods: plain data that loads quickly, for `--help`. `methods.ts` implements them,
// and `method-text.ts` reads a method with its own settings.

import { PPO_KEYS, PPO_SHARED_SETTINGS } from "../baselines/ppo-keys.ts";
import { EVOLUTION_KEYS, SEARCH_KEYS } from "../baselines/search-keys.ts";
import { CONFIG_KEYS } from "../config/config.ts";
import { gammaProblem } from "../gfn/objectives/entropy-ratio/options.ts";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import type { Key } from "../settings/keys.ts";
import { type Kind, number } from "../settings/kinds.ts";

const METHOD_DESCRIPTIONS = {
  none: "detailed balance that ignores the noise: it treats outcomes as actions",
  sdb: "stochastic detailed balance, joint over actions and outcomes",
  "sdb-marginal": "stochastic detailed balance with actions marginalised out",
  "sdb-marginal-uniform":
    "sdb-marginal in which half of every batch are trajectories to uniformly drawn objects",
  kl: "sdb-marginal with the kl loss",
  "kl-entropy": "kl with a behaviour policy that is flattened by the entropy ratio",
  "kl-history": "kl with networks that are conditioned on the history of actions and outcomes",
  "kl-thought": "a balance of whole histories with the kl loss and history-conditioned networks",
  "soft-q": "soft Q-learning: averages over sampled outcomes instead of learning their probabilities",
  eflow: "expected flows: averages over sampled outcomes, with flows instead of values",
  ppo: "proximal policy optimisation: maximises reward, without diversity",
  metropolis: "Metropolis-Hastings chains over objects",
  evolution: "evolutionary search over objects",
  random: "random search: draws intended objects uniformly",
} as const;

export type MethodName = keyof typeof METHOD_DESCRIPTIONS;
export const METHOD_NAMES = Object.keys(METHOD_DESCRIPTIONS) as readonly MethodName[];

export const DEFAULT_METHODS: readonly MethodName[] = [
  "none",
  "sdb",
  "sdb-marginal",
  "kl",
  "kl-entropy",
  "ppo",
  "soft-q",
  "metropolis",
  "random",
];

export const SEARCHES: readonly MethodName[] = ["metropolis", "evolution", "random"];

/** Settings that decide the target, so they are the same for all methods. */
export const TARGET_SETTINGS: readonly string[] = ["rewardExponent", "rewardFloor"];

/** Keys of a config that describe the problem: options of tasks that name no file, and the settings of the target. */
export const PROBLEM_KEYS: readonly string[] = [
  ...Object.keys(CONFIG_KEYS).filter((name) => {
    const { group, file } = CONFIG_KEYS[name];
    return group === "task" && !file && name !== "task";
  }),
  ...TARGET_SETTINGS,
];

/** Short names of settings. */
export const ALIASES: Readonly<Record<string, string>> = { gamma: "entropyGamma" };

/** The settings that a method may be given, by name: those of training, of PPO or of a search. */
export function keysOfMethod(name: MethodName): Readonly<Record<string, Key>> {
  if (name === "evolution") return EVOLUTION_KEYS as unknown as Readonly<Record<string, Key>>;
  if (SEARCHES.includes(name)) return SEARCH_KEYS as unknown as Readonly<Record<string, Key>>;
  const settings = SETTING_KEYS as unknown as Readonly<Record<string, Key>>;
  const names = name === "ppo" ? PPO_SHARED_SETTINGS : Object.keys(settings);
  const shared = names.filter((key) => !TARGET_SETTINGS.includes(key)).map((key) => [key, settings[key]]);
  return { ...Object.fromEntries(shared), ...(name === "ppo" && PPO_KEYS) };
}

/** The method whose name can be followed by a value of γ: "kl-entropy:0.25". */
export const GAMMA_METHOD = "kl-entropy" satisfies MethodName;
export const DEFAULT_GAMMA = 0.5;

const GAMMA_RULE = "a number in (0, 1)";
/** A value of γ. The rule is the same as for a number in the setting `entropyGamma`. */
export const GAMMA: Kind<number> = {
  ...number(),
  rule: GAMMA_RULE,
  violation: (value) =>
    typeof value === "number" && gammaProblem(value) === null ? null : { rule: GAMMA_RULE },
};

/** A method of a comparison with its own settings, which override those that all methods share. */
export interface ParsedMethod {
  readonly name: MethodName;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Keys of the problem in which it differs; only the methods of a sweep have any. */
  readonly problem?: Readonly<Record<string, unknown>>;
}

/** A short description of a method. */
export function describeMethod({ name, settings, problem }: ParsedMethod): string {
  const gamma = name === GAMMA_METHOD ? { entropyGamma: DEFAULT_GAMMA } : {};
  const keys = { ...CONFIG_KEYS, ...keysOfMethod(name) };
  const own = Object.entries({ ...gamma, ...settings, ...problem }).map(
    ([key, value]) => `${key === "entropyGamma" ? "γ" : key} = ${keys[key].kind.toText(value)}`,
  );
  const about = METHOD_DESCRIPTIONS[name];
  return own.length === 0 ? about : `${about}, with ${own.join(", ")}`;
}

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHOD_DESCRIPTIONS, name);
}
