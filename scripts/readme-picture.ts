// Draws the picture of the README: npx tsx scripts/readme-picture.ts [FILE.svg]
//
// Trains plain detailed balance (`db`) and the default objective (`kl`) on the task of examples/noise-matters.ts, at two
// noise levels with three seeds each, and draws the exact total variation over the iterations. The same machine draws
// the same picture every time. It takes about a minute.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { defaultSettings, hammingDistance, sequenceEnvironment, train } from "../src/gfn/index.ts";
import { distanceChart, type NoiseLevel } from "../src/report/charts.ts";
import type { Point, SeedRuns } from "../src/report/series.ts";

const STICKS = [0.25, 0.5];
const SEEDS = [0, 1, 2];
const METHODS = { "plain detailed balance": "db", "kl (default)": "kl" } as const;
const BEST = ["ACGTA", "TTGAC", "GGCCT"];

const scores = Float64Array.from({ length: 4 ** 5 }, (_, number) => {
  const text = Array.from({ length: 5 }, (_, i) => "ACGT"[(number >> (2 * (4 - i))) & 3]).join("");
  return 2 ** -Math.min(...BEST.map((other) => hammingDistance(text, other)));
});

const levels: NoiseLevel[] = [];
for (const stick of STICKS) {
  const environment = sequenceEnvironment({ alphabet: "ACGT", length: 5, stick });
  const methods: SeedRuns[] = [];
  let limit = Number.NaN;
  for (const [name, objective] of Object.entries(METHODS)) {
    const settings = defaultSettings(environment, { objective, hidden: [32], rewardExponent: 2 });
    const runs: Point[][] = [];
    for (const seed of SEEDS) {
      const points: Point[] = [];
      const options = { ...settings, environment, scores, seed, iterations: 1500, evaluateEvery: 50 };
      for await (const event of train(options)) {
        if (event.kind !== "evaluation" || !event.exact) continue;
        points.push({ x: event.iteration, y: event.reached.tv });
        limit = event.limit.tv;
      }
      runs.push(points);
    }
    methods.push({ name, runs });
  }
  levels.push({ stick, methods, limit });
}

const [file = "docs/images/noise-matters.svg"] = process.argv.slice(2);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, distanceChart("tv", { progressUnit: "iterations", levels }));
console.log(`Written to ${file}.`);
