// What the page gives to every view.

import type { ViewData, ViewOptions } from "../../src/views/view-data.ts";
import type { ViewChoice } from "../url-state.ts";

export interface ViewProps<D extends ViewData> {
  readonly data: D;
  readonly choice: ViewChoice;
  /** Changes what is shown; the choice becomes part of the address. */
  choose(change: Partial<ViewChoice>): void;
  /** Whether the data can be had with these options. */
  has(options: ViewOptions): boolean;
}

/** An index from an address, inside its range. */
export function indexIn(count: number, index: number | null | undefined, byDefault = 0): number {
  const chosen = typeof index === "number" && Number.isInteger(index) ? index : byDefault;
  return Math.max(0, Math.min(count - 1, chosen));
}
