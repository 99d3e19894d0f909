// Fills gaps in the panels that a forecaster receives, so that no value after a cutoff is used.

import { type FillMethod, fillGaps } from "./data/fill-gaps.ts";
import type { Forecaster, Panel } from "./types.ts";

/** Wraps a forecaster so that it receives panels without gaps. Values before the first observed one stay missing. */
export function withFilledGaps(forecaster: Forecaster, method: FillMethod): Forecaster {
  return {
    ...{ name: forecaster.name, kind: forecaster.kind },
    async fit(panel, options) {
      const fitted = await forecaster.fit(fillPanelGaps(panel, method), options);
      return { ...fitted, predict: (next, request) => fitted.predict(fillPanelGaps(next, method), request) };
    },
  };
}

/** The panel with filled targets. */
export function fillPanelGaps(panel: Panel, method: FillMethod): Panel {
  if (method === "none") return panel;
  return {
    ...panel,
    series: panel.series.map((series) => ({
      ...series,
      targets: series.targets.map((values) => fillGaps(values, method, panel.season).values),
    })),
  };
}
