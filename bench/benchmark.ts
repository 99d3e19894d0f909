// Interfaces of benchmarks and their results. To add a benchmark, implement `Benchmark` and add it to the list in
// main.ts.

/** Number of rounds and duration of each measurement. */
export interface Budget {
  readonly rounds: number;
  /** Measured seconds per process, after a warm-up of up to one second. */
  readonly seconds: number;
}

/** Options from the command line. */
export interface RunOptions extends Budget {
  readonly quick: boolean;
  /** Optional. Only rows whose setting or rival matches are measured. */
  readonly only?: RegExp;
  /** Number of processes that run in parallel. Only benchmarks whose `help` describes this option have it. */
  readonly jobs?: number;
  /** Whether to ignore stored results and measure again. Only benchmarks whose `help` describes this option have it. */
  readonly fresh?: boolean;
}

/** Options that a benchmark can describe in its `help`. `jobs` and `fresh` exist only if it describes them. */
export type OptionName = "quick" | "rounds" | "seconds" | "only" | "jobs" | "fresh";

/** Raw values of one round. Rows without a rival have only `ours`, and possibly further numbers. */
export interface Round {
  readonly ours: number;
  readonly rivalValue?: number;
  readonly ratio?: number;
  readonly [detail: string]: number | undefined;
}

/** One row of a result of any benchmark. */
export interface AnyRow {
  readonly bench: string;
  readonly setting: string;
}

/** One row of a result that compares this library with a rival. */
export interface Row extends AnyRow {
  readonly unit: string;
  /** Median over rounds; `note` describes exceptions. */
  readonly ours: number;
  readonly rival: string | null;
  readonly rivalValue: number | null;
  /** Median of the ratios of all rounds, ours / rival. Above 1, this library is faster. */
  readonly ratio: number | null;
  readonly rounds: readonly Round[];
  /** Optional. A remark for the last column of the table. */
  readonly note?: string;
}

/** The layout of a results table. */
export interface Table<R extends AnyRow = Row> {
  readonly columns: readonly Column<R>[];
  /** Describes the amount of measurement, such as "rounds 5, seconds per process 3". */
  budget(options: RunOptions, rows: readonly R[]): string;
  /** Explanation of the columns, as lines of text above the table. */
  readonly legend: readonly string[];
}

export interface Column<R extends AnyRow = Row> {
  readonly heading: string;
  /** Whether to align the cells to the right. Default: false. */
  readonly numeric?: boolean;
  cell(row: R): string;
}

export interface BenchmarkResult<R extends AnyRow = Row> {
  readonly rows: readonly R[];
  /** Versions of all measured libraries. Null if a library is not installed. */
  readonly versions: Readonly<Record<string, string | null>>;
}

export interface Benchmark<R extends AnyRow = Row> {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  readonly full: Budget;
  readonly quick: Budget;
  /** Optional. Descriptions of options that replace the default ones in `--help`. */
  readonly help?: Partial<Readonly<Record<OptionName, string>>>;
  /** Optional. The columns of the table. Default: the columns of `Row`. */
  readonly table?: Table<R>;
  /** A sentence that says why these options give an incomplete result, so that `--record` is refused; else undefined. */
  recordProblem?(options: RunOptions): string | undefined;
  /** Runs the benchmark. `say` prints one line of progress. */
  run(options: RunOptions, say: (line: string) => void): Promise<BenchmarkResult<R>>;
}

/** Invalid command-line arguments. The message is one sentence for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
