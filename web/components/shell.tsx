// What surrounds every page of the dashboard: head, navigation and the state of the connection.

import type { ComponentChildren } from "preact";
import { useApp } from "../app.ts";
import { linkTo } from "../links.ts";
import { chooseTheme, type Theme, theme } from "../theme.ts";
import { KeepView } from "./keep-view.tsx";

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const app = useApp();
  const { page, selected } = app.state.value;
  const current = (name: string) => (page === name ? ("page" as const) : undefined);
  return (
    <>
      <SkipLink />
      <header class="top">
        <a class="brand" {...linkTo(app, { page: "home", entry: null })}>
          gflownet
        </a>
        <nav aria-label="Pages">
          <a {...linkTo(app, { page: "home", entry: null })} aria-current={current("home")}>
            All runs
          </a>
          <a {...linkTo(app, { page: "compare", entry: null })} aria-current={current("compare")}>
            Compare{selected.length > 0 ? ` (${selected.length})` : ""}
          </a>
        </nav>
        <span class="folder faint small mono" title={app.list.value?.folder}>
          {app.list.value?.folder}
        </span>
        <div class="tools">
          <KeepView />
          <ThemeChoice />
        </div>
      </header>
      <ConnectionBanner />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** A link to the content, for those who move by keyboard. */
export function SkipLink() {
  return (
    <button
      type="button"
      class="skip"
      onClick={() => document.getElementById("content")?.focus()}
      data-test="skip"
    >
      Skip to content
    </button>
  );
}

export function ThemeChoice() {
  const options: readonly Theme[] = ["system", "light", "dark"];
  return (
    <label class="field controls">
      <span class="hidden-text">Colours</span>
      <select
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
        aria-label="Colours"
      >
        {options.map((each) => (
          <option key={each} value={each} selected={each === theme.value}>
            {each === "system" ? "Auto" : each === "light" ? "Light" : "Dark"}
          </option>
        ))}
      </select>
    </label>
  );
}

function ConnectionBanner() {
  const { connection, listError } = useApp();
  return (
    <div role="status" data-test="connection">
      {connection.value === "lost" && (
        <div class="banner">
          The connection to the dashboard is lost. What is shown stays; the page tries again by itself.{" "}
          {listError.value}
        </div>
      )}
      {connection.value === "restored" && (
        <div class="banner good">The connection is back; the page is up to date again.</div>
      )}
    </div>
  );
}
