// The growth benchmark: how the time of an iteration, the time to ready and the memory grow with length, batch, width, rows of
// the state table and threads, with fitted exponents.

import { fileURLToPath } from "node:url";
import { type AnyRow, type Benchmark, type Table, UsageError } from "../benchmark.ts";
import { type Contest, interleavedRounds, measure } from "../harness.ts";
import { packageVersion } from "../machine.ts";
import { disturbanceNote } from "../quiet-rounds.ts";
import { median } from "../statistics.ts";
import { fittedExponent } from "./fitted-exponent.ts";
import { type Limit, QUANTITIES, type Quantity, SWEEPS, type Sweep } from "./sweeps.ts";

const BENCH = "growth";
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface GrowthRow extends AnyRow {
  readonly quantity: Quantity;
  readonly sizes: readonly number[];
  /** Medians over rounds, one for each size. */
  readonly values: readonly number[];
  /** Exponent of the power of the size that fits the values best. */
  readonly exponent: number;
  /** Empty if nothing is required. */
  readonly required: string;
  /** Null if nothing is required. */
  readonly met: boolean | null;
  readonly note?: string;
}

const digits = (value: number) =>
  value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.max(value, 1e-9)))).valueOf());

const TABLE: Table<GrowthRow> = {
  columns: [
    { heading: "what grows", cell: ({ setting }) => setting },
    { heading: "measured", cell: ({ quantity }) => TEXTS[quantity] },
    { heading: "sizes", cell: ({ sizes }) => sizes.join(", ") },
    { heading: "values", cell: ({ values }) => values.map(digits).join(", ") },
    { heading: "exponent", numeric: true, cell: ({ exponent }) => exponent.toFixed(2) },
    { heading: "required", cell: ({ required }) => required },
    { heading: "met", cell: ({ met }) => (met === null ? "" : met ? "yes" : "NO") },
    { heading: "note", cell: ({ note }) => note ?? "" },
  ],
  budget: ({ rounds, seconds }) => `rounds ${rounds}, seconds per process ${seconds}`,
  legend: [
    "Values are medians over rounds, each of which starts a process for every size. The exponent is the slope of a line through the",
    "logarithms of sizes and values. Lengths are those of strings out of 4 letters that a function scores, in batches of 32, with a",
    "policy of two layers of 128 or a recurrent network or transformer of the default size. Other sweeps begin with the default",
    "training: 128 strings of 8 letters, of which 64 are off-policy, two layers of 128, and 21,845 rows.",
  ],
};

const TEXTS: Readonly<Record<Quantity, string>> = {
  milliseconds: "ms per iteration",
  ready: "s to ready",
  memory: "MB at most",
};

export const growth: Benchmark<GrowthRow> = {
  name: BENCH,
  summary: "how time and memory of training grow with length, batch, width, states and threads",
  full: { rounds: 5, seconds: 1 },
  quick: { rounds: 1, seconds: 0.3 },
  help: { only: "only sweeps that match, such as '^length'" },
  table: TABLE,
  recordProblem: ({ quick, only, rounds }) =>
    quick || only || rounds < growth.full.rounds
      ? "--record needs a complete result: omit --quick, --only, and --rounds below its default."
      : undefined,
  async run({ rounds, seconds, only }, say) {
    const sweeps = SWEEPS.filter(({ name }) => !only || only.test(name));
    if (sweeps.length === 0) {
      const names = SWEEPS.map(({ name }) => name).join("; ");
      throw new UsageError(`--only ${only?.source} matches nothing; available sweeps: ${names}.`);
    }
    const contests = sweeps.map((sweep) => contestOf(sweep, seconds));
    const { results, disturbance } = await measure(interleavedRounds(contests, rounds), say);
    const rows = sweeps.flatMap((sweep) => {
      const note = disturbanceNote([disturbance(sweep.name)]);
      return rowsOf(sweep, (size, quantity) =>
        median(results(sweep.name, String(size)).map((sample) => sample[quantity])),
      ).map((row) => ({ ...row, ...(note && { note }) }));
    });
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

function contestOf(sweep: Sweep, seconds: number): Contest {
  return {
    name: sweep.name,
    contenders: sweep.sizes.map((size) => {
      const task = { ...sweep.task(size), seconds };
      const parameters = ["--import", "tsx", WORKER, JSON.stringify(task)];
      return {
        name: String(size),
        command: { file: process.execPath, parameters, threads: task.threads },
      };
    }),
    describe: ({ milliseconds, ready }) => `${digits(milliseconds)} ms, ready after ${digits(ready)} s`,
  };
}

/** The rows of a sweep: one for each quantity. */
export function rowsOf(sweep: Sweep, valueAt: (size: number, quantity: Quantity) => number): GrowthRow[] {
  const { name, sizes, quantities, limits } = sweep;
  return quantities.map((quantity) => {
    const values = sizes.map((size) => valueAt(size, quantity));
    const exponent = fittedExponent(sizes, values);
    const checks = limits
      .filter((limit) => limit.quantity === quantity)
      .map((limit) => checkOf(limit, exponent, (size) => values[sizes.indexOf(size)]));
    return {
      ...{ bench: BENCH, setting: name, quantity, sizes, values, exponent },
      required: checks.map(({ required }) => required).join(", "),
      met: checks.length > 0 ? checks.every(({ met }) => met) : null,
    };
  });
}

function checkOf(
  { quantity, exponent: most, at, most: largest }: Limit,
  exponent: number,
  valueAt: (size: number) => number,
): { readonly required: string; readonly met: boolean } {
  if (most !== undefined) return { required: `exponent at most ${most}`, met: exponent <= most };
  const [size, limit] = [at as number, largest as number];
  return { required: `at most ${limit} ${QUANTITIES[quantity]} at ${size}`, met: valueAt(size) <= limit };
}
