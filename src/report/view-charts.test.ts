// Tests of the charts of views: numbers become the right marks at the right places, and texts name what is shown.

import { describe, expect, test } from "vitest";
import { attributes, marks, pathOf, textsOf } from "../../test/support/svg.ts";
import { attentionChart } from "./attention-chart.ts";
import { colourAt } from "./colour-scale.ts";
import { probabilityRewardChart, sortedDistributionChart } from "./distribution-charts.ts";
import { dynamicsChart } from "./dynamics-chart.ts";
import { entropyChart } from "./entropy-chart.ts";
import { backtestChart, coverageChart, errorByStepChart, fanChartAt } from "./forecast-view-charts.ts";
import { gridChart } from "./grid-chart.ts";
import { heatMap } from "./heat-map.ts";
import { logoPair } from "./logo-pair.ts";
import { modesChart } from "./modes-chart.ts";
import { residualChart, residualTermsChart, termLabel } from "./residual-charts.ts";
import { quantityChart, scenarioChart } from "./scenario-charts.ts";
import { shortNumber } from "./text-format.ts";
import { viewCharts } from "./view-charts.ts";

const exact = { exact: true, notes: ["A note of the view."] };

/** Colour, column and row of every cell of a heat map, panel by panel. */
function cellsOf(svg: string): { colour: string; x: number; y: number }[][] {
  const panels = svg.matchAll(/<g shape-rendering="crispEdges"[^>]*>(.*?)<\/g>/g);
  return [...panels].map(([, content]) =>
    [...content.matchAll(/fill="([^"]+)" d="([^"]+)"/g)].flatMap(([, colour, d]) =>
      [...d.matchAll(/M(\d+),(\d+)h(\d+)/g)].flatMap(([, x, y, count]) =>
        Array.from({ length: Number(count) }, (_, i) => ({ colour, x: Number(x) + i, y: Number(y) })),
      ),
    ),
  );
}

describe("a heat map", () => {
  const colours = { palette: "sequential", label: "value", most: 4 } as const;
  const map = (values: (number | null)[][], more = {}) =>
    heatMap({
      title: "Title",
      rows: { label: "row", names: values.map((_, i) => `r${i}`) },
      columns: { label: "column", names: values[0].map((_, j) => `c${j}`) },
      panels: [{ values, colours }],
      ...{ perRow: 1, numbers: true },
      ...more,
    });

  test("has a coloured cell for each number, the first row at the top", () => {
    const svg = map([
      [0, 4],
      [2, null],
    ]);
    const [cells] = cellsOf(svg);
    const byPlace = cells.toSorted((a, b) => a.y - b.y || a.x - b.x).map(({ colour }) => colour);
    expect(byPlace).toEqual([0, 1, 0.5].map((position) => colourAt("sequential", position)));
    expect(svg).toContain("A cell without a colour has no number.");
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["r0", "r1", "c0", "c1", "row", "column", "value"]));
  });

  test("shows numbers only where they fit", () => {
    expect(textsOf(map([[1.25, 3.5]]))).toEqual(expect.arrayContaining(["1.3", "3.5"]));
    expect(textsOf(map([Array.from({ length: 60 }, () => 1.25)]))).not.toContain("1.3");
    expect(textsOf(map([[1.25]], { numbers: false }))).not.toContain("1.3");
  });

  test("shows small numbers with a power of ten, never as 0", () => {
    const texts = textsOf(map([[0, 0.00004, -0.0004, 0.031]]));
    expect(texts).toEqual(expect.arrayContaining(["0", "4e−5", "−4e−4", "0.031"]));
  });

  test("leaves out single names that have no room, not all names", () => {
    const names = ["a long name", ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const svg = map([names.map(() => 1)], { columns: { label: "column", names }, numbers: false });
    const shown = textsOf(svg).filter((text) => names.includes(text));
    expect(shown).toEqual(["a long name", ..."BCDEFGHIJKLMNOPQRSTUVWXYZ"]);
  });

  test("names round numbers of a long axis, at their cells", () => {
    const numbers = Array.from({ length: 100 }, (_, i) => 50 * (i + 1));
    const svg = map([numbers.map(() => 1)], { columns: { label: "iterations", numbers }, squares: false });
    const at = (text: string) => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${text}<`).exec(svg)?.[1]);
    expect(at("3000") - at("2000")).toBeCloseTo(at("2000") - at("1000"), 3);
    const [, left, width] = /translate\(([\d.]+),[\d.]+\) scale\(([\d.]+),/.exec(svg)!.map(Number);
    expect(at("1000")).toBeCloseTo(left + 19.5 * width, 1);
  });

  test("without numbers says that there is no data", () => {
    expect(map([[null]])).toContain("no data");
  });
});

describe("charts of a distribution", () => {
  const data = {
    ...{ ...exact, objects: 1000, logZ: 3 },
    sorted: {
      rank: [1, 10, 100],
      target: [0.1, 0.01, 0.001],
      learned: [0.1, 0.02, 0],
      limit: [0.1, 0.01, 0.002],
    },
    points: [
      { logReward: 0, logLearned: -3, logLimit: -3.5 },
      { logReward: -2, logLearned: -4.5, logLimit: -4.75 },
      { logReward: -4, logLearned: null, logLimit: -6.5 },
    ],
  };

  test("draw the sorted probabilities on logarithmic axes", () => {
    const svg = sortedDistributionChart(data);
    const [target] = marks(svg, "line").map(pathOf);
    const [x0, y0, x1, y1, x2, y2] = target.numbers;
    expect(x1 - x0).toBeCloseTo(x2 - x1, 2);
    expect(y1 - y0).toBeCloseTo(y2 - y1, 2);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["target", "learned", "best reachable (limit)", "rank in the target", "Exact."]),
    );
    expect(svg).toContain("Omitted: 1 point that is not positive");
    expect(svg).toContain("1,000 objects; a point is the mean of the ranks around it.");
    const withoutLimit = sortedDistributionChart({ ...data, sorted: { ...data.sorted, limit: null } });
    expect(textsOf(withoutLimit)).not.toContain("best reachable (limit)");
  });

  test("draw the line of a perfect policy through log R − log Z", () => {
    const svg = probabilityRewardChart(data);
    const dots = marks(svg, "dot").join("");
    const [cx, cy] = [attributes(dots, "cx"), attributes(dots, "cy")];
    expect(cx).toHaveLength(5);
    // The limit is drawn first. The learned point at log R = 0 is on the line: log P = −3.
    const [xa, ya, xb, yb] = pathOf(marks(svg, "line")[0]).numbers;
    const onLine = ya + ((cx[3] - xa) / (xb - xa)) * (yb - ya);
    expect(cy[3]).toBeCloseTo(onLine, 1);
    expect(cy[0]).toBeGreaterThan(onLine + 1);
    expect(svg).toContain("Omitted: 1 of 6 points");
    expect(svg).toContain("log Z = 3.");
  });
});

test("matrices of the dynamics stand beside their difference, with numbers", () => {
  const data = {
    ...{ ...exact, actions: ["a", "b"], outcomes: ["a", "b"] },
    truth: [
      [0.75, 0.25],
      [0.25, 0.75],
    ],
    learned: [
      [0.5, 0.5],
      [0.25, null],
    ],
    steps: [{ step: 3, truth: [[1, 0]], learned: null }],
  };
  const svg = dynamicsChart(data);
  const [truth, learned, difference] = cellsOf(svg);
  expect([truth.length, learned.length, difference.length]).toEqual([4, 3, 3]);
  expect(new Set(difference.map(({ colour }) => colour))).toEqual(
    new Set([-1, 1, 0].map((position) => colourAt("difference", position))),
  );
  expect(textsOf(svg)).toEqual(expect.arrayContaining(["0.75", "−0.25", "0.25", "learned − environment"]));
  const step = dynamicsChart(data, 3);
  expect(textsOf(step)).toContain("Intended action against outcome, step 3");
  expect(step).toContain("The run has no dynamics model.");
  expect(cellsOf(step)).toHaveLength(1);
});

describe("heat maps of a grid", () => {
  const data = {
    ...{ ...exact, dimensions: 3, side: 2, axes: [0, 2] as const, fixed: [null, 1, null] },
    ...{ target: [0, 0, 0, 1], learned: [0, 0, 0.5, 0.5], limit: null },
  };

  test("have the first axis across and the second one upwards, with common colours", () => {
    const svg = gridChart(data);
    const panels = cellsOf(svg);
    expect(panels).toHaveLength(3);
    const darkest = (cells: (typeof panels)[number], colour: string) =>
      cells.filter((cell) => cell.colour === colour).map(({ x, y }) => [x, y]);
    const [[x, y]] = darkest(panels[0], colourAt("sequential", 1));
    expect(x).toBe(Math.max(...panels[0].map((cell) => cell.x)));
    expect(y).toBe(Math.min(...panels[0].map((cell) => cell.y)));
    expect(darkest(panels[1], colourAt("sequential", Math.SQRT1_2))).toHaveLength(2);
    expect(darkest(panels[2], colourAt("difference", -1))).toHaveLength(1);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["index of axis 1", "index of axis 3", "A slice: axis 2 is fixed at 1."]),
    );
  });

  test("of one axis have one row, and say which cells are summed", () => {
    const line = gridChart({
      ...data,
      dimensions: 1,
      side: 4,
      axes: [0, 0],
      fixed: [null],
      limit: data.target,
    });
    const panels = cellsOf(line);
    expect(panels).toHaveLength(4);
    expect(new Set(panels[0].map(({ y }) => y)).size).toBe(1);
    const summed = gridChart({ ...data, side: 4, block: 2, fixed: [null, null, null] });
    expect(summed).toContain("Sums over axis 2.");
    expect(summed).toContain("A square stands for 2 × 2 cells.");
    expect(cellsOf(summed)[0]).toHaveLength(4);
  });
});

test("a pair of logos has heights in proportion to the information of each", () => {
  const svg = logoPair({
    ...exact,
    alphabet: [..."ACGT"],
    learned: [[1, 0, 0, 0]],
    target: [[0.5, 0.5, 0, 0]],
  });
  const stretches = [...svg.matchAll(/scale\(1,([\d.]+)\)/g)].map(([, stretch]) => Number(stretch));
  expect(stretches).toHaveLength(3);
  expect(stretches[0] / (stretches[1] + stretches[2])).toBeCloseTo(2, 2);
  expect(textsOf(svg)).toEqual(
    expect.arrayContaining(["learned", "target", "Exact.", "A note of the view."]),
  );
});

test("a logo of strings with little information is enlarged, and says so", () => {
  const almost = [0.28, 0.26, 0.24, 0.22];
  const svg = logoPair({ ...exact, alphabet: [..."ACGT"], learned: [almost], target: [almost] });
  const stretches = [...svg.matchAll(/scale\(1,([\d.]+)\)/g)].map(([, stretch]) => Number(stretch));
  expect(stretches).toHaveLength(8);
  expect(Math.max(...stretches)).toBeGreaterThan(2);
  const bits = 2 + almost.reduce((sum, p) => sum + p * Math.log2(p), 0);
  expect(svg).toContain(`the highest stack has ${shortNumber(bits)} bits`);
});

test("the entropy by step has a band, and the uniform policy beside it", () => {
  const step = (t: number) => ({ step: t, mean: 1 / t, low: 0.5 / t, high: 1.5 / t, uniform: 1.5 });
  const svg = entropyChart({ ...exact, steps: [1, 2, 3].map(step) });
  expect(marks(svg, "area")).toHaveLength(1);
  expect(marks(svg, "line")).toHaveLength(2);
  expect(svg.match(/stroke-dasharray="5 3"/g)).toHaveLength(2); // the uniform policy, in the chart and in the legend
  expect(textsOf(svg)).toEqual(expect.arrayContaining(["entropy (nats)", "step", "uniform policy"]));
});

describe("charts of residuals", () => {
  const data = {
    ...{ exact: false, notes: ["From batches."], iterations: [10, 20], steps: 2 },
    rootMeanSquare: [
      [1, 4],
      [0.25, null],
    ],
    mean: [
      [0.5, -1],
      [0.5, null],
    ],
    terms: [
      {
        name: "flow",
        mean: [
          [3, 1],
          [2, null],
        ],
      },
      {
        name: "policy",
        mean: [
          [-1, -1],
          [-0.5, null],
        ],
      },
      {
        name: "backward",
        mean: [
          [0.5, 0],
          [1, null],
        ],
      },
      {
        name: "nextFlow",
        mean: [
          [-2, -1],
          [-2, null],
        ],
      },
    ],
  };

  test("have a cell for each iteration and step", () => {
    const svg = residualChart(data);
    const [cells] = cellsOf(svg);
    expect(cells).toHaveLength(3);
    const at = (position: number) => cells.find(({ colour }) => colour === colourAt("sequential", position));
    expect(at(0.5)?.x).toBe(at(1)?.x);
    expect(at(0.5)?.y).toBeLessThan(at(1)?.y as number);
    expect(at(0.25)?.x).toBeGreaterThan(at(1)?.x as number);
    expect(svg).toContain("no trajectory of the batch runs at this step");
  });

  test("stack terms above and below zero, and mark their sum", () => {
    const svg = residualTermsChart(data);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["Terms of the balance by step, iteration 20", "log F(s)", "−log F(s′)"]),
    );
    const [bars] = marks(svg, "rect");
    const [tops, heights] = [attributes(bars, "y"), attributes(bars, "height")];
    const unit = heights[0] / 2;
    heights.forEach((height, i) => {
      expect(height / unit).toBeCloseTo([2, 0.5, 1, 2][i], 1);
    });
    expect(tops[2] + heights[2]).toBeCloseTo(tops[0], 1); // backward stands on flow
    const zero = tops[0] + heights[0];
    expect(tops[1]).toBeCloseTo(zero, 1); // policy hangs below zero
    expect(tops[3]).toBeCloseTo(tops[1] + heights[1], 1); // and the next flow below it
    expect((zero - attributes(marks(svg, "dot")[0], "cy")[0]) / unit).toBeCloseTo(0.5, 1);
    expect(textsOf(residualTermsChart(data, 10))).toContain("Terms of the balance by step, iteration 10");
  });

  test("of balances with one residual per trajectory are lines, and a note has the sum", () => {
    const whole = {
      ...{ ...data, steps: 1, rootMeanSquare: [[2], [1]], mean: [[1], [0.75]] },
      terms: [
        {
          name: "logZ",
          mean: [
            [1, 0],
            [0.75, 0],
          ],
        },
      ],
    };
    expect(marks(residualChart(whole), "line")).toHaveLength(2);
    const terms = residualTermsChart(whole);
    expect(terms).toContain("the terms of all steps sum to the mean residual, 0.75.");
    expect(textsOf(terms)).not.toContain("sum: mean residual");
    expect(residualTermsChart({ ...whole, iterations: [], terms: [] })).toContain("no data");
  });

  test("name terms by formulas, and unknown terms as they are", () => {
    expect(termLabel("dynamics")).toBe("log P̂(c | s, a)");
    expect(termLabel("new")).toBe("new");
  });
});

test("attention has a matrix for each layer and head, without the positions that are hidden", () => {
  const head = [
    [1, 0],
    [0.25, 0.75],
  ];
  const svg = attentionChart({
    ...exact,
    tokens: ["start", "A"],
    weights: [
      [head, head],
      [head, head],
    ],
  });
  expect(cellsOf(svg).map(({ length }) => length)).toEqual([3, 3, 3, 3]);
  expect(textsOf(svg)).toEqual(expect.arrayContaining(["layer 1, head 1", "layer 2, head 2", "0.75"]));
  expect(svg).toContain("A position cannot attend to later ones.");
});

test("modes are drawn over iterations or calls, with all of them and those of a perfect sampler", () => {
  const data = {
    ...{ ...exact, iterations: [0, 100], calls: [null, 50] },
    series: [{ name: "modes", found: [1, 5], of: 8, expected: 7.5 }],
  };
  const svg = modesChart(data);
  expect(textsOf(svg)).toEqual(expect.arrayContaining(["all 8", "perfect sampler 7.5", "found (count)"]));
  expect(modesChart(data, "oracle calls")).toContain("Omitted: 1 point");
  expect(viewCharts({ view: "modes", ...data }).map(({ name }) => name)).toEqual([
    "modes",
    "modes-against-calls",
  ]);
});

test("modes of different sizes have axes of their own", () => {
  const series = [40, 2].map((most, i) => ({
    ...{ name: `modes ${i}`, found: [0, most], of: null, expected: null },
  }));
  const texts = textsOf(modesChart({ ...exact, iterations: [0, 100], calls: [], series }));
  expect(texts).toEqual(expect.arrayContaining(["40", "2.0"]));
});

describe("charts of forecasts", () => {
  const window = (cutoff: string, times: string[]) => ({
    ...{ cutoff, times, median: [2, null] },
    intervals: [{ level: 0.8, low: [1, 1], high: [3, 4] }],
  });
  const data = (times: string[]) => ({
    ...{ notes: [], chosen: "a series", times, actual: [1, 2, null, 3] },
    models: [{ name: "m", cutoffs: [window(times[1], times.slice(2))] }],
  });

  test("take dates and times without an offset as UTC", () => {
    const days = [1, 2, 3, 4].map((day) => `2024-01-0${day}`);
    const svg = backtestChart(data(days));
    expect(svg).toContain("(UTC)");
    expect(backtestChart(data(days.map((day) => `${day} 00:00:00`)))).toBe(svg);
    expect(backtestChart(data(days.map((day) => `${day}T00:00:00Z`)))).toBe(svg);
  });

  test("take whole numbers as steps", () => {
    const svg = backtestChart(data(["1", "2", "3", "4"]));
    expect(svg).not.toContain("UTC");
    expect(marks(svg, "area")).toHaveLength(1);
  });

  test("show one cutoff with the values before and after it", () => {
    const svg = fanChartAt(data(["1", "2", "3", "4"]), "2");
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["Forecast of a series from 2", "actual", "80 % interval"]),
    );
  });

  test("of calibration have coverage and errors by step", () => {
    const calibration = {
      notes: [],
      stepError: "MASE",
      models: [
        {
          name: "m",
          coverage: [
            { nominal: 0.5, actual: 0.4 },
            { nominal: 0.9, actual: null },
          ],
          byStep: [
            { step: 1, error: 1 },
            { step: 3, error: 2 },
          ],
        },
      ],
    };
    expect(coverageChart(calibration)).toContain("Omitted: 1 point");
    expect(textsOf(errorByStepChart(calibration))).toContain("MASE by step ahead");
    const charts = viewCharts({ view: "calibration", ...calibration });
    expect(charts.map(({ name }) => name)).toEqual(["coverage", "error-by-step"]);
  });
});

describe("charts of scenarios", () => {
  const data = {
    ...{ notes: [], chosen: "a series", question: "temperature 2", times: ["3", "4"] },
    history: { times: ["1", "2"], values: [1, null] },
    models: ["Model", "Scenario"].map((name) => ({
      ...{ name, median: [1, 2], intervals: [{ level: 0.8, low: [0, 1], high: [2, 3] }] },
      paths: [
        [1, 2],
        [0, 3],
        [2, 2],
      ],
    })),
    quantity: {
      ...{ label: "sum of a path", bound: 3, edges: [0, 2, 4] },
      shares: [
        { name: "Model", shares: [0.25, 0.75] },
        { name: "Scenario", shares: [1, 0] },
      ],
    },
  };

  test("have a panel for each model with its paths, mean and intervals", () => {
    const svg = scenarioChart(data);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["Forecast of a series: temperature 2", "Model", "Scenario", "80 % interval"]),
    );
    expect(svg.match(/stroke-opacity="0.45"/g)).toHaveLength(6);
    expect(marks(svg, "area")).toHaveLength(2);
  });

  test("have bars for each model, and the bound", () => {
    const svg = quantityChart(data);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["Distribution of the sum of a path", "bound 3", "Model", "Scenario"]),
    );
    const names = viewCharts({ view: "scenario", ...data }).map(({ name }) => name);
    expect(names).toEqual(["scenario", "scenario-quantity"]);
    const plain = viewCharts({ view: "scenario", ...data, question: null, quantity: null });
    expect(plain.map(({ name }) => name)).toEqual(["scenario"]);
    expect(textsOf(plain[0].svg)).toContain("Forecast of a series");
  });
});

test("views that are tables have no charts", () => {
  expect(viewCharts({ view: "candidates" })).toEqual([]);
});
