// What all parts of forecasting speak of: series and panels of them, forecasts, and what makes forecasts.

export const TIME_UNITS = [
  "step",
  "second",
  "minute",
  "hour",
  "day",
  "business-day",
  "week",
  "month",
  "quarter",
  "year",
] as const;

/** The step between two times of a regular series. Times that count a `step` are whole numbers and no moments. */
export interface Frequency {
  readonly unit: (typeof TIME_UNITS)[number];
  /** So many units are one step. */
  readonly count: number;
}

/** A column beside the targets. */
export interface Covariate {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  /** Whether its values are known for times ahead, too: calendars, plans, prices. */
  readonly known: boolean;
}

/** Values of a covariate in time: numbers, NaN where missing, or levels, null where missing. */
export type CovariateValues = Float64Array | readonly (string | null)[];

/** Times ahead of a series, and what is known of them. */
export interface Future {
  /** As `times` of the series, all after its last. */
  readonly times: Float64Array; // [H]
  /** By name, only those that are known ahead. */
  readonly covariates: Readonly<Record<string, CovariateValues>>;
}

export interface Series {
  readonly id: string;
  /** Milliseconds since 1970 in UTC, or numbers that count steps; rising. */
  readonly times: Float64Array; // [T]
  /** One array per target of the panel, NaN where missing. */
  readonly targets: readonly Float64Array[]; // each [T]
  /** By name. */
  readonly covariates: Readonly<Record<string, CovariateValues>>;
  /** What does not change in time, by name; null where missing. */
  readonly statics: Readonly<Record<string, number | string | null>>;
  readonly future?: Future;
}

/** Series that have the same columns. */
export interface Panel {
  readonly series: readonly Series[];
  /** Names of the targets. */
  readonly targets: readonly string[];
  readonly covariates: readonly Covariate[];
  /** Null where times are irregular. */
  readonly frequency: Frequency | null;
  /** Steps after which a pattern comes again; 1 for none. */
  readonly season: number;
}

/** What is known of one target of one series ahead; step h of it is the h-th after the last time of the series. */
export interface Forecast {
  readonly id: string;
  readonly target: string;
  /** The one value to name if only one is asked for. */
  readonly mean: Float64Array; // [H]
  /** What a head of its own says, in the units of the data, where a model has learned one beside the law. */
  readonly point?: Float64Array; // [H]
  /** One array per quantile asked for, in that order; they never cross. */
  readonly quantiles: readonly Float64Array[]; // each [H]
  /** Whole ways ahead, where the forecaster draws such: of one row, steps belong together. */
  readonly paths?: readonly Float64Array[]; // each [H]
  /** Of each path, what was intended where it came of a plan that is carried out with error. */
  readonly intended?: readonly Float64Array[]; // each [H]
}

export interface ForecastRequest {
  readonly horizon: number;
  /** Rising, between 0 and 1. */
  readonly quantiles: readonly number[];
  /** How many paths are drawn, by what can draw them. */
  readonly samples?: number;
  readonly signal?: AbortSignal;
}

/** Makes forecasts after it has seen series. */
export interface Forecaster {
  /** Heads the columns of its forecasts. */
  readonly name: string;
  fit(panel: Panel, options?: { readonly signal?: AbortSignal }): Promise<FittedForecaster>;
}

export interface FittedForecaster {
  /** One forecast per series and target of the panel, series by series; the panel may go on after what was fitted. */
  predict(panel: Panel, request: ForecastRequest): Promise<readonly Forecast[]>;
}
