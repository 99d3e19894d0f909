// The tables of a report as files: values of entries and groups, results, settings, candidates, and the tables of pages.

import { type TableCell as ReportCell, settingsTable, type Table } from "../report/tables.ts";
import { groupedBy } from "./entry-groups.ts";
import type { EntryDetail, MetricInfo, ReportData, TableAnswer, TableCell } from "./page-data.ts";
import { inFolder, type Named, ofEntry, sectionsOf, slug, withUniquePaths } from "./report-names.ts";
import type { CalibrationView, CandidatesView, ScenarioView, ViewData } from "./view-data.ts";

export interface NamedTable extends Named {
  readonly table: Table;
}

export function reportTables(report: ReportData): NamedTable[] {
  const { rows, differences } = report.table;
  const shared = report.compared.length > 1;
  const values = valuesTable(report.list.metrics, report.table);
  return withUniquePaths([
    ...(shared && rows.length > 0 ? [{ path: "values", table: values }] : []),
    ...(shared && differences.length > 0 ? [{ path: "differences", table: differencesTable(report) }] : []),
    ...report.details.flatMap((detail): NamedTable[] => {
      const { id } = detail.entry;
      const at = (name: string) => inFolder(report, id, name);
      return [
        ...(detail.results.length > 0 ? [{ path: at("results"), table: resultsTable(detail) }] : []),
        ...ofEntry(report.views, id).flatMap(({ data }) =>
          viewTables(data).map(({ path, table }) => ({ path: at(path), table })),
        ),
        ...sectionsOf(report, id).flatMap(({ heading, tables = [] }) =>
          tables.map((table) => ({ path: at(slug(`${heading} ${table.caption ?? ""}`)), table })),
        ),
        ...(detail.settings.length > 0
          ? [{ path: at("settings"), table: settingsTable(detail.settings) }]
          : []),
      ];
    }),
  ]);
}

/** Best and last value of every metric, in a row per group; entries of a group of several follow it. */
function valuesTable(metrics: readonly MetricInfo[], { rows }: TableAnswer): Table {
  const used = metrics.filter(({ name }) => rows.some(({ cells }) => cells[name]?.last != null));
  const sizes = groupedBy(rows, ({ group }) => group);
  const shown = rows.filter(({ entry, group }) => entry === null || (sizes.get(group)?.length ?? 0) > 2);
  const columns = used.flatMap(({ name, label, better }) =>
    (better === null ? (["last"] as const) : (["last", "best"] as const)).map((value) => ({
      ...{ name, value, heading: `${value} ${label}` },
    })),
  );
  const seedColumns = columns.map(({ name, value }) =>
    shown.some(({ cells }) => (cells[name]?.deviation?.[value] ?? 0) > 0),
  );
  const headings = columns.flatMap(({ heading }, i) =>
    seedColumns[i] ? [heading, `${heading}, standard deviation`] : [heading],
  );
  return {
    caption: "A group has the mean over its seeds.",
    columns: ["entry", "entries", ...headings],
    rows: shown.map(({ label, count, cells }) => ({
      name: label,
      cells: [
        count,
        ...columns.flatMap(({ name, value }, i): ReportCell[] => {
          const cell: TableCell | undefined = cells[name];
          return seedColumns[i]
            ? [cell?.[value] ?? null, cell?.deviation?.[value] ?? null]
            : [cell?.[value] ?? null];
        }),
      ],
    })),
  };
}

function differencesTable({ table, compared, list }: ReportData): Table {
  const names = compared.map((id) => list.entries.find((entry) => entry.id === id)?.name ?? id);
  return {
    columns: ["setting", ...names],
    rows: table.differences.map(({ setting, values }) => ({ name: setting, cells: values })),
  };
}

function resultsTable({ results }: EntryDetail): Table {
  return {
    columns: ["metric", "reached", "limit", "uniform policy", "source"],
    rows: results.map(({ label, model, source, reached, limit, uniform }) => ({
      name: model === undefined ? label : `${model}: ${label}`,
      cells: [reached, limit, uniform, source],
    })),
  };
}

function viewTables(data: ViewData): NamedTable[] {
  if (data.view === "candidates") return [{ path: "candidates", table: candidatesTable(data) }];
  if (data.view === "calibration") return [{ path: "forecast-metrics", table: forecastTable(data) }];
  if (data.view === "scenario" && data.numbers.length > 0) {
    return [{ path: `scenario-${slug(data.chosen)}`, table: scenarioTable(data) }];
  }
  return [];
}

function scenarioTable({ numbers, chosen }: ScenarioView): Table {
  return {
    caption: chosen,
    columns: ["number", "value", "standard error"],
    rows: numbers.map(({ label, value, error }) => ({ name: label, cells: [value, error] })),
  };
}

function candidatesTable({ columns, rows }: CandidatesView): Table {
  const [first, ...others] = columns;
  return {
    columns: [first, ...others].map(({ label }) => label),
    rows: rows.map(([name, ...cells]) => ({ name: String(name ?? ""), cells })),
  };
}

function forecastTable({ models }: CalibrationView): Table {
  const metrics = [...new Set(models.flatMap((model) => Object.keys(model.metrics)))];
  return {
    columns: ["model", ...metrics],
    rows: models.map(({ name, metrics: values }) => ({
      name,
      cells: metrics.map((each) => values[each] ?? null),
    })),
  };
}
