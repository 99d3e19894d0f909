// Checks whether a panel can be forecast, drops series without values, and writes notes about short series and missing
// seasons.

import { nameList } from "../../formats/tables/table-error.ts";
import { UserError } from "../../issues.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import type { Panel, Series } from "../types.ts";
import type { PanelFileOptions } from "./panel-file.ts";
import { isStepIndexed } from "./time-grid.ts";

/** A panel without the series that cannot be used. */
export interface UsablePanel {
  readonly panel: Panel;
  /** One sentence per remark about the data. */
  readonly notes: readonly string[];
}

/** With fewer values, intervals are unreliable. */
export const FEW_VALUES = 8;

/** The panel without series that lack all values of a target, and notes about dropped and short series. */
export function usablePanel(panel: Panel): UsablePanel {
  const { targets: names } = panel;
  const remarks = panel.series.map((series) => ({ series, ...seriesRemarks(series, names) }));
  const usable = remarks.filter(({ unusable }) => unusable === null);
  if (usable.length === 0) {
    throw new UserError(`at least one series must have values of ${names.join(" and ")}, got none`);
  }
  const dropped = remarks.flatMap(({ series: { id }, unusable }) =>
    unusable === null ? [] : [`series ${JSON.stringify(id)} is skipped, because it ${unusable}`],
  );
  const trailing = usable.flatMap(({ series: { id }, trailing }) =>
    trailing === null ? [] : [`series ${JSON.stringify(id)} ${trailing}`],
  );
  const short = usable.filter(({ isShort }) => isShort).map(({ series: { id } }) => id);
  const few =
    short.length === 0
      ? []
      : [`intervals are unreliable with fewer than ${FEW_VALUES} values: series ${nameList(short)}`];
  return {
    panel: { ...panel, series: usable.map(({ series }) => series) },
    notes: [...dropped, ...trailing, ...few],
  };
}

/** What is remarkable about a series. */
export interface SeriesRemarks {
  /** Why it cannot be forecast, as a predicate; null if it can. */
  readonly unusable: string | null;
  /** Rows at its end without a value, as a predicate; null if there are none. */
  readonly trailing: string | null;
  /** Whether it has so few values that intervals are unreliable. */
  readonly isShort: boolean;
}

export function seriesRemarks({ targets, times }: Series, names: readonly string[]): SeriesRemarks {
  const empty = targets.findIndex((values) => values.every(Number.isNaN));
  const observed =
    1 + Math.max(...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
  return {
    unusable: empty < 0 ? null : `has no value of ${names[empty]}`,
    trailing:
      observed === times.length
        ? null
        : `ends with ${formatCountOf(times.length - observed, "row")} without ${names.join(" and ")}; ` +
          "declare columns with known future values if these rows describe the future",
    isShort: targets.some((values) => values.filter(Number.isFinite).length < FEW_VALUES),
  };
}

/** Notes about an unknown frequency or season that the user may want to set. */
export function seasonNotes(panel: Panel, options: Pick<PanelFileOptions, "frequency" | "season">): string[] {
  return notesAboutSeason(panel, longestSeries(panel), options);
}

/** As `seasonNotes`, with the number of rows of the longest series. */
export function notesAboutSeason(
  { frequency, season }: Pick<Panel, "frequency" | "season">,
  longest: number,
  options: Pick<PanelFileOptions, "frequency" | "season">,
): string[] {
  if (frequency === null && options.frequency === undefined)
    return ["times are irregular, so there are no steps and no season; set a frequency or resample"];
  if (isStepIndexed(frequency) && options.season === undefined)
    return ["times count steps, so there is no default season; set a season if there is one"];
  return options.season !== undefined && season > longest
    ? [
        `a season of ${formatCount(season)} steps is longer than the longest series, ${formatCountOf(longest, "row")}`,
      ]
    : [];
}

/** Throws if the horizon is missing or not shorter than the longest series. */
export function checkHorizon(horizon: number | undefined, panel: Panel): number {
  return checkedHorizon(horizon, longestSeries(panel));
}

/** As `checkHorizon`, with the number of rows of the longest series. */
export function checkedHorizon(horizon: number | undefined, longest: number): number {
  if (horizon === undefined) throw horizonError("must be given: the number of steps to forecast");
  if (horizon < longest) return horizon;
  throw horizonError(
    `must be below the ${formatCountOf(longest, "row")} of the longest series, got ${horizon}`,
  );
}

/** The panel with only the series of these ids. Default: all series. */
export function selectSeries(panel: Panel, ids: readonly string[] | undefined): Panel {
  if (ids === undefined) return panel;
  const unknown = ids.find((id) => !panel.series.some((one) => one.id === id));
  if (unknown !== undefined) {
    const names = panel.series.slice(0, 12).map(({ id }) => id);
    const message = `there is no series ${JSON.stringify(unknown)}; choose from ${names.join(", ")}`;
    throw new UserError([{ path: "series", code: "unknown", message }]);
  }
  return { ...panel, series: panel.series.filter(({ id }) => ids.includes(id)) };
}

/** Number of rows of the longest series. */
export function longestSeries({ series }: Pick<Panel, "series">): number {
  return series.reduce((longest, { times }) => Math.max(longest, times.length), 0);
}

function horizonError(message: string): UserError {
  return new UserError([{ path: "horizon", code: "range", message }]);
}
