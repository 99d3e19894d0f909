// What a benchmark is and what it produces. A new one implements `Benchmark` and joins the list in main.ts.

/** How long and how often to measure. */
export interface Budget {
  readonly rounds: number;
  /** Measured seconds per process, after a warm-up of up to one second. */
  readonly seconds: number;
}

/** What the command line asked for. */
export interface RunOptions extends Budget {
  readonly quick: boolean;
  /** Keeps only rows whose setting or rival it matches. */
  readonly only?: RegExp;
  /** Processes side by side; only for benchmarks that offer it. */
  readonly jobs?: number;
  /** Measures again what is kept from earlier; only for benchmarks that offer it. */
  readonly fresh?: boolean;
}

/** Options whose meaning a benchmark may word itself; it offers `jobs` and `fresh` by wording them. */
export type OptionName = "quick" | "rounds" | "seconds" | "only" | "jobs" | "fresh";

/** Raw values of one round; rows without a rival have only ours, and may keep further numbers. */
export interface Round {
  readonly ours: number;
  readonly rivalValue?: number;
  readonly ratio?: number;
  readonly [detail: string]: number | undefined;
}

/** One line of any benchmark's result. */
export interface AnyRow {
  readonly bench: string;
  readonly setting: string;
}

/** One line of a result that compares us with a rival. */
export interface Row extends AnyRow {
  readonly unit: string;
  /** Median over rounds, unless `note` says otherwise. */
  readonly ours: number;
  readonly rival: string | null;
  readonly rivalValue: number | null;
  /** Median of the rounds' own ratios, ours / rival: above 1 we are faster. */
  readonly ratio: number | null;
  readonly rounds: readonly Round[];
  /** What a reader of the table should also see. */
  readonly note?: string;
}

/** How rows are shown. */
export interface Table<R extends AnyRow = Row> {
  readonly columns: readonly Column<R>[];
  /** How much was measured, as half a sentence for the record. */
  budget(options: RunOptions, rows: readonly R[]): string;
  /** What the columns mean, lines of the record. */
  readonly legend: readonly string[];
}

export interface Column<R extends AnyRow = Row> {
  readonly heading: string;
  /** Whether it is aligned to the right. */
  readonly numeric?: boolean;
  cell(row: R): string;
}

export interface Outcome<R extends AnyRow = Row> {
  readonly rows: readonly R[];
  /** Versions of everything measured; null where it is absent. */
  readonly versions: Readonly<Record<string, string | null>>;
}

export interface Benchmark<R extends AnyRow = Row> {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  readonly full: Budget;
  readonly quick: Budget;
  /** What options do here, where `--help` should not say the usual. */
  readonly help?: Partial<Readonly<Record<OptionName, string>>>;
  /** Columns of its own; without them rows are a `Row` each. */
  readonly table?: Table<R>;
  /** Why what these options ask for is no whole result, as one sentence; `--record` is refused then. */
  unrecordable?(options: RunOptions): string | undefined;
  /** Measures. `say` shows one line of progress to a person. */
  run(options: RunOptions, say: (line: string) => void): Promise<Outcome<R>>;
}

/** A request that cannot be met as it was put; its message is one sentence for the person who put it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
