// Links between pages: ordinary links, so that they can be copied and opened in another tab.

import type { EntryKind } from "../src/views/page-data.ts";
import type { App } from "./app.ts";
import { hashOf, type ViewState } from "./url-state.ts";

/** Attributes of a link that changes what is shown. A plain click changes it without loading the page again. */
export function linkTo(
  app: App,
  change: Partial<ViewState>,
): { readonly href: string; onClick(event: MouseEvent): void } {
  return {
    href: hashOf({ ...app.state.value, ...change }),
    onClick(event) {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      app.go(change);
    },
  };
}

/** What is reset when another entry is opened. */
export function openEntry(entry: string, kind?: EntryKind): Partial<ViewState> {
  return {
    ...{ page: "entry", entry, zoom: null, at: null, view: null, choices: {}, metric: null, hidden: [] },
    // Methods of a comparison have iterations of different sizes.
    ...(kind === "comparison" && { x: "calls" }),
  };
}
