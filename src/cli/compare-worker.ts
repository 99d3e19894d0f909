// The process of one cell: it gets the order from the comparison that started it, and tells it what happens.
//
// It writes no files, so it may be ended at any moment.

import { runCell } from "../compare/cell.ts";
import type { Comparison } from "../compare/comparison.ts";
import type { Cell } from "../compare/grid.ts";
import type { WorkerMessage } from "../compare/pool.ts";
import { cellOptionsOf } from "./compare-settings.ts";
import { explain } from "./fail.ts";

/** What a cell's process is told. */
export interface CellOrder {
  readonly comparison: Comparison;
  readonly cell: Cell;
}

// Ctrl-C reaches all processes of a terminal; the comparison decides when this one ends.
for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, () => {});
// Whoever wanted to know is gone.
process.on("disconnect", () => process.exit(1));

process.once("message", async ({ comparison, cell }: CellOrder) => {
  try {
    const options = await cellOptionsOf(comparison, cell);
    // The clock of a process starts with it.
    const elapsed = () => performance.now() / 1000;
    for await (const event of runCell({ ...options, elapsed })) await tell(event);
    await tell({ kind: "done" });
  } catch (error) {
    await tell({ kind: "failed", message: error instanceof Error ? explain(error) : String(error) });
  }
  process.exit(0);
});

function tell(message: WorkerMessage): Promise<void> {
  return new Promise((done) => process.send?.(message, undefined, undefined, () => done()));
}
