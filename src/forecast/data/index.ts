// Time series data: files, tables, panels, and preparation for models.

export { TableError } from "../../formats/tables/table-error.ts";
export * from "./calendar-features.ts";
export type { ColumnOptions } from "./choose-columns.ts";
export * from "./describe-table.ts";
export * from "./fill-gaps.ts";
export {
  defaultSeason,
  formatFrequency,
  inferFrequency,
  inferStepFrequency,
  parseFrequency,
} from "./frequency.ts";
export * from "./normalise.ts";
export * from "./option-names.ts";
export { type PanelOptions, type PanelResult, panelFromTable, type SeriesReport } from "./panel.ts";
export {
  DEMO,
  describePanelFile,
  type PanelFile,
  type PanelFileOptions,
  readPanelFile,
} from "./panel-file.ts";
export type { ReadControl, ReadProgress } from "./read-progress.ts";
export { type ReadOptions, readTable } from "./read-table.ts";
export * from "./table.ts";
export * from "./time-grid.ts";
export * from "./truncate.ts";
export {
  checkHorizon,
  longestSeries,
  seasonNotes,
  selectSeries,
  type UsablePanel,
  usablePanel,
} from "./usable-panel.ts";
