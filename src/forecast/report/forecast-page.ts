// An HTML page of forecasts: fan charts and decompositions of the series.

import { htmlPage } from "../../report/page.ts";
import type { Panel } from "../types.ts";
import { decompositionCharts } from "./decomposition-report.ts";
import { forecastReport, type Provenance } from "./forecast-report.ts";
import { type ForecastColumns, fanCharts, type ModelForecasts } from "./forecast-table.ts";

/** Creates the HTML page of forecasts. */
export function forecastPage(
  models: readonly ModelForecasts[],
  panel: Panel,
  columns: ForecastColumns,
  about: { readonly name: string; readonly provenance: Provenance },
): string {
  return htmlPage(
    forecastReport({
      ...about,
      fans: fanCharts(models, panel, columns),
      decompositions: decompositionCharts(panel),
    }),
  );
}
