// Tests of line charts: content of the SVG, position of the limit, and omitted data.

import { describe, expect, test } from "vitest";
import { attributes, marks, pathOf, textsOf } from "../../test/support/svg.ts";
import { type LineChart, lineChart } from "./line-chart.ts";
import { meanCurve, type Point } from "./series.ts";

const points = (...ys: number[]): Point[] => ys.map((y, x) => ({ x, y }));
const chart = (ys: readonly number[], more: Partial<LineChart> = {}): LineChart => ({
  title: "Distance",
  x: { label: "iterations" },
  y: { label: "KL", unit: "nats", scale: "log" },
  panels: [{ curves: [{ name: "kl", points: points(...ys) }], references: [{ name: "limit", y: 0.1 }] }],
  ...more,
});
describe("a chart", () => {
  const svg = lineChart(chart([1, 0.1, 0.01]));

  test("shows title, axes with units, tick labels and the limit", () => {
    expect(textsOf(svg)).toEqual([
      ...[
        "Distance",
        "0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
        "1.2",
        "1.4",
        "1.6",
        "1.8",
        "2.0",
        "iterations",
      ],
      ...["0.01", "0.1", "1", "KL (nats)", "limit 0.1"],
    ]);
  });

  test("draws the limit at the same height as an equal value of the curve", () => {
    const [path] = marks(svg, "line");
    const [x1, y1, x2, y2, x3, y3] = pathOf(path).numbers;
    // A logarithmic axis places equal ratios at equal distances.
    expect(y2 - y1).toBeCloseTo(y3 - y2, 2);
    expect(x2 - x1).toBeCloseTo(x3 - x2, 2);
    expect(y3).toBeGreaterThan(y1);
    const [rule] = marks(svg, "rule");
    expect(attributes(rule, "y1")[0]).toBeCloseTo(y2, 2);
    expect(marks(svg, "rule")).toHaveLength(1);
  });

  test("is deterministic, with three decimals, no ids and no scripts", () => {
    expect(lineChart(chart([1, 0.1, 0.01]))).toBe(svg);
    expect(svg).not.toMatch(/\d\.\d{4,}/);
    expect(svg).not.toMatch(/ id=| class=|<script|<style|href|NaN|undefined|Infinity/);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="720" height="\d+" viewBox/);
  });

  test("has a white background", () => {
    expect(svg).toMatch(/aria-label="Distance"[^>]*><rect width="720" height="\d+" fill="#ffffff"\/>/);
  });
});

describe("seeds and panels", () => {
  const seeds = (name: string, factor: number) =>
    meanCurve({ name, runs: [points(factor, 2 * factor), points(3 * factor, 4 * factor)] });
  const svg = lineChart(
    chart([], {
      y: { label: "y" },
      panels: [0.25, 0.5].map((stick) => ({
        title: `stick ${stick}`,
        curves: [seeds("a", 1), seeds("b", 2)],
        references: [{ name: "limit", y: stick }],
      })),
    }),
  );

  test("have a line and a band per series in every panel, and one legend entry per series", () => {
    expect(marks(svg, "line")).toHaveLength(4);
    expect(marks(svg, "area")).toHaveLength(4);
    expect(textsOf(svg).filter((text) => text === "a" || text === "b")).toEqual(["a", "b"]);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["stick 0.25", "limit 0.25", "stick 0.5", "limit 0.5"]),
    );
  });

  test("share their axes, and the title of y appears once", () => {
    expect(textsOf(svg).filter((text) => text === "y")).toHaveLength(1);
    const [first, second] = marks(svg, "line").filter((_, i) => i % 2 === 0);
    expect(/d="([^"]+)"/.exec(first)![1].split(",")[1]).toBe(/d="([^"]+)"/.exec(second)![1].split(",")[1]);
  });

  test("draw several bands of quantiles around one line", () => {
    const bands = [2, 1].map((w) => ({ points: [0, 1].map((x) => ({ x, low: -w, high: w })) }));
    const fan = lineChart(
      chart([], {
        y: { label: "y" },
        panels: [{ curves: [{ name: "median", points: points(0, 0), bands }] }],
      }),
    );
    expect(marks(fan, "area")).toHaveLength(2);
    expect(marks(fan, "line")).toHaveLength(1);
  });
});

describe("edge cases:", () => {
  test("without points the figure says 'no data'", () => {
    for (const panels of [[], [{ curves: [] }], [{ curves: [{ name: "kl", points: [] }] }]]) {
      expect(textsOf(lineChart(chart([], { panels })))).toEqual(["Distance", "no data"]);
    }
  });

  test("one point is a dot without a line", () => {
    const svg = lineChart(chart([0.5]));
    expect(marks(svg, "line")).toHaveLength(0);
    expect(marks(svg, "dot")[0].match(/<circle/g)).toHaveLength(1);
  });

  test("points that are not finite or not positive are omitted and counted", () => {
    const svg = lineChart(chart([1, Number.NaN, 0.5, Number.POSITIVE_INFINITY, 0, -1]));
    expect(marks(svg, "dot")[0].match(/<circle/g)).toHaveLength(2);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "Omitted: 2 points that are not finite.",
        "Omitted: 2 points that are not positive, on a logarithmic axis.",
      ]),
    );
    expect(textsOf(lineChart(chart([0, 0])))).toEqual([
      "Distance",
      "no data",
      "Omitted: 2 points that are not positive, on a logarithmic axis.",
      "The limit is 0.1, outside the axis range.",
    ]);
  });

  test("a band that reaches 0 is omitted there, and a note says so", () => {
    const ends = [0.5, 0, 0.5].map((low, x) => ({ x, low, high: 2 }));
    const curve = { name: "kl", points: points(1, 1, 1), bands: [{ points: ends }] };
    const texts = textsOf(lineChart(chart([], { panels: [{ curves: [curve] }] })));
    expect(texts).toContain("Bands are omitted where an end is not finite or not positive.");
    const complete = { ...curve, bands: [{ points: ends.toSpliced(1, 1) }] };
    expect(textsOf(lineChart(chart([], { panels: [{ curves: [complete] }] }))).join()).not.toContain(
      "mitted",
    );
  });

  test("a constant is a horizontal line inside the frame", () => {
    const svg = lineChart(
      chart([3, 3, 3], { y: { label: "y" }, panels: [{ curves: [{ name: "c", points: points(3, 3, 3) }] }] }),
    );
    const [, y1, , y2, , y3] = pathOf(marks(svg, "line")[0]).numbers;
    expect([y2, y3]).toEqual([y1, y1]);
    expect(y1).toBeGreaterThan(24);
    expect(y1).toBeLessThan(220);
  });

  test("a limit that is zero or very far away is in a note instead of the chart", () => {
    const withLimit = (y: number) =>
      lineChart(
        chart([], {
          panels: [{ curves: [{ name: "kl", points: points(1, 0.1) }], references: [{ name: "limit", y }] }],
        }),
      );
    for (const [y, text] of [
      [0, "The limit is 0, outside the axis range."],
      [5.6e-15, "The limit is 5.6e-15, outside the axis range."],
      [Number.NaN, "The limit is not a number."],
    ] as const) {
      expect(marks(withLimit(y), "rule")).toHaveLength(0);
      expect(textsOf(withLimit(y))).toContain(text);
    }
    expect(marks(withLimit(0.001), "rule")).toHaveLength(1);
  });
});

test("untrusted names are escaped", () => {
  const untrusted = `</text></svg><script>alert("1")</script>&'`;
  const svg = lineChart({
    title: untrusted,
    x: { label: untrusted, unit: untrusted },
    y: { label: untrusted },
    panels: [
      {
        title: untrusted,
        curves: ["a", "b"].map((name) => ({ name: untrusted + name, points: points(1, 2) })),
        references: [{ name: untrusted, y: 1.5 }],
      },
    ],
    notes: [untrusted],
  });
  expect(svg).not.toContain("<script");
  expect(svg.match(/<\/svg>/g)).toHaveLength(2);
  expect(svg).toContain("&lt;script&gt;alert(&quot;1&quot;)");
});
