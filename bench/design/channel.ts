// The channel study: designs for a synthesis with errors, by a run that accounts for the errors and a run that ignores them.
//
// All strings of eight letters out of four have a score R. Synthesis replaces letters with unequal probabilities, so a
// design z has the expected score E(z) = Σ_x C(x | z) R(x). One run trains on a power of E, the other on a power of R. Both
// powers are chosen so that the target has the same effective number of strings, 1 / Σ p², because a sharper target would
// have the advantage. The result of a run is the exact mean of E over its designs, Σ_z π(z) E(z), without sampling.
//
// Run it: npx tsx bench/design/channel.ts

import { fileURLToPath } from "node:url";
import { expectedTable } from "../../src/channel/expected-score.ts";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { fit } from "../../src/index.ts";
import { ehrlichLandscape } from "../../src/landscapes/ehrlich.ts";
import { generateEhrlich } from "../../src/landscapes/ehrlich-generator.ts";
import { type Landscape, landscapeTable } from "../../src/landscapes/landscape.ts";
import { nkLandscape } from "../../src/landscapes/nk.ts";
import { mean } from "../../src/math/statistics.ts";

const ALPHABET = "ACGT";
const LENGTH = 8;
/** Probabilities [intended][written]: G is misread as A most often, T hardly ever fails. Example values. */
const MATRIX = [
  [0.96, 0.01, 0.02, 0.01],
  [0.02, 0.9, 0.01, 0.07],
  [0.15, 0.02, 0.8, 0.03],
  [0.005, 0.01, 0.005, 0.98],
] as const;
/** Effective number of strings of both targets. */
const EFFECTIVE = 100;
/** Score of strings that are not feasible, and least reward of all others. */
const FLOOR = 1e-3;

export interface ChannelStudyOptions {
  readonly iterations: number;
  readonly seeds: readonly number[];
  readonly say?: (line: string) => void;
}

/** The exact expected scores after synthesis on one landscape with one seed. */
export interface ChannelResult {
  readonly landscape: string;
  readonly seed: number;
  /** Mean over the designs of a run: one that trained on E, and one that trained on R. */
  readonly accounting: number;
  readonly ignoring: number;
  /** The same means for the targets, which a perfect run reaches. */
  readonly accountingTarget: number;
  readonly ignoringTarget: number;
  /** The largest E, and E of the string of the largest R. */
  readonly best: number;
  readonly bestIgnoring: number;
}

/** Runs both kinds of training on both landscapes of every seed. */
export async function channelStudy({
  iterations,
  seeds,
  say = () => {},
}: ChannelStudyOptions): Promise<ChannelResult[]> {
  const results: ChannelResult[] = [];
  for (const seed of seeds) {
    const landscapes: readonly Landscape[] = [
      nkLandscape({ letters: 4, length: LENGTH, neighbours: 3, seed }),
      ehrlichLandscape(generateEhrlich({ states: 4, length: LENGTH, motifs: 2, motifLength: 4, seed })),
    ];
    for (const landscape of landscapes) {
      const scores = landscapeTable(landscape, FLOOR).map((score) => Math.max(score, FLOOR));
      const substitution = { kind: "substitution", matrix: MATRIX } as const;
      const expected = expectedTable(scores, { letters: 4, length: LENGTH, substitution });
      const run = async (table: Float64Array) => {
        const exponent = exponentFor(table, EFFECTIVE);
        const target = powerDistribution(table, exponent);
        const learned = await trainedDistribution(table, exponent, seed, iterations);
        return { learned: expectation(learned, expected), target: expectation(target, expected) };
      };
      const accounting = await run(expected);
      const ignoring = await run(scores);
      const result: ChannelResult = {
        ...{ landscape: landscape.label, seed },
        ...{ accounting: accounting.learned, ignoring: ignoring.learned },
        ...{ accountingTarget: accounting.target, ignoringTarget: ignoring.target },
        best: expected.reduce((a, b) => Math.max(a, b)),
        bestIgnoring: expected[scores.indexOf(scores.reduce((a, b) => Math.max(a, b)))],
      };
      say(JSON.stringify(result));
      results.push(result);
    }
  }
  return results;
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
  const trained = await fit({ environment, scores, rewardExponent, rewardFloor: 1e-30, seed, iterations });
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

function expectation(distribution: Float64Array, values: Float64Array): number {
  return distribution.reduce((sum, p, i) => sum + p * values[i], 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const iterations = Number(process.argv[2] ?? 3000);
  const results = await channelStudy({ iterations, seeds: [0, 1, 2], say: (line) => console.error(line) });
  for (const kind of ["NK", "Ehrlich"]) {
    const rows = results.filter(({ landscape }) => landscape.startsWith(kind));
    const summary = (field: keyof Omit<ChannelResult, "landscape" | "seed">) =>
      mean(rows.map((row) => row[field])).toFixed(4);
    console.log(
      `${kind}: mean expected score after synthesis ${summary("accounting")} if errors are accounted for (target ${summary("accountingTarget")}), ` +
        `${summary("ignoring")} if they are ignored (target ${summary("ignoringTarget")}); best design ${summary("best")} against ${summary("bestIgnoring")}`,
    );
  }
}
