// The options of a comparison: the kind, help and default of each, and the keys of a config that apply to a comparison.
// Flags, `--help`, checks and defaults derive from this table.
//
// The module imports no networks, because `--help` loads it.

import { SHARED_SETTINGS } from "../baselines/shared-settings.ts";
import { CONFIG_KEYS } from "../config/config.ts";
import { RUN_KINDS } from "../gfn/training/run-kinds.ts";
import { depends, fixedDefaults, is, type Keys, key } from "../settings/keys.ts";
import { boolean, type Kind, listOf, text, whole } from "../settings/kinds.ts";
import { DEFAULT_GAMMA, DEFAULT_METHODS, GAMMA, GAMMA_METHOD } from "./method-names.ts";

/** Options of a comparison beside the keys of a config. `COMPARISON_KEYS` has their defaults. */
export interface ComparisonInput {
  /** Methods such as "kl", "kl-entropy:0.25" or "kl:balance=tb,hidden=64,64". */
  readonly methods?: readonly string[];
  /** Values of γ; `kl-entropy` runs once for each. */
  readonly gammas?: readonly number[];
  /** Noise levels. */
  readonly sticks?: readonly number[];
  /** Number of seeds; they are 0, 1, … */
  readonly seeds?: number;
  /** Budget of an experiment in oracle calls. Either `calls` or `seconds` is required. */
  readonly calls?: number;
  /** Budget of an experiment in seconds. */
  readonly seconds?: number;
  /** Number of points of each curve after the first one. */
  readonly evaluations?: number;
  /** Whether learned methods explore by uniform actions instead of uniform objects. */
  readonly onPolicy?: boolean;
}

const count = whole(1, Number.MAX_SAFE_INTEGER);
const stick = CONFIG_KEYS.stick.kind as Kind<number>;

// biome-ignore format: a table
export const COMPARISON_KEYS: Keys<ComparisonInput> = {
  methods: key(listOf(text("the name of a method")), "run", "methods to compare", is(DEFAULT_METHODS)),
  gammas: key(listOf(GAMMA), "run", `run ${GAMMA_METHOD} once for each of these values of γ`, depends(`${DEFAULT_GAMMA}`)),
  sticks: key(listOf(stick), "run", "noise levels to compare at", is([0.25])),
  seeds: key(count, "run", "number of seeds; the seeds are 0 to n - 1", is(3)),
  calls: key(count, "run", "number of oracle calls per experiment: scored objects, including repeated ones", depends("none; this or `seconds` is required")),
  seconds: key(RUN_KINDS.seconds, "run", "time per experiment, including compilation and evaluations", depends("none; this or `calls` is required")),
  evaluations: key(count, "run", "number of evaluations per experiment after the one at the start", is(20)),
  onPolicy: key(boolean(), "run", "learned methods explore with uniformly drawn actions instead of uniformly drawn objects", is(false)),
};

export const COMPARISON_DEFAULTS = fixedDefaults(COMPARISON_KEYS) as Required<
  Omit<ComparisonInput, "gammas" | "calls" | "seconds">
>;

/** Keys of a config that have the same value in all experiments. The noise level is not among them. */
export const SHARED_KEYS: readonly string[] = [
  ...Object.keys(CONFIG_KEYS).filter((name) => CONFIG_KEYS[name].group === "task" && name !== "stick"),
  ...SHARED_SETTINGS,
  "engine",
];
