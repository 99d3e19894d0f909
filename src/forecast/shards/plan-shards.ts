// Plans the shards of a backtest of many series in a Parquet file: checks all rows, finds what all series share, and divides
// the series by their rows in the file. The values of the series are not held in memory.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { TableError } from "../../formats/tables/table-error.ts";
import { openTableFile, type TableFile } from "../../formats/tables/table-file.ts";
import { UserError } from "../../issues.ts";
import { formatCount } from "../../report/text-format.ts";
import {
  type BacktestPlan,
  type BacktestPlanOptions,
  planForLongest,
  withReference,
} from "../backtest/plan.ts";
import { windowCutoffs } from "../backtest/windows.ts";
import { checkRows } from "../data/check-rows.ts";
import type { ChosenColumns } from "../data/choose-columns.ts";
import { chooseFileColumns } from "../data/choose-file-columns.ts";
import { fileName, type PanelFileOptions, panelOptions } from "../data/panel-file.ts";
import { checkSeriesCount, MAX_SERIES } from "../data/read-limits.ts";
import { ProgressReporter, type ReadControl } from "../data/read-progress.ts";
import { notesAboutSeason } from "../data/usable-panel.ts";
import { ALL_FORECASTERS, type ForecasterSpec, isLearned } from "../forecasters/forecaster-by-name.ts";
import { TOKEN_MODEL } from "../forecasters/forecaster-names.ts";
import { divideSeries, type RowGroup } from "./divide-series.ts";
import { type PanelFacts, panelFacts, type SeriesBlock } from "./panel-facts.ts";
import { MAX_MODEL_STEPS, MAX_WINDOWS, type ShardSettings } from "./shard-settings.ts";

export interface ShardPlanOptions extends BacktestPlanOptions {
  /** Least number of shards. Default: as many as their size needs. */
  readonly shards?: number;
  /** Whether forecasts are wanted, besides the scores. */
  readonly forecasts?: boolean;
}

export interface ShardPlan extends Pick<PanelFacts, "frequency" | "season" | "furtherSeasons"> {
  readonly path: string;
  /** File name without extensions. */
  readonly name: string;
  readonly sha256: string;
  readonly rows: number;
  readonly series: number;
  /** The options of the backtest; its models are baselines, with the reference of skill scores. */
  readonly plan: BacktestPlan;
  readonly shards: readonly ShardSettings[];
  /** A further shard with forecasts of the first series, for charts. */
  readonly sample: ShardSettings;
  /** Row groups of the file, and the most that a shard reads. */
  readonly rowGroups: { readonly count: number; readonly most: number };
  /** Sentences about the data and the options. */
  readonly notes: readonly string[];
}

/** Whole file: no row number is larger. */
const ALL_ROWS = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Number of series of a Parquet file, if a column has their names; otherwise 1. */
export async function countSeries(
  path: string,
  options: PanelFileOptions,
  signal?: AbortSignal,
): Promise<number> {
  const file = await openTableFile(path, options, signal);
  try {
    const { columns } = await chooseFileColumns(path, file, options);
    if (columns.id === undefined) return 1;
    const [[count]] = await file.all(
      `SELECT count(DISTINCT ${file.textSql(columns.id)})::INTEGER FROM ${file.fromSql}`,
    );
    return Number(count);
  } finally {
    await file.close();
  }
}

/** Plans the shards. Throws a UserError if the options need all series at once. */
export async function planShards(
  path: string,
  dataOptions: PanelFileOptions,
  options: ShardPlanOptions,
  control: ReadControl = {},
): Promise<ShardPlan> {
  const { models, notes: modelNotes } = localModels(options.models);
  checkDataOptions(dataOptions);
  const file = await openTableFile(path, { ...dataOptions, part: ALL_ROWS }, control.signal);
  const reporter = new ProgressReporter(control);
  try {
    const { columns, notes } = await chooseFileColumns(path, file, dataOptions);
    const { id, time } = columns;
    if (id === undefined || time === undefined) {
      throw new TableError(
        `${path} needs a column of series names and one of times to be forecast in shards`,
      );
    }
    const rowGroups = await readRowGroups(file);
    const rows = rowGroups.reduce((sum, group) => sum + group.rows, 0);
    const checking = { phase: "checking", rows, total: rows } as const;
    const sha256 = await reporter.during(checking, hashFile(path, control.signal));
    const { timeUnit, ...panelOption } = panelOptions(dataOptions);
    const checked = checkRows(path, file, columns, { timeUnit });
    const { timeFormat } = await reporter.during(checking, checked);
    const blocks = await reporter.during(checking, readSeries(path, file, columns));
    if (!blocks.some(({ usable }) => usable)) {
      throw new UserError(
        `at least one series must have values of ${columns.targets.join(" and ")}, got none`,
      );
    }
    const reading = { phase: "reading", rows: 0, total: rows } as const;
    const facts = await reporter.during(reading, panelFacts(file, columns, timeFormat, blocks, panelOption));
    const plan = planForLongest({ ...options, models }, facts.longest);
    checkSizes(plan);
    const { frequency, season, furtherSeasons } = facts;
    const { horizon, levels, quantiles, inputSize, predictiveDistribution } = plan;
    const common = {
      ...{ idColumn: id, timeColumn: time, targetColumns: columns.targets, timeFormat },
      ...{ frequency, season, furtherSeasons, horizon, levels, inputSize, predictiveDistribution },
      ...{ duplicates: panelOption.duplicates, resample: panelOption.resample, fill: dataOptions.fill },
      floor: dataOptions.floor,
      quantiles: quantiles.length > 0 ? quantiles : undefined,
      ...{ windows: plan.windows, stepSize: plan.stepSize },
      cutoffs: plan.align === "time" ? windowCutoffs(facts.lastTimes, plan) : undefined,
      models: plan.models.map((model) => model.name),
      forecasts: options.forecasts ?? false,
    };
    const { shards, sample, most, isScattered } = divideSeries(
      blocks,
      rowGroups,
      withoutUndefined(common),
      options.shards,
    );
    return {
      ...{
        path,
        name: fileName(path),
        sha256,
        rows,
        series: blocks.length,
        plan,
        shards,
        sample,
        frequency,
        season,
        furtherSeasons,
      },
      rowGroups: { count: rowGroups.length, most },
      notes: [
        ...modelNotes,
        ...notes,
        ...notesAboutSeason(facts, facts.longest, dataOptions),
        ...(isScattered
          ? [
              `rows of one series are not together in ${path}, so that a shard reads up to ${formatCount(most)} of ` +
                `${formatCount(rowGroups.length)} row groups; sort the file by ${id} to read each once`,
            ]
          : []),
      ],
    };
  } finally {
    await file.close();
  }
}

/** The SHA-256 of a file. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20, signal })) hash.update(bytes);
  return hash.digest("hex");
}

/** Baselines treat each series by itself. The learned model is trained on all series, so no shard can run it. */
function localModels(given: readonly ForecasterSpec[] | undefined): {
  readonly models: readonly ForecasterSpec[];
  readonly notes: readonly string[];
} {
  const models = given ?? ALL_FORECASTERS.filter((model) => !isLearned(model));
  if (models.some(isLearned)) {
    const message = `cannot have ${TOKEN_MODEL} in shards, because it is trained on all series together; choose baselines`;
    throw new UserError([{ path: "models", code: "conflict", message }]);
  }
  const notes = given ? [] : [`${TOKEN_MODEL} is left out, because it is trained on all series together`];
  return { models: withReference(models), notes };
}

function checkDataOptions(options: PanelFileOptions): void {
  const needless = ["pastColumns", "knownFutureColumns", "staticColumns", "categoricalColumns"] as const;
  const covariate = needless.find((option) => options[option] !== undefined);
  if (covariate !== undefined) {
    const message = "cannot be used in shards, because baselines use no covariates; omit it";
    throw new UserError([{ path: covariate, code: "conflict", message }]);
  }
  if (options.wide !== true) return;
  const message =
    "cannot be used in shards, because rows of series are divided; use one column of series names";
  throw new UserError([{ path: "wide", code: "conflict", message }]);
}

function checkSizes({ horizon, windows, models }: BacktestPlan): void {
  if (windows > MAX_WINDOWS) {
    const message = `must be at most ${formatCount(MAX_WINDOWS)} in shards, got ${formatCount(windows)}`;
    throw new UserError([{ path: "windows", code: "range", message }]);
  }
  const steps = horizon * models.length;
  if (steps <= MAX_MODEL_STEPS) return;
  const message =
    `times the number of models must be at most ${formatCount(MAX_MODEL_STEPS)} in shards, got ${formatCount(steps)}; ` +
    "choose fewer models or steps";
  throw new UserError([{ path: "horizon", code: "range", message }]);
}

async function readRowGroups(file: TableFile): Promise<RowGroup[]> {
  const found = await file.all(
    "SELECT row_group_id, any_value(row_group_num_rows) FROM parquet_metadata($1) GROUP BY row_group_id ORDER BY row_group_id",
  );
  let from = 0;
  return found.map(([, size]) => {
    const rows = Number(size);
    from += rows;
    return { from: from - rows, rows };
  });
}

/** The rows of each series, and whether it has a value of every target. Sorted by id. */
async function readSeries(path: string, file: TableFile, columns: ChosenColumns): Promise<SeriesBlock[]> {
  const values = columns.targets.map((name, i) => `${file.valueSql(name)} AS v${i}`);
  const usable = columns.targets.map((_, i) => `bool_or(NOT isnan(v${i}))`).join(" AND ");
  const found = await file.all(
    `SELECT id, count(*)::INTEGER, min(row)::INTEGER, max(row)::INTEGER, ${usable}
     FROM (SELECT ${file.rowSql} AS row, ${file.textSql(columns.id!)} AS id, ${values.join(", ")} FROM ${file.fromSql})
     GROUP BY id ORDER BY id LIMIT ${MAX_SERIES + 1}`,
  );
  checkSeriesCount(path, found.length);
  return found.map(([id, size, first, last, isUsable]) => ({
    ...{ id: String(id), size: Number(size), first: Number(first), last: Number(last) },
    usable: isUsable === true,
  }));
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
