// The dashboard: the page that the address names.

import { useEffect } from "preact/hooks";
import { useApp } from "./app.ts";
import { ComparePage } from "./compare/compare-page.tsx";
import { Shell } from "./components/shell.tsx";
import { EntryPage } from "./entry/entry-page.tsx";
import { HomePage } from "./home/home-page.tsx";

export function DashboardPage() {
  const app = useApp();
  const { page, entry } = app.state.value;
  const running = app.list.value?.entries.filter(({ state }) => state === "running").length ?? 0;
  const title = page === "entry" ? (entry ?? "") : page === "compare" ? "Compare" : "Runs";
  useEffect(() => {
    document.title = `${running > 0 ? `(${running}) ` : ""}${title} · gflownet`;
  }, [title, running]);
  return (
    <Shell>
      {page === "home" && <HomePage />}
      {page === "compare" && <ComparePage />}
      {page === "entry" && entry !== null && <EntryPage key={entry} id={entry} />}
    </Shell>
  );
}
