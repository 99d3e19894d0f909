// An oracle that sleeps for each string, on the workers of a queue: `design`'s oracle of batches with its score store, compared
// with the ideal, time per string × strings / workers.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { executorOracle } from "../../src/design/executor-oracle.ts";
import { RandomStream } from "../../src/engine/index.ts";
import { openScoreStore } from "../../src/oracle/score-store.ts";
import { sha256OfFile } from "../../src/queue/input-files.ts";
import { type Setting, withExecutor, withWorkers } from "./setting.ts";

export interface SleepingOracleOptions {
  readonly workers: number;
  /** Milliseconds of each string. */
  readonly milliseconds: number;
  readonly strings: number;
}

export interface SleepingOracleResult {
  readonly seconds: number;
  readonly ideal: number;
}

const LETTERS = "ACGT";
const LENGTH = 12;

export async function measureSleepingOracle(
  setting: Setting,
  { workers, milliseconds, strings }: SleepingOracleOptions,
): Promise<SleepingOracleResult> {
  const { folder, broker } = setting;
  const problem = join(folder, "problem.yaml");
  await writeFile(problem, `alphabet: dna\nlength: ${LENGTH}\noracle: { module: sleeping.mjs }\n`);
  await writeFile(join(folder, "sleeping.mjs"), moduleText(milliseconds));
  const hash = await sha256OfFile(problem);
  return withWorkers(setting, workers, { problem }, () =>
    withExecutor(broker.url(), async (executor) => {
      const oracle = executorOracle({
        ...{ executor, problem: hash, label: "sleeping", version: "1" },
        // A worker that has finished a batch finds the next one in the queue, as docs/scale.md advises.
        concurrency: 2 * workers,
      });
      const store = await openScoreStore({ folder: join(folder, "scores"), oracle });
      try {
        const warmUp = 2 * workers;
        const names = randomStrings(strings + warmUp);
        // Starts the processes of all slots, which is not measured, and shows the oracle's speed.
        await Promise.all(Array.from({ length: warmUp }, (_, i) => store.score([names[i]])));
        await sleep(200);
        const start = performance.now();
        const scored = await store.score(names.slice(warmUp));
        const seconds = (performance.now() - start) / 1000;
        for (const [i, each] of scored.entries()) {
          const right = names[warmUp + i].split("A").length - 1;
          if (each.status !== "scored" || each.score !== right) {
            throw new Error(`${names[warmUp + i]} should have the score ${right}`);
          }
        }
        return { seconds, ideal: (milliseconds * strings) / workers / 1000 };
      } finally {
        await store.close();
      }
    }),
  );
}

/** Scores a string by its number of As, after a sleep. */
function moduleText(milliseconds: number): string {
  return [
    'import { setTimeout as sleep } from "node:timers/promises";',
    "export async function scores(strings) {",
    "  const scores = [];",
    "  for (const string of strings) {",
    `    await sleep(${milliseconds});`,
    '    scores.push(string.split("A").length - 1);',
    "  }",
    "  return scores;",
    "}",
    "",
  ].join("\n");
}

function randomStrings(count: number): string[] {
  const stream = RandomStream.fromSeed(1);
  const strings = new Set<string>();
  while (strings.size < count) {
    strings.add(Array.from({ length: LENGTH }, () => LETTERS[stream.integer(LETTERS.length)]).join(""));
  }
  return [...strings];
}
