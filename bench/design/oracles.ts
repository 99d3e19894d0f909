// The cost of oracles: a slow program with several workers compared with the ideal, and what the protocol, the cache, the
// matching and the waiting around a fast one cost in training.
//
//   npx tsx bench/design/oracles.ts

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RandomStream } from "../../src/engine/index.ts";
import { defaultSettings, longSequenceEnvironment, modelTrainer } from "../../src/gfn/index.ts";
import { functionOracle } from "../../src/oracle/function-oracle.ts";
import type { Oracle } from "../../src/oracle/oracle.ts";
import { programOracle } from "../../src/oracle/program-oracle.ts";
import type { ProgramProtocol } from "../../src/oracle/program-protocols.ts";
import { openScoreStore, type ScoreStore } from "../../src/oracle/score-store.ts";

const PROGRAM = fileURLToPath(new URL("timed-oracle.mjs", import.meta.url));
const ALPHABET = "ACGT";
const LENGTH = 12;

/** Time to score strings by several workers, and the ideal time. */
export interface SlowOracleResult {
  readonly seconds: number;
  /** Time per string × strings / workers. */
  readonly ideal: number;
  /** seconds / ideal. */
  readonly ratio: number;
}

/** Scores different strings by a program that takes `milliseconds` for each. The start of the processes is not measured. */
export async function measureSlowOracle(
  protocol: ProgramProtocol,
  { strings = 256, milliseconds = 50, workers = 8 } = {},
): Promise<SlowOracleResult> {
  const command = [process.execPath, PROGRAM, protocol, `${1000 * milliseconds}`];
  const oracle = await programOracle({ command, protocol, processes: workers });
  return withStore(oracle, async (store) => {
    const names = randomStrings(strings + 2 * workers, 1);
    await store.score(names.slice(strings));
    const start = performance.now();
    await store.score(names.slice(0, strings));
    const seconds = (performance.now() - start) / 1000;
    const ideal = (milliseconds * strings) / workers / 1000;
    return { seconds, ideal, ratio: seconds / ideal };
  });
}

/** What a fast oracle costs in training. Times are milliseconds per iteration. */
export interface FastOracleResult {
  readonly iteration: number;
  /** Time from asking for the scores of a batch to having them. */
  readonly scoring: number;
  /** The part of `scoring` that the oracle itself takes: its time per string × strings sent. */
  readonly oracle: number;
  /** (scoring − oracle) / iteration. */
  readonly share: number;
  readonly stringsSent: number;
}

export const FAST_ORACLES = ["function", "json-lines", "plain-lines"] as const;

/** Trains with an oracle that takes `microseconds` for each string, and measures the first iterations after a warm-up. */
export async function measureFastOracle(
  kind: (typeof FAST_ORACLES)[number],
  { iterations = 200, batch = 128, microseconds = 20 } = {},
): Promise<FastOracleResult> {
  return withStore(await fastOracle(kind, microseconds), async (store) => {
    let scoring = 0;
    const scores = async (objects: readonly string[]) => {
      const start = performance.now();
      const scored = await store.score(objects);
      scoring += performance.now() - start;
      return scored.map((each) => (each.status === "scored" ? each.score : 0));
    };
    const environment = longSequenceEnvironment({ alphabet: ALPHABET, length: LENGTH, stick: 0.1 });
    const settings = defaultSettings(environment, { batch });
    const trainer = await modelTrainer({ ...settings, environment, scores, seed: 0 });
    try {
      const warmUp = 20;
      for (let t = 0; t < warmUp; t++) await trainer.step(t, 0);
      scoring = 0;
      const calls = store.calls;
      const start = performance.now();
      for (let t = 0; t < iterations; t++) await trainer.step(warmUp + t, t / iterations);
      const total = performance.now() - start;
      const sent = store.calls - calls;
      const oracle = (sent * microseconds) / 1000;
      return {
        iteration: total / iterations,
        scoring: scoring / iterations,
        oracle: oracle / iterations,
        share: (scoring - oracle) / total,
        stringsSent: sent,
      };
    } finally {
      await trainer.dispose();
    }
  });
}

async function fastOracle(kind: (typeof FAST_ORACLES)[number], microseconds: number): Promise<Oracle> {
  if (kind !== "function") {
    return programOracle({
      command: [process.execPath, PROGRAM, kind, `${microseconds}`],
      protocol: kind,
      batch: 128,
    });
  }
  return functionOracle({
    scores: (strings) =>
      strings.map((string) => {
        for (const end = performance.now() + microseconds / 1000; performance.now() < end; );
        return (string.split("A").length - 1) / string.length;
      }),
  });
}

async function withStore<T>(oracle: Oracle, measure: (store: ScoreStore) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "gflownet-bench-oracles-"));
  const store = await openScoreStore({ folder, oracle });
  try {
    return await measure(store);
  } finally {
    await store.close();
    await oracle.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function randomStrings(count: number, seed: number): string[] {
  const stream = RandomStream.fromSeed(seed);
  const strings = new Set<string>();
  while (strings.size < count) {
    strings.add(Array.from({ length: LENGTH }, () => ALPHABET[stream.integer(ALPHABET.length)]).join(""));
  }
  return [...strings];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const protocol of ["json-lines", "plain-lines"] as const) {
    const { seconds, ideal, ratio } = await measureSlowOracle(protocol);
    console.log(
      `50 ms per string, 8 workers, ${protocol}: ${seconds.toFixed(3)} s for 256 strings, ideal ${ideal.toFixed(3)} s, ratio ${ratio.toFixed(3)} (required: at most 1.15)`,
    );
  }
  for (const kind of FAST_ORACLES) {
    const { iteration, scoring, oracle, share, stringsSent } = await measureFastOracle(kind);
    console.log(
      `20 µs per string, batch 128, ${kind}: iteration ${iteration.toFixed(2)} ms, of which scoring ${scoring.toFixed(2)} ms and the oracle ${oracle.toFixed(2)} ms (${stringsSent} strings sent); ours is ${(100 * share).toFixed(1)} % of the iteration (required: less than 10 %)`,
    );
  }
}
