// How near training comes in a given time to the best reachable policy on a small Ehrlich function, where all is exact.
//
//   npx tsx bench/design/ehrlich.ts FILE [INDEX] [SECONDS]     instances as in examples/ehrlich/instance.json
//
// The table has, for each noise: total variation of the limit and above it, and the probability of illegal strings beside
// that of the best reachable policy and the least that any policy can have.

import { readFileSync } from "node:fs";
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
import { parseEhrlich } from "../../src/landscapes/ehrlich-instance.ts";
import { normaliseRewards, totalVariation } from "../../src/math/distances.ts";
import { fitWith } from "../../src/trained/fit.ts";
import { NO_STORAGE } from "../../src/trained/trained.ts";

const [file, index, seconds = "30"] = process.argv.slice(2);
if (!file) throw new Error("give a file of Ehrlich instances");
const instance = parseEhrlich(readFileSync(file, "utf8"), {
  ...(index !== undefined && { index: Number(index) }),
  source: file,
});
const landscape = ehrlichLandscape(instance, file);
const tokens = Array.from({ length: landscape.letters }, (_, i) => String.fromCharCode(65 + i));
const fit = fitWith(NO_STORAGE);

const noises: readonly LetterNoise[] = [
  { kind: "none" },
  ...(["within", "free"] as const).flatMap((mode) =>
    [0.1, 0.25].map((stick) => ({ kind: "stick", stick, mode }) as const),
  ),
];
console.log(landscape.label);
console.log("| noise | limit TV | TV above the limit | P(illegal) | of the limit | least | iterations |");
console.log("|---|---|---|---|---|---|---|");
for (const noise of noises) {
  const environment = constrainedSequenceEnvironment({
    space: { tokens, length: { min: landscape.length, max: landscape.length } },
    constraints: [landscape.pairs],
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
  const trained = await fit({ environment, scores, seconds: Number(seconds), seed: 0 });
  const logs = await trained.logProbabilities(strings.map((string) => environment.describe(string)));
  const policy = Float64Array.from(logs, ({ logProbability }) => Math.exp(logProbability));
  const illegal = environment.illegalObjects().reduce((sum, is, i) => sum + is * policy[i], 0);
  const cells = [
    noise.kind === "stick" ? `${noise.mode} ${noise.stick}` : "none",
    limit.tv.toFixed(4),
    (totalVariation(target, policy) - limit.tv).toFixed(4),
    illegal === 0 ? "0" : illegal.toFixed(4),
    illegalProbability(environment, limit.policy).toFixed(4),
    leastIllegalProbability(environment).toFixed(4),
    trained.iterations,
  ];
  console.log(`| ${cells.join(" | ")} |`);
  await trained.dispose();
}
