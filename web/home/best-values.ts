// Best values of the entries that the list shows: requested for visible rows only, and kept until the entry changes.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Entry, TableCell } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";

type Cells = Readonly<Record<string, TableCell>>;

/** How long rows must stay visible before their values are requested, in milliseconds. */
const PAUSE = 120;

/** Cells by entry, as far as they have arrived. */
export function useBestValues(
  entries: readonly Entry[],
  metrics: readonly string[],
): (entry: Entry, metric: string) => number | null {
  const { source } = useApp();
  const known = useSignal<ReadonlyMap<string, Cells>>(new Map());
  const keyOf = ({ id, modified }: Entry) => `${modified} ${metrics.join()} ${id}`;
  const missing = entries.filter((entry) => entry.state !== "broken" && !known.value.has(keyOf(entry)));
  const request = JSON.stringify(missing.map(keyOf));
  // The request names everything that is missing.
  useEffect(() => {
    if (missing.length === 0 || metrics.length === 0) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const ids = missing.map(({ id }) => id);
      const rows = await source
        .table({ entries: ids, metrics, x: "iteration" })
        .then((answer) => answer.rows)
        .catch(() => []);
      if (!isCurrent) return;
      const cells = new Map(rows.map((row) => [row.entry, row.cells]));
      // An entry without an answer is not asked for again until it changes.
      known.value = new Map([
        ...known.value,
        ...missing.map((entry) => [keyOf(entry), cells.get(entry.id) ?? {}] as const),
      ]);
    }, PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [request]);
  return (entry, metric) => known.value.get(keyOf(entry))?.[metric]?.best ?? null;
}
