// The queue benchmark: what the queue costs, how well it scales, and what it survives, on Redis and on PostgreSQL.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, UsageError } from "../benchmark.ts";
import { compileCommandLine } from "../crash/process.ts";
import { packageVersion } from "../machine.ts";
import { programOf, STORES, type Store, startBroker, versionOf } from "./brokers.ts";
import { BENCH, type QueueRow, TABLE } from "./rows.ts";
import { SECTIONS, type Section } from "./sections.ts";
import { withFolder } from "./setting.ts";

const OUTPUT = fileURLToPath(new URL("../output/queue", import.meta.url));

export const queue: Benchmark<QueueRow> = {
  name: BENCH,
  summary: "units of work on Redis and PostgreSQL: overhead, scaling, a kill storm, identical tables",
  full: { rounds: 1, seconds: 600 },
  quick: { rounds: 1, seconds: 300 },
  help: {
    quick: "fewer units, and a smaller kill storm; times are not checked",
    rounds: "not used",
    seconds: "most seconds of a kill storm (default 600)",
    only: "only rows that match, such as '^redis' or 'kill storm'",
  },
  table: TABLE,
  recordProblem({ quick }) {
    return quick ? "--record needs a complete result: omit --quick." : undefined;
  },
  async run({ quick, only, seconds }, say) {
    const cases = selectCases(only);
    const missing = [...new Set(cases.map(({ store }) => store))].filter((store) => !programOf(store));
    if (missing.length > 0) {
      throw new UsageError(
        `${missing.join(" and ")} is not installed; install it, or choose rows by --only.`,
      );
    }
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows: QueueRow[] = [];
    for (const [i, { store, section }] of cases.entries()) {
      const setting = caseName(store, section);
      const figures = await withFolder(async (folder) => {
        const broker = await startBroker(store);
        try {
          const detail = (line: string) => say(`  ${line}`);
          return await section.run({ broker, main, folder }, { quick, seconds, say: detail });
        } finally {
          await broker.close();
        }
      });
      say(`[${i + 1}/${cases.length}] ${setting}: ${figures.measured}`);
      rows.push({ bench: BENCH, setting, ...figures });
    }
    const servers = Object.fromEntries(STORES.map((store) => [store, versionOf(store)]));
    return { rows, versions: { bullmq: packageVersion("bullmq"), ...servers } };
  },
};

interface Case {
  readonly store: Store;
  readonly section: Section;
}

/** The cases whose names match `only`, or all. */
export function selectCases(only?: RegExp): Case[] {
  const all = SECTIONS.flatMap((section) => STORES.map((store) => ({ store, section })));
  const name = ({ store, section }: Case) => caseName(store, section);
  const matching = all.filter((each) => !only || only.test(name(each)));
  if (matching.length === 0) {
    throw new UsageError(
      `--only ${only?.source} matches no row; available rows: ${all.map(name).join("; ")}.`,
    );
  }
  return matching;
}

function caseName(store: Store, { name }: Section): string {
  return `${store}, ${name}`;
}
