// Time series data: files, tables, panels, and preparation for models.

export { TableError } from "../../formats/tables/table-error.ts";
export * from "./calendar-features.ts";
export type { ColumnOptions } from "./choose-columns.ts";
export * from "./describe-table.ts";
export * from "./fill-gaps.ts";
export * from "./frequency.ts";
export * from "./normalise.ts";
export * from "./option-names.ts";
export * from "./panel.ts";
export * from "./panel-file.ts";
export type { ReadControl, ReadProgress } from "./read-progress.ts";
export * from "./read-table.ts";
export * from "./table.ts";
export * from "./time-grid.ts";
export * from "./truncate.ts";
export * from "./usable-panel.ts";
