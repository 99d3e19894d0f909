// Time series: out of files, as panels, and made ready for models.

export * from "./calendar.ts";
export { COUNTED_UNITS, type CountedUnit } from "./check-rows.ts";
export type { ColumnOptions } from "./columns.ts";
export * from "./cut.ts";
export * from "./describe.ts";
export { AGGREGATES, type Aggregate } from "./draft.ts";
export * from "./fill.ts";
export * from "./frequency.ts";
export * from "./normalise.ts";
export * from "./panel.ts";
export * from "./read-table.ts";
export * from "./table.ts";
export { TableError } from "./table-error.ts";
export type { TableFormat } from "./table-file.ts";
export * from "./times.ts";
