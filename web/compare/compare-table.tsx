// The table of a comparison: best, last and chosen value of metrics, with a row per group and per entry.

import { useMemo } from "preact/hooks";
import { shortNumber } from "../../src/report/text-format.ts";
import type {
  Entry,
  EntryList,
  MetricInfo,
  TableAnswer,
  TableCell,
  TableRow,
} from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { EntryLink } from "../components/entry-link.tsx";
import { Badge, BadgeKey, Check, Value, WhenLoaded } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { AXIS_LABELS } from "../format.ts";
import { useLoaded } from "../use-loaded.ts";
import { chosenMetric, metricsOf } from "./metrics-of.ts";

export function CompareTable({
  list,
  entries,
}: {
  readonly list: EntryList;
  readonly entries: readonly Entry[];
}) {
  const app = useApp();
  const { metric: name, moreMetrics, at, x } = app.state.value;
  const available = useMemo(() => metricsOf(list, entries), [list, entries]);
  const main = chosenMetric(available, name);
  const shown = available.filter((each) => each === main || moreMetrics.includes(each.name));
  const request = {
    entries: entries.map(({ id }) => id),
    metrics: shown.map((metric) => metric.name),
    x,
    ...(at === null ? {} : { at }),
  };
  // Changed entries have other values.
  const newest = Math.max(...entries.map(({ modified }) => modified));
  const loaded = useLoaded(main === null ? null : JSON.stringify([request, newest]), () =>
    app.source.table(request),
  );
  if (main === null) return null;
  return (
    <section class="card stack" aria-labelledby="table-title">
      <h2 id="table-title">Values</h2>
      {available.length > 1 && (
        <details class="controls">
          <summary>More metrics in the table</summary>
          <div class="line">
            {available
              .filter((each) => each !== main)
              .map((each) => (
                <Check
                  key={each.name}
                  label={each.label}
                  isChecked={moreMetrics.includes(each.name)}
                  onChange={(isChecked) =>
                    app.go({
                      moreMetrics: isChecked
                        ? [...moreMetrics, each.name]
                        : moreMetrics.filter((other) => other !== each.name),
                    })
                  }
                />
              ))}
          </div>
        </details>
      )}
      <WhenLoaded loaded={loaded}>
        {(answer) => <Rows answer={answer} metrics={shown} entries={entries} />}
      </WhenLoaded>
      <BadgeKey />
    </section>
  );
}

function Rows({
  answer,
  metrics,
  entries,
}: {
  readonly answer: TableAnswer;
  readonly metrics: readonly MetricInfo[];
  readonly entries: readonly Entry[];
}) {
  const app = useApp();
  const { at, x, isGrouped, hidden } = app.state.value;
  const hasAt = answer.rows.some(({ cells }) => Object.values(cells).some((cell) => cell.at !== null));
  const columns: readonly (readonly [keyof TableCell & ("best" | "last" | "at"), string])[] = [
    ["best", "best"],
    ["last", "last"],
    ...(hasAt ? [["at", at === null ? "at" : `at ${shortNumber(at)}`] as const] : []),
  ];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const rows = orderedRows(answer.rows, isGrouped);
  return (
    <ScrollArea label="Values of the selected entries">
      <table data-test="compare-table">
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              Entry
            </th>
            <th scope="col" rowSpan={2} class="number">
              Runs
            </th>
            {metrics.map((metric) => (
              <th key={metric.name} scope="colgroup" colSpan={columns.length} class="number">
                {metric.label} <Badge source={metric.source} />
              </th>
            ))}
          </tr>
          <tr>
            {metrics.flatMap((metric) =>
              columns.map(([column, label]) => (
                <th key={`${metric.name} ${column}`} scope="col" class="number">
                  {label}
                  {column === "at" && <span class="hidden-text"> {AXIS_LABELS[x]}</span>}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const entry = row.entry === null ? undefined : byId.get(row.entry);
            return (
              <tr
                key={row.entry ?? `group ${row.group}`}
                class={rowClass(row, isGrouped, row.entry !== null && hidden.includes(row.entry))}
                data-test={row.entry === null ? "group-row" : "entry-row"}
              >
                <th scope="row">
                  {entry === undefined ? `${row.label}: mean ± deviation` : <EntryLink entry={entry} />}
                </th>
                <td class="number">{row.entry === null ? row.count : ""}</td>
                {metrics.flatMap((metric) =>
                  columns.map(([column]) => {
                    const cell = row.cells[metric.name];
                    return (
                      <td key={`${metric.name} ${column}`} class="number">
                        <Value
                          value={cell?.[column]}
                          deviation={row.count > 1 ? cell?.deviation?.[column] : undefined}
                          source={metric.source}
                        />
                      </td>
                    );
                  }),
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** Each group's row before those of its entries; without grouping, and for groups of one, only entries. */
function orderedRows(rows: readonly TableRow[], isGrouped: boolean): TableRow[] {
  const entries = rows.filter(({ entry }) => entry !== null);
  if (!isGrouped) return entries;
  const groups = [...new Set(rows.map(({ group }) => group))];
  return groups.flatMap((group) => [
    ...rows.filter((row) => row.entry === null && row.group === group && row.count > 1),
    ...entries.filter((row) => row.group === group),
  ]);
}

function rowClass(row: TableRow, isGrouped: boolean, isHidden: boolean): string {
  if (row.entry === null) return "group";
  return `${isGrouped ? "member" : ""} ${isHidden ? "is-hidden" : ""}`;
}
