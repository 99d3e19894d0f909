// The entry of a forecast.

import { FORECAST_FILES, readForecastRecord } from "../forecast/forecast-folder.ts";
import { type EntryFolder, type FoundEntry, fileStamps } from "./found-entry.ts";

export async function readForecastEntry({ id, name, kind, path }: EntryFolder): Promise<FoundEntry> {
  const { data, horizon, targets, models, seed, scenario } = await readForecastRecord(path);
  const { modified } = await fileStamps(path, [FORECAST_FILES.forecast, FORECAST_FILES.values]);
  const asked = Object.entries(scenario).filter(([, value]) => value !== undefined && value !== null);
  return {
    entry: {
      ...{ id, kind, name, parent: null, task: null, state: "finished", problem: null, modified },
      seed: typeof seed === "number" ? seed : null,
      ...{ iteration: null, iterations: null, seconds: null, last: {}, exact: null },
    },
    ...{ folder: path, metrics: null, groupSettings: null, groupLabel: null },
    settings: { data, horizon, targets, models, seed, ...Object.fromEntries(asked) },
  };
}
