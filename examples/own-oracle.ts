// Bring your own oracle: peptides of twelve letters, scored by a function of yours whenever it is asked.
//
// 20^12 strings are too many to list, so nothing is exact here: an iteration is two calls, one that plays and one that
// learns, and the oracle is asked in between, once for every new string. It may be slow, and it may be asynchronous.
// Run it: npx tsx examples/own-oracle.ts

import { defaultSettings, longSequenceEnvironment, train } from "../src/gfn/index.ts"; // gflownet/gfn

const environment = longSequenceEnvironment({ alphabet: "ACDEFGHIKLMNPQRSTVWY", length: 12, stick: 0.05 });

// A hand-written score, no measurement: a helix turns by 100° per letter; one side of it should be oily, the other
// charged, and letters should not stand beside their like.
const found = new Map<string, number>();
function score(peptides: readonly string[]): number[] {
  return peptides.map((peptide) => {
    let fits = 0;
    for (let i = 0; i < peptide.length; i++) {
      const wanted = Math.cos((i * 100 * Math.PI) / 180) > 0 ? "AILMFVW" : "KRH";
      if (wanted.includes(peptide[i]) && peptide[i] !== peptide[i - 1]) fits++;
    }
    found.set(peptide, fits / peptide.length);
    return fits / peptide.length;
  });
}

// VarGrad takes log Z from the batch: with so many strings it is large, and learning it would take a while.
const settings = defaultSettings(environment, {
  objective: { balance: "vargrad", dynamics: "marginal", loss: "squared" },
  policy: { hidden: [64, 64] },
  batch: 64,
  learningRate: { from: 5e-3, to: 1e-4, shape: "cosine" },
  reward: { exponent: 16, floor: 1e-9 },
});
const run = train({ ...settings, environment, scores: score, seed: 0, iterations: 450, evaluateEvery: 150 });
for await (const event of run) {
  if (event.kind !== "evaluation" || event.exact) continue;
  const { meanScore, topK, modes } = event.sampled;
  console.log(
    `after ${event.iteration} iterations and ${event.oracleCalls} oracle calls: mean score ${meanScore.toFixed(3)}, ` +
      `best 100 ${topK.mean.toFixed(3)}, ${modes} of them far apart (edit distance ${topK.diversity.toFixed(1)})`,
  );
}
for (const [peptide, value] of [...found].sort(([, a], [, b]) => b - a).slice(0, 5)) {
  console.log(`${peptide}  ${value.toFixed(3)}`);
}
