// The forecast benchmark: the learned model, all baselines and ARIMA models on public data, and the cost of many series.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Benchmark, UsageError } from "./benchmark.ts";
import { DATA_SETS, type DataSet, FILE_LOCATIONS } from "./forecast/data-sets.ts";
import type { BacktestSize } from "./forecast/measure.ts";
import { measureArima } from "./forecast/measure-arima.ts";
import { measureBaselines } from "./forecast/measure-baselines.ts";
import { type ModelResult, measureModel } from "./forecast/measure-model.ts";
import { BENCH, type ForecastRow, type ManySeriesResult, rowsOf, TABLE } from "./forecast/rows.ts";
import { outputOf } from "./harness.ts";
import { packageVersion, thisMachine } from "./machine.ts";
import { cachedOr, type MeasurementKey } from "./measurement-cache.ts";
import { ARIMA_SCRIPT, type ArimaRival, findArima } from "./python.ts";
import { hashOf, hashOfSources } from "./quality/source-hash.ts";

const FULL: BacktestSize = { windows: 20 };
const QUICK: BacktestSize = { windows: 2, iterations: 100 };
const MANY = { series: 1000, rows: 500 };
const MANY_NAME = "1,000 series of 500 points";

export const forecast: Benchmark<ForecastRow> = {
  name: BENCH,
  summary: "forecasts of births, load and exchange rates against baselines and ARIMA; 1,000 series at once",
  full: { rounds: 3, seconds: 1 },
  quick: { rounds: 1, seconds: 1 },
  help: {
    quick: `seed 0, ${QUICK.windows} windows, ${QUICK.iterations} iterations each`,
    rounds: "number of seeds, starting at 0 (default 3)",
    seconds: "not used: training is limited by iterations",
    only: "only data sets that match, such as 'births 1969'",
    fresh: "ignore cached results of the same sources",
  },
  table: TABLE,
  recordProblem({ rounds, only, quick }) {
    if (quick || rounds < forecast.full.rounds || only) {
      return "--record needs a complete result: omit --quick, --only and --rounds below the default.";
    }
    return DATA_SETS.every((set) => set.load())
      ? undefined
      : `--record needs a complete result, for which these files are missing: ${FILE_LOCATIONS}.`;
  },
  async run({ rounds, quick, only, fresh = false }, say) {
    const size = quick ? QUICK : FULL;
    const versions = Object.fromEntries(
      ["onnxruntime-node", "@bsull/augurs"].map((name) => [name, packageVersion(name)]),
    );
    const arima = await findArima();
    say(arima ? `${arima.library} found.` : "No Python for ARIMA found: continuing without it.");
    const conditions = [versions, thisMachine(), size];
    const hashFrom = (entry: string) =>
      hashOf([
        hashOfSources(`bench/forecast/${entry}`),
        hashOfSources("bench/forecast/data-sets.ts"),
        conditions,
      ]);
    // Sources are hashed at the start, so that edits during the run have no effect.
    const hashes = {
      baselines: hashFrom("measure-baselines.ts"),
      arima: hashOf([hashFrom("measure-arima.ts"), arimaScript(), arima?.library]),
      model: hashFrom("measure-model.ts"),
      many: hashFrom("many-series-worker.ts"),
    };
    const selected = DATA_SETS.filter(({ name }) => !only || only.test(name));
    const many = !only || only.test(MANY_NAME);
    if (selected.length === 0 && !many) {
      const names = [...DATA_SETS.map(({ name }) => name), MANY_NAME].join("; ");
      throw new UsageError(`--only ${only?.source} matches no data set; available data sets: ${names}.`);
    }
    const rows: ForecastRow[] = [];
    for (const set of selected) {
      rows.push(...(await measureSet(set, size, rounds, { hashes, fresh, arima }, say)));
    }
    if (many) {
      const { value } = await cachedOr(key(MANY_NAME, hashes.many), fresh, () => measureMany(size));
      say(`${MANY_NAME} | peak ${value.peakMegabytes.toFixed(0)} MB`);
      rows.push({ bench: BENCH, setting: MANY_NAME, runs: [], reference: 1, manySeries: value });
    }
    return { rows, versions: { ...versions, ARIMA: arima?.library ?? null } };
  },
};

const key = (name: string, hash: string): MeasurementKey => ({ bench: BENCH, name, hash });

function arimaScript(): string {
  return readFileSync(new URL(`rivals/${ARIMA_SCRIPT}`, import.meta.url), "utf8");
}

interface MeasureOptions {
  readonly hashes: Readonly<Record<"baselines" | "arima" | "model", string>>;
  readonly fresh: boolean;
  readonly arima?: ArimaRival;
}

async function measureSet(
  set: DataSet,
  size: BacktestSize,
  rounds: number,
  { hashes, fresh, arima }: MeasureOptions,
  say: (line: string) => void,
): Promise<readonly ForecastRow[]> {
  const panel = set.load();
  if (!panel) {
    say(`Skipped: ${set.name}, whose files are missing (${FILE_LOCATIONS}).`);
    return [];
  }
  const { value: baselines } = await cachedOr(key(`${set.name} baselines`, hashes.baselines), fresh, () =>
    measureBaselines(panel, set, size),
  );
  say(`${set.name} | ${baselines.map(({ name, wql }) => `${name} ${wql.toFixed(4)}`).join(", ")}`);
  const rival =
    arima &&
    (await cachedOr(key(`${set.name} ARIMA`, hashes.arima), fresh, () =>
      measureArima(panel, set, size, arima),
    ));
  if (rival) say(`${set.name} | ${rival.value.name} ${rival.value.wql.toFixed(4)}`);
  const seeds: ModelResult[] = [];
  for (let seed = 0; seed < rounds; seed++) {
    const { value, cached } = await cachedOr(key(`${set.name} seed ${seed}`, hashes.model), fresh, () =>
      measureModel(panel, set, size, seed),
    );
    const { wql, coverage, fitSeconds } = value;
    const origin = cached ? "from the cache" : `fitted in ${fitSeconds.toFixed(0)} s`;
    say(`${set.name} | seed ${seed} | WQL ${wql.toFixed(4)}, coverage ${coverage.toFixed(3)}, ${origin}`);
    seeds.push(value);
  }
  return rowsOf(set, baselines, rival?.value, seeds);
}

const MANY_WORKER = "bench/forecast/many-series-worker.ts";

/** Measures many series in a separate process, so that the peak memory of the process belongs to this work alone. */
async function measureMany({ iterations = 1000 }: BacktestSize): Promise<ManySeriesResult> {
  const worker = fileURLToPath(new URL(`../${MANY_WORKER}`, import.meta.url));
  const sizes = [MANY.series, MANY.rows, iterations].map(String);
  const output = await outputOf({
    file: process.execPath,
    parameters: ["--import", "tsx", worker, ...sizes],
    threads: 1,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as ManySeriesResult;
}
