// The command line of the benchmarks.

import { parseArgs } from "node:util";
import { type Benchmark, type RunOptions, UsageError } from "./benchmark.ts";

const OPTIONS = {
  json: { type: "boolean" },
  quick: { type: "boolean" },
  record: { type: "boolean" },
  rounds: { type: "string" },
  seconds: { type: "string" },
  only: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const OPTION_NAMES = Object.keys(OPTIONS)
  .map((name) => `--${name}`)
  .join(", ");

export type Request =
  | { readonly kind: "list" }
  | { readonly kind: "help"; readonly benchmark: Benchmark }
  | {
      readonly kind: "run";
      readonly benchmark: Benchmark;
      readonly options: RunOptions;
      readonly json: boolean;
      readonly record: boolean;
    };

/** What the arguments ask for. Throws a UsageError of one sentence where they cannot be understood. */
export function parseArguments(parameters: readonly string[], benchmarks: readonly Benchmark[]): Request {
  const { values, positionals } = parse(parameters);
  const [name, ...surplus] = positionals;
  if (name === undefined) return { kind: "list" };
  const benchmark = benchmarks.find((candidate) => candidate.name === name);
  if (!benchmark) {
    const names = benchmarks.map((candidate) => candidate.name).join(", ");
    throw new UsageError(`There is no benchmark ${JSON.stringify(name)}; benchmarks are: ${names}.`);
  }
  if (surplus.length > 0) {
    throw new UsageError(`One benchmark at a time: ${JSON.stringify(surplus[0])} came after ${name}.`);
  }
  if (values.help) return { kind: "help", benchmark };
  const { quick = false, json = false, record = false } = values;
  if (record && values.only !== undefined) {
    throw new UsageError("--record keeps a whole result and does not go together with --only.");
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
  };
  return { kind: "run", benchmark, options, json, record };
}

/** Names and summaries, for `npm run bench` alone. */
export function listing(benchmarks: readonly Benchmark[]): string {
  const width = Math.max(...benchmarks.map(({ name }) => name.length));
  const lines = benchmarks.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Benchmarks, run as: npm run bench -- NAME [options] (options: NAME --help)", ...lines].join("\n");
}

/** The text of `--help`. */
export function usage({ name, summary, full, quick }: Benchmark): string {
  return `npm run bench -- ${name} [options]
${summary}

  --quick        about two minutes: ${quick.rounds} rounds of ${quick.seconds} s, fewer settings
  --rounds N     rounds, each with every process once (${full.rounds})
  --seconds S    measured seconds per process, after a warm-up of up to 1 s (${full.seconds})
  --only PATTERN only rows whose setting or rival matches this regular expression
  --json         one JSON object per row on standard output, and nothing else there
  --record       also write the table to bench/results/${name}.md
  --help         this text`;
}

function parse(parameters: readonly string[]) {
  try {
    return parseArgs({ args: [...parameters], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const reason = (error as Error).message.split(/[.\n]/)[0];
    throw new UsageError(`${reason}; options are: ${OPTION_NAMES}.`, { cause: error });
  }
}

function positive(
  name: string,
  text: string | undefined,
  otherwise: number,
  accepts: (value: number) => boolean,
  rule: string,
): number {
  if (text === undefined) return otherwise;
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
