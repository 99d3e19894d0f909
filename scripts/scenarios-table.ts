// Prints the numbers of docs/scenarios.md: npx tsx scripts/scenarios-table.ts [iterations]
//
// Trains a model of daily births and computes scenarios: a constraint, a temperature, events and a gap. Each proposal is
// fine-tuned for the given number of iterations (default 300). The seed is fixed, so the same machine gives the same
// numbers.

import { fileURLToPath } from "node:url";
import { isoTime, panelFromTable, readTable, truncatePanel } from "../src/forecast/data/index.ts";
import { fitForecastModel } from "../src/forecast/model/index.ts";
import {
  eventProbabilities,
  type FilledGap,
  infillGaps,
  type ScenarioReport,
  scenarioForecasts,
} from "../src/forecast/scenario/index.ts";
import type { Forecast, Panel } from "../src/forecast/types.ts";
import { formatCount } from "../src/report/text-format.ts";

const [iterations = 300] = process.argv.slice(2).map(Number);
const HORIZON = 28;
const BUDGET = "sum <= 290000";
const EVENTS = ["sum <= 283000", "max >= 15000"];
const tuning = { iterations, samples: 500, quantiles: [0.1, 0.9], seed: 0, threads: 1 };

const file = fileURLToPath(new URL("../data/us-births-2000-2014.csv.gz", import.meta.url));
const { panel: whole } = panelFromTable(await readTable(file));
const panel = truncatePanel(whole, Date.UTC(2014, 11, 4));
const model = await fitForecastModel(panel, {
  horizon: HORIZON,
  season: 7,
  averagedSeasons: 4,
  iterations: 1200,
  seed: 0,
});

const plain = await scenarioForecasts(model, panel, tuning);
const bound = await scenarioForecasts(model, panel, { ...tuning, constraint: BUDGET });
const cool = await scenarioForecasts(model, panel, { ...tuning, temperature: 0.5 });
const week = await gapOf(Date.UTC(2014, 10, 14), 7);

const [low, median, high] = sums(plain.forecasts[0]);
console.log(
  `Plain paths: median ${formatCount(median)}, middle 80 % ${formatCount(low)} to ${formatCount(high)}.`,
);
const met = bound.forecasts[0].paths!.filter((path) => sumOf(path) <= 290_000).length;
const [, boundMedian] = sums(bound.forecasts[0]);
const chance = (100 * Math.exp(bound.reports[0].logZ)).toFixed(1);
console.log(
  `Under ${BUDGET}, of probability ${chance} %: ${met} of 500 paths satisfy it, median ${formatCount(boundMedian)}.`,
);
console.log(
  `Days with the largest decrease: ${largestDecreases(plain.forecasts[0], bound.forecasts[0]).join(", ")}.\n`,
);

table(
  ["question", "paths that satisfied it", "effective sample size", "log Z", "learned log Z"],
  [
    reportRow(`\`${BUDGET}\``, bound.reports[0], true),
    reportRow("temperature 0.5", cool.reports[0]),
    reportRow("a gap of 7 days", week.report),
  ],
);

const chances = [];
for (const event of EVENTS) chances.push(...(await eventProbabilities(model, panel, { ...tuning, event })));
table(
  ["event", "fine-tuned", "counted"],
  chances.map(({ probability, standardError, counted }, i) => [
    `\`${EVENTS[i]}\``,
    `${probability.toPrecision(3)} ± ${standardError.toPrecision(2)}`,
    `${counted.probability.toPrecision(3)} ± ${counted.standardError.toPrecision(2)}`,
  ]),
);

table(
  Array.from({ length: 8 }, () => ""),
  [
    ["truth", ...Array.from(truthOf(week), formatCount)],
    ["mean", ...Array.from(week.mean, formatCount)],
    ["10 %", ...Array.from(week.quantiles[0], formatCount)],
    ["90 %", ...Array.from(week.quantiles[1], formatCount)],
  ],
);
const [lows, highs] = week.quantiles;
const within = truthOf(week).filter((value, t) => value >= lows[t] && value <= highs[t]).length;
console.log(`${within} of the 7 days lie within the middle 80 %.`);

/** Removes some rows from the panel and fills the gap. */
async function gapOf(from: number, rows: number): Promise<FilledGap> {
  const holes: Panel = {
    ...panel,
    series: panel.series.map((series) => {
      const first = series.times.indexOf(from);
      const isGap = (row: number) => row >= first && row < first + rows;
      return {
        ...series,
        targets: series.targets.map((values) =>
          values.map((value, row) => (isGap(row) ? Number.NaN : value)),
        ),
      };
    }),
  };
  return (await infillGaps(model, holes, tuning)).filled[0];
}

function truthOf({ from, rows }: FilledGap): Float64Array {
  return panel.series[0].targets[0].slice(from, from + rows);
}

/** The three days whose mean falls most under the constraint, with the decrease. */
function largestDecreases(before: Forecast, after: Forecast): string[] {
  const start = panel.series[0].times.at(-1)!;
  return Array.from(before.mean, (mean, h) => ({ h, fall: mean - after.mean[h] }))
    .sort((a, b) => b.fall - a.fall)
    .slice(0, 3)
    .map(({ h, fall }) => `${isoTime(start + (h + 1) * 86_400_000)} (${formatCount(fall)})`);
}

/** The 10 % quantile, the median and the 90 % quantile of the sums of paths. */
function sums({ paths = [] }: Forecast): number[] {
  const sorted = Float64Array.from(paths, sumOf).sort();
  return [0.1, 0.5, 0.9].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
}

function sumOf(path: Float64Array): number {
  return path.reduce((sum, value) => sum + value, 0);
}

function reportRow(name: string, report: ScenarioReport, isCondition = false): string[] {
  const { drawn, acceptance, effectiveSampleSize: effective, logZ, relativeError, learnedLogZ } = report;
  return [
    name,
    isCondition ? `${(100 * acceptance).toFixed(0)} %` : "",
    `${formatCount(effective)} of ${formatCount(drawn)}`,
    `${logZ.toFixed(2)} ± ${relativeError.toFixed(2)}`,
    Number.isNaN(learnedLogZ) ? "" : learnedLogZ.toFixed(2),
  ];
}

/** Prints a Markdown table. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log([line(heads), line(heads.map(() => "---")), ...rows.map(line), ""].join("\n"));
}
