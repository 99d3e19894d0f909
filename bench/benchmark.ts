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
}

/** Raw values of one round; rows without a rival have only ours, and may keep further numbers. */
export interface Round {
  readonly ours: number;
  readonly rivalValue?: number;
  readonly ratio?: number;
  readonly [detail: string]: number | undefined;
}

/** One line of the result. */
export interface Row {
  readonly bench: string;
  readonly setting: string;
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

export interface Outcome {
  readonly rows: readonly Row[];
  /** Versions of everything measured; null where it is absent. */
  readonly versions: Readonly<Record<string, string | null>>;
}

export interface Benchmark {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  readonly full: Budget;
  readonly quick: Budget;
  /** Measures. `say` shows one line of progress to a person. */
  run(options: RunOptions, say: (line: string) => void): Promise<Outcome>;
}

/** A request that cannot be met as it was put; its message is one sentence for the person who put it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
