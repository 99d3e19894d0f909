// The table of settings of a forecasting model: the kind, help and default of each. Checks, defaults and flags derive from
// it. `--help` loads this file, so it imports no networks.

import { ENGINES } from "../../engine/engine-name.ts";
import { numberFrom } from "../../formats/decimal.ts";
import { type Default, type DescribedKeys, depends, fixedDefaults, is } from "../../settings/keys.ts";
import { boolean, choice, type Kind, number, whole, widths } from "../../settings/kinds.ts";
import { AFFINE_NORMALISATIONS, NORMALISATIONS } from "../data/normalise.ts";
import { CONTEXT_ENCODERS, POSITIONS } from "../network/encoder-kinds.ts";
import { horizonKind, seasonKind } from "../option-kinds.ts";
import type { ForecastSettings, Lag } from "./settings.ts";

export const POINT_LOSSES = ["mse", "mae", "huber"] as const;
export const NORMALISERS = ["none", ...NORMALISATIONS] as const;
const MAX_BIN_DOUBLINGS = 6;

const LAGS_RULE = 'a list of whole numbers of at least 1 or "year"';

/** A list of steps; "year" stands for the same date of the previous year. The list may be empty. */
const lags: Kind<readonly Lag[]> = {
  rule: LAGS_RULE,
  argument: "<n,n|none>",
  violation(value) {
    const steps = whole(1);
    const isLag = (lag: unknown) => lag === "year" || steps.violation(lag) === null;
    return Array.isArray(value) && value.every(isLag) ? null : { rule: LAGS_RULE };
  },
  fromText(text) {
    if (text.trim() === "none") return [];
    const list = text.split(",").map((item) => (item.trim() === "year" ? "year" : numberFrom(item)));
    return list.includes(undefined) ? undefined : list;
  },
  toText: (value) => (value.length === 0 ? "none" : value.join(",")),
};

const notNegative = number({ from: 0 });

function setting<T, const D extends Default<NoInfer<T>>>(kind: Kind<T>, help: string, byDefault: D) {
  return { kind, help, default: byDefault };
}

// biome-ignore format: a table
export const FORECAST_SETTING_KEYS = {
  horizon: setting(horizonKind, "number of steps to forecast", depends("none; it is required")),
  context: setting(whole(1), "rows of the past that the encoder reads", depends("by horizon and season")),
  season: setting(seasonKind, "length of the seasonal pattern in steps; 1 for none", depends("the season of the panel")),
  averagedSeasons: setting(whole(0), "number of past seasons averaged for the location, the naive forecast that is subtracted from each value; 0 for the last value", depends("by the data")),
  drift: setting(boolean(), "add the mean change per season to the location", is(false)),
  normaliser: setting(choice(NORMALISERS), "normaliser of the targets, per series", is("none")),
  columnNormaliser: setting(choice(AFFINE_NORMALISATIONS), "normaliser of other numeric columns", is("standard")),
  bins: setting(whole(1, 4096), "number of bins for values, not counting the two tails", is(32)),
  binDoublings: setting(whole(0, MAX_BIN_DOUBLINGS), "how often training doubles the number of bins", is(0)),
  encoder: setting(choice(CONTEXT_ENCODERS), "context encoder", is("transformer")),
  positions: setting(choice(POSITIONS), "position encoding of the encoder", is("learned")),
  width: setting(whole(1), "width of the context embedding; must be even", is(32)),
  layers: setting(whole(1), "layers of the encoder", is(1)),
  heads: setting(whole(1), "attention heads of the transformer; must divide `width`", is(2)),
  hidden: setting(widths(16), "hidden layer widths of the path network", is([128, 128])),
  tokenLags: setting(whole(1), "number of earlier tokens that the path network sees", is(8)),
  lags: setting(lags, "lags whose values are inputs of each future step; year is the same date of the previous year", depends("by the frequency and longer seasons")),
  batch: setting(whole(1), "windows per iteration", is(64)),
  windowStep: setting(whole(1), "rows between the starts of training windows", is(1)),
  iterations: setting(whole(1), "largest number of iterations; validation may stop training earlier", is(1000)),
  learningRate: setting(notNegative, "learning rate of AdamW, with cosine decay", is(1e-3)),
  weightDecay: setting(notNegative, "weight decay of AdamW", is(1)),
  validationShare: setting(number({ from: 0, below: 0.9 }), "share of each series, at its end, that is held out for validation", is(0.1)),
  validateEvery: setting(whole(1), "iterations between validations", is(100)),
  patience: setting(whole(1), "validations without improvement after which training stops", is(6)),
  smoothing: setting(number({ from: 0, below: 1 }), "weight of a uniform distribution that is mixed into the predicted one", is(0.01)),
  rankedWeight: setting(notNegative, "weight of the ranked probability score beside the cross-entropy", is(0)),
  pointLoss: setting(choice(["none", ...POINT_LOSSES]), "loss of an additional point-forecast head", is("none")),
  pointWeight: setting(notNegative, "weight of the point loss", is(1)),
  samples: setting(whole(1), "sampled paths per forecast", is(200)),
  seed: setting(whole(0, Number.MAX_SAFE_INTEGER), "seed of training and sampling", is(0)),
  engine: setting(choice(ENGINES), "engine", depends("native if available")),
  threads: setting(whole(1, 256), "threads of the engine", is(1)),
} satisfies DescribedKeys<ForecastSettings>;

type Table = typeof FORECAST_SETTING_KEYS;

/** The settings whose default is a fixed value. */
export type FixedSetting = {
  [K in keyof Table]: Table[K]["default"] extends { readonly value: unknown } ? K : never;
}[keyof Table];

export const FORECAST_DEFAULTS = fixedDefaults<ForecastSettings>(FORECAST_SETTING_KEYS) as Required<
  Pick<ForecastSettings, FixedSetting>
>;
