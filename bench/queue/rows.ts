// Rows of the queue benchmark and the columns of its table.

import type { AnyRow, Table } from "../benchmark.ts";

export const BENCH = "queue";

/** One figure with its requirement. */
export interface QueueRow extends AnyRow {
  readonly measured: string;
  readonly required: string;
  /** Null if the requirement is not checked, because the measurement was shortened. */
  readonly met: boolean | null;
  /** The raw result. */
  readonly result: unknown;
}

export const TABLE: Table<QueueRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "measured", cell: ({ measured }) => measured },
    { heading: "required", cell: ({ required }) => required },
    {
      heading: "met",
      cell: ({ met, required }) =>
        met === null ? (required ? "not checked: quick" : "") : met ? "yes" : "NO",
    },
  ],
  budget: ({ quick }) => (quick ? "shortened" : "complete"),
  legend: [
    "Servers and workers run on this machine; the servers write every change to disk before they answer (appendfsync always,",
    "synchronous_commit on). `disk`: median time of one such write, without a server. `empty units`: units that do nothing",
    "through one slot: what each takes of the slot while others wait, and the time from sending one to its result.",
    "`sleeping oracle`: strings that are scored by `design`'s oracle of batches with its score store, compared with time per",
    "string × strings / workers; twice as many batches are on the queue as there are workers. `kill storm`: units of 0.2 s on",
    "workers of one slot, while workers, the broker and the coordinator are killed by SIGKILL and started again, and the network",
    "is cut for 5 s; `extra starts` are starts beyond one per unit. `comparison`: 36 experiments by oracle calls, on processes",
    "and on two workers.",
  ],
};
