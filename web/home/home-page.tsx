// The first page: what runs now, then the list of all entries.

import { useMemo } from "preact/hooks";
import { formatCount } from "../../src/report/text-format.ts";
import type { EntryList, EntryState } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { BadgeKey, Check, Choice, ErrorMessage } from "../components/parts.tsx";
import { linkTo } from "../links.ts";
import type { ListFilter } from "../url-state.ts";
import { filtered, mainMetrics, sorted } from "./entry-list.ts";
import { EntryTable } from "./entry-table.tsx";
import { LiveCards } from "./live-cards.tsx";
import { StartRun } from "./start-run.tsx";

export function HomePage() {
  const { list, listError, source, connection } = useApp();
  return (
    <>
      <div class="line spread">
        <h1>Runs</h1>
        {source.live?.control && <StartRun control={source.live.control} />}
      </div>
      {listError.value !== null && connection.value !== "lost" && (
        <ErrorMessage>{listError.value}</ErrorMessage>
      )}
      {list.value !== null &&
        (list.value.entries.length > 0 ? <Entries list={list.value} /> : <EmptyFolder list={list.value} />)}
      {list.value === null && listError.value === null && (
        <p class="loading" role="status">
          Loading …
        </p>
      )}
    </>
  );
}

function EmptyFolder({ list }: { readonly list: EntryList }) {
  const folder = list.folder.replace(/\/$/, "");
  return (
    <div class="card empty" data-test="empty">
      <p>
        There is nothing in <span class="mono">{list.folder}</span> yet. Start a run, and it appears here:
      </p>
      <code>gflownet train hypergrid --out {folder}/first</code>
    </div>
  );
}

function Entries({ list }: { readonly list: EntryList }) {
  const app = useApp();
  const { filter, sort, isListGrouped, selected } = app.state.value;
  const shown = useMemo(() => sorted(filtered(list.entries, filter), sort), [list, filter, sort]);
  const metrics = useMemo(() => mainMetrics(list, shown), [list, shown]);
  const tasks = useMemo(
    () => [...new Set(list.entries.map(({ task }) => task ?? "").filter(Boolean))].sort(),
    [list],
  );
  const hasExperiments = useMemo(() => list.entries.some(({ kind }) => kind === "experiment"), [list]);
  const change = (part: Partial<ListFilter>) => app.go({ filter: { ...filter, ...part } });
  const present = <T extends string>(values: readonly T[]) =>
    [...new Set(values)].map((each) => [each, each] as const);
  return (
    <>
      <LiveCards list={list} />
      <section class="stack" aria-labelledby="list-title">
        <div class="line spread">
          <h2 id="list-title">All entries</h2>
          <span class="faint small" role="status" data-test="count">
            {shown.length === list.entries.length ? "" : `${formatCount(shown.length)} of `}
            {formatCount(list.entries.length)} {list.entries.length === 1 ? "entry" : "entries"}
          </span>
        </div>
        <div class="line">
          <label class="field controls">
            <span>Filter</span>
            <input
              type="search"
              value={filter.text}
              placeholder="name, task, setting"
              onInput={(event) => change({ text: event.currentTarget.value })}
            />
          </label>
          <Choice<ListFilter["kind"]>
            label="Kind"
            value={filter.kind}
            options={[
              ["", hasExperiments ? "all but experiments" : "all"],
              ...(hasExperiments ? [["all", "all"] as const] : []),
              ...present(list.entries.map(({ kind }) => kind)),
            ]}
            onChange={(kind) => change({ kind })}
          />
          <Choice<EntryState | "">
            label="State"
            value={filter.state}
            options={[["", "all"], ...present(list.entries.map(({ state }) => state))]}
            onChange={(state) => change({ state })}
          />
          <Choice
            label="Task"
            value={filter.task}
            options={[["", "all"], ...tasks.map((task) => [task, task] as const)]}
            onChange={(task) => change({ task })}
          />
          <Check
            label="Group by seed"
            isChecked={isListGrouped}
            onChange={(isChecked) => app.go({ isListGrouped: isChecked })}
          />
          {selected.length > 0 && (
            <>
              <a
                class="button"
                {...linkTo(app, { page: "compare", zoom: null, at: null })}
                data-test="compare"
              >
                Compare {selected.length} selected
              </a>
              <button type="button" onClick={() => app.go({ selected: [], hidden: [] })}>
                Clear selection
              </button>
            </>
          )}
        </div>
        {shown.length === 0 ? (
          <p class="message">No entry passes the filter.</p>
        ) : (
          <EntryTable all={list.entries} shown={shown} metrics={metrics} />
        )}
        <BadgeKey />
      </section>
    </>
  );
}
