// Draws every chart of src/report on one page, from synthetic data: npx tsx scripts/report-gallery.ts FILE.html
//
// Use it to inspect the charts by eye, for labels that overlap or are cut off. The tests draw the same page.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RandomStream } from "../src/engine/random-stream.ts";
import {
  comparisonChart,
  distanceChart,
  dynamicsLossChart,
  entropyRatioChart,
  lossChart,
  modesFoundChart,
  type NoiseLevel,
} from "../src/report/charts.ts";
import { htmlPage, type Page } from "../src/report/page.ts";
import type { Point, SeedRuns } from "../src/report/series.ts";
import { designSections } from "./design-gallery.ts";
import { forecastSections } from "./forecast-gallery.ts";
import { viewSections } from "./view-gallery.ts";

const STICKS = [0.25, 0.5, 0.75];
const METHODS = ["kl + quantile ratio", "stochastic DB", "plain DB"];
/** Limits of TFBind8 that were measured earlier, so that the charts look realistic. */
const TV_LIMIT = [0.0053, 0.0459, 0.1641];
const KL_LIMIT = [0.002, 0.0178, 0.098];
const FLOOR = [0.689, 1.074, 1.303];

/** The gallery page; every call returns the same text. */
export function gallery(): Page {
  const random = RandomStream.fromSeed(0).split("gallery");
  const noise = () => random.uniform() - 0.5;
  const seeds = (name: string, count: number, f: (t: number, noise: () => number) => Point): SeedRuns => ({
    name,
    runs: Array.from({ length: count }, () => Array.from({ length: 31 }, (_, i) => f(i / 30, noise))),
  });
  const decay = (limit: number, start: number, method: number): NoiseLevel["methods"][number] =>
    seeds(METHODS[method], 3, (t, jitter) => ({
      x: 300 * t + (t > 0 ? 4 * jitter() : 0),
      y: (limit * (1 + method * 0.9) + start * Math.exp(-(9 - 2 * method) * t)) * (1 + 0.25 * jitter()),
    }));
  const levelsOf = (limits: readonly number[], start: number): NoiseLevel[] =>
    STICKS.map((stick, i) => ({
      stick,
      limit: limits[i],
      uniform: start,
      methods: METHODS.map((_, m) => decay(limits[i], start, m)),
    }));
  const scores = (base: number, step: number, spread: number) =>
    STICKS.map((stick, i) => ({
      stick,
      methods: METHODS.map((name, m) => ({
        name,
        values: Array.from({ length: 3 }, () => base - step * m - (step * i) / 2 + spread * noise()),
      })),
    }));
  return {
    title: "Gallery of charts",
    intro: "Synthetic data; the limits are those of TFBind8.",
    sections: [
      {
        heading: "Comparisons",
        figures: [
          modesFoundChart({
            progressUnit: "oracle calls",
            levels: STICKS.map((stick, i) => ({
              stick,
              limit: 57,
              methods: METHODS.map((name, m) =>
                seeds(name, 3, (t, jitter) => ({
                  x: 16000 * t,
                  y: Math.round((56 - 8 * i - 9 * m) * (1 - Math.exp(-5 * t)) * (1 + 0.1 * jitter())),
                })),
              ),
            })),
          }),
          distanceChart("tv", { progressUnit: "seconds", levels: levelsOf(TV_LIMIT, 0.403) }),
          distanceChart("kl", { progressUnit: "seconds", levels: levelsOf(KL_LIMIT, 0.499) }),
          distanceChart("kl", {
            progressUnit: "iterations",
            levels: [
              { stick: 0, limit: 0, methods: levelsOf(KL_LIMIT, 0.499)[0].methods },
              ...levelsOf(KL_LIMIT, 0.499),
            ],
          }),
          comparisonChart({
            title: "Reward of the best 100",
            value: { label: "mean reward" },
            levels: scores(0.95, 0.04, 0.03),
          }),
          comparisonChart({
            title: "Diversity of the best 100",
            value: { label: "mean edit distance", unit: "letters" },
            levels: scores(5.2, 0.4, 0.5),
          }),
        ],
      },
      {
        heading: "Training",
        figures: [
          entropyRatioChart({
            progressUnit: "iterations",
            runs: [0.25, 0.5, 0.75].map((gamma) => ({
              gamma,
              runs: seeds("", 3, (t, jitter) => ({
                x: 10998 * t,
                y: 1 + (1 / gamma - 1) * 0.7 * (1 - Math.exp(-4 * t)) * (1 + 0.1 * jitter()),
              })).runs,
            })),
          }),
          dynamicsLossChart({
            progressUnit: "iterations",
            levels: STICKS.map((stick, i) => ({
              stick,
              limit: FLOOR[i],
              methods: [
                seeds("dynamics", 3, (t, jitter) => ({
                  x: 5000 * t,
                  y:
                    FLOOR[i] +
                    (1.386 - FLOOR[i]) * Math.exp(-12 * t) +
                    0.02 * jitter() * (1 + 3 * Math.exp(-9 * t)) +
                    0.01,
                })),
              ],
            })),
          }),
          lossChart({
            progressUnit: "iterations",
            runs: [
              {
                name: "kl",
                runs: [
                  Array.from({ length: 2000 }, (_, i) => ({
                    x: 10 * (i + 1),
                    y: (3 * Math.exp(-i / 200) + 0.004) * Math.exp(1.5 * noise()),
                  })),
                ],
              },
            ],
          }),
        ],
      },
      { heading: "Almost no data", figures: degenerate() },
      ...designSections(),
      ...forecastSections(),
      ...viewSections(),
    ],
  };
}

function degenerate(): string[] {
  const one = (points: readonly Point[]): readonly NoiseLevel[] => [
    { stick: 0.25, limit: 0.005, methods: [{ name: "kl", runs: [points] }] },
  ];
  const progressUnit = "iterations";
  return [
    distanceChart("tv", { progressUnit, levels: one([]) }),
    distanceChart("tv", { progressUnit, levels: one([{ x: 100, y: 0.1 }]) }),
    distanceChart("kl", {
      progressUnit,
      levels: one([0, 1, 2, 3].map((x) => ({ x, y: [Number.POSITIVE_INFINITY, 0.5, 0, Number.NaN][x] }))),
    }),
    lossChart({
      progressUnit,
      runs: [{ name: "constant", runs: [[0, 500, 1000].map((x) => ({ x, y: 0.25 }))] }],
    }),
    comparisonChart({
      title: `Names to escape: <script>alert("1")</script> & 'others', which are so long that the title must wrap`,
      value: { label: "<b>reward</b>" },
      levels: [
        {
          stick: 0.5,
          methods: [`<img src=x onerror="alert(1)"> a name that is much too long`, "短い名前", "nothing"].map(
            (name, i) => ({ name, values: [[0.5], [0.7, Number.NaN, 0.71], []][i] }),
          ),
        },
      ],
    }),
    lossChart({
      progressUnit,
      runs: Array.from({ length: 12 }, (_, i) => ({
        name: `method number ${i + 1}`,
        runs: [[0, 1, 2].map((x) => ({ x, y: i + x }))],
      })),
    }),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(process.argv[2] ?? "report-gallery.html", htmlPage(gallery()));
}
