// The page of one entry: what it is, its results, its curves, its settings, and the views that explain it.

import { useMemo } from "preact/hooks";
import { formatDuration } from "../../src/report/text-format.ts";
import type { Entry, EntryDetail } from "../../src/views/page-data.ts";
import type { ViewName } from "../../src/views/view-data.ts";
import { useApp } from "../app.ts";
import { Comparison } from "../compare/compare-page.tsx";
import { EntryLink } from "../components/entry-link.tsx";
import { ErrorMessage, StateMark, WhenLoaded } from "../components/parts.tsx";
import { progressText } from "../format.ts";
import { linkTo } from "../links.ts";
import { useLoaded, useTurns } from "../use-loaded.ts";
import { ViewPanel } from "../views/view-panel.tsx";
import { VIEW_TEXTS } from "../views/view-texts.ts";
import { EntryCharts } from "./entry-charts.tsx";
import { Files, Results, SettingsList } from "./entry-tables.tsx";
import { RunButtons } from "./run-buttons.tsx";

/** Time between two requests of the details of a running entry, in milliseconds. */
const DETAIL_INTERVAL = 10_000;

export function EntryPage({ id }: { readonly id: string }) {
  const app = useApp();
  const listed = app.list.value?.entries.find((entry) => entry.id === id);
  const isRunning = listed?.state === "running";
  const known = Object.keys(app.livePoints(id).value).length;
  const turn = useTurns(isRunning ? DETAIL_INTERVAL : null);
  // A running entry gets metrics, results and views while it is shown.
  const key = [id, listed?.state, app.revision(id).value, ...(isRunning ? [known, turn] : [])];
  const loaded = useLoaded(JSON.stringify(key), () => app.source.detail(id));
  // Details of the entry that was open before must not appear under this one.
  const detail = loaded.value?.entry.id === id ? loaded.value : null;
  const entry = listed ?? detail?.entry;
  return (
    <>
      <div>
        <a {...linkTo(app, { page: "home", entry: null })}>‹ All runs</a>
      </div>
      {entry !== undefined && <EntryHead entry={entry} />}
      {entry?.problem && <ErrorMessage>{entry.problem}</ErrorMessage>}
      <WhenLoaded loaded={{ ...loaded, value: detail }}>
        {(value) => (
          <>
            <EntryBody detail={value} />
            <ViewTabs entry={id} views={value.views} />
            <Files entry={value.entry} files={value.files} />
            <SettingsList settings={value.settings} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function EntryHead({ entry }: { readonly entry: Entry }) {
  const app = useApp();
  const { selected } = app.state.value;
  const isSelected = selected.includes(entry.id);
  return (
    <div class="line spread">
      <div class="stack">
        <h1 data-test="entry-name">{entry.name}</h1>
        <EntryFacts entry={entry} />
      </div>
      <div class="line controls">
        <RunButtons entry={entry} />
        {isComparable(entry) && (
          <button
            type="button"
            aria-pressed={isSelected}
            onClick={() =>
              app.go({
                selected: isSelected ? selected.filter((id) => id !== entry.id) : [...selected, entry.id],
              })
            }
          >
            {isSelected ? "Remove from comparison" : "Add to comparison"}
          </button>
        )}
      </div>
    </div>
  );
}

/** Whether an entry has metrics over time. */
function isComparable({ kind, state }: Entry): boolean {
  return kind !== "backtest" && kind !== "forecast" && state !== "broken";
}

/** State, task and progress in one line. */
export function EntryFacts({ entry }: { readonly entry: Entry }) {
  const app = useApp();
  const live = app.livePoints(entry.id).value;
  const last = Object.values(live).map((points) => points.at(-1)?.[0] ?? 0);
  const iteration = entry.iteration === null ? null : Math.max(entry.iteration, ...last);
  return (
    <div class="line small">
      <StateMark state={entry.state} />
      <span class="badge kind">{entry.kind}</span>
      {entry.task !== null && <span>{entry.task}</span>}
      {iteration !== null && <span class="number">{progressText(iteration, entry.iterations)}</span>}
      {entry.seconds !== null && <span>{formatDuration(entry.seconds)}</span>}
      {entry.parent !== null && (
        <span>
          part of <EntryLink entry={{ id: entry.parent, name: entry.parent, kind: "comparison" }} />
        </span>
      )}
      <span class="faint mono">{entry.id}</span>
    </div>
  );
}

/** Description, results and curves. */
export function EntryBody({ detail }: { readonly detail: EntryDetail }) {
  const app = useApp();
  const { entry, description, results } = detail;
  const list = app.list.value;
  const parts = useMemo(
    () => list?.entries.filter(({ parent }) => parent === entry.id) ?? [],
    [list, entry.id],
  );
  return (
    <>
      {description.length > 0 && (
        <div class="card stack">
          {description.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      {/* A report begins with the comparison of all of its entries. */}
      {parts.length > 0 && list !== null && app.source.live !== null && (
        <Comparison list={list} entries={parts} />
      )}
      {results.length > 0 && <Results results={results} />}
      <EntryCharts detail={detail} />
    </>
  );
}

/** The views as tabs; the arrow keys move between them. */
function ViewTabs({ entry, views }: { readonly entry: string; readonly views: readonly ViewName[] }) {
  const app = useApp();
  if (views.length === 0) return null;
  const chosen = app.state.value.view;
  const open = chosen !== null && views.includes(chosen) ? chosen : null;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = (Math.max(0, views.indexOf(open ?? views[0])) + step + views.length) % views.length;
    app.go({ view: views[next] });
    document.getElementById(`tab-${views[next]}`)?.focus();
  };
  return (
    <section class="card stack" aria-labelledby="views-title">
      <h2 id="views-title">Explain</h2>
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
        {views.map((view, i) => (
          <button
            key={view}
            id={`tab-${view}`}
            type="button"
            role="tab"
            aria-selected={view === open}
            aria-controls={view === open ? "view-panel" : undefined}
            tabIndex={view === open || (open === null && i === 0) ? 0 : -1}
            onClick={() => app.go({ view })}
            data-test={`tab-${view}`}
          >
            {VIEW_TEXTS[view].title}
          </button>
        ))}
      </div>
      {open === null ? (
        <p class="faint">Choose a view. It is computed when it is opened.</p>
      ) : (
        <div id="view-panel" role="tabpanel" aria-labelledby={`tab-${open}`}>
          <ViewPanel key={`${entry} ${open}`} entry={entry} view={open} choiceKey={open} />
        </div>
      )}
    </section>
  );
}
