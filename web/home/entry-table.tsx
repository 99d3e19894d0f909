// The list of entries as a table: sorted by any column, with a row per entry or per group. Only the rows inside the
// scrolled window are in the page.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatCount } from "../../src/report/text-format.ts";
import type { Entry, MetricInfo } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { EntryLink } from "../components/entry-link.tsx";
import { Badge, StateMark, Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { visibleRows } from "../components/visible-rows.ts";
import { timeAgo } from "../format.ts";
import { linkTo, openEntry } from "../links.ts";
import { useBestValues } from "./best-values.ts";
import { type GroupRow, groupRows } from "./entry-list.ts";

/** Height of a row in pixels; `--row` of the style sheet. */
const ROW_HEIGHT = 34;

type Row = Entry | GroupRow;

const FIELDS: readonly (readonly [column: string, label: string, isNumber: boolean, optional?: string])[] = [
  ["name", "Name", false],
  ["kind", "Kind", false, "optional"],
  ["task", "Task", false],
  ["state", "State", false],
  ["seed", "Seed", true, "optional"],
  ["iteration", "Iteration", true],
];

export function EntryTable({
  all,
  shown,
  metrics,
}: {
  readonly all: readonly Entry[];
  /** Entries that pass the filter, in the order of the table. */
  readonly shown: readonly Entry[];
  readonly metrics: readonly MetricInfo[];
}) {
  const app = useApp();
  const { selected, isListGrouped } = app.state.value;
  const place = useRef<HTMLElement>(null);
  const position = useSignal({ top: 0, height: 700 });
  const rows: readonly Row[] = isListGrouped ? groupRows(all, shown) : shown;
  const { from, to, before, after } = visibleRows({
    ...{ count: rows.length, rowHeight: ROW_HEIGHT },
    ...position.value,
  });
  const visible = rows.slice(from, to);
  const best = useBestValues(
    isListGrouped ? [] : (visible as readonly Entry[]),
    metrics.map(({ name }) => name),
  );
  const chosen = new Set(selected);
  const choose = (ids: readonly string[], isChosen: boolean) => {
    const others = selected.filter((id) => !ids.includes(id));
    app.go({ selected: isChosen ? [...others, ...ids] : others });
  };
  const measure = () => {
    const { scrollTop, clientHeight } = place.current!;
    const { top, height } = position.peek();
    if (top !== scrollTop || height !== clientHeight)
      position.value = { top: scrollTop, height: clientHeight };
  };
  useEffect(measure);
  const now = Date.now();
  const width = 1 + FIELDS.length + 2 * metrics.length + 1;
  return (
    <ScrollArea label="Entries" class="list" place={place} onScroll={measure}>
      <table aria-rowcount={rows.length + 2}>
        <TableHead shown={shown} metrics={metrics} chosen={chosen} choose={choose} />
        <tbody>
          {before > 0 && <Filler height={before} width={width} />}
          {/* Rows are told apart by their place: sorting then changes texts, which is much faster than moving rows. */}
          {visible.map((row, i) =>
            "entries" in row ? (
              <GroupLine key={from + i} {...{ row, metrics, chosen, choose, now }} index={from + i} />
            ) : (
              <EntryLine
                key={from + i}
                entry={row}
                {...{ metrics, chosen, choose, best, now }}
                index={from + i}
              />
            ),
          )}
          {after > 0 && <Filler height={after} width={width} />}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function Filler({ height, width }: { readonly height: number; readonly width: number }) {
  return (
    <tr class="filler">
      <td colSpan={width} style={{ height: `${height}px` }} />
    </tr>
  );
}

interface Choosing {
  readonly chosen: ReadonlySet<string>;
  choose(ids: readonly string[], isChosen: boolean): void;
}

function TableHead({
  shown,
  metrics,
  chosen,
  choose,
}: Choosing & { readonly shown: readonly Entry[]; readonly metrics: readonly MetricInfo[] }) {
  const { isListGrouped } = useApp().state.value;
  const areAllChosen = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={2}>
          <input
            type="checkbox"
            aria-label="Select all entries that are shown"
            checked={areAllChosen}
            onChange={() =>
              choose(
                shown.map(({ id }) => id),
                !areAllChosen,
              )
            }
          />
        </th>
        {FIELDS.map(([column, label, isNumber, name]) => (
          <SortHeader key={column} {...{ column, label, isNumber }} rows={2} class={name} />
        ))}
        {metrics.map(({ name, label, source }) => (
          <th key={name} scope="colgroup" colSpan={isListGrouped ? 1 : 2} class="number" title={label}>
            <Badge source={source} /> {label}
          </th>
        ))}
        <SortHeader column="modified" label="Changed" isNumber rows={2} />
      </tr>
      <tr>
        {metrics.flatMap(({ name, label }) => [
          <SortHeader
            key={name}
            column={`last:${name}`}
            label={isListGrouped ? "last, mean ± deviation" : "last"}
            of={label}
            isNumber
            rows={1}
          />,
          isListGrouped ? null : (
            <th key={`best ${name}`} scope="col" class="number">
              best
            </th>
          ),
        ])}
      </tr>
    </thead>
  );
}

function SortHeader({
  column,
  label,
  of,
  isNumber,
  rows,
  class: name = "",
}: {
  readonly class?: string;
  readonly column: string;
  readonly label: string;
  /** The metric that the column belongs to. */
  readonly of?: string;
  readonly isNumber: boolean;
  readonly rows: number;
}) {
  const app = useApp();
  const { sort } = app.state.value;
  const isCurrent = sort.column === column;
  const direction = sort.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      rowSpan={rows}
      class={`${name} ${isNumber ? "number" : ""}`}
      aria-sort={isCurrent ? direction : undefined}
    >
      <button
        type="button"
        class="plain"
        aria-label={of === undefined ? undefined : `${label} ${of}`}
        onClick={() =>
          app.go({ sort: { column, isDescending: isCurrent ? !sort.isDescending : column === "modified" } })
        }
      >
        {label}
        {isCurrent ? (sort.isDescending ? " ↓" : " ↑") : ""}
      </button>
    </th>
  );
}

function EntryLine({
  entry,
  metrics,
  chosen,
  choose,
  best,
  now,
  index,
}: Choosing & {
  readonly entry: Entry;
  readonly metrics: readonly MetricInfo[];
  readonly best: (entry: Entry, metric: string) => number | null;
  readonly now: number;
  readonly index: number;
}) {
  return (
    <tr class="entry" data-test="entry" data-entry={entry.id} aria-rowindex={index + 3}>
      <td>
        <input
          type="checkbox"
          aria-label={`Select ${entry.name}`}
          checked={chosen.has(entry.id)}
          onChange={(event) => choose([entry.id], event.currentTarget.checked)}
        />
      </td>
      <th scope="row" class="name" title={`${entry.id}\n${entry.groupLabel}`}>
        <EntryLink entry={entry} />
      </th>
      <td class="optional">{entry.kind}</td>
      <td>{entry.task ?? "–"}</td>
      <td>
        <StateMark state={entry.state} />
      </td>
      {entry.state === "broken" ? (
        <td class="problem" colSpan={2 + 2 * metrics.length} title={entry.problem ?? ""}>
          {entry.problem}
        </td>
      ) : (
        <>
          <td class="number optional">{entry.seed ?? "–"}</td>
          <td class="number">{entry.iteration === null ? "–" : formatCount(entry.iteration)}</td>
          {metrics.flatMap(({ name, source }) => [
            <td key={name} class="number">
              <Value value={entry.last[name]} source={source} />
            </td>,
            <td key={`best ${name}`} class="number">
              <Value value={best(entry, name)} source={source} />
            </td>,
          ])}
        </>
      )}
      <td class="number faint">{timeAgo(entry.modified, now)}</td>
    </tr>
  );
}

function GroupLine({
  row,
  metrics,
  chosen,
  choose,
  now,
  index,
}: Choosing & {
  readonly row: GroupRow;
  readonly metrics: readonly MetricInfo[];
  readonly now: number;
  readonly index: number;
}) {
  const app = useApp();
  const { entries } = row;
  const ids = entries.map(({ id }) => id);
  const [first] = entries;
  const states = [...new Set(entries.map(({ state }) => state))];
  const link =
    entries.length === 1 ? openEntry(first.id, first.kind) : { page: "compare" as const, selected: ids };
  return (
    <tr class="entry" data-test="group" aria-rowindex={index + 3}>
      <td>
        <input
          type="checkbox"
          aria-label={`Select ${row.label}`}
          checked={ids.every((id) => chosen.has(id))}
          onChange={(event) => choose(ids, event.currentTarget.checked)}
        />
      </td>
      <th scope="row" class="name" title={row.label}>
        <a {...linkTo(app, link)}>{row.label}</a>
      </th>
      <td class="optional">{first.kind}</td>
      <td>{first.task ?? "–"}</td>
      <td>{states.length === 1 ? <StateMark state={states[0]} /> : states.join(", ")}</td>
      <td class="number optional">
        {entries.length === 1 ? (first.seed ?? "–") : `${entries.length} seeds`}
      </td>
      <td class="number">{formatCount(Math.max(0, ...entries.map(({ iteration }) => iteration ?? 0)))}</td>
      {metrics.map(({ name, source }) => (
        <td key={name} class="number">
          <Value value={row.last[name]?.mean} deviation={row.last[name]?.deviation} source={source} />
        </td>
      ))}
      <td class="number faint">{timeAgo(Math.max(...entries.map(({ modified }) => modified)), now)}</td>
    </tr>
  );
}
