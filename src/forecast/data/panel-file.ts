// Reads a file of time series into a panel, with all options as plain data, so that a model folder can store them.

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../issues.ts";
import type { Panel } from "../types.ts";
import { describeTable, type TableDescription } from "./describe-table.ts";
import type { FillMethod } from "./fill-gaps.ts";
import { parseFrequency } from "./frequency.ts";
import type { Aggregate, Floor } from "./option-names.ts";
import { type PanelOptions, type PanelResult, panelFromTable } from "./panel.ts";
import type { ReadControl } from "./read-progress.ts";
import { type ReadOptions, readTable } from "./read-table.ts";
import type { SeasonOption } from "./seasons.ts";
import type { Table } from "./table.ts";
import { isStepIndexed } from "./time-grid.ts";

/** Options of reading a file as a panel. */
export interface PanelFileOptions extends ReadOptions {
  /** Such as 15min, D or 1; `irregular` keeps the times unchanged. Default: inferred from the times. */
  readonly frequency?: string;
  /** Steps of a season, or of several. Default: depends on the frequency. */
  readonly season?: SeasonOption;
  /** How rows with equal times are merged. Default: such rows are an error. */
  readonly duplicates?: Aggregate;
  /** Aggregates rows to steps of this length, such as 1h. */
  readonly resample?: string;
  /** How `resample` aggregates. Default: mean. */
  readonly aggregate?: Aggregate;
  /** How forecasters fill gaps; the panel itself keeps them. Default: none. */
  readonly fill?: FillMethod;
  /** The smallest value of forecasts. Default: auto. */
  readonly floor?: Floor;
}

/** A file of time series as a panel. */
export interface PanelFile {
  readonly path: string;
  /** File name without extensions. */
  readonly name: string;
  readonly table: Table;
  readonly result: PanelResult;
  readonly panel: Panel;
}

/** The sample data of the package: births in the United States per day, and options for a first forecast. */
export const DEMO = {
  path: fileURLToPath(new URL("../../../data/us-births-1969-1988.csv.gz", import.meta.url)),
  horizon: 28,
  windows: 10,
} as const;

/** Reads a file. Throws a UserError whose issues name the option or the row that is wrong. */
export async function readPanelFile(
  path: string,
  options: PanelFileOptions = {},
  control: ReadControl = {},
): Promise<PanelFile> {
  const { timeUnit, ...panel } = panelOptions(options);
  const table = await readTable(path, { ...options, timeUnit }, control);
  const result = panelFromTable(table, panel);
  return { path, name: fileName(path), table, result, panel: result.panel };
}

/** The options of the panel among those of the file, and the unit of numeric times. */
export function panelOptions(options: PanelFileOptions): PanelOptions & Pick<PanelFileOptions, "timeUnit"> {
  const { frequency, season, duplicates, resample, aggregate } = options;
  if (aggregate !== undefined && resample === undefined) {
    throw new UserError([
      { path: "aggregate", code: "conflict", message: "needs the option resample, got none" },
    ]);
  }
  const step = frequency === undefined || frequency === "irregular" ? null : parseFrequency(frequency);
  return {
    // A frequency in steps implies that the times are step numbers.
    timeUnit: options.timeUnit ?? (isStepIndexed(step) ? "step" : undefined),
    ...(frequency !== undefined && { frequency: step }),
    ...{ season, duplicates },
    ...(resample !== undefined && {
      resample: { every: parseFrequency(resample, "resample"), aggregate: aggregate ?? "mean" },
    }),
  };
}

/** Summarises a file of time series. */
export function describePanelFile({ table, result }: PanelFile): TableDescription {
  return describeTable(table, result);
}

/** The name of a file without its extensions. */
export function fileName(path: string): string {
  const name = basename(path)
    .replace(/\.gz$/i, "")
    .replace(/\.[^.]+$/, "");
  return name || "series";
}
