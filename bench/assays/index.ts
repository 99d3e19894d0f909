// The assays benchmark: what methods find with few calls of an oracle, in rounds, beside this library's active learning.

import { fileURLToPath } from "node:url";
import { type Benchmark, type RunOptions, UsageError } from "../benchmark.ts";
import { outputOf } from "../harness.ts";
import { packageVersion, thisMachine } from "../machine.ts";
import { cachedOr } from "../measurement-cache.ts";
import { findViennaRna } from "../python.ts";
import { hashOf, hashOfSources } from "../quality/source-hash.ts";
import { type AssayCase, assayCases, measurementsOf } from "./cases.ts";
import type { Measurement, MeasurementResult } from "./measure.ts";
import { METHODS } from "./methods.ts";
import { problemNamed } from "./problems.ts";
import { type AssayRow, BENCH, rowsOf, TABLE } from "./rows.ts";

const TIMEOUT_SECONDS = 7200;
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** What both benchmarks have in common. */
const shared: Omit<Benchmark<AssayRow>, "name" | "summary" | "run"> = {
  full: { rounds: 5, seconds: TIMEOUT_SECONDS },
  quick: { rounds: 1, seconds: TIMEOUT_SECONDS },
  help: {
    quick: "seed 0, at most 500 calls and two problems of each kind; requirements are not checked",
    rounds: "number of seeds, starting at 0 (default 5)",
    seconds: `timeout of a run in seconds (default ${TIMEOUT_SECONDS})`,
    only: "only settings or methods that match, such as 'L15' or '^genetic algorithm$'",
    jobs: "number of runs side by side (default 1)",
    fresh: "ignore stored results and measure again",
  },
  table: TABLE,
  recordProblem({ rounds, only, quick }) {
    return quick || only || rounds < shared.full.rounds
      ? "--record needs a complete result: omit --quick, --only, and --rounds below its default."
      : undefined;
  },
};

/** The settings that have requirements, and those beside them. */
export const assays = benchmark({
  name: BENCH,
  summary: "few calls of an oracle in rounds: Ehrlich functions, RNA, a binding table; methods side by side",
});

/** Long Ehrlich functions take hours, and nothing is required of them. */
export const longAssays = benchmark({
  name: "assays-long",
  summary: "the same on Ehrlich functions of 64 and 32 letters",
  isLong: true,
});

interface AssayBenchmark {
  readonly name: string;
  readonly summary: string;
  readonly isLong?: boolean;
}

function benchmark({ name, summary, isLong = false }: AssayBenchmark): Benchmark<AssayRow> {
  return { ...shared, name, summary, run: (options, say) => run({ ...options, isLong }, say) };
}

async function run(
  options: RunOptions & { readonly isLong: boolean },
  say: (line: string) => void,
): Promise<Awaited<ReturnType<Benchmark<AssayRow>["run"]>>> {
  const { cases, methods } = select(options);
  const available = await withoutMissing(cases, say);
  const viennaRna = await findViennaRna();
  const versions = {
    "onnxruntime-node": packageVersion("onnxruntime-node"),
    ViennaRNA: viennaRna?.version ?? null,
  };
  const seeds = Array.from({ length: options.rounds }, (_, seed) => seed);
  const planned = new Map(
    available.flatMap((each) =>
      methods.flatMap((method) =>
        measurementsOf(each, method, seeds).map((one) => [JSON.stringify(one), one] as const),
      ),
    ),
  );
  const results = await runAll([...planned.values()], options, say, [versions, thisMachine()]);
  const rows = available.flatMap((each) =>
    rowsOf(
      each,
      new Map(
        methods.map((method) => [
          method,
          measurementsOf(each, method, seeds).map((one) => results.get(JSON.stringify(one))!),
        ]),
      ),
    ),
  );
  return { rows, versions };
}

/** The settings and the methods to measure: all, those settings that match `only`, or those methods. */
export function select({
  quick,
  only,
  isLong,
}: Pick<RunOptions, "quick" | "only"> & { readonly isLong?: boolean }): {
  readonly cases: readonly AssayCase[];
  readonly methods: readonly string[];
} {
  const [cases, methods] = [assayCases({ quick, isLong }), Object.keys(METHODS)];
  if (!only) return { cases, methods };
  const matching = {
    cases: cases.filter(({ setting }) => only.test(setting)),
    methods: methods.filter((method) => only.test(method)),
  };
  if (matching.cases.length + matching.methods.length === 0) {
    const names = [...cases.map(({ setting }) => setting), ...methods].join("; ");
    throw new UsageError(`--only ${only.source} matches nothing; available settings and methods: ${names}.`);
  }
  return {
    cases: matching.cases.length > 0 ? matching.cases : cases,
    methods: matching.methods.length > 0 ? matching.methods : methods,
  };
}

/** The cases that can be measured. A line says why another one is left out. */
async function withoutMissing(
  cases: readonly AssayCase[],
  say: (line: string) => void,
): Promise<readonly AssayCase[]> {
  const reasons = await Promise.all(cases.map(({ problems: [problem] }) => problem.missing()));
  cases.forEach(({ setting }, i) => {
    if (reasons[i] !== null) say(`${setting} is skipped: ${reasons[i]}.`);
  });
  return cases.filter((_, i) => reasons[i] === null);
}

/** The results by measurement, several processes at a time. Finished ones are stored even if another one fails. */
async function runAll(
  measurements: readonly Measurement[],
  { jobs = 1, fresh = false, seconds }: RunOptions,
  say: (line: string) => void,
  conditions: unknown,
): Promise<ReadonlyMap<string, MeasurementResult>> {
  const hashes = sourceHashes(conditions);
  const results = new Map<string, MeasurementResult>();
  const failures: string[] = [];
  const waiting = measurements.values();
  const work = async () => {
    for (const measurement of waiting) {
      const { problem, method, seed, rounds, batch, known } = measurement;
      const name = `${problem} ${rounds}x${batch} ${known > 0 ? `${known} known ` : ""}${method} seed ${seed}`;
      const hash = hashOf([hashes.get(method), problemNamed(problem).dataHash(), measurement]);
      try {
        const { value, cached } = await cachedOr({ bench: BENCH, name, hash }, fresh, () =>
          execute(measurement, seconds),
        );
        results.set(JSON.stringify(measurement), value);
        if (!cached) say(`[${results.size}/${measurements.length}] ${name}: ${resultText(value)}`);
      } catch (error) {
        failures.push(`${name}: ${(error as Error).message}`);
        say(failures[failures.length - 1]);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  if (failures.length > 0) {
    throw new Error(
      `${failures.length} of ${measurements.length} runs failed, the others are stored:\n${failures.join("\n")}`,
    );
  }
  return results;
}

/** For each method a hash of everything that its results depend on, besides the measurement and its data. */
function sourceHashes(conditions: unknown): ReadonlyMap<string, string> {
  const shared = ["measure.ts", "problems.ts"].map((file) => hashOfSources(`bench/assays/${file}`));
  return new Map(
    Object.entries(METHODS).map(([name, { sources, make }]) => [
      name,
      hashOf([shared, sources.map((source) => hashOfSources(source)), `${make}`, conditions]),
    ]),
  );
}

function resultText({ rounds, seconds }: MeasurementResult): string {
  const { best, topMean, circles } = rounds[rounds.length - 1];
  return `best ${best.toFixed(3)}, mean of the top ${topMean.toFixed(3)}, ${circles} circles in ${seconds.toFixed(1)} s`;
}

/** Runs one measurement in a separate process. */
async function execute(measurement: Measurement, timeoutSeconds: number): Promise<MeasurementResult> {
  const output = await outputOf({
    file: process.execPath,
    parameters: ["--import", "tsx", WORKER, JSON.stringify(measurement)],
    threads: 1,
    timeoutSeconds,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as MeasurementResult;
}
