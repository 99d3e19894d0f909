// From a file and what was typed about it to a panel.

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import {
  countsSteps,
  type Description,
  describeTable,
  frequencyText,
  type PanelResult,
  panelOf,
  parseFrequency,
  readTable,
  type Table,
} from "../../../forecast/data/index.ts";
import { listed } from "../../../forecast/data/table-error.ts";
import type { Panel } from "../../../forecast/types.ts";
import { count, countOf } from "../../../report/text-table.ts";
import { checkNew } from "../../../run/folder.ts";
import { UsageError } from "../../fail.ts";
import { type DataFlags, dataFlagsOf } from "./data-flags.ts";

/** Births in the United States per day. */
export const DEMO = { name: "us-births-1969-1988", horizon: 28, windows: 10, season: 7 } as const;

export interface Source {
  /** As it was typed, or of the demo. */
  readonly path: string;
  /** What results are called by. */
  readonly name: string;
  readonly table: Table;
  readonly result: PanelResult;
  readonly panel: Panel;
}

export async function readSource(
  typed: string | undefined,
  flags: DataFlags,
  demo: boolean | undefined,
): Promise<Source> {
  if ((typed === undefined) === !demo) {
    throw new UsageError(
      demo ? "--demo has data of its own; give no file" : "name a file of time series, or use --demo",
    );
  }
  const path = typed ?? fileURLToPath(new URL(`../../../../data/${DEMO.name}.csv.gz`, import.meta.url));
  const { freq, resample, agg } = flags;
  if (agg !== undefined && resample === undefined) {
    throw new UsageError("--agg says how --resample gathers; give both");
  }
  const frequency = freq === undefined || freq === "irregular" ? null : frequencyOf("--freq", freq);
  const table = await readTable(path, {
    ...{ format: flags.format, header: flags.header, wide: flags.wide },
    ...{ idColumn: flags.idCol, timeColumn: flags.timeCol, targetColumns: flags.targetCol },
    ...{ pastColumns: flags.past, knownColumns: flags.knownFuture, staticColumns: flags.static },
    categoricalColumns: flags.categorical,
    // Who counts in steps has times that count.
    timeUnit: flags.timeUnit ?? (countsSteps(frequency) ? "step" : undefined),
  });
  const result = panelOf(table, {
    ...(freq !== undefined && { frequency }),
    ...{ season: flags.season, aggregate: flags.duplicates },
    ...(resample !== undefined && {
      resample: { every: frequencyOf("--resample", resample), aggregate: agg ?? "mean" },
    }),
  });
  const name = demo
    ? DEMO.name
    : basename(path)
        .replace(/\.gz$/i, "")
        .replace(/\.[^.]+$/, "") || "series";
  return { path, name, table, result, panel: result.panel };
}

export function describe({ table, result }: Source): Description {
  return describeTable(table, result);
}

/** Data to learn from, read as it was typed. */
export async function observedSource(file: string | undefined, command: { readonly demo?: boolean }) {
  const flags = dataFlagsOf({ ...command });
  const source = await readSource(file, flags, command.demo);
  const { panel, notes } = observedPart(source.panel);
  return { flags, source, panel, notes: [...stepsFound(panel, flags), ...notes] };
}

/** What forecasts will not know of steps and seasons, where nobody has said that it should be so. */
function stepsFound({ frequency, season, series }: Panel, flags: DataFlags): string[] {
  const longest = series.reduce((most, { times }) => Math.max(most, times.length), 0);
  if (frequency === null && flags.freq === undefined)
    return ["times are irregular, so there are no steps and no season; --freq or --resample sets steps"];
  if (countsSteps(frequency) && flags.season === undefined)
    return ["times count steps, so no season is known; if there is one, --season says it"];
  return flags.season !== undefined && season > longest
    ? [`a season of ${count(season)} steps is longer than all series, the longest of ${count(longest)} rows`]
    : [];
}

/** The same for a verb that makes a folder, which is looked at before. */
export async function sourceForFolder(
  file: string | undefined,
  command: { readonly demo?: boolean; readonly out?: string },
  what: string,
) {
  if (command.out !== undefined) await checkNew(command.out, what);
  return observedSource(file, command);
}

/** Of fewer values intervals are a guess. */
const FEW_VALUES = 8;

/** The panel without series of which a target is never there, and sentences on what is missing. */
export function observedPart(panel: Panel): { readonly panel: Panel; readonly notes: readonly string[] } {
  const { targets: names } = panel;
  const isEmpty = (values: Float64Array) => values.every(Number.isNaN);
  const left = panel.series.filter(({ targets }) => targets.some(isEmpty));
  const series = panel.series.filter((one) => !left.includes(one));
  if (series.length === 0) {
    throw new UsageError(`a series must have a value of ${names.join(" and ")}, got none that does`);
  }
  const notes = left.map(({ id, targets }) => {
    const target = names[targets.findIndex(isEmpty)];
    return `series ${JSON.stringify(id)} is left out, as it has no value of ${target}`;
  });
  const ends = series.flatMap(({ id, targets, times }) => {
    const seen =
      1 + Math.max(...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
    if (seen === times.length) return [];
    return [
      `series ${JSON.stringify(id)} ends with ${countOf(times.length - seen, "row")} without ${names.join(" and ")}; ` +
        "rows ahead are told by columns that --known-future names",
    ];
  });
  const short = series.filter(({ targets }) =>
    targets.some((values) => values.filter(Number.isFinite).length < FEW_VALUES),
  );
  const few =
    short.length === 0
      ? []
      : [
          `fewer than ${FEW_VALUES} values tell little of how far forecasts may be off: series ${listed(short.map(({ id }) => id))}`,
        ];
  return { panel: { ...panel, series }, notes: [...notes, ...ends, ...few] };
}

/** Refuses a horizon of which no step at the end was ever seen. */
export function checkHorizon(horizon: number | undefined, { series }: Panel): number {
  if (horizon === undefined) throw new UsageError("--horizon must be given: how many steps ahead");
  const longest = series.reduce((most, { times }) => Math.max(most, times.length), 0);
  if (horizon >= longest) {
    throw new UsageError(
      `--horizon must be below the ${countOf(longest, "row")} of the longest series, got ${horizon}`,
    );
  }
  return horizon;
}

/** 28 steps of D, or 28 steps where they have no length. */
export function horizonText(horizon: number, { frequency }: Panel): string {
  const steps = countOf(horizon, "step");
  return frequency === null ? steps : `${steps} of ${frequencyText(frequency)}`;
}

/** The data in a few words. */
export function dataText({ name, table, panel }: Source): string {
  const { length } = panel.series;
  return `${name}, ${count(length)} series, ${countOf(table.times.length, "row")}, season ${panel.season}`;
}

function frequencyOf(flag: string, text: string) {
  try {
    return parseFrequency(text);
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`, { cause: error });
  }
}
