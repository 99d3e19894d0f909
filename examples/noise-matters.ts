// Shows why noise needs a dynamics model: trains plain detailed balance and the objective `kl` on the same noisy task.
//
// Strings of five letters score higher the nearer they are to one of three strings. With probability ¼, the environment
// replaces a letter by a random one. Plain detailed balance reaches a loss of zero but the wrong distribution: the
// intended strings follow the target, and the noise then changes some of their letters.
//
// Run it: npx tsx examples/noise-matters.ts

import { defaultSettings, hammingDistance, sequenceEnvironment, train } from "../src/gfn/index.ts"; // gflownet/gfn

const environment = sequenceEnvironment({ alphabet: "ACGT", length: 5, stick: 0.25 });
const best = ["ACGTA", "TTGAC", "GGCCT"];
const scores = Float64Array.from({ length: 4 ** 5 }, (_, number) => {
  const string = Array.from({ length: 5 }, (_, i) => "ACGT"[(number >> (2 * (4 - i))) & 3]).join("");
  return 2 ** -Math.min(...best.map((other) => hammingDistance(string, other)));
});

for (const name of ["db", "kl"] as const) {
  const settings = defaultSettings(environment, {
    objective: name,
    hidden: [32],
    rewardExponent: 2,
  });
  let loss = Number.NaN;
  for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 1000 })) {
    if (event.kind === "iteration") loss = event.loss;
    if (event.kind !== "evaluation" || !event.exact || event.iteration === 0) continue;
    const { reached, limit, iteration } = event;
    console.log(
      `${name} after ${iteration} iterations: loss ${loss.toFixed(4)}, TV ${reached.tv.toFixed(4)} ` +
        `(limit ${limit.tv.toFixed(4)}), KL ${reached.kl.toFixed(4)} (limit ${limit.kl.toFixed(4)})`,
    );
  }
}
