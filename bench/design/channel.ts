// The rows on errors of synthesis: designs of a run that accounts for the errors and of a run that ignores them.
//
// All strings of eight letters out of four have a score R. Synthesis replaces letters with measured probabilities, so a
// design z has the expected score E(z) = Σ_x C(x | z) R(x). One run trains on a power of E, the other on a power of R. Both
// powers are chosen so that the target has the same effective number of strings, 1 / Σ p², because a sharper target would
// have the advantage. The result of a run is the exact mean of E over its designs, Σ_z π(z) E(z), without sampling.

import { expectedTable } from "../../src/channel/expected-score.ts";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { ehrlichLandscape } from "../../src/landscapes/ehrlich.ts";
import { generateEhrlich } from "../../src/landscapes/ehrlich-generator.ts";
import { type Landscape, landscapeTable } from "../../src/landscapes/landscape.ts";
import { nkLandscape } from "../../src/landscapes/nk.ts";
import { fitWith } from "../../src/trained/fit.ts";
import { NO_STORAGE } from "../../src/trained/trained.ts";
import type { CasesOf, DesignCase } from "./design-case.ts";
import {
  type MeasuredErrors,
  MUTAZYME,
  NUCLEOTIDE_ANALOGUES,
  PHOTOLITHOGRAPHY,
  substitutionMatrix,
} from "./measured-channels.ts";

const ALPHABET = "ACGT";
const LENGTH = 8;
/** Least effective number of strings of both targets. It is larger where many strings share the best score, because no
 * power of R has fewer than these. */
const EFFECTIVE = 100;
/** Score of strings that are not feasible, and least reward of all others. */
const FLOOR = 1e-3;
const [ITERATIONS, QUICK_ITERATIONS] = [3000, 50];

const ERRORS = { analogues: NUCLEOTIDE_ANALOGUES, mutazyme: MUTAZYME, photolithography: PHOTOLITHOGRAPHY };
type ErrorsName = keyof typeof ERRORS;

const LANDSCAPES = {
  "NK, K = 3": (seed: number) => nkLandscape({ letters: 4, length: LENGTH, neighbours: 3, seed }),
  "NK, K = 7": (seed: number) => nkLandscape({ letters: 4, length: LENGTH, neighbours: 7, seed }),
  "Ehrlich v4 L8 c2 k4": (seed: number) =>
    ehrlichLandscape(generateEhrlich({ states: 4, length: LENGTH, motifs: 2, motifLength: 4, seed })),
} satisfies Record<string, (seed: number) => Landscape>;
type LandscapeName = keyof typeof LANDSCAPES;

/** Both runs on the landscape of a seed. Without iterations, only the targets are computed. */
export interface ChannelMeasurement {
  readonly errors: ErrorsName;
  readonly landscape: LandscapeName;
  readonly seed: number;
  readonly iterations: number;
}

/** Exact mean expected scores after synthesis. */
export interface ChannelResult {
  /** Of the designs of a run that trained on E, and of one that trained on R; null without training. */
  readonly accounting: number | null;
  readonly ignoring: number | null;
  /** Of the targets, which a perfect run reaches. */
  readonly accountingTarget: number;
  readonly ignoringTarget: number;
  /** The largest E, and E of the string of the largest R. */
  readonly best: number;
  readonly bestIgnoring: number;
}

export async function measureChannel({
  errors,
  landscape,
  seed,
  iterations,
}: ChannelMeasurement): Promise<ChannelResult> {
  const scores = landscapeTable(LANDSCAPES[landscape](seed), FLOOR).map((score) => Math.max(score, FLOOR));
  const substitution = { kind: "substitution", matrix: substitutionMatrix(ERRORS[errors]) } as const;
  const expected = expectedTable(scores, { letters: 4, length: LENGTH, substitution });
  const effective = Math.max(EFFECTIVE, 2 * countOfLargest(scores));
  const run = async (table: Float64Array) => {
    const exponent = exponentFor(table, effective);
    const target = expectation(powerDistribution(table, exponent), expected);
    if (iterations === 0) return { target, learned: null };
    const learned = await trainedDistribution(table, exponent, seed, iterations);
    return { target, learned: expectation(learned, expected) };
  };
  const accounting = await run(expected);
  const ignoring = await run(scores);
  return {
    ...{ accounting: accounting.learned, ignoring: ignoring.learned },
    ...{ accountingTarget: accounting.target, ignoringTarget: ignoring.target },
    best: expected.reduce((a, b) => Math.max(a, b)),
    bestIgnoring: expected[scores.indexOf(scores.reduce((a, b) => Math.max(a, b)))],
  };
}

export const channelCases: CasesOf<ChannelResult> = ({ quick, seeds }) => {
  const landscapes = Object.keys(LANDSCAPES) as LandscapeName[];
  const iterations = quick ? QUICK_ITERATIONS : ITERATIONS;
  const measurements = (errors: ErrorsName, landscape: LandscapeName, iterations: number) =>
    seeds.map((seed) => ({ section: "channel", errors, landscape, seed, iterations }) as const);
  return [
    ...landscapes.map(
      (landscape): DesignCase<ChannelResult> => ({
        section: "channel",
        setting: `${rateText(NUCLEOTIDE_ANALOGUES)}, ${landscape}`,
        measurements: measurements("analogues", landscape, iterations),
        figures(results) {
          const gains = results.map(({ accounting, ignoring }) => accounting! / ignoring! - 1);
          const of = (read: (result: ChannelResult) => number) =>
            results.map((result) => read(result).toFixed(4)).join(", ");
          return {
            references: `targets ${of(({ accountingTarget }) => accountingTarget)} against ${of(({ ignoringTarget }) => ignoringTarget)}`,
            measured: `${of(({ accounting }) => accounting!)} against ${of(({ ignoring }) => ignoring!)}: ${gains.map(percentText).join(", ")}`,
            required: "accounting for the errors is better",
            met: quick ? null : gains.every((gain) => gain > 0),
          };
        },
      }),
    ),
    ...(["mutazyme", "photolithography"] as const).map(
      (errors): DesignCase<ChannelResult> => ({
        section: "channel",
        setting: `substitutions of ${rateText(ERRORS[errors])}, all landscapes, targets only`,
        measurements: landscapes.flatMap((landscape) => measurements(errors, landscape, 0)),
        figures(results) {
          const gains = results.map(
            ({ accountingTarget, ignoringTarget }) => accountingTarget / ignoringTarget - 1,
          );
          const bests = results.map(({ best, bestIgnoring }) => best / bestIgnoring - 1);
          return {
            references: `best design ${percentText(Math.min(...bests))} to ${percentText(Math.max(...bests))}`,
            measured: `${percentText(Math.min(...gains))} to ${percentText(Math.max(...gains))}`,
            required: "",
            met: null,
          };
        },
      }),
    ),
  ];
};

function rateText({ name, rate }: MeasuredErrors): string {
  return `${name} (${(100 * rate).toFixed(1)} % of the letters)`;
}

function percentText(gain: number): string {
  return `${gain > 0 ? "+" : ""}${(100 * gain).toFixed(1)} %`;
}

/** The distribution of a trained policy over all strings in alphabetical order. It is exact: there is no noise. */
async function trainedDistribution(
  scores: Float64Array,
  rewardExponent: number,
  seed: number,
  iterations: number,
): Promise<Float64Array> {
  const environment = sequenceEnvironment({ alphabet: ALPHABET, length: LENGTH, stick: 0 });
  // The floor of the reward must stay below the power of every score.
  const options = { environment, scores, rewardExponent, rewardFloor: 1e-30, seed, iterations };
  const trained = await fitWith(NO_STORAGE)(options);
  try {
    const strings = Array.from({ length: scores.length }, (_, index) =>
      Array.from({ length: LENGTH }, (_, i) => ALPHABET[Math.floor(index / 4 ** (LENGTH - 1 - i)) % 4]).join(
        "",
      ),
    );
    const logs = await trained.logProbabilities(strings);
    return Float64Array.from(logs, ({ logProbability }) => Math.exp(logProbability));
  } finally {
    await trained.dispose();
  }
}

/** The distribution proportional to a power of the scores. */
function powerDistribution(scores: Float64Array, exponent: number): Float64Array {
  const most = scores.reduce((a, b) => Math.max(a, b));
  const weights = scores.map((score) => (score / most) ** exponent);
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** The exponent whose distribution has this effective number of strings, 1 / Σ p², by bisection; it falls with the exponent. */
function exponentFor(scores: Float64Array, effective: number): number {
  let [low, high] = [0, 1000];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    const size = 1 / powerDistribution(scores, middle).reduce((sum, p) => sum + p * p, 0);
    if (size > effective) low = middle;
    else high = middle;
  }
  return low;
}

function countOfLargest(scores: Float64Array): number {
  const most = scores.reduce((a, b) => Math.max(a, b));
  return scores.reduce((count, score) => count + (score === most ? 1 : 0), 0);
}

function expectation(distribution: Float64Array, values: Float64Array): number {
  return distribution.reduce((sum, p, i) => sum + p * values[i], 0);
}
