// The rows on a small Ehrlich function, where everything is exact: how near training comes in a given time to the best
// reachable policy, and how often strings are illegal, beside the best reachable policy and the least of any policy.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RandomStream } from "../../src/engine/index.ts";
import {
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
} from "../../src/gfn/environment/constrained-sequence.ts";
import { enumerationOf } from "../../src/gfn/environment/environment.ts";
import type { LetterNoise } from "../../src/gfn/environment/letter-noise.ts";
import { illegalProbability, leastIllegalProbability } from "../../src/gfn/evaluate/illegal-probability.ts";
import { limitOf } from "../../src/gfn/evaluate/limit.ts";
import { rewardTable } from "../../src/gfn/reward/reward.ts";
import { ehrlichLandscape } from "../../src/landscapes/ehrlich.ts";
import { generateEhrlich } from "../../src/landscapes/ehrlich-generator.ts";
import { type EhrlichInstance, parseEhrlich } from "../../src/landscapes/ehrlich-instance.ts";
import { normaliseRewards, totalVariation } from "../../src/math/distances.ts";
import { fitWith } from "../../src/trained/fit.ts";
import { NO_STORAGE } from "../../src/trained/trained.ts";
import type { CasesOf } from "./design-case.ts";

/** The sizes of the function. */
const SIZES = { states: 4, length: 8, motifs: 2, motifLength: 4 } as const;
/** Instances that holo-bench drew, which are not part of the repository. */
const INSTANCES = fileURLToPath(new URL("../../../shared/data/ehrlich/instances.json", import.meta.url));
const MOST_ABOVE_LIMIT = 0.02;

const NOISES: readonly LetterNoise[] = [
  { kind: "none" },
  ...(["within", "free"] as const).flatMap((mode) =>
    [0.1, 0.25].map((stick) => ({ kind: "stick", stick, mode }) as const),
  ),
];

/** One training run under one noise. */
export interface EhrlichMeasurement {
  readonly noise: LetterNoise;
  readonly seconds: number;
  readonly seed: number;
}

export interface EhrlichResult {
  readonly instance: string;
  readonly limitTv: number;
  /** Total variation from the target above that of the best reachable policy. */
  readonly aboveLimit: number;
  /** Probability of illegal strings: of the trained policy, of the best reachable one, and the least of any policy. */
  readonly illegal: number;
  readonly limitIllegal: number;
  readonly leastIllegal: number;
  readonly iterations: number;
}

/** The instance of holo-bench with these sizes if its file is there, else one of our own generator, with its origin. */
export function ehrlichInstance(file = INSTANCES): { instance: EhrlichInstance; origin: string } {
  if (!existsSync(file))
    return { instance: generateEhrlich({ ...SIZES, seed: 0 }), origin: "our own generator, seed 0" };
  const text = readFileSync(file, "utf8");
  const { instances } = JSON.parse(text) as { instances: readonly EhrlichInstance[] };
  const index = instances.findIndex((instance) =>
    Object.entries(SIZES).every(([name, size]) => instance[name as keyof typeof SIZES] === size),
  );
  if (index < 0) throw new RangeError(`design: ${file} has no Ehrlich function of ${JSON.stringify(SIZES)}`);
  return { instance: parseEhrlich(text, { index, source: file }), origin: `holo-bench's instance ${index}` };
}

export async function measureEhrlich({ noise, seconds, seed }: EhrlichMeasurement): Promise<EhrlichResult> {
  const { instance, origin } = ehrlichInstance();
  const landscape = ehrlichLandscape(instance, origin);
  const tokens = Array.from({ length: landscape.letters }, (_, i) => String.fromCharCode(65 + i));
  const environment = constrainedSequenceEnvironment({
    space: { tokens, length: { min: landscape.length, max: landscape.length } },
    constraints: landscape.pairs ? [landscape.pairs] : [],
    noise,
  }) as EnumerableConstrainedEnvironment;
  const enumeration = enumerationOf(environment);
  const stream = RandomStream.fromSeed(0);
  const strings = Array.from({ length: enumeration.terminals }, (_, terminal) =>
    environment.sampleTrajectoryTo(terminal, stream),
  );
  const scores = Float64Array.from(strings, (string) => landscape.score(string) ?? 0);
  const { target } = normaliseRewards(rewardTable(scores));
  const limit = limitOf(environment, enumeration, target);
  const trained = await fitWith(NO_STORAGE)({ environment, scores, seconds, seed });
  const logs = await trained.logProbabilities(strings.map((string) => environment.describe(string)));
  const policy = Float64Array.from(logs, ({ logProbability }) => Math.exp(logProbability));
  await trained.dispose();
  return {
    instance: `${landscape.label}`,
    limitTv: limit.tv,
    aboveLimit: totalVariation(target, policy) - limit.tv,
    illegal: environment.illegalObjects().reduce((sum, is, i) => sum + is * policy[i], 0),
    limitIllegal: illegalProbability(environment, limit.policy),
    leastIllegal: leastIllegalProbability(environment),
    iterations: trained.iterations,
  };
}

export const ehrlichCases: CasesOf<EhrlichResult> = ({ quick, seconds, seeds }) => {
  const { origin } = ehrlichInstance();
  return NOISES.map((noise) => ({
    section: "Ehrlich",
    setting: `v4 L8 c2 k4 (${origin}), ${noise.kind === "stick" ? `${noise.mode}, stick ${noise.stick}` : "no noise"}, ${seconds} s`,
    measurements: seeds.map((seed) => ({ section: "Ehrlich", noise, seconds, seed })),
    figures(results) {
      const [{ limitTv, limitIllegal, leastIllegal }] = results;
      const illegal = results.map(({ illegal }) => illegal.toFixed(4)).join(", ");
      return {
        references: `TV of the limit ${limitTv.toFixed(4)}, its P(illegal) ${limitIllegal.toFixed(4)}, least P(illegal) ${leastIllegal.toFixed(4)}`,
        measured: `TV above the limit ${results.map(({ aboveLimit }) => aboveLimit.toFixed(4)).join(", ")}; P(illegal) ${illegal}`,
        required: `TV above the limit at most ${MOST_ABOVE_LIMIT}`,
        met: quick ? null : results.every(({ aboveLimit }) => aboveLimit <= MOST_ABOVE_LIMIT),
      };
    },
  }));
};
