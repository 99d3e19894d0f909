// Draws other samples, where that is possible.

import type { ViewOptions } from "../../src/views/view-data.ts";
import type { ViewChoice } from "../url-state.ts";

export function SeedChoice({
  choice,
  choose,
  has,
}: {
  readonly choice: ViewChoice;
  choose(change: Partial<ViewChoice>): void;
  has(options: ViewOptions): boolean;
}) {
  const next = (Number.isInteger(choice.seed) ? choice.seed! : 0) + 1;
  if (!has({ seed: next })) return null;
  return (
    <button type="button" onClick={() => choose({ seed: next, trajectory: 0, step: 0 })}>
      Other samples
    </button>
  );
}
