// Rows of measured values, each beside the largest one that the project allows.

import { type AnyRow, type Table, UsageError } from "../benchmark.ts";
import { median } from "../statistics.ts";

export interface LimitRow extends AnyRow {
  readonly unit: "s" | "ms" | "kB" | "MiB" | "× the time" | "%";
  readonly values: readonly number[];
  /** The largest value that the project allows; null if there is no rule. */
  readonly allowed: number | null;
}

/** One value of a row. */
export interface Measured extends Pick<LimitRow, "setting" | "unit" | "allowed"> {
  readonly value: number;
}

/** The table of such rows. */
export function limitTable(legend: readonly string[]): Table<LimitRow> {
  return {
    columns: [
      { heading: "what", cell: ({ setting }) => setting },
      { heading: "median", numeric: true, cell: ({ values, unit }) => `${shown(median(values))} ${unit}` },
      {
        heading: "range",
        numeric: true,
        cell: ({ values }) =>
          values.length === 1 ? "" : `${shown(Math.min(...values))}–${shown(Math.max(...values))}`,
      },
      { heading: "values", numeric: true, cell: ({ values }) => String(values.length) },
      { heading: "allowed", numeric: true, cell: ({ allowed }) => (allowed === null ? "" : shown(allowed)) },
      { heading: "met", cell: (row) => (row.allowed === null ? "" : isMet(row) ? "yes" : "no") },
    ],
    budget: ({ rounds }) => `${rounds} ${rounds === 1 ? "round" : "rounds"}`,
    legend,
  };
}

/** Whether the median of a row is at most what is allowed. */
export function isMet({ values, allowed }: Pick<LimitRow, "values" | "allowed">): boolean {
  return allowed === null || median(values) <= allowed;
}

/** Rows in the order of their first values. */
export class LimitRows {
  readonly #bench: string;
  readonly #say: (line: string) => void;
  readonly #rows = new Map<string, LimitRow>();

  constructor(bench: string, say: (line: string) => void) {
    this.#bench = bench;
    this.#say = say;
  }

  add({ value, ...row }: Measured): void {
    this.#say(`${row.setting}: ${shown(value)} ${row.unit}`);
    const values = [...(this.#rows.get(row.setting)?.values ?? []), value];
    this.#rows.set(row.setting, { bench: this.#bench, ...row, values });
  }

  get all(): readonly LimitRow[] {
    return [...this.#rows.values()];
  }
}

/** The parts of a benchmark whose names match. */
export function chosenParts<P>(parts: Readonly<Record<string, P>>, only: RegExp | undefined): P[] {
  const chosen = Object.entries(parts).filter(([name]) => !only || only.test(name));
  if (chosen.length > 0) return chosen.map(([, part]) => part);
  const names = Object.keys(parts).join(", ");
  throw new UsageError(`--only ${only?.source} matches no part; there are: ${names}.`);
}

/** Three digits, and all digits before the decimal point. */
export function shown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
