// Names that the flags of `gflownet forecast` take. It loads nothing, for `--help`; a test holds it against the code.

import type { Spread } from "../../../forecast/baselines/index.ts";
import type { Aggregate, CountedUnit, Fill, TableFormat } from "../../../forecast/data/index.ts";
import type { ContextEncoderKind, Positions } from "../../../forecast/network/context-encoder.ts";

/** What is learned, among the models. */
export const LEARNED = "gflownet";
/** Models as they are typed, and what they are. */
export const MODELS: Readonly<Record<string, string>> = {
  [LEARNED]: "a network that draws paths of tokens, learned by likelihood",
  naive: "the last value",
  "seasonal-naive": "the value one season before",
  drift: "on along the line from the first value to the last",
  "seasonal-naive-drift": "the value one season before, moved on by the mean slope",
  "window-average": "the mean of the last season",
  "mstl-ets": "seasons taken out by MSTL, the rest smoothed exponentially",
};
export const ENCODERS: readonly ContextEncoderKind[] = ["transformer", "gru", "lstm", "mlp"];
export const POSITION_NAMES: readonly Positions[] = ["learned", "sinusoidal", "continuous"];
export const POINT_LOSS_NAMES = ["mse", "mae", "huber"] as const;
export const COLUMN_NORMALISERS = ["mean", "standard", "min-max", "robust"] as const;
export const NORMALISER_NAMES = [
  "none",
  ...COLUMN_NORMALISERS,
  "seasonal-difference",
  "log",
  "log1p",
] as const;
/** `point` is for figures as they were published, and says nothing of how sure a forecast is. */
export const SPREAD_NAMES: readonly Exclude<Spread, "point">[] = ["gaussian", "empirical"];
export const FILL_NAMES: readonly Fill[] = ["none", "forward", "linear", "seasonal", "zero"];
export const AGGREGATE_NAMES: readonly Aggregate[] = ["mean", "sum", "last", "first"];
export const TIME_UNIT_NAMES: readonly CountedUnit[] = ["s", "ms", "step"];
export const FORMAT_NAMES: readonly TableFormat[] = ["csv", "json", "parquet"];
