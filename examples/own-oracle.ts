// A custom oracle: peptides of twelve letters, scored by your own function.
//
// 20^12 strings are too many to enumerate, so evaluation uses samples. An iteration calls two programs: one samples
// trajectories, and one updates the networks. In between, the oracle scores every new string. The oracle may be slow,
// and it may be asynchronous.
//
// Run it: npx tsx examples/own-oracle.ts

import { defaultSettings, longSequenceEnvironment, train } from "../src/gfn/index.ts"; // gflownet/gfn

const environment = longSequenceEnvironment({ alphabet: "ACDEFGHIKLMNPQRSTVWY", length: 12, stick: 0.05 });

// This score is invented. A helix turns by 100° per letter; one side of it should be hydrophobic, the other charged,
// and neighbouring letters should differ.
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

// VarGrad estimates log Z from the batch. With so many strings log Z is large, and learning it would take long.
const settings = defaultSettings(environment, {
  balance: "vargrad",
  dynamics: "marginal",
  loss: "squared",
  hidden: [64, 64],
  batch: 64,
  learningRate: { from: 5e-3, to: 1e-4, shape: "cosine" },
  rewardExponent: 16,
  rewardFloor: 1e-9,
});
const run = train({ ...settings, environment, scores: score, seed: 0, iterations: 450, evaluateEvery: 150 });
for await (const event of run) {
  if (event.kind !== "evaluation" || event.exact) continue;
  const { meanScore, topK, circles } = event.sampled;
  console.log(
    `after ${event.iteration} iterations and ${event.oracleCalls} oracle calls: mean score ${meanScore.toFixed(3)}, ` +
      `best 100 ${topK.mean.toFixed(3)}, ${circles} circles (edit distance ${topK.diversity.toFixed(1)})`,
  );
}
for (const [peptide, value] of [...found].sort(([, a], [, b]) => b - a).slice(0, 5)) {
  console.log(`${peptide}  ${value.toFixed(3)}`);
}
