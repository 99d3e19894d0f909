// Tests of fan, backtest and decomposition charts: positions, gaps, and notes on missing values.

import { describe, expect, test } from "vitest";
import { marks, pathOf, textsOf } from "../../test/support/svg.ts";
import { backtestOverlay } from "./backtest-overlay.ts";
import { decompositionChart } from "./decomposition-chart.ts";
import { type FanChart, fanChart, percent } from "./fan-chart.ts";

const DAY = 86_400_000;
const days = (from: number, count: number) => Array.from({ length: count }, (_, i) => (from + i) * DAY);
const areaColours = (svg: string) =>
  [...svg.matchAll(/<g [^>]*fill="(#\w+)" aria-label="area"/g)].map(([, colour]) => colour);

const model = (name: string) => ({
  name,
  times: days(14_010, 3),
  median: [10, 11, 12],
  intervals: [
    { level: 0.8, low: [9, 9, 9], high: [11, 13, 15] },
    { level: 0.95, low: [8, 8, 8], high: [12, 14, 16] },
  ],
});
const chart: FanChart = {
  title: "births",
  value: { label: "births", unit: "per day" },
  history: { times: days(14_000, 10), values: [1, 2, 3, Number.NaN, 5, 6, 7, 8, 9, 10] },
  models: [model("gflownet")],
};

describe("a fan chart", () => {
  const svg = fanChart(chart);

  test("has a legend, units and the time range", () => {
    const texts = textsOf(svg);
    for (const text of ["births", "gflownet", "births (per day)", "2008-05-01 to 2008-05-13 (UTC)"]) {
      expect(texts).toContain(text);
    }
    expect(texts.slice(1, 6)).toEqual(["history", "median", "80 % interval", "95 % interval", "cutoff"]);
    // In the legend, the inner interval is as dark as two overlapping bands.
    const swatches = [...svg.matchAll(/height="10" fill="#\w+" fill-opacity="([\d.]+)"/g)];
    expect(swatches.map(([, opacity]) => Number(opacity))).toEqual([0.328, 0.18]);
  });

  test("has nested bands, the widest at the back", () => {
    const [outer, inner] = marks(svg, "area").map((mark) => {
      const ys = pathOf(mark).numbers.filter((_, i) => i % 2 === 1);
      return Math.max(...ys) - Math.min(...ys);
    });
    expect(outer).toBeGreaterThan(inner);
    expect(outer / inner).toBeCloseTo((16 - 8) / (15 - 9), 3);
  });

  test("has its cutoff at the last time of the history, before the forecast", () => {
    const [history, median] = marks(svg, "line").map((mark) => pathOf(mark).numbers);
    const rule = marks(svg, "rule").find((inside) => inside.includes("x1"))!;
    const x = Number(/x1="([^"]+)"/.exec(rule)![1]);
    expect(x).toBeCloseTo(history[history.length - 2], 2);
    expect(median[0]).toBeGreaterThan(x);
    // One day has the same width in the history and the forecast.
    expect(median[0] - x).toBeCloseTo(median[2] - median[0], 2);
  });

  test("has a gap at a missing value, and a note", () => {
    const [history] = marks(svg, "line").map(pathOf);
    expect(history.segments).toBe(2);
    expect(textsOf(svg)).toContain("Missing: 1 of 13 values, where lines have gaps.");
  });

  test("shows historyLength values of the history", () => {
    const [history] = marks(fanChart({ ...chart, historyLength: 4 }), "line").map(pathOf);
    expect(history.numbers).toHaveLength(2 * 4);
  });

  test("is deterministic", () => {
    expect(fanChart(chart)).toBe(svg);
    expect(svg).not.toMatch(/="[^"]*\d\.\d{4,}|NaN|Infinity|undefined/);
  });

  test("accepts typed arrays", () => {
    const { times, values } = chart.history;
    const typed = { times: Float64Array.from(times), values: Float64Array.from(values) };
    expect(fanChart({ ...chart, history: typed })).toBe(svg);
  });
});

describe("models", () => {
  const actual = { times: days(14_010, 3), values: [10.5, Number.POSITIVE_INFINITY, 11.5] };
  const svg = fanChart({ ...chart, actual, models: ["<b>a</b>", "b", "c"].map(model), order: ["c"] });

  test("have one panel and one colour each, and escaped names", () => {
    expect(marks(svg, "area")).toHaveLength(3 * 2);
    const colours = areaColours(svg);
    expect(new Set(colours).size).toBe(3);
    // The first model of `order` has the same colour as when drawn alone.
    expect(colours[4]).toBe(areaColours(fanChart(chart))[0]);
    expect(textsOf(svg)).toContain("&lt;b&gt;a&lt;/b&gt;");
    expect(svg).not.toContain("<b>");
  });

  test("are drawn with the actual values; isolated values are dots", () => {
    expect(textsOf(svg)).toContain("actual");
    const dots = marks(svg, "dot").filter((inside) => inside.includes("<circle"));
    expect(dots.map((inside) => inside.split("<circle").length - 1)).toEqual([2, 2, 2]);
    // The 22 values are the history (counted once), the medians of three models, and the actual values (counted once).
    expect(textsOf(svg)).toContain("Missing: 2 of 22 values, where lines have gaps.");
  });
});

describe("edge cases:", () => {
  test("without data there is a note, and a history alone is drawn", () => {
    const none = { ...chart, history: { times: [], values: [] }, models: [] };
    expect(textsOf(fanChart(none))).toEqual(["births", "no data", "No forecast."]);
    const historyOnly = fanChart({ ...chart, models: [] });
    expect(marks(historyOnly, "line")).toHaveLength(1);
    expect(textsOf(historyOnly)).not.toContain("cutoff");
  });

  test("a forecast of one step is a dot in a bar", () => {
    const one = { name: "one", times: days(14_010, 1), median: [10] };
    const svg = fanChart({
      ...chart,
      models: [{ ...one, intervals: [{ level: 0.9, low: [9], high: [11] }] }],
    });
    expect(marks(svg, "dot").filter((inside) => inside.includes("<circle"))).toHaveLength(1);
    const [bar, cutoff] = marks(svg, "rule").map((inside) => {
      const [top, bottom] = ["y2", "y1"].map((end) =>
        Number(new RegExp(`${end}="([^"]+)"`).exec(inside)![1]),
      );
      return Math.abs(bottom - top);
    });
    expect(bar).toBeGreaterThan(0);
    expect(bar).toBeLessThan(cutoff);
  });

  test("an interval with a missing end has a gap, and invalid times are omitted", () => {
    const broken = {
      ...model("broken"),
      intervals: [{ level: 0.8, low: [9, Number.NaN, 9], high: [11, 13, 15] }],
    };
    const history = { times: [...days(14_000, 2), Number.NaN], values: [1, 2, 3] };
    const texts = textsOf(fanChart({ ...chart, history, models: [broken] }));
    expect(texts).toContain("Bands have gaps where an end is not finite.");
    expect(texts).toContain("Missing: 1 of 6 values, where lines have gaps.");
  });

  test("a different number of values and times is refused", () => {
    const short = { ...model("short"), median: [10, 11] };
    expect(() => fanChart({ ...chart, models: [short] })).toThrow(
      "timeChart: there must be one value per time (3), got 2",
    );
  });
});

describe("a backtest chart", () => {
  const actual = { times: days(14_000, 30), values: Array.from({ length: 30 }, (_, i) => i) };
  const windowAt = (cutoff: number, count: number) => ({
    cutoff: cutoff * DAY,
    times: days(cutoff + 1, count),
    median: Array.from({ length: count }, () => 10),
    intervals: [{ level: 0.8, low: Array(count).fill(8), high: Array(count).fill(12) }],
  });

  test("has every window, every cutoff, and the actual values around them", () => {
    const windows = [windowAt(14_014, 5), windowAt(14_019, 5)];
    const svg = backtestOverlay({
      title: "T",
      value: { label: "y" },
      actual,
      models: [{ name: "m", windows }],
    });
    const lines = marks(svg, "line").map(pathOf);
    expect(lines).toHaveLength(3);
    // The chart shows 5 values up to the first cutoff and 10 after it.
    expect(lines[0].numbers).toHaveLength(2 * 15);
    const rules = marks(svg, "rule").find((inside) => inside.includes("x1"))!;
    expect(rules.match(/<line/g)).toHaveLength(2);
    expect(textsOf(svg).join(" ")).not.toContain("overlap");
  });

  test("has a note if windows overlap, and 'no data' without windows", () => {
    const windows = [windowAt(14_014, 5), windowAt(14_016, 5)];
    const models = [{ name: "m", windows }];
    const texts = textsOf(backtestOverlay({ title: "T", value: { label: "y" }, actual, models }));
    expect(texts).toContain("Windows overlap: bands are darker where several of them coincide.");
    const none = backtestOverlay({ title: "T", value: { label: "y" }, actual, models: [] });
    expect(textsOf(none)).toEqual(["T", "no data"]);
  });
});

describe("the components of a series", () => {
  const times = days(10_000, 5000);
  const trend = times.map((_, t) => t / 10);
  const season = times.map((_, t) => Math.sin(t));
  const svg = decompositionChart({
    ...{ title: "Parts", value: { label: "y" }, times },
    observed: times.map((_, t) => trend[t] + season[t]),
    components: [
      { name: "trend", values: trend },
      { name: "season", values: season },
    ],
  });

  test("have one panel and one scale each", () => {
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["observed", "trend", "season", "400", "−0.5"]));
    expect(marks(svg, "line")).toHaveLength(3);
  });

  test("keep their minimum and maximum when they are downsampled", () => {
    const [, , ys] = marks(svg, "line").map((mark) => pathOf(mark).numbers.filter((_, i) => i % 2 === 1));
    expect(ys.length).toBeLessThanOrEqual(1400);
    const complete = decompositionChart({
      ...{ title: "Parts", value: { label: "y" }, times: times.slice(0, 1000), components: [] },
      observed: season.slice(0, 1000),
    });
    const [all] = marks(complete, "line").map((mark) => pathOf(mark).numbers.filter((_, i) => i % 2 === 1));
    expect(Math.min(...ys)).toBeCloseTo(Math.min(...all), 2);
    expect(Math.max(...ys)).toBeCloseTo(Math.max(...all), 2);
  });
});

test("levels are formatted as percentages", () => {
  expect([0.8, 0.995, 0.29, 0.07].map(percent)).toEqual(["80 %", "99.5 %", "29 %", "7 %"]);
});
