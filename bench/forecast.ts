// The forecast benchmark: the model beside all baselines and ARIMA models on public series, and what many series cost.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Benchmark, UsageError } from "./benchmark.ts";
import { keptOr } from "./forecast/kept.ts";
import type { Extent } from "./forecast/measure.ts";
import { measureArima } from "./forecast/measure-arima.ts";
import { measureBaselines } from "./forecast/measure-baselines.ts";
import { type MeasuredModel, measureModel } from "./forecast/measure-model.ts";
import { BENCH, type ForecastRow, type Many, rowsOf, TABLE } from "./forecast/rows.ts";
import { type ForecastSet, SETS, WHERE_THE_FILES_ARE } from "./forecast/sets.ts";
import { outputOf } from "./harness.ts";
import { packageVersion, thisMachine } from "./machine.ts";
import { ARIMA_SCRIPT, type ArimaRival, findArima } from "./python.ts";
import { hashOf, hashOfSources } from "./quality/sources.ts";

const FULL: Extent = { windows: 20 };
const QUICK: Extent = { windows: 2, iterations: 100 };
const MANY = { series: 1000, rows: 500 };
const MANY_NAME = "1,000 series of 500 points";

export const forecast: Benchmark<ForecastRow> = {
  name: BENCH,
  summary: "forecasts of births, load and exchange rates beside baselines and ARIMA; 1,000 series at once",
  full: { rounds: 3, seconds: 1 },
  quick: { rounds: 1, seconds: 1 },
  help: {
    quick: `seed 0, ${QUICK.windows} windows, ${QUICK.iterations} iterations each`,
    rounds: "seeds, counted from 0 (3)",
    seconds: "nothing here: training goes by iterations",
    only: "only sets that match, such as 'births 1969'",
    fresh: "measure again what is kept from earlier with the same sources",
  },
  table: TABLE,
  unrecordable({ rounds, only, quick }) {
    if (quick || rounds < forecast.full.rounds || only) {
      return "--record keeps a whole result and does not go together with --quick, --only or fewer --rounds.";
    }
    return SETS.every((set) => set.load())
      ? undefined
      : `--record keeps a whole result, which needs ${WHERE_THE_FILES_ARE}.`;
  },
  async run({ rounds, quick, only, fresh = false }, say) {
    const extent = quick ? QUICK : FULL;
    const versions = Object.fromEntries(
      ["onnxruntime-node", "@bsull/augurs"].map((name) => [name, packageVersion(name)]),
    );
    const arima = await findArima();
    say(arima ? `${arima.library} found.` : "No Python for ARIMA found: going on without it.");
    const circumstances = [versions, thisMachine(), extent];
    const hashFrom = (entry: string) =>
      hashOf([
        hashOfSources(`bench/forecast/${entry}`),
        hashOfSources("bench/forecast/sets.ts"),
        circumstances,
      ]);
    // Sources are what was loaded when the benchmark began, whatever is edited while it runs.
    const hashes = {
      baselines: hashFrom("measure-baselines.ts"),
      arima: hashOf([hashFrom("measure-arima.ts"), arimaScript(), arima?.library]),
      model: hashFrom("measure-model.ts"),
      many: hashFrom("many-worker.ts"),
    };
    const chosen = SETS.filter(({ name }) => !only || only.test(name));
    const many = !only || only.test(MANY_NAME);
    if (chosen.length === 0 && !many) {
      const names = [...SETS.map(({ name }) => name), MANY_NAME].join("; ");
      throw new UsageError(`--only ${only?.source} matches no set; sets are: ${names}.`);
    }
    const rows: ForecastRow[] = [];
    for (const set of chosen) {
      rows.push(...(await measureSet(set, extent, rounds, { hashes, fresh, arima }, say)));
    }
    if (many) {
      const { value } = await keptOr(MANY_NAME, hashes.many, fresh, () => measureMany(extent));
      say(`${MANY_NAME} | peak ${value.peakMegabytes.toFixed(0)} MB`);
      rows.push({ bench: BENCH, setting: MANY_NAME, runs: [], reference: 1, many: value });
    }
    return { rows, versions: { ...versions, ARIMA: arima?.library ?? null } };
  },
};

function arimaScript(): string {
  return readFileSync(new URL(`rivals/${ARIMA_SCRIPT}`, import.meta.url), "utf8");
}

interface Circumstances {
  readonly hashes: Readonly<Record<"baselines" | "arima" | "model", string>>;
  readonly fresh: boolean;
  readonly arima?: ArimaRival;
}

async function measureSet(
  set: ForecastSet,
  extent: Extent,
  rounds: number,
  { hashes, fresh, arima }: Circumstances,
  say: (line: string) => void,
): Promise<readonly ForecastRow[]> {
  const panel = set.load();
  if (!panel) {
    say(`Skipped: ${set.name}, which is absent (${WHERE_THE_FILES_ARE}).`);
    return [];
  }
  const { value: others } = await keptOr(`${set.name} baselines`, hashes.baselines, fresh, () =>
    measureBaselines(panel, set, extent),
  );
  say(`${set.name} | ${others.map(({ name, wql }) => `${name} ${wql.toFixed(4)}`).join(", ")}`);
  const rival =
    arima &&
    (await keptOr(`${set.name} ARIMA`, hashes.arima, fresh, () => measureArima(panel, set, extent, arima)));
  if (rival) say(`${set.name} | ${rival.value.name} ${rival.value.wql.toFixed(4)}`);
  const seeds: MeasuredModel[] = [];
  for (let seed = 0; seed < rounds; seed++) {
    const { value, kept } = await keptOr(`${set.name} seed ${seed}`, hashes.model, fresh, () =>
      measureModel(panel, set, extent, seed),
    );
    const { wql, coverage, fitSeconds } = value;
    const took = kept ? "kept from earlier" : `fitted in ${fitSeconds.toFixed(0)} s`;
    say(`${set.name} | seed ${seed} | WQL ${wql.toFixed(4)}, coverage ${coverage.toFixed(3)}, ${took}`);
    seeds.push(value);
  }
  return rowsOf(set, others, rival?.value, seeds);
}

const MANY_WORKER = "bench/forecast/many-worker.ts";

/** In a process of its own, so that the peak of its memory is that of this work. */
async function measureMany({ iterations = 1000 }: Extent): Promise<Many> {
  const worker = fileURLToPath(new URL(`../${MANY_WORKER}`, import.meta.url));
  const sizes = [MANY.series, MANY.rows, iterations].map(String);
  const output = await outputOf({
    file: process.execPath,
    parameters: ["--import", "tsx", worker, ...sizes],
    threads: 1,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Many;
}
