// Names of the columns of forecasts, as other forecasting tools write them.

/** Which quantiles of a forecast become columns. */
export interface QuantileColumns {
  /** Levels of central intervals, in percent. */
  readonly levels: readonly number[];
  readonly quantiles?: readonly number[];
}

/**
 * The columns of a model: `MODEL, MODEL-median, MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, MODEL-hi-95, MODEL-q-10`.
 * `MODEL-point` follows the median if the model has a point-forecast head.
 */
export function modelColumns(
  model: string,
  { levels, quantiles = [] }: QuantileColumns,
  hasPoint = false,
): string[] {
  const intervals = levels.toSorted((a, b) => a - b).map((level) => intervalColumns(model, level));
  return [
    ...[model, medianColumn(model)],
    ...(hasPoint ? [pointColumn(model)] : []),
    ...intervals.toReversed().map(([low]) => low),
    ...intervals.map(([, high]) => high),
    ...quantiles.map((q) => quantileColumn(model, q)),
  ];
}

/** The columns of the ends of an interval: `MODEL-lo-80` and `MODEL-hi-80`. */
export function intervalColumns(model: string, level: number): readonly [low: string, high: string] {
  return [`${model}-lo-${level}`, `${model}-hi-${level}`];
}

export function medianColumn(model: string): string {
  return `${model}-median`;
}

/** The column of the output of a point-forecast head. */
export function pointColumn(model: string): string {
  return `${model}-point`;
}

/** The column of a quantile, such as M-q-10 for 0.1 of model M. */
export function quantileColumn(model: string, q: number): string {
  return `${model}-q-${Number((100 * q).toPrecision(10))}`;
}
