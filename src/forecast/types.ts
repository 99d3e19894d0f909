// The common types of forecasting: series, panels, forecasts and forecasters.

/** Names of the units of a frequency. */
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

/** The step between two times of a regular series. With the unit `step`, times are step numbers instead of timestamps. */
export interface Frequency {
  readonly unit: (typeof TIME_UNITS)[number];
  /** Number of units in one step. */
  readonly count: number;
}

/** A column that helps to forecast the targets. */
export interface Covariate {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  /** Whether its values are also known for future times, such as calendars, plans and prices. */
  readonly knownInFuture: boolean;
}

/** Values of a covariate over time: numbers (NaN if missing), or levels (null if missing). */
export type CovariateValues = Float64Array | readonly (string | null)[];

/** Future times of a series with their known covariates. */
export interface Future {
  /** In the unit of the series' `times`, and after the last of them. */
  readonly times: Float64Array; // [H]
  /** By name; only covariates that are known in the future. */
  readonly covariates: Readonly<Record<string, CovariateValues>>;
}

/** One time series with its covariates. */
export interface Series {
  readonly id: string;
  /** Milliseconds since 1970 in UTC, or step numbers; increasing. */
  readonly times: Float64Array; // [T]
  /** One array per target of the panel, NaN where missing. */
  readonly targets: readonly Float64Array[]; // each [T]
  /** By name. */
  readonly covariates: Readonly<Record<string, CovariateValues>>;
  /** Covariates that are constant in time, by name; null if missing. */
  readonly statics: Readonly<Record<string, number | string | null>>;
  readonly future?: Future;
}

/** Series with the same columns. */
export interface Panel {
  readonly series: readonly Series[];
  /** Names of the targets. */
  readonly targets: readonly string[];
  readonly covariates: readonly Covariate[];
  /** Null if times are irregular. */
  readonly frequency: Frequency | null;
  /** Length of the seasonal pattern in steps; 1 for none. */
  readonly season: number;
  /** Lengths of longer seasonal patterns, increasing. Default: none. */
  readonly furtherSeasons?: readonly number[];
}

/**
 * The predictive distributions of all steps as one shape with a location and a scale per step. `student-t`: Student's t,
 * or the normal distribution from 30 degrees of freedom. `interpolated`: the quantile function is linear between the
 * sorted values.
 */
export type StepDistribution = {
  readonly location: Float64Array; // [H]
  readonly scale: Float64Array; // [H]
  /** Values below it are moved to it. Default: no floor. */
  readonly floor?: number;
} & (
  | { readonly kind: "student-t"; readonly degreesOfFreedom: number }
  | { readonly kind: "interpolated"; readonly sorted: Float64Array }
);

/** A forecast of one target of one series. Step h is the h-th step after the last time of the series. */
export interface Forecast {
  readonly id: string;
  readonly target: string;
  /** Mean of the predictive distribution, which has the smallest expected squared error. */
  readonly mean: Float64Array; // [H]
  /** Median, which has the smallest expected absolute error. If it is omitted, metrics use the mean in its place. */
  readonly median?: Float64Array; // [H]
  /** Output of a separate point-forecast head, if the model has one, in the units of the data. */
  readonly point?: Float64Array; // [H]
  /** Whether the naive forecast takes the place of the method, which cannot be fitted to this past. */
  readonly isSubstitute?: boolean;
  /** One array per requested quantile, in the same order; they do not cross. */
  readonly quantiles: readonly Float64Array[]; // each [H]
  /** The distribution of which these are quantiles, if the forecaster knows it. */
  readonly distribution?: StepDistribution;
  /** Sampled joint paths, if the forecaster samples paths. */
  readonly paths?: readonly Float64Array[]; // each [H]
  /** Intended values of each path, if the paths were sampled through a noise channel. */
  readonly intended?: readonly Float64Array[]; // each [H]
}

/** What to forecast: how far, and which quantiles. */
export interface ForecastRequest {
  readonly horizon: number;
  /** Increasing, between 0 and 1. */
  readonly quantiles: readonly number[];
  /** Number of paths for forecasters that sample paths. */
  readonly samples?: number;
  readonly signal?: AbortSignal;
}

/** Whether a forecaster learns from all series, is a fixed method for one series, or combines both. */
export type ForecasterKind = "learned" | "mixed" | "baseline";

/** Options of fitting a forecaster. */
export interface ForecasterFitOptions {
  readonly signal?: AbortSignal;
  /** The time of `performance.now()` at which training should stop and keep the best parameters so far. */
  readonly deadline?: number;
}

/** A forecasting method that is fitted to a panel before it predicts. */
export interface Forecaster {
  /** Name of its columns in output files. */
  readonly name: string;
  /** Shown with its results. Default: learned. */
  readonly kind?: ForecasterKind;
  fit(panel: Panel, options?: ForecasterFitOptions): Promise<FittedForecaster>;
}

/** A forecaster that has been fitted and can predict. */
export interface FittedForecaster {
  /**
   * One forecast per series and target, series by series. The panel may contain newer rows than the panel passed to
   * `fit`.
   */
  predict(panel: Panel, request: ForecastRequest): Promise<readonly Forecast[]>;
}
