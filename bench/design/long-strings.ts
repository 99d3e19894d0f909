// The rows on long strings: peak memory, speed and quality of training and sampling with each network of the policy.
//
// The score of a string is 1.25 to the power of its number of good letters, which are the first half of the alphabet. This is
// easy to learn, because the question is whether a network of this size trains at all. Held-out strings have between none
// and all of their letters good, so that their rewards differ.

import { RandomStream } from "../../src/engine/index.ts";
import { longSequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import type { SettingsInput } from "../../src/gfn/training/settings.ts";
import { fitWith } from "../../src/trained/fit.ts";
import { NO_STORAGE } from "../../src/trained/trained.ts";
import type { CasesOf } from "./design-case.ts";

/** The sizes that must fit into `MOST_MEGABYTES`. */
const SIZES = [
  { letters: 20, length: 50, iterations: 100 },
  { letters: 4, length: 100, iterations: 100 },
  { letters: 32, length: 256, iterations: 40 },
] as const;
const NETWORKS = ["mlp", "recurrent", "transformer"] as const satisfies SettingsInput["network"][];
const MOST_MEGABYTES = 4096;
const QUICK_ITERATIONS = 3;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const GAIN = 1.25;
/** About as many as `gflownet design` makes. */
const CALLS_PER_ITERATION = 8;
const HELD_OUT = 200;
const SAMPLES = 100;

/** One process: a size, a network, and the length of the training. */
export interface LongStrings {
  readonly letters: number;
  readonly length: number;
  readonly network: (typeof NETWORKS)[number];
  readonly iterations: number;
  readonly seed: number;
}

export interface LongStringsResult {
  /** Largest resident memory of the process, with training, samples and log-probabilities. */
  readonly peakMegabytes: number;
  /** Median time of an iteration. */
  readonly iterationSeconds: number;
  /** Time before the first iteration has ended, most of it for compilation. */
  readonly firstSeconds: number;
  /** Rank correlation of log P and log R on held-out strings. */
  readonly spearman: number;
  readonly batch: number;
}

/** Trains, samples and evaluates one network. The peak memory is that of the whole process. */
export async function measureLongStrings({
  letters,
  length,
  network,
  iterations,
  seed,
}: LongStrings): Promise<LongStringsResult> {
  const alphabet = LETTERS.slice(0, letters);
  const environment = longSequenceEnvironment({ alphabet, length, stick: 0 });
  const started = performance.now();
  const times: number[] = [];
  const trained = await fitWith(NO_STORAGE)({
    ...{
      environment,
      network,
      iterations,
      seed,
      calls: CALLS_PER_ITERATION * iterations,
      rewardFloor: 1e-30,
    },
    scores: (strings) => strings.map((string) => GAIN ** goodLetters(string, alphabet)),
    onEvent: ({ kind }) => {
      if (kind === "iteration") times.push(performance.now());
    },
  });
  await trained.sample(SAMPLES);
  const { spearman } = await trained.evaluateHeldOut(heldOutStrings(alphabet, length, seed));
  const { batch } = trained.options;
  await trained.dispose();
  const steps = times.slice(1).map((time, i) => (time - times[i]) / 1000);
  return {
    // Node.js reports kilobytes on all platforms.
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    iterationSeconds: steps.toSorted((a, b) => a - b)[steps.length >> 1],
    firstSeconds: (times[0] - started) / 1000,
    spearman: spearman ?? Number.NaN,
    batch,
  };
}

export const longStringCases: CasesOf<LongStringsResult> = ({ quick }) =>
  SIZES.flatMap(({ letters, length, ...size }) =>
    NETWORKS.map((network) => {
      const iterations = quick ? QUICK_ITERATIONS : size.iterations;
      return {
        section: "long strings",
        setting: `${length} letters out of ${letters}, ${network}, ${iterations} iterations`,
        measurements: [{ section: "long strings", letters, length, network, iterations, seed: 0 }],
        figures([{ peakMegabytes, iterationSeconds, firstSeconds, spearman, batch }]) {
          return {
            references: `batch ${batch}`,
            measured: `peak ${(peakMegabytes / 1024).toFixed(2)} GB, ${iterationSeconds.toFixed(2)} s per iteration, ${firstSeconds.toFixed(0)} s to the first, Spearman ${spearman.toFixed(2)}`,
            required: `peak at most ${MOST_MEGABYTES / 1024} GB`,
            met: peakMegabytes <= MOST_MEGABYTES,
          };
        },
      };
    }),
  );

function goodLetters(string: string, alphabet: string): number {
  return Array.from(string).filter((letter) => alphabet.indexOf(letter) < alphabet.length / 2).length;
}

/** Strings whose letters are good with a probability that rises from 0 to 1. */
function heldOutStrings(alphabet: string, length: number, seed: number): string[] {
  const stream = RandomStream.fromSeed(seed).split("held-out");
  const half = alphabet.length / 2;
  return Array.from({ length: HELD_OUT }, (_, i) =>
    Array.from({ length }, () => {
      const isGood = stream.uniform() < i / HELD_OUT;
      return alphabet[stream.integer(half) + (isGood ? 0 : half)];
    }).join(""),
  );
}
