// The design benchmark: what `gflownet design` and runs with an oracle of one's own promise, with the requirement beside each
// figure.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Benchmark, type RunOptions, UsageError } from "../benchmark.ts";
import { outputOf } from "../harness.ts";
import { packageVersion, thisMachine } from "../machine.ts";
import { cachedOr } from "../measurement-cache.ts";
import { hashOf, hashOfSources } from "../quality/source-hash.ts";
import { channelCases } from "./channel.ts";
import { defaultCases } from "./default-cases.ts";
import type { CasesOf, DesignCase, Measurement, SectionName } from "./design-case.ts";
import { ehrlichCases, ehrlichInstance } from "./ehrlich.ts";
import { longStringCases } from "./long-strings.ts";
import { oracleCases } from "./oracle-cases.ts";
import { BENCH, type DesignRow, TABLE } from "./rows.ts";

/** Strings of 256 letters take minutes to compile and seconds per iteration. */
const TIMEOUT_SECONDS = 7200;
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** The cases of each section, and the source that its results depend on with all that it imports. */
const SECTIONS: readonly (readonly [CasesOf<never>, SectionName, string])[] = [
  [defaultCases, "defaults", "default-cases.ts"],
  [ehrlichCases, "Ehrlich", "ehrlich.ts"],
  [channelCases, "channel", "channel.ts"],
  [oracleCases, "oracles", "oracle-cases.ts"],
  [longStringCases, "long strings", "long-strings.ts"],
];

export const design: Benchmark<DesignRow> = {
  name: BENCH,
  summary:
    "designs: defaults under a call budget, Ehrlich functions, synthesis errors, oracles, long strings",
  full: { rounds: 3, seconds: 30 },
  quick: { rounds: 1, seconds: 3 },
  help: {
    quick: "seed 0, few calls and iterations; most requirements are not checked",
    rounds: "number of seeds, starting at 0 (default 3)",
    seconds: "training time of each Ehrlich run (default 30)",
    only: "only rows that match, such as '^channel' or 'transformer'",
    fresh: "ignore stored results and measure again",
  },
  table: TABLE,
  recordProblem({ rounds, seconds, only, quick }) {
    return quick || only || rounds < design.full.rounds || seconds < design.full.seconds
      ? "--record needs a complete result: omit --quick, --only, and --rounds and --seconds below their defaults."
      : undefined;
  },
  async run(options, say) {
    const cases = selectCases(options);
    const versions = { "onnxruntime-node": packageVersion("onnxruntime-node") };
    const hashes = sourceHashes([versions, thisMachine()]);
    const rows: DesignRow[] = [];
    for (const [i, each] of cases.entries()) {
      const results: unknown[] = [];
      for (const measurement of each.measurements) {
        const hash = hashOf([hashes.get(each.section), measurement]);
        const name = [rowName(each), ...("seed" in measurement ? [`seed ${measurement.seed}`] : [])].join(
          " ",
        );
        const { value } = await cachedOr({ bench: BENCH, name, hash }, options.fresh ?? false, () =>
          execute(measurement),
        );
        results.push(value);
      }
      const row = { bench: BENCH, setting: rowName(each), ...each.figures(results), results };
      say(`[${i + 1}/${cases.length}] ${row.setting}: ${row.measured}`);
      rows.push(row);
    }
    return { rows, versions };
  },
};

/** The cases whose names match `only`, or all. */
export function selectCases({
  quick,
  rounds,
  seconds,
  only,
}: Pick<RunOptions, "quick" | "rounds" | "seconds" | "only">): DesignCase[] {
  const seeds = Array.from({ length: rounds }, (_, seed) => seed);
  const all = SECTIONS.flatMap(([cases]) => cases({ quick, seconds, seeds }) as readonly DesignCase[]);
  const matching = all.filter((each) => !only || only.test(rowName(each)));
  if (matching.length === 0) {
    throw new UsageError(
      `--only ${only?.source} matches no row; available rows: ${all.map(rowName).join("; ")}.`,
    );
  }
  return matching;
}

function rowName({ section, setting }: DesignCase): string {
  return `${section}, ${setting}`;
}

/** For each section a hash of everything that its results depend on, besides the measurement itself. */
function sourceHashes(conditions: unknown): ReadonlyMap<SectionName, string> {
  const files = {
    Ehrlich: ehrlichInstance(),
    oracles: readFileSync(new URL("timed-oracle.mjs", import.meta.url), "utf8"),
  } as Partial<Record<SectionName, unknown>>;
  return new Map(
    SECTIONS.map(([, section, source]) => [
      section,
      hashOf([hashOfSources(`bench/design/${source}`), files[section] ?? null, conditions]),
    ]),
  );
}

/** Runs one measurement in a separate process. */
async function execute(measurement: Measurement): Promise<unknown> {
  const output = await outputOf({
    file: process.execPath,
    parameters: ["--import", "tsx", WORKER, JSON.stringify(measurement)],
    threads: 1,
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}
