// The command line of the benchmarks.

import { parseArgs } from "node:util";
import { type AnyRow, type Benchmark, type OptionName, type RunOptions, UsageError } from "./benchmark.ts";

const OPTIONS = {
  json: { type: "boolean" },
  quick: { type: "boolean" },
  record: { type: "boolean" },
  rounds: { type: "string" },
  seconds: { type: "string" },
  only: { type: "string" },
  jobs: { type: "string" },
  fresh: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Options that a benchmark accepts only if its `help` describes them. */
const OPTIONAL: ReadonlySet<string> = new Set<OptionName>(["jobs", "fresh"]);

type AnyBenchmark = Benchmark<AnyRow>;

export type Request =
  | { readonly kind: "list" }
  | { readonly kind: "help"; readonly benchmark: AnyBenchmark }
  | {
      readonly kind: "run";
      readonly benchmark: AnyBenchmark;
      readonly options: RunOptions;
      readonly json: boolean;
      readonly record: boolean;
    };

/** Parses the arguments. Throws a UsageError if they are invalid. */
export function parseArguments(parameters: readonly string[], benchmarks: readonly AnyBenchmark[]): Request {
  const named = benchmarks.find((candidate) => parameters.includes(candidate.name));
  const { values, positionals } = parse(parameters, named);
  const [name, ...extra] = positionals;
  if (name === undefined) return { kind: "list" };
  const benchmark = benchmarks.find((candidate) => candidate.name === name);
  if (!benchmark) {
    const names = benchmarks.map((candidate) => candidate.name).join(", ");
    throw new UsageError(`Unknown benchmark ${JSON.stringify(name)}; choose one of: ${names}.`);
  }
  if (extra.length > 0) {
    throw new UsageError(
      `Only one benchmark can run at a time, got ${JSON.stringify(extra[0])} after ${name}.`,
    );
  }
  if (values.help) return { kind: "help", benchmark };
  const { quick = false, json = false, record = false } = values;
  if (record && values.only !== undefined) {
    throw new UsageError("--record needs a complete result: omit --only.");
  }
  const budget = quick ? benchmark.quick : benchmark.full;
  const options: RunOptions = {
    quick,
    rounds: positive(
      "rounds",
      values.rounds,
      budget.rounds,
      Number.isInteger,
      "a whole number of at least 1",
    ),
    seconds: positive("seconds", values.seconds, budget.seconds, Number.isFinite, "a positive number"),
    only: pattern(values.only),
    ...(hasOption("jobs", benchmark) && {
      jobs: positive("jobs", values.jobs, 1, Number.isInteger, "a whole number of at least 1"),
    }),
    ...(hasOption("fresh", benchmark) && { fresh: values.fresh ?? false }),
  };
  const problem = record ? benchmark.recordProblem?.(options) : undefined;
  if (problem) throw new UsageError(problem);
  return { kind: "run", benchmark, options, json, record };
}

/** Names and summaries of all benchmarks: the output of `npm run bench` without a name. */
export function benchmarkList(benchmarks: readonly AnyBenchmark[]): string {
  const width = Math.max(...benchmarks.map(({ name }) => name.length));
  const lines = benchmarks.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Benchmarks, run as: npm run bench -- NAME [options] (options: NAME --help)", ...lines].join("\n");
}

/** The text of `--help`. */
export function usage({ name, summary, full, quick, help = {} }: AnyBenchmark): string {
  const texts: Partial<Record<OptionName, string>> = {
    quick: `short version, about two minutes: ${quick.rounds} rounds of ${quick.seconds} s, fewer settings`,
    rounds: `number of rounds; each round runs every process once (default ${full.rounds})`,
    seconds: `measured seconds per process, after a warm-up of up to 1 s (default ${full.seconds})`,
    only: "only rows whose setting or rival matches this regular expression",
    ...help,
  };
  const placeholders: Partial<Record<string, string>> = {
    rounds: "N",
    seconds: "S",
    only: "PATTERN",
    jobs: "N",
  };
  const line = ([option, text]: readonly [string, string]) =>
    `  ${[`--${option}`, placeholders[option] ?? ""].join(" ").padEnd(14)} ${text}`;
  return [
    `npm run bench -- ${name} [options]`,
    summary,
    "",
    ...Object.entries(texts).map(line),
    line(["json", "print one JSON object per row to standard output, and nothing else"]),
    line(["record", `also write the table to bench/results/${name}.md`]),
    line(["help", "show this help"]),
  ].join("\n");
}

function hasOption(option: string, benchmark: AnyBenchmark | undefined): boolean {
  return !OPTIONAL.has(option) || (benchmark?.help !== undefined && option in benchmark.help);
}

function parse(parameters: readonly string[], benchmark: AnyBenchmark | undefined) {
  const entries = Object.entries(OPTIONS).filter(([name]) => hasOption(name, benchmark));
  try {
    const options = Object.fromEntries(entries) as typeof OPTIONS;
    return parseArgs({ args: [...parameters], options, allowPositionals: true });
  } catch (error) {
    const reason = (error as Error).message.split(/[.\n]/)[0];
    const names = entries.map(([name]) => `--${name}`).join(", ");
    throw new UsageError(`${reason}; valid options: ${names}.`, { cause: error });
  }
}

function positive(
  name: string,
  text: string | undefined,
  defaultValue: number,
  accepts: (value: number) => boolean,
  rule: string,
): number {
  if (text === undefined) return defaultValue;
  const value = Number(text);
  if (!accepts(value) || value <= 0) {
    throw new UsageError(`--${name} must be ${rule}, got ${JSON.stringify(text)}.`);
  }
  return value;
}

function pattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, "i");
  } catch (error) {
    const reason = (error as Error).message;
    throw new UsageError(`--only must be a regular expression: ${reason}.`, { cause: error });
  }
}
