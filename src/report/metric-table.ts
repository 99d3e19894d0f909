// Tables of forecast metrics: metrics by model with the best of each column marked, and skill relative to a reference model.

import { decimalsFor, type Table, type TableCell, type TableRow } from "./tables.ts";

export interface Metric {
  /** Key in `ModelMetrics.values`. */
  readonly name: string;
  /** Column heading. Default: the name. */
  readonly label?: string;
  /** Which value is best: the lowest (default), the highest, or the one nearest to a number (for coverage). */
  readonly best?: "least" | "most" | number;
}

/** The metrics of one model by name; null or NaN if missing. */
export interface ModelMetrics {
  readonly name: string;
  readonly values: Readonly<Record<string, number | null>>;
}

export interface Metrics {
  readonly metrics: readonly Metric[];
  readonly models: readonly ModelMetrics[];
  readonly caption?: string;
}

/** Mark of the best value of a column. */
const BEST_MARK = "*";
/** Significant digits of the largest value of a column. */
const DIGITS = 4;

/** One row per model. With several models, the best value of each column is marked. */
export function metricTable({ metrics, models, caption }: Metrics): Table {
  const isMarked = models.length > 1;
  const columns = metrics.map((metric) => columnOf(metric, models, isMarked));
  const mark =
    isMarked && columns.flat().some((cell) => cell !== null) ? `${BEST_MARK} best of its column` : "";
  return {
    caption: [caption, mark].filter(Boolean).join("; ") || undefined,
    columns: ["model", ...metrics.map(({ name, label = name }) => label)],
    rows: models.map(({ name }, i): TableRow => ({ name, cells: columns.map((column) => column[i]) })),
  };
}

/** Skill of each model: 1 − metric / metric of the reference, for metrics whose lowest value is best. */
export function skillTable(
  { metrics, models }: Pick<Metrics, "metrics" | "models">,
  reference: string,
): Table {
  const base = models.find(({ name }) => name === reference);
  if (!base) {
    const names = models.map(({ name }) => name).join(", ");
    throw new RangeError(`skillTable: the reference must be one of the models ${names}, got ${reference}`);
  }
  const errors = metrics.filter(({ best = "least" }) => best === "least");
  return {
    caption: `Skill against ${reference}: 1 − error / error of ${reference}`,
    columns: ["model", ...errors.map(({ name, label = name }) => label)],
    rows: models
      .filter((model) => model !== base)
      .map(({ name, values }) => ({
        name,
        cells: errors.map((metric): TableCell => {
          const skill = 1 - metricOf(values, metric) / metricOf(base.values, metric);
          return Number.isFinite(skill) ? { seeds: [100 * skill], digits: 1, mark: "%" } : null;
        }),
      })),
  };
}

function columnOf(metric: Metric, models: readonly ModelMetrics[], isMarked: boolean): TableCell[] {
  const values = models.map((model) => metricOf(model.values, metric));
  const finite = values.filter(Number.isFinite);
  const digits = decimalsFor(finite, DIGITS);
  const least = Math.min(...finite.map((value) => rank(value, metric)));
  return values.map((value): TableCell => {
    if (!Number.isFinite(value)) return null;
    const mark = isMarked && rank(value, metric) === least ? BEST_MARK : undefined;
    return { seeds: [value], digits, mark };
  });
}

/** Sort key of a value; the best value has the lowest key. */
function rank(value: number, { best = "least" }: Metric): number {
  if (best === "least") return value;
  return best === "most" ? -value : Math.abs(value - best);
}

function metricOf(values: ModelMetrics["values"], { name }: Metric): number {
  return values[name] ?? Number.NaN;
}
