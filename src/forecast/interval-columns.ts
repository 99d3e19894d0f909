// Names of the columns of prediction intervals, as other forecasting tools write them.

/** The columns of the ends of an interval: `MODEL-lo-80` and `MODEL-hi-80`. */
export function intervalColumns(model: string, level: number): readonly [low: string, high: string] {
  return [`${model}-lo-${level}`, `${model}-hi-${level}`];
}

/** The columns of all intervals from the lowest end to the highest: `MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, MODEL-hi-95`. */
export function allIntervalColumns(model: string, levels: readonly number[]): string[] {
  const columns = levels.toSorted((a, b) => a - b).map((level) => intervalColumns(model, level));
  return [...columns.toReversed().map(([low]) => low), ...columns.map(([, high]) => high)];
}
