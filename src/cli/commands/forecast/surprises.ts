// What a model meets in data that it was not fitted on, and takes as unknown or missing.

import type { ForecastModel } from "../../../forecast/model/index.ts";
import type { Panel } from "../../../forecast/types.ts";

/** One sentence each: levels never seen, and columns that are known ahead and were not given so far as is forecast. */
export function surprises({ features }: ForecastModel, panel: Panel, horizon: number): string[] {
  const levels = features.categories.flatMap(({ name, static: fixed, levels: seen }) => {
    const found = panel.series.flatMap(({ covariates, statics, future }): unknown[] =>
      fixed ? [statics[name]] : [...(covariates[name] ?? []), ...(future?.covariates[name] ?? [])],
    );
    const known = new Set<unknown>(seen);
    const strange = [...new Set(found)].filter((level) => typeof level === "string" && !known.has(level));
    if (strange.length === 0) return [];
    const shown = strange.slice(0, 5).map((level) => JSON.stringify(level));
    const more = strange.length > shown.length ? ` and ${strange.length - shown.length} more` : "";
    return [`column ${name}: ${shown.join(", ")}${more} was never seen in training and is taken as unknown`];
  });
  const known = [...features.numeric, ...features.categories].filter(
    (column) => column.known && !column.static,
  );
  const short = panel.series.filter(({ future }) => (future?.times.length ?? 0) < horizon);
  if (known.length === 0 || short.length === 0) return levels;
  const names = known.map(({ name }) => name).join(", ");
  const rows = short[0].future?.times.length ?? 0;
  return [
    ...levels,
    `${names} should be known ahead, but series ${JSON.stringify(short[0].id)} has ${rows} of ${horizon} rows ahead; the rest is taken as missing`,
  ];
}
