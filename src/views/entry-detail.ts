// Everything about one entry but its curves and views: settings, a description, and its last metrics beside the limit and
// the uniform policy.

import { join } from "node:path";
import { readText } from "../disk/open-file.ts";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { readForecastRecord } from "../forecast/forecast-folder.ts";
import { parseCsv } from "../formats/csv.ts";
import { runIntro } from "../report/run-intro.ts";
import { settingText } from "../report/tables.ts";
import { formatCountOf } from "../report/text-format.ts";
import { latestEvents } from "../run/list-runs.ts";
import { filesOf } from "./entry-files.ts";
import type { IndexedEntry } from "./entry-index.ts";
import { METRICS } from "./metric-list.ts";
import type { MetricStore, MetricsData } from "./metric-store.ts";
import type { EntryDetail, ResultRow } from "./page-data.ts";
import { scenarioNumbers } from "./scenario-numbers.ts";
import { questionText } from "./scenario-view.ts";
import { readData } from "./series-answer.ts";
import { viewsOf } from "./views.ts";

/** Parts of a comparison that its description has. */
const DESCRIBED = ["title", "finished"];

export async function entryDetail(indexed: IndexedEntry, store: MetricStore): Promise<EntryDetail> {
  const { entry, folder, settings } = indexed;
  const data = await readData(indexed, store);
  const hasViews = entry.kind !== "experiment" && entry.state !== "broken";
  return {
    entry,
    settings: Object.entries(settings)
      .filter(([name]) => entry.kind !== "comparison" || !DESCRIBED.includes(name))
      .map(([name, value]) => [name, settingText(value)] as const),
    description: await descriptionOf(indexed),
    metrics: METRICS.flatMap(({ name }) => (data?.series.has(name) ? [name] : [])),
    views: hasViews ? await viewsOf(folder, entry.kind).catch(() => []) : [],
    results: await resultRows(indexed, data),
    files: await filesOf(indexed),
  };
}

async function descriptionOf({ entry, metrics, settings }: IndexedEntry): Promise<string[]> {
  const { kind, state, problem } = entry;
  if (state === "broken") return [problem ?? "It cannot be read."];
  if (kind === "comparison") {
    const finished = formatCountOf(Number(settings.finished), "experiment");
    return [`${settings.title}.`, `Finished so far: ${finished}.`];
  }
  if (kind === "experiment") return [`An experiment of the comparison ${entry.parent}.`];
  if (kind === "backtest") return ["Forecasts at past cutoffs, compared with the values that followed."];
  if (kind === "forecast") {
    const { data, horizon, models } = settings;
    const question = questionText({ scenario: settings });
    return [
      `Forecast of ${data}, ${formatCountOf(Number(horizon), "step")} ahead, by ${(models as readonly string[]).join(" and ")}.`,
      ...(question === null ? [] : [`The scenario: ${question}.`]),
    ];
  }
  if (!metrics || entry.task === null) return ["It has no run yet."];
  const events = await latestEvents(metrics.file);
  const [task, training] = runIntro({ config: settings, events });
  const budget = typeof settings.budget === "number" ? formatCountOf(settings.budget, "call") : null;
  const design = `A design for a problem file${budget === null ? "" : `, with at most ${budget} of its oracle`}.`;
  return [kind === "design" ? design : task, training];
}

async function resultRows({ entry, folder }: IndexedEntry, data: MetricsData | null): Promise<ResultRow[]> {
  if (entry.state === "broken") return [];
  if (entry.kind === "backtest") return backtestResults(folder);
  if (entry.kind === "forecast") return forecastResults(folder);
  return data ? resultsOf(data) : [];
}

/** Series whose probabilities stand in the table; the view has those of any series. */
const MOST_SERIES = 8;

/** The probabilities of a scenario, by series. */
async function forecastResults(folder: string): Promise<ResultRow[]> {
  const record = await readForecastRecord(folder).catch(() => null);
  if (!record) return [];
  const ids = [...new Set([...record.events, ...record.reports].map(({ id }) => id))];
  return ids.slice(0, MOST_SERIES).flatMap((id) =>
    scenarioNumbers(record, id).flatMap(({ label, value, error, isProbability }): ResultRow[] =>
      isProbability
        ? [
            {
              ...{ label, source: "sampled", reached: value, error, limit: null, uniform: null },
              ...(ids.length > 1 && { model: id }),
            },
          ]
        : [],
    ),
  );
}

function resultsOf({ series, limits, uniforms }: MetricsData): ResultRow[] {
  return METRICS.flatMap(({ name, label, unit, source }) => {
    const reached = series.get(name)?.last;
    if (reached === undefined) return [];
    return [
      {
        ...{ label: unit ? `${label}, ${unit}` : label, source, reached },
        ...{ limit: limits.get(name) ?? null, uniform: uniforms.get(name) ?? null },
      },
    ];
  });
}

/** The metrics of each model over all series and steps. */
async function backtestResults(folder: string): Promise<ResultRow[]> {
  const text = await readText(join(folder, BACKTEST_FILES.metrics)).catch(() => null);
  const [header = [], ...rows] = text === null ? [] : parseCsv(text);
  const [series, step] = ["series", "step"].map((name) => header.indexOf(name));
  return rows
    .filter((row) => row[series] === "" && row[step] === "")
    .flatMap((row) =>
      header.flatMap((name, i): ResultRow[] => {
        if (["model", "series", "step"].includes(name) || row[i] === undefined || row[i] === "") return [];
        const reached = Number(row[i]);
        return [
          {
            ...{
              label: name,
              model: row[0],
              source: "sampled",
              reached: Number.isFinite(reached) ? reached : null,
            },
            ...{ limit: null, uniform: null },
          },
        ];
      }),
    );
}
