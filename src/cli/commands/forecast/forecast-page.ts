// Forecasts as a page: fan charts, and the series taken apart.

import { countsSteps } from "../../../forecast/data/index.ts";
import type { Panel } from "../../../forecast/types.ts";
import { forecastReport } from "../../../report/forecast-report.ts";
import { htmlPage } from "../../../report/page.ts";
import { partsOf } from "./check.ts";
import { type Asked, fansOf, type ModelForecasts } from "./forecast-rows.ts";
import { dataText, horizonText, type Source } from "./source.ts";
import { workOf } from "./work.ts";

/** Series that are taken apart. */
const TAKEN_APART = 6;

/** The text of an HTML file. */
export function forecastPage(
  models: readonly ModelForecasts[],
  about: {
    readonly source: Source;
    readonly panel: Panel;
    readonly asked: Asked;
    readonly seed: number;
  },
): string {
  const { source, panel, asked, seed } = about;
  const work = workOf({ data: dataText(source), horizon: horizonText(asked.horizon, panel), seed });
  const decompositions = panel.series.slice(0, TAKEN_APART).flatMap((series) =>
    partsOf(panel, series).map(({ target, values, parts }) => ({
      title: panel.targets.length > 1 ? `Parts of ${series.id}, ${target}` : `Parts of ${series.id}`,
      counted: countsSteps(panel.frequency),
      value: { label: target },
      ...{ times: series.times, observed: values, notes: parts.notes.map((note) => `${note}.`) },
      parts: [
        { name: "trend", values: parts.trend },
        ...parts.seasons.map(({ season, values }) => ({ name: `season of ${season}`, values })),
        { name: "what is left", values: parts.residual },
      ],
    })),
  );
  return htmlPage(
    forecastReport({ name: source.name, work, fans: fansOf(models, panel, asked), decompositions }),
  );
}
