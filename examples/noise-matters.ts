// Why noise needs a model of the dynamics: plain detailed balance beside the KL form, on the same noisy strings.
//
// Strings of five letters, worth more the nearer they are to one of three. One letter in four comes out at random. Plain
// balance reaches a loss of zero and the wrong distribution: it intends the right shares, and noise comes on top.
// Run it: npx tsx examples/noise-matters.ts

import {
  defaultSettings,
  hammingDistance,
  OBJECTIVES,
  sequenceEnvironment,
  train,
} from "../src/gfn/index.ts"; // gflownet/gfn

const environment = sequenceEnvironment({ alphabet: "ACGT", length: 5, stick: 0.25 });
const best = ["ACGTA", "TTGAC", "GGCCT"];
const scores = Float64Array.from({ length: 4 ** 5 }, (_, number) => {
  const string = Array.from({ length: 5 }, (_, i) => "ACGT"[(number >> (2 * (4 - i))) & 3]).join("");
  return 2 ** -Math.min(...best.map((other) => hammingDistance(string, other)));
});

for (const name of ["db", "kl"] as const) {
  const settings = defaultSettings(environment, {
    objective: OBJECTIVES[name],
    policy: { hidden: [32], memoryRows: environment.states, memoryRateScale: 7 },
    reward: { exponent: 2 },
  });
  let loss = Number.NaN;
  for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 1500 })) {
    if (event.kind === "iteration") loss = event.loss;
    if (event.kind !== "evaluation" || !event.exact || event.iteration === 0) continue;
    const { reached, limit, iteration } = event;
    console.log(
      `${name} after ${iteration} iterations: loss ${loss.toFixed(4)}, TV ${reached.tv.toFixed(4)} ` +
        `(limit ${limit.tv.toFixed(4)}), KL ${reached.kl.toFixed(4)} (limit ${limit.kl.toFixed(4)})`,
    );
  }
}
