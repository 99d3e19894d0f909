// Checks whether a panel can be forecast, drops series without values, and writes notes about short series and missing
// seasons.

import { nameList } from "../../formats/tables/table-error.ts";
import { UserError } from "../../issues.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import type { Panel } from "../types.ts";
import type { PanelFileOptions } from "./panel-file.ts";
import { isStepIndexed } from "./time-grid.ts";

/** A panel without the series that cannot be used. */
export interface UsablePanel {
  readonly panel: Panel;
  /** One sentence per remark about the data. */
  readonly notes: readonly string[];
}

/** With fewer values, intervals are unreliable. */
const FEW_VALUES = 8;

/** The panel without series that lack all values of a target, and notes about dropped and short series. */
export function usablePanel(panel: Panel): UsablePanel {
  const { targets: names } = panel;
  const isEmpty = (values: Float64Array) => values.every(Number.isNaN);
  const dropped = panel.series.filter(({ targets }) => targets.some(isEmpty));
  const series = panel.series.filter((one) => !dropped.includes(one));
  if (series.length === 0) {
    throw new UserError(`at least one series must have values of ${names.join(" and ")}, got none`);
  }
  const notes = dropped.map(({ id, targets }) => {
    const target = names[targets.findIndex(isEmpty)];
    return `series ${JSON.stringify(id)} is skipped, because it has no value of ${target}`;
  });
  const trailing = series.flatMap(({ id, targets, times }) => {
    const observed =
      1 + Math.max(...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
    if (observed === times.length) return [];
    return [
      `series ${JSON.stringify(id)} ends with ${formatCountOf(times.length - observed, "row")} without ${names.join(" and ")}; ` +
        "declare columns with known future values if these rows describe the future",
    ];
  });
  const short = series.filter(({ targets }) =>
    targets.some((values) => values.filter(Number.isFinite).length < FEW_VALUES),
  );
  const few =
    short.length === 0
      ? []
      : [
          `intervals are unreliable with fewer than ${FEW_VALUES} values: series ${nameList(short.map(({ id }) => id))}`,
        ];
  return { panel: { ...panel, series }, notes: [...notes, ...trailing, ...few] };
}

/** Notes about an unknown frequency or season that the user may want to set. */
export function seasonNotes(
  { frequency, season, series }: Panel,
  options: Pick<PanelFileOptions, "frequency" | "season">,
): string[] {
  if (frequency === null && options.frequency === undefined)
    return ["times are irregular, so there are no steps and no season; set a frequency or resample"];
  if (isStepIndexed(frequency) && options.season === undefined)
    return ["times count steps, so there is no default season; set a season if there is one"];
  const longest = longestSeries({ series });
  return options.season !== undefined && season > longest
    ? [
        `a season of ${formatCount(season)} steps is longer than the longest series, ${formatCountOf(longest, "row")}`,
      ]
    : [];
}

/** Throws if the horizon is missing or not shorter than the longest series. */
export function checkHorizon(horizon: number | undefined, panel: Panel): number {
  if (horizon === undefined) throw horizonError("must be given: the number of steps to forecast");
  const longest = longestSeries(panel);
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
