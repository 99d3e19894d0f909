// Sections of the gallery with the charts of the views that explain a run, from synthetic data.

import { RandomStream } from "../src/engine/random-stream.ts";
import { attentionChart } from "../src/report/attention-chart.ts";
import { probabilityRewardChart, sortedDistributionChart } from "../src/report/distribution-charts.ts";
import { dynamicsChart } from "../src/report/dynamics-chart.ts";
import { entropyChart } from "../src/report/entropy-chart.ts";
import type { FlowChildData } from "../src/report/flow-layout.ts";
import { flowTreeChart } from "../src/report/flow-tree-chart.ts";
import {
  backtestChart,
  coverageChart,
  errorByStepChart,
  type ForecastChartData,
  fanChartAt,
} from "../src/report/forecast-view-charts.ts";
import { type GridChartData, gridChart } from "../src/report/grid-chart.ts";
import { logoPair } from "../src/report/logo-pair.ts";
import { modesChart } from "../src/report/modes-chart.ts";
import type { Section } from "../src/report/page.ts";
import { type ResidualChartData, residualChart, residualTermsChart } from "../src/report/residual-charts.ts";

const random = () => RandomStream.fromSeed(0).split("views");
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const exact = { exact: true, notes: [] };
const sampled = { exact: false, notes: ["8192 samples."] };

export function viewSections(): Section[] {
  return [
    { heading: "Views: distribution and flow", figures: [...distribution(), ...flow()] },
    { heading: "Views: dynamics and grids", figures: [...dynamics(), ...grids()] },
    { heading: "Views: strings and entropy", figures: [...logos(), entropy(), attention()] },
    { heading: "Views: residuals and modes", figures: [...residuals(), ...modes()] },
    { heading: "Views: forecasts", figures: forecasts() },
  ];
}

function distribution(): string[] {
  const stream = random();
  const ranks = range(60).map((i) => Math.round(1.2 ** i));
  const target = ranks.map((rank) => 0.02 / rank ** 0.9);
  const data = {
    ...exact,
    objects: 65_536,
    sorted: {
      rank: ranks,
      target,
      learned: target.map((p) => p * Math.exp(0.3 * stream.normal())),
      limit: target.map((p) => p ** 0.96 * 0.9),
    },
    points: range(400).map(() => {
      const logReward = -6 * stream.uniform() ** 2;
      const logLearned = logReward - 7 + 0.25 * stream.normal();
      return { logReward, logLearned, logLimit: 0.95 * logReward - 7.1 };
    }),
    logZ: 7,
  };
  const unknown = {
    ...sampled,
    ...{ objects: 3, logZ: 0, points: [{ logReward: 0, logLearned: null, logLimit: null }] },
    sorted: { rank: [1, 2, 3], target: [0.5, 0.3, 0.2], learned: [0.6, 0.4, 0], limit: null },
  };
  return [sortedDistributionChart(data), probabilityRewardChart(data), sortedDistributionChart(unknown)];
}

function flow(): string[] {
  const stream = random();
  const childrenOf = (letters: string, prefix: string, learned: number, levels: number): FlowChildData[] => {
    const weights = [...letters].map(() => 0.1 + stream.uniform() ** 3);
    const total = weights.reduce((a, b) => a + b);
    return [...letters].map((label, outcome) => {
      const own = (learned * weights[outcome]) / total;
      return {
        ...{ outcome, label, state: prefix + label, isObject: levels === 1, learned: own },
        ...{ target: own * Math.exp(0.6 * stream.normal()), limit: own },
        ...(levels > 1 && { children: childrenOf(letters, prefix + label, own, levels - 1) }),
      };
    });
  };
  const root = { ...exact, labels: [], state: "", learned: 1, target: 1, limit: 1 };
  return [
    flowTreeChart({ ...root, children: childrenOf("ACGT", "", 1, 2) }),
    flowTreeChart({ ...root, labels: ["M", "K"], children: childrenOf("ACDEFGHIKLMNPQRSTVWY", "MK", 1, 2) }),
    flowTreeChart({
      ...{ ...root, ...sampled, target: null, limit: null },
      children: [
        { outcome: 0, label: "stop", state: "x", isObject: true, learned: 1, target: null, limit: null },
      ],
    }),
  ];
}

function dynamics(): string[] {
  const matrix = (n: number, stick: number, error = 0) =>
    range(n).map((i) =>
      range(n).map((j) => (i === j ? 1 - stick : 0) + stick / n + (i === j ? error : -error / (n - 1))),
    );
  const letters = [..."ACGT"];
  const amino = [..."ACDEFGHIKLMNPQRSTVWY"];
  return [
    dynamicsChart({
      ...{ ...exact, actions: letters, outcomes: letters, steps: [] },
      ...{ truth: matrix(4, 0.25), learned: matrix(4, 0.25, 0.02) },
    }),
    dynamicsChart({
      ...{ ...exact, actions: amino, outcomes: amino, steps: [] },
      ...{ truth: matrix(20, 0.5), learned: matrix(20, 0.5, -0.1) },
    }),
    dynamicsChart({
      ...{ ...sampled, actions: ["up", "right"], outcomes: ["up", "right"], steps: [], learned: null },
      truth: [
        [1, 0],
        [null, 1],
      ],
    }),
  ];
}

function grids(): string[] {
  const stream = random();
  const gridOf = (dimensions: number, side: number, more: Partial<GridChartData> = {}): string => {
    const cells = side ** Math.min(2, dimensions);
    const corner = (i: number) => Math.abs((i % side) / (side - 1) - 0.5) > 0.3;
    const weights = range(cells).map((i): number =>
      corner(i) && (dimensions === 1 || corner(Math.floor(i / side))) ? 1 : 0.02,
    );
    const total = weights.reduce((a, b) => a + b);
    const target = weights.map((weight) => weight / total);
    return gridChart({
      ...{ ...exact, dimensions, side, axes: [0, dimensions > 1 ? 1 : 0], fixed: [], target },
      learned: target.map((p) => p * Math.exp(0.4 * stream.normal())),
      limit: target.map((p) => 0.9 * p + 0.1 / cells),
      ...more,
    });
  };
  return [
    gridOf(2, 8),
    gridOf(4, 24, { fixed: [null, null, 3, null], limit: null }),
    gridOf(1, 16),
    gridOf(2, 64, { ...sampled, block: 1 }),
  ];
}

function logos(): string[] {
  const rows = (sharp: number) =>
    range(12).map((i) => {
      const weights = range(4).map((letter) => Math.exp(sharp * Math.sin(letter * 7 + i)));
      const total = weights.reduce((a, b) => a + b);
      return weights.map((weight) => weight / total);
    });
  const alphabet = [..."ACGT"];
  return [
    logoPair({ ...sampled, alphabet, learned: rows(1.5), target: rows(2) }),
    logoPair({
      ...exact,
      alphabet: ["0", "1"],
      learned: [
        [0.5, 0.5],
        [1, 0],
      ],
      target: null,
    }),
  ];
}

function entropy(): string {
  return entropyChart({
    ...exact,
    steps: range(8).map((t) => {
      const mean = 1.2 * Math.exp(-t / 5);
      return {
        step: t + 1,
        mean,
        low: 0.6 * mean,
        high: Math.min(Math.log(4), 1.25 * mean),
        uniform: Math.log(4),
      };
    }),
  });
}

function attention(): string {
  const stream = random();
  const tokens = ["start", ..."ACGTA"];
  return attentionChart({
    ...{ exact: true, notes: ["Trajectory ACGTA."], tokens },
    weights: range(2).map(() =>
      range(4).map(() =>
        tokens.map((_, query) => {
          const weights = tokens.map((_, key) => (key > query ? 0 : stream.uniform() ** 3));
          const total = weights.reduce((a, b) => a + b);
          return weights.map((weight) => weight / total);
        }),
      ),
    ),
  });
}

function residuals(): string[] {
  const stream = random();
  const iterations = range(120).map((i) => 50 * (i + 1));
  const termsAt = (i: number): Record<string, number[]> => {
    const off = 0.8 * Math.exp(-i / 30);
    const flows = range(9).map((t) => 6 - 0.7 * t);
    return {
      flow: flows.slice(0, 8),
      policy: range(8).map((t) => -1.1 + 0.1 * t),
      dynamics: range(8).map(() => -0.35 + 0.2 * off),
      backward: range(8).map(() => 0.75 + 0.1 * off * stream.normal()),
      nextFlow: range(8).map((t) => (t === 7 ? 0 : -flows[t + 1])),
      reward: range(8).map((t) => (t === 7 ? -0.55 + off : 0)),
    };
  };
  const all = iterations.map((_, i) => termsAt(i));
  const names = Object.keys(all[0]);
  const mean = all.map((terms) => range(8).map((t) => names.reduce((sum, name) => sum + terms[name][t], 0)));
  const byStep: ResidualChartData = {
    ...{
      ...sampled,
      notes: ["Means over the steps of each training batch that was logged."],
      iterations,
      steps: 8,
      mean,
    },
    rootMeanSquare: mean.map((row) => row.map((value) => Math.abs(value) + 0.05 + 0.02 * stream.uniform())),
    terms: names.map((name) => ({ name, mean: all.map((terms) => terms[name]) })),
  };
  const whole = (row: readonly number[]) => [row.reduce((a, b) => a + b)];
  const byTrajectory: ResidualChartData = {
    ...byStep,
    ...{
      steps: 1,
      mean: mean.map(whole),
      rootMeanSquare: mean.map((row) => [Math.abs(whole(row)[0]) + 0.1]),
    },
    terms: byStep.terms.filter(({ name }) => name !== "flow" && name !== "nextFlow"),
  };
  return [
    residualChart(byStep),
    residualTermsChart(byStep),
    residualChart(byTrajectory),
    residualTermsChart(byTrajectory, 50),
  ];
}

function modes(): string[] {
  const data = {
    ...sampled,
    iterations: range(20).map((i) => 250 * i),
    calls: range(20).map((i) => 500 * i),
    series: [
      {
        name: "known modes",
        found: range(20).map((i) => Math.round(8 * (1 - Math.exp(-i / 5)))),
        of: 8,
        expected: 7.6,
      },
      {
        name: "circles",
        found: range(20).map((i) => (i === 3 ? null : Math.min(6, i))),
        of: null,
        expected: null,
      },
    ],
  };
  return [modesChart(data), modesChart(data, "oracle calls")];
}

function forecasts(): string[] {
  const stream = random();
  const day = (i: number) => new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
  const value = (i: number) => 100 + 20 * Math.sin(i / 5) + 3 * stream.normal();
  const data: ForecastChartData = {
    notes: ["Synthetic sales."],
    chosen: "shop 1",
    times: range(90).map(day),
    actual: range(90).map((i) => (i === 40 ? null : value(i))),
    models: ["Naive", "TokenModel"].map((name, m) => ({
      name,
      cutoffs: [59, 74].map((cutoff) => {
        const median = range(14).map((h) => 100 + 20 * Math.sin((cutoff + 1 + h) / 5) + (1 - m) * h);
        const interval = (level: number, size: number) => ({
          level,
          low: median.map((each, h) => each - size * (4 + h / 2)),
          high: median.map((each, h) => each + size * (4 + h / 2)),
        });
        const times = range(14).map((h) => day(cutoff + 1 + h));
        return { cutoff: day(cutoff), times, median, intervals: [interval(0.5, 1), interval(0.9, 2)] };
      }),
    })),
  };
  const calibration = {
    notes: [],
    stepError: "MAE",
    models: ["Naive", "TokenModel"].map((name, m) => ({
      name,
      coverage: [0.5, 0.8, 0.95].map((nominal) => ({ nominal, actual: nominal - 0.1 * (1 - m) })),
      byStep: range(14).map((h) => ({ step: h + 1, error: h === 5 ? null : 4 + 0.2 * (2 - m) * h })),
    })),
  };
  return [
    backtestChart(data),
    fanChartAt(data, day(74)),
    coverageChart(calibration),
    errorByStepChart(calibration, { label: "MAE", unit: "items" }),
  ];
}
