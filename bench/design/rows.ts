// Rows of the design benchmark and the columns of its table.

import type { AnyRow, Table } from "../benchmark.ts";
import type { Figures } from "./design-case.ts";

export const BENCH = "design";

export interface DesignRow extends AnyRow, Figures {
  /** The results of all processes of the row. */
  readonly results: readonly unknown[];
}

export const TABLE: Table<DesignRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "references", cell: ({ references }) => references },
    { heading: "measured", cell: ({ measured }) => measured },
    { heading: "required", cell: ({ required }) => required },
    {
      heading: "met",
      cell: ({ met, required }) =>
        met === null ? (required === "" ? "" : "not checked: quick") : met ? "yes" : "NO",
    },
  ],
  budget: ({ rounds, seconds, quick }) =>
    `seeds 0 to ${rounds - 1}, ${seconds} s for each Ehrlich run${quick ? ", shortened" : ""}`,
  legend: [
    "Every measurement is a process of its own with the default settings and one thread. Where a row has several values, they",
    "are those of the seeds in order. `defaults`: mean score of 10,000 samples of the policy after a run with a call budget,",
    "and its share of the way from the uniform policy to the best reachable one; both are exact. `Ehrlich`: all exact, reward",
    "exponent 1. `channel`: exact mean expected score after synthesis of the designs of a run that accounts for the errors,",
    "against a run that ignores them, at equal effective number of strings; sources of the errors in docs/synthesis-errors.md.",
    "`oracles`: medians; every other batch goes to the same oracle without this library. `long strings`: peak memory of the",
    "process with training, 100 samples and log-probabilities, and the rank correlation of log P and log R on 200 held-out",
    "strings.",
  ],
};
