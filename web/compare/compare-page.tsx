// Compares the selected entries: a chart with means over seeds, a table, and the settings in which they differ.

import { useMemo } from "preact/hooks";
import type { Entry, EntryList } from "../../src/views/page-data.ts";
import { entriesOf, useApp } from "../app.ts";
import { ErrorMessage } from "../components/parts.tsx";
import { linkTo } from "../links.ts";
import { CompareChart } from "./compare-chart.tsx";
import { CompareTable } from "./compare-table.tsx";
import { SettingsTable } from "./settings-table.tsx";

export function ComparePage() {
  const app = useApp();
  const list = app.list.value;
  const { selected } = app.state.value;
  const entries = useMemo(() => entriesOf(list, selected), [list, selected]);
  if (list === null)
    return app.listError.value === null ? (
      <p class="loading" role="status">
        Loading …
      </p>
    ) : (
      <ErrorMessage>{app.listError.value}</ErrorMessage>
    );
  const missing = selected.filter((id) => !list.entries.some((entry) => entry.id === id));
  return (
    <>
      <h1>Compare</h1>
      {missing.length > 0 && (
        <div class="message warn">
          {missing.length === 1 ? "One selected entry is" : `${missing.length} selected entries are`} no
          longer in the folder: {missing.join(", ")}.{" "}
          <button
            type="button"
            onClick={() => app.go({ selected: selected.filter((id) => !missing.includes(id)) })}
          >
            Remove from the selection
          </button>
        </div>
      )}
      {entries.length === 0 ? (
        <div class="card empty">
          <p>
            Nothing is selected. Choose entries in <a {...linkTo(app, { page: "home" })}>the list</a>; entries
            that differ in the seed only are shown as one group.
          </p>
        </div>
      ) : (
        <Comparison list={list} entries={entries} />
      )}
    </>
  );
}

/** Chart, table and settings of some entries; a report of several entries begins with it too. */
export function Comparison({
  list,
  entries,
}: {
  readonly list: EntryList;
  readonly entries: readonly Entry[];
}) {
  return (
    <>
      <CompareChart list={list} entries={entries} />
      <CompareTable list={list} entries={entries} />
      <SettingsTable entries={entries} />
    </>
  );
}
