// The page of a report: everything below each other, from the data inside the file.

import type { Page } from "../src/report/page.ts";
import type { EntryDetail, ReportData } from "../src/views/page-data.ts";
import { useApp } from "./app.ts";
import { Comparison } from "./compare/compare-page.tsx";
import { AxisChoice } from "./components/axis-choice.tsx";
import { ErrorMessage } from "./components/parts.tsx";
import { SkipLink, ThemeChoice } from "./components/shell.tsx";
import { EntryBody, EntryFacts } from "./entry/entry-page.tsx";
import { SettingsList } from "./entry/entry-tables.tsx";
import { PageSections } from "./page-sections.tsx";
import { ViewPanel } from "./views/view-panel.tsx";

export function ReportPage({ report }: { readonly report: ReportData }) {
  const app = useApp();
  const list = app.list.value;
  const { title, details, notes } = report;
  const compared = report.compared.flatMap(
    (id) => report.list.entries.find((entry) => entry.id === id) ?? [],
  );
  const axes = [...new Set(report.series.map(({ x }) => x))];
  return (
    <>
      <SkipLink />
      <header class="top">
        <span class="brand">gflownet</span>
        <span class="folder faint small">report</span>
        <div class="tools">
          {axes.length > 1 && <AxisChoice axes={axes} />}
          <button type="button" onClick={() => print()}>
            Print
          </button>
          <ThemeChoice />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <h1>{title}</h1>
        {compared.length > 1 && list !== null && <Comparison list={list} entries={compared} />}
        {details.map((detail) => (
          <EntrySection
            key={detail.entry.id}
            detail={detail}
            pages={report.pages.filter(({ entry }) => entry === detail.entry.id).map(({ page }) => page)}
            isAlone={details.length === 1}
          />
        ))}
        {notes.length > 0 && (
          <ul class="notes">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <p class="small faint">
          Made by gflownet {report.list.version}. The data of this page is inside the file; it requests
          nothing.
        </p>
      </main>
    </>
  );
}

function EntrySection({
  detail,
  pages,
  isAlone,
}: {
  readonly detail: EntryDetail;
  readonly pages: readonly Page[];
  readonly isAlone: boolean;
}) {
  const { entry, settings, views } = detail;
  return (
    <section class={`stack ${isAlone ? "" : "entry"}`} aria-label={entry.name}>
      {!isAlone && <h2 class="entry-title">{entry.name}</h2>}
      <EntryFacts entry={entry} />
      {entry.problem !== null && <ErrorMessage>{entry.problem}</ErrorMessage>}
      <EntryBody detail={detail} />
      {pages.map((page) => (
        <PageSections key={page.title} page={page} />
      ))}
      {views.map((view) => (
        <div key={view} class="card breaks">
          <ViewPanel entry={entry.id} view={view} choiceKey={`${view} ${entry.id}`} />
        </div>
      ))}
      <SettingsList settings={settings} />
    </section>
  );
}
