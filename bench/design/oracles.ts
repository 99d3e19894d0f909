// The cost of oracles: a slow program with several workers compared with the ideal, and what the protocol, the cache, the
// matching and the waiting around a fast one cost in training.
//
//   npx tsx bench/design/oracles.ts

import { spawn } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { designTraining } from "../../src/design/design-training.ts";
import { RandomStream } from "../../src/engine/index.ts";
import { constrainedSequenceEnvironment } from "../../src/gfn/environment/constrained-sequence.ts";
import { defaultSettings, longSequenceEnvironment, modelTrainer } from "../../src/gfn/index.ts";
import { median, sum } from "../../src/math/statistics.ts";
import { functionOracle } from "../../src/oracle/function-oracle.ts";
import type { Oracle } from "../../src/oracle/oracle.ts";
import { programOracle } from "../../src/oracle/program-oracle.ts";
import type { ProgramProtocol } from "../../src/oracle/program-protocols.ts";
import { openScoreStore, type ScoreStore } from "../../src/oracle/score-store.ts";

const PROGRAM = fileURLToPath(new URL("timed-oracle.mjs", import.meta.url));
const ALPHABET = "ACGT";
const LENGTH = 12;
/** Bytes of a string with its score in the journal. */
const BYTES_PER_ANSWER = 50;

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

/** Kinds of fast oracles: a function, and a program with each protocol. */
export const FAST_ORACLES = ["function", "json-lines", "plain-lines"] as const;
type FastOracle = (typeof FAST_ORACLES)[number];

/** Kinds of training around a fast oracle: every iteration scores a batch, or a design scores strings at its own pace. */
export const TRAININGS = ["score function", "design"] as const;
type Training = (typeof TRAININGS)[number];

/** What a fast oracle costs in training. Times are milliseconds per iteration, from medians. */
export interface FastOracleResult {
  readonly iteration: number;
  /** Time from asking for scores to having them. */
  readonly scoring: number;
  /** The same time if the oracle is used without this library: a function is called, and a program gets its lines and
   * prints its answers, but nothing is matched, cached or on disk. */
  readonly bare: number;
  /** The oracle's time per string × strings. A program takes longer, because it also reads and prints. */
  readonly oracle: number;
  /** The part of `scoring` in which the disk makes the scores durable, measured with another file. */
  readonly disk: number;
  /** (scoring − bare) / iteration: what this library adds. */
  readonly added: number;
  /** (scoring − oracle) / iteration: everything but the oracle's time per string. */
  readonly share: number;
  /** Strings that are scored per iteration. */
  readonly strings: number;
}

/**
 * Trains with an oracle that takes `microseconds` for each string. Every other request goes to the same oracle without this
 * library, so that both are measured under the same load of the machine. A warm-up is not measured.
 */
export async function measureFastOracle(
  kind: FastOracle,
  { training = "score function" as Training, iterations = 400, batch = 128, microseconds = 20 } = {},
): Promise<FastOracleResult> {
  const bare = bareOracle(kind, microseconds);
  const measured = withStore(await fastOracle(kind, microseconds, batch), async (store, folder) => {
    const requests: { readonly isBare: boolean; readonly time: number; readonly strings: number }[] = [];
    const disk = diskIn(folder);
    const syncs: number[] = [];
    const scores = async (objects: readonly string[]): Promise<number[]> => {
      const isBare = requests.length % 2 === 1;
      const start = performance.now();
      const scored = isBare
        ? await bare.scores(objects)
        : (await store.score(objects)).map((each) => (each.status === "scored" ? each.score : Number.NaN));
      requests.push({ isBare, time: performance.now() - start, strings: objects.length });
      // In between, so that the disk is measured under the same load, too.
      if (isBare) syncs.push(disk.sync(objects.length));
      return scored;
    };
    const options =
      training === "design" ? await design(scores, iterations) : scoreFunctionRun(scores, batch);
    const trainer = await modelTrainer({ ...options, seed: 0 });
    try {
      const rest: number[] = [];
      const warmUp = 40;
      let before = 0;
      for (let t = 0; t < iterations; t++) {
        if (t === warmUp) before = requests.length;
        const [count, synced, start] = [requests.length, syncs.length, performance.now()];
        await trainer.step(t, t / iterations);
        const time = performance.now() - start;
        const scoring = sum(requests.slice(count).map((each) => each.time)) + sum(syncs.slice(synced));
        if (t >= warmUp) rest.push(time - scoring);
      }
      const later = requests.slice(before);
      const strings = sum(later.map((each) => each.strings)) / rest.length;
      const perString = (those: typeof later) => median(those.map((each) => each.time / each.strings));
      const scoring = strings * perString(later.filter(({ isBare }) => !isBare));
      const alone = strings * perString(later.filter(({ isBare }) => isBare));
      const [iteration, oracle] = [median(rest) + scoring, (strings * microseconds) / 1000];
      const [added, share] = [(scoring - alone) / iteration, (scoring - oracle) / iteration];
      const durable = (median(syncs) * later.length) / rest.length;
      return { iteration, scoring, bare: alone, oracle, disk: durable, added, share, strings };
    } finally {
      disk.close();
      await trainer.dispose();
    }
  });
  return measured.finally(() => bare.close());
}

type Scores = (objects: readonly string[]) => Promise<number[]>;

function scoreFunctionRun(scores: Scores, batch: number) {
  const environment = longSequenceEnvironment({ alphabet: ALPHABET, length: LENGTH, stick: 0.1 });
  return { ...defaultSettings(environment, { batch }), environment, scores };
}

/** What `gflownet design` trains, with four calls per iteration, the most of its default lengths up to 32,000 calls. */
async function design(scores: Scores, iterations: number) {
  const space = { tokens: [...ALPHABET], length: { min: LENGTH, max: LENGTH } };
  const environment = constrainedSequenceEnvironment({ space, constraints: [], noise: { kind: "none" } });
  const budget = 4 * iterations;
  const source = {
    calls: 0,
    remaining: budget,
    score: async (strings: readonly string[]) =>
      (await scores(strings)).map((score) => ({ status: "scored", score }) as const),
  };
  const shaping = { goal: "maximise", exponent: 1, effectiveStrings: 100, floor: 1e-4 } as const;
  const { options } = await designTraining({
    ...{ environment, source, budget, shaping, iterations, known: [], seed: 0 },
  });
  return options;
}

async function fastOracle(kind: FastOracle, microseconds: number, batch: number): Promise<Oracle> {
  if (kind === "function") return functionOracle({ scores: timedFunction(microseconds), batch });
  return programOracle({ command: timedProgram(kind, microseconds), protocol: kind, batch });
}

/** A file beside the scores. `sync` appends as many bytes as the answers of a batch have, and says how long the disk took. */
function diskIn(folder: string): { sync(strings: number): number; close(): void } {
  const file = openSync(join(folder, "disk"), "a");
  return {
    sync(strings) {
      writeSync(file, "-".repeat(BYTES_PER_ANSWER * strings));
      const start = performance.now();
      fdatasyncSync(file);
      return performance.now() - start;
    },
    close: () => closeSync(file),
  };
}

/** The oracle as a program would use it that does not have this library. */
function bareOracle(kind: FastOracle, microseconds: number): { scores: Scores; close(): void } {
  if (kind === "function") {
    const scores = timedFunction(microseconds);
    return { scores: async (strings) => scores(strings), close() {} };
  }
  const [file, ...args] = timedProgram(kind, microseconds);
  // A group of its own, as for `programOracle`, because the system may schedule groups.
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const read = (line: string): number => (kind === "plain-lines" ? Number(line) : JSON.parse(line).score);
  const write = (string: string) => `${kind === "plain-lines" ? string : JSON.stringify({ string })}\n`;
  return {
    scores: (strings) =>
      new Promise((resolve) => {
        let text = "";
        let lines = 0;
        const receive = (chunk: string) => {
          for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) lines++;
          text += chunk;
          if (lines < strings.length) return;
          child.stdout.off("data", receive);
          resolve(text.trimEnd().split("\n").map(read));
        };
        child.stdout.setEncoding("latin1").on("data", receive);
        child.stdin.write(strings.map(write).join(""));
      }),
    close: () => child.stdin.end(),
  };
}

function timedProgram(protocol: ProgramProtocol, microseconds: number): string[] {
  return [process.execPath, PROGRAM, protocol, `${microseconds}`];
}

/** A function that takes a given time for each string and scores it by its share of the letter A. */
function timedFunction(microseconds: number): (strings: readonly string[]) => number[] {
  return (strings) =>
    strings.map((string) => {
      const end = performance.now() + microseconds / 1000;
      const score = (string.split("A").length - 1) / string.length;
      while (performance.now() < end);
      return score;
    });
}

async function withStore<T>(
  oracle: Oracle,
  measure: (store: ScoreStore, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "gflownet-bench-oracles-"));
  const store = await openScoreStore({ folder, oracle });
  try {
    return await measure(store, folder);
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
  for (const training of TRAININGS) {
    for (const kind of FAST_ORACLES) {
      const result = await measureFastOracle(kind, { training });
      const { iteration, scoring, bare, oracle, disk, added, share, strings } = result;
      const [ms, percent] = [(time: number) => time.toFixed(3), (part: number) => (100 * part).toFixed(1)];
      console.log(
        `20 µs per string, ${training}, ${kind}: ${strings.toFixed(1)} strings per iteration of ${ms(iteration)} ms; scoring ${ms(scoring)} ms, without this library ${ms(bare)} ms, 20 µs × strings ${ms(oracle)} ms, the disk ${ms(disk)} ms; this library adds ${percent(added)} %, of which the disk ${percent(disk / iteration)} %; everything but 20 µs × strings is ${percent(share)} %`,
      );
    }
  }
}
