// The name of an entry as a link to its page. A report has everything on one page, so there it is a text.

import type { Entry } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { linkTo, openEntry } from "../links.ts";

export function EntryLink({ entry }: { readonly entry: Pick<Entry, "id" | "name"> & Partial<Entry> }) {
  const app = useApp();
  if (app.source.live === null) return <>{entry.name}</>;
  return <a {...linkTo(app, openEntry(entry.id, entry.kind))}>{entry.name}</a>;
}
