// The view `scenario`: the forecast of one series with sampled paths, with and without the scenario, the probabilities, and
// how the quantity of the condition is distributed over the paths.

import { join } from "node:path";
import { FORECAST_FILES, type ForecastRecord, readForecastRecord } from "../forecast/forecast-folder.ts";
import { type Clause, parseCondition, quantityOf } from "../forecast/scenario/condition.ts";
import { csvRecords, numberIn } from "./csv-records.ts";
import { byTime, modelColumns, seriesName, shortOrNull, valuesOfModel } from "./forecast-columns.ts";
import { short, shortAll } from "./numbers.ts";
import { scenarioNumbers } from "./scenario-numbers.ts";
import { seriesRecords } from "./series-records.ts";
import type { ScenarioView, ViewOptions } from "./view-data.ts";

/** Paths that are drawn, paths whose quantity is counted, and bins of a histogram. */
const [MOST_DRAWN, MOST_COUNTED, BINS] = [24, 4000, 28];

type Paths = ReadonlyMap<string, readonly Float64Array[]>;

export async function scenarioView(
  folder: string,
  { series }: Pick<ViewOptions, "series">,
): Promise<ScenarioView> {
  const record = await readForecastRecord(folder);
  const values = join(folder, FORECAST_FILES.values);
  const { names, total, chosen, records, columns } = await seriesRecords(values, series, ["unique_id", "ds"]);
  const rows = records.toSorted((a, b) => byTime(a.ds, b.ds));
  const times = rows.map(({ ds }) => ds);
  const { id, target } = { id: rows[0].unique_id, target: rows[0].target ?? record.targets[0] };
  const paths = await readPaths(join(folder, FORECAST_FILES.paths), { id, target, times });
  const history = await readHistory(join(folder, FORECAST_FILES.history), chosen);
  const all = [...paths.values()].reduce((most, { length }) => Math.max(most, length), 0);
  return {
    view: "scenario",
    exact: false,
    notes: [
      "The line of a model is its mean.",
      ...(all > MOST_DRAWN ? [`${MOST_DRAWN} of ${all} sampled paths are drawn.`] : []),
      ...(all >= MOST_COUNTED ? [`The first ${MOST_COUNTED} paths are counted.`] : []),
      ...(names.length < total ? [`${names.length} of ${total} series can be chosen.`] : []),
    ],
    series: names,
    chosen,
    question: questionText(record),
    history,
    times,
    models: modelColumns(columns.slice(columns.indexOf("ds") + 1), rows).map((model) => ({
      name: model.name,
      ...valuesOfModel(model, rows),
      paths: (paths.get(model.name) ?? []).slice(0, MOST_DRAWN).map((path) => shortAll(path, 5)),
    })),
    numbers: scenarioNumbers(record, id).map(({ label, value, error }) => ({ label, value, error })),
    quantity: quantityOfPaths(record, target, paths),
  };
}

/** The sampled values of each model, by path. */
async function readPaths(
  file: string,
  { id, target, times }: { readonly id: string; readonly target: string; readonly times: readonly string[] },
): Promise<Paths> {
  const steps = new Map(times.map((time, i) => [time, i]));
  const paths = new Map<string, Map<string, Float64Array>>();
  try {
    for await (const row of csvRecords(file)) {
      if (row.unique_id !== id || row.target !== target) continue;
      const step = steps.get(row.ds);
      const y = numberIn(row.y);
      if (step === undefined || y === null) continue;
      const ofModel = paths.get(row.model) ?? new Map<string, Float64Array>();
      paths.set(row.model, ofModel);
      const known = ofModel.get(row.sample);
      if (!known && ofModel.size >= MOST_COUNTED) continue;
      const path = known ?? new Float64Array(times.length).fill(Number.NaN);
      ofModel.set(row.sample, path);
      path[step] = y;
    }
  } catch (error) {
    // Models without paths have no such file.
    if (!(error as Error).message.includes("does not exist")) throw error;
  }
  return new Map(
    [...paths].map(([model, ofModel]) => [
      model,
      [...ofModel.values()].filter((path) => !path.some(Number.isNaN)),
    ]),
  );
}

async function readHistory(file: string, chosen: string): Promise<ScenarioView["history"]> {
  const rows: { readonly time: string; readonly value: number | null }[] = [];
  for await (const record of csvRecords(file)) {
    if (seriesName(record) === chosen) rows.push({ time: record.ds, value: numberIn(record.y) });
  }
  rows.sort((a, b) => byTime(a.time, b.time));
  return { times: rows.map(({ time }) => time), values: rows.map(({ value }) => shortOrNull(value)) };
}

/** What the scenario asks for, in a few words; null without one. */
export function questionText({ scenario }: Pick<ForecastRecord, "scenario">): string | null {
  const { constraint, temperature, noise, event } = scenario;
  const parts = [
    ...(constraint === undefined ? [] : [constraint]),
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(noise === undefined ? [] : [`noise ${noise}`]),
    ...(event === undefined ? [] : [`event ${event}`]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}

/** How the quantity of the event, or of the constraint, is distributed over the paths of each model. */
function quantityOfPaths(record: ForecastRecord, target: string, paths: Paths): ScenarioView["quantity"] {
  const { event, constraint, target: asked = record.targets[0] } = record.scenario;
  const text = event ?? constraint;
  if (text === undefined || asked !== target || paths.size === 0) return null;
  const clause = parseCondition(text).clauses.find(({ quantity }) => quantity !== "crosses");
  if (!clause) return null;
  const values = new Map(
    [...paths].map(([model, all]) => [model, all.map((path) => quantityOf(clause, path))] as const),
  );
  const every = [...values.values()].flat();
  if (every.length === 0) return null;
  const [from, to] = [Math.min(...every, clause.bound), Math.max(...every, clause.bound)];
  const width = (to - from) / BINS || 1;
  return {
    label: quantityLabel(clause),
    bound: clause.bound,
    edges: Array.from({ length: BINS + 1 }, (_, i) => short(from + i * width, 6)),
    shares: [...values].map(([name, ofModel]) => {
      const counts = new Array<number>(BINS).fill(0);
      for (const value of ofModel) counts[Math.min(BINS - 1, Math.floor((value - from) / width))]++;
      return { name, shares: counts.map((count) => short(count / Math.max(1, ofModel.length), 5)) };
    }),
  };
}

const QUANTITIES: Readonly<Record<string, string>> = {
  ...{ sum: "sum", mean: "mean", min: "smallest value", max: "largest value" },
  ...{ first: "first value", last: "last value" },
};

function quantityLabel(clause: Clause): string {
  return clause.quantity === "value"
    ? `value at step ${clause.step}`
    : `${QUANTITIES[clause.quantity]} of a path`;
}
