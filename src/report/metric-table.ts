// Metrics of several models as tables: the best of each column marked, and the skill against one of the models.

import { type Cell, digitsFor, type Row, type Table } from "./tables.ts";

export interface Metric {
  /** As the values of models have it. */
  readonly name: string;
  /** Above its column; the name if not given. */
  readonly label?: string;
  /** Which value is best: the least if not given, or the one nearest to a number, as for coverage. */
  readonly best?: "least" | "most" | number;
}

/** A model, and its metrics by their names; null or NaN where there is none. */
export interface ModelMetrics {
  readonly name: string;
  readonly values: Readonly<Record<string, number | null>>;
}

export interface Metrics {
  readonly metrics: readonly Metric[];
  readonly models: readonly ModelMetrics[];
  readonly caption?: string;
}

/** Behind the best value of a column. */
const BEST = "*";
/** Digits of the largest value of a column. */
const DIGITS = 4;

/** A row for each model. Of several models, those with the best value of a column have a mark. */
export function metricTable({ metrics, models, caption }: Metrics): Table {
  const isMarked = models.length > 1;
  const columns = metrics.map((metric) => columnOf(metric, models, isMarked));
  const mark =
    isMarked && columns.flat().some((cell) => cell !== null) ? `${BEST} the best of its column` : "";
  return {
    caption: [caption, mark].filter(Boolean).join("; ") || undefined,
    columns: ["model", ...metrics.map(({ name, label = name }) => label)],
    rows: models.map(({ name }, i): Row => ({ name, cells: columns.map((column) => column[i]) })),
  };
}

/** How much less a model errs than the reference: 1 − metric / metric of the reference, for metrics that should be small. */
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
    caption: `Skill against ${reference}: 1 − error / its error`,
    columns: ["model", ...errors.map(({ name, label = name }) => label)],
    rows: models
      .filter((model) => model !== base)
      .map(({ name, values }) => ({
        name,
        cells: errors.map((metric): Cell => {
          const skill = 1 - metricOf(values, metric) / metricOf(base.values, metric);
          return Number.isFinite(skill) ? { seeds: [100 * skill], digits: 1, mark: "%" } : null;
        }),
      })),
  };
}

function columnOf(metric: Metric, models: readonly ModelMetrics[], isMarked: boolean): Cell[] {
  const values = models.map((model) => metricOf(model.values, metric));
  const finite = values.filter(Number.isFinite);
  const digits = digitsFor(finite, DIGITS);
  const least = Math.min(...finite.map((value) => rank(value, metric)));
  return values.map((value): Cell => {
    if (!Number.isFinite(value)) return null;
    const mark = isMarked && rank(value, metric) === least ? BEST : undefined;
    return { seeds: [value], digits, mark };
  });
}

/** Less is better. */
function rank(value: number, { best = "least" }: Metric): number {
  if (best === "least") return value;
  return best === "most" ? -value : Math.abs(value - best);
}

function metricOf(values: ModelMetrics["values"], { name }: Metric): number {
  return values[name] ?? Number.NaN;
}
