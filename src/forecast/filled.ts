// A forecaster that sees no gaps: they are filled in what it is given, so that nothing comes from after a cutoff.

import { type Fill, fill } from "./data/fill.ts";
import type { Forecaster, Panel } from "./types.ts";

/** The same forecaster, given panels whose gaps are filled; what was never there before the first value stays missing. */
export function withFilledGaps(forecaster: Forecaster, how: Fill): Forecaster {
  return {
    name: forecaster.name,
    async fit(panel, options) {
      const fitted = await forecaster.fit(filledPanel(panel, how), options);
      return { ...fitted, predict: (next, request) => fitted.predict(filledPanel(next, how), request) };
    },
  };
}

/** A panel with its targets filled. */
export function filledPanel(panel: Panel, how: Fill): Panel {
  if (how === "none") return panel;
  return {
    ...panel,
    series: panel.series.map((series) => ({
      ...series,
      targets: series.targets.map((values) => fill(values, how, panel.season).values),
    })),
  };
}
