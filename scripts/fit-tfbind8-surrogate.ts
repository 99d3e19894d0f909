// Fits the surrogate of the measured SIX6 table, which the task `tfbind8` uses by default.
//
//   npx tsx scripts/fit-tfbind8-surrogate.ts TABLE [--seed 2] [--motifs 15] [--steps 3000] [--output FILE]
//
// Minimises the squared error on all 65,536 strings by L-BFGS from random motifs; the same arguments give the same
// coefficients. Prints R² and Spearman's correlation after rounding and scaling; --output writes the coefficients to a file
// (src/tasks/tfbind8/surrogate-coefficients.ts).

import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { RandomStream } from "../src/engine/index.ts";
import { spearman } from "../src/math/distances.ts";
import { EIGHT_MERS, reverseComplement } from "../src/tasks/tfbind8/eight-mers.ts";
import { readBindingTable } from "../src/tasks/tfbind8/read-binding-table.ts";
import {
  coefficientCount,
  MOTIF,
  type SurrogateModel,
  siteSums,
  surrogateScores,
} from "../src/tasks/tfbind8/surrogate-model.ts";
import { minimise } from "./minimise.ts";

const SIZE = 4 * MOTIF;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "2" },
    motifs: { type: "string", default: "15" },
    steps: { type: "string", default: "3000" },
    output: { type: "string" },
  },
});
if (positionals.length !== 1) {
  console.error(
    "One argument is needed: the path of the measured table, a protein-binding-microarray 8-mer file.",
  );
  process.exit(2);
}
const measured = await readBindingTable(positionals[0]);
const motifs = Number(values.motifs);
const other = Uint16Array.from({ length: EIGHT_MERS }, (_, s) => reverseComplement(s));

// The parameters are the motifs, their weights and the bias, in this order.
const stream = RandomStream.fromSeed(Number(values.seed)).split("surrogate");
const start = Float64Array.from({ length: motifs * (SIZE + 1) + 1 }, (_, i) =>
  i < motifs * SIZE ? 0.5 * stream.normal() : 0.3 * stream.normal(),
);
const { x, value, steps } = minimise(loss, start, Number(values.steps), (step, now) => {
  if (step % 100 === 0) console.log(`step ${step}: mean square ${now.toFixed(6)}`);
});
const model = modelOf(x);
const { r2, rho } = agreement(surrogateScores(model));
console.log(
  `${coefficientCount(model)} coefficients, ${steps} steps, mean square ${value.toFixed(6)}: R² ${r2.toFixed(4)}, Spearman ${rho.toFixed(4)}`,
);
if (values.output) await writeFile(values.output, fileOf(model));

/** Returns the mean squared error over all strings, and writes its gradient into `gradient`. */
function loss(parameters: Float64Array, gradient: Float64Array): number {
  const logs: Float64Array[] = [];
  const z = new Float64Array(EIGHT_MERS).fill(parameters[motifs * (SIZE + 1)]);
  for (let f = 0; f < motifs; f++) {
    const sites = siteSums(parameters.subarray(f * SIZE, (f + 1) * SIZE));
    const pooled = new Float64Array(EIGHT_MERS);
    for (let s = 0; s < EIGHT_MERS; s++) {
      pooled[s] = s <= other[s] ? Math.log(sites[s] + sites[other[s]]) : pooled[other[s]];
      z[s] += parameters[motifs * SIZE + f] * pooled[s];
    }
    logs.push(pooled);
  }
  gradient.fill(0);
  let square = 0;
  for (let s = 0; s < EIGHT_MERS; s++) {
    const y = 1 / (1 + Math.exp(-z[s]));
    const error = y - measured[s];
    square += error * error;
    z[s] = (2 * error * y * (1 - y)) / EIGHT_MERS; // z now holds the derivative of the loss with respect to z
    gradient[motifs * (SIZE + 1)] += z[s];
  }
  for (let f = 0; f < motifs; f++) {
    const [motif, weight] = [parameters.subarray(f * SIZE, (f + 1) * SIZE), parameters[motifs * SIZE + f]];
    const slope = new Float64Array(EIGHT_MERS);
    for (let s = 0; s < EIGHT_MERS; s++) {
      gradient[motifs * SIZE + f] += z[s] * logs[f][s];
      // The factor is 2, because a site of s is also a site of its reverse complement.
      slope[s] = 2 * weight * z[s] * Math.exp(-logs[f][s]);
    }
    siteGradient(motif, slope, gradient.subarray(f * SIZE, (f + 1) * SIZE));
  }
  return square / EIGHT_MERS;
}

/** Adds Σ slope · ∂siteSums/∂motif to the gradient. */
function siteGradient(motif: Float64Array, slope: Float64Array, gradient: Float64Array): void {
  const inside = new Float64Array(4096);
  const [left, right] = [new Float64Array(1024), new Float64Array(1024)];
  for (let s = 0; s < EIGHT_MERS; s++) {
    left[s >> 6] += slope[s];
    right[s & 1023] += slope[s];
    inside[s >> 4] += slope[s];
    inside[(s >> 2) & 4095] += slope[s];
    inside[s & 4095] += slope[s];
  }
  const add = (first: number, count: number, word: number, weight: number) => {
    let energy = 0;
    for (let i = 0; i < count; i++) energy += motif[(first + i) * 4 + ((word >> (2 * (count - 1 - i))) & 3)];
    const share = weight * Math.exp(energy);
    for (let i = 0; i < count; i++)
      gradient[(first + i) * 4 + ((word >> (2 * (count - 1 - i))) & 3)] += share;
  };
  for (let x = 0; x < 4096; x++) add(0, MOTIF, x, inside[x]);
  for (let x = 0; x < 1024; x++) {
    for (let k = 1; k < MOTIF; k++) {
      add(MOTIF - k, k, x >> (2 * (MOTIF - 1 - k)), left[x]);
      add(0, k, x & (4 ** k - 1), right[x]);
    }
  }
}

/** The model with rounded parameters, as it is written to the file; the strongest motif is first. */
function modelOf(parameters: Float64Array): SurrogateModel {
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  const weights = [...parameters.subarray(motifs * SIZE, motifs * (SIZE + 1))].map(round);
  const order = weights.map((_, f) => f).sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]));
  return {
    bias: round(parameters[motifs * (SIZE + 1)]),
    weights: order.map((f) => weights[f]),
    motifs: order.map((f) => [...parameters.subarray(f * SIZE, (f + 1) * SIZE)].map(round)),
  };
}

function agreement(scores: Float64Array): { r2: number; rho: number } {
  const mean = measured.reduce((sum, y) => sum + y, 0) / EIGHT_MERS;
  let [residual, total] = [0, 0];
  for (let s = 0; s < EIGHT_MERS; s++) {
    residual += (measured[s] - scores[s]) ** 2;
    total += (measured[s] - mean) ** 2;
  }
  return { r2: 1 - residual / total, rho: spearman(measured, scores) };
}

function fileOf(fitted: SurrogateModel): string {
  const rows = fitted.motifs.map((motif) => `    [${motif.join(", ")}],`);
  return `// A surrogate of the measured SIX6 table, NOT the table itself: ${coefficientCount(fitted)} coefficients of surrogate-model.ts.
// Fitted to and measured against the same 65,536 values of SIX6_REF_R1_8mers.txt (Barrera et al. 2016): R² ${r2.toFixed(4)}, Spearman ${rho.toFixed(4)}.
// Written by scripts/fit-tfbind8-surrogate.ts --seed ${values.seed} --motifs ${values.motifs} --steps ${values.steps}; do not edit.

import type { SurrogateModel } from "./surrogate-model.ts";

/** Share of the measured table's variance that the surrogate's scores explain. */
export const R2 = ${r2.toFixed(4)};
/** Rank correlation of the surrogate's scores with the measured table. */
export const SPEARMAN = ${rho.toFixed(4)};

export const MODEL: SurrogateModel = {
  bias: ${fitted.bias},
  weights: [${fitted.weights.join(", ")}],
  // biome-ignore format: one motif in each line
  motifs: [
${rows.join("\n")}
  ],
};
`;
}
