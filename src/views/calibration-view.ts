// The view `calibration`: how often forecast intervals contain the actual value, and the metrics of each model.

import { join } from "node:path";
import { BACKTEST_FILES } from "../forecast/backtest/backtest-files.ts";
import { UserError } from "../issues.ts";
import { csvRecords, numberIn } from "./csv-records.ts";
import { rounded, spacedIndices } from "./numbers.ts";
import type { CalibrationView } from "./view-data.ts";

type Model = CalibrationView["models"][number];

/** Errors by step ahead: the first of these metrics that the file has values of. A scaled error suits series of different
 * sizes. */
const STEP_ERRORS = ["MASE", "MAE", "RMSE"] as const;
const COVERAGE = "coverage-";
/** Models and steps of an answer. */
const [MOST_MODELS, MOST_STEPS] = [50, 200];

interface Rows {
  overall: Readonly<Record<string, number | null>> | null;
  readonly byStep: Map<number, Readonly<Record<string, number | null>>>;
}

export async function calibrationView(folder: string): Promise<CalibrationView> {
  const file = join(folder, BACKTEST_FILES.metrics);
  const models = await readMetrics(file);
  if (models.size === 0) throw new UserError(`${file} has no metrics`);
  const hasStepValues = (name: string) =>
    [...models.values()].some(({ byStep }) => [...byStep.values()].some((values) => values[name] != null));
  const stepError = STEP_ERRORS.find(hasStepValues);
  const shown = [...models].slice(0, MOST_MODELS);
  return {
    view: "calibration",
    // The windows of a backtest are a sample of what a model meets.
    exact: false,
    notes: [
      "Metrics are over all series, windows and steps of the backtest.",
      ...(stepError ? [] : ["The file has no errors by step ahead."]),
      `${BACKTEST_FILES.metrics} has no probability integral transforms, so their histogram is missing.`,
      ...(shown.length < models.size
        ? [`The first ${shown.length} of ${models.size} models are shown.`]
        : []),
    ],
    stepError: stepError ?? null,
    models: shown.map(([name, { overall, byStep }]): Model => {
      const metrics = overall ?? {};
      const steps = [...byStep.keys()].sort((a, b) => a - b);
      return {
        name,
        coverage: Object.keys(metrics)
          .filter((metric) => metric.startsWith(COVERAGE))
          .map((metric) => ({
            nominal: Number(metric.slice(COVERAGE.length)) / 100,
            actual: metrics[metric],
          }))
          .sort((a, b) => a.nominal - b.nominal),
        metrics,
        byStep: spacedIndices(steps.length, MOST_STEPS).map((i) => ({
          step: steps[i],
          error: (stepError && byStep.get(steps[i])?.[stepError]) ?? null,
        })),
      };
    }),
  };
}

async function readMetrics(file: string): Promise<Map<string, Rows>> {
  const models = new Map<string, Rows>();
  for await (const { model, series, step, ...cells } of csvRecords(file)) {
    if (model === undefined || series === undefined || step === undefined) {
      throw new UserError(`${file} is damaged: it must have the columns model, series and step`);
    }
    if (series !== "") continue;
    const rows = models.get(model) ?? { overall: null, byStep: new Map() };
    models.set(model, rows);
    const values = Object.fromEntries(
      Object.entries(cells).map(([name, cell]) => {
        const value = numberIn(cell);
        return [name, value === null ? null : rounded(value)];
      }),
    );
    if (step === "") rows.overall = values;
    else rows.byStep.set(Number(step), values);
  }
  return models;
}
