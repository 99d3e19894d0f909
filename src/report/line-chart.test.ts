// Line charts: what is in the SVG, where the limit is drawn, and what becomes of data that cannot be drawn.

import { describe, expect, test } from "vitest";
import { type LineChart, lineChart } from "./line-chart.ts";
import { curveOfSeeds, type Point } from "./series.ts";

const points = (...ys: number[]): Point[] => ys.map((y, x) => ({ x, y }));
const chart = (ys: readonly number[], more: Partial<LineChart> = {}): LineChart => ({
  title: "Distance",
  x: { label: "iterations" },
  y: { label: "KL", unit: "nats", scale: "log" },
  panels: [{ curves: [{ name: "kl", points: points(...ys) }], references: [{ name: "limit", y: 0.1 }] }],
  ...more,
});
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
/** The inside of the group that Plot draws for a kind of mark. */
const marks = (svg: string, kind: string) =>
  [...svg.matchAll(new RegExp(`<g [^>]*aria-label="${kind}"[^>]*>(.*?)</g>`, "g"))].map(
    ([, inside]) => inside,
  );
const numbers = (text: string) => text.match(/-?[\d.]+/g)!.map(Number);

describe("a chart", () => {
  const svg = lineChart(chart([1, 0.1, 0.01]));

  test("names title, axes with units, numbers and the limit", () => {
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

  test("draws the limit where the curve has its value", () => {
    const [path] = marks(svg, "line");
    const [x1, y1, x2, y2, x3, y3] = numbers(/d="([^"]+)"/.exec(path)![1]);
    // Equal ratios are equally far apart on a logarithmic axis.
    expect(y2 - y1).toBeCloseTo(y3 - y2, 2);
    expect(x2 - x1).toBeCloseTo(x3 - x2, 2);
    expect(y3).toBeGreaterThan(y1);
    const [rule] = marks(svg, "rule");
    expect(numbers(/y1="([^"]+)"/.exec(rule)![1])[0]).toBeCloseTo(y2, 2);
    expect(marks(svg, "rule")).toHaveLength(1);
  });

  test("is the same whenever it is drawn, with three digits after the point, no ids and no scripts", () => {
    expect(lineChart(chart([1, 0.1, 0.01]))).toBe(svg);
    expect(svg).not.toMatch(/\d\.\d{4,}/);
    expect(svg).not.toMatch(/ id=| class=|<script|<style|href|NaN|undefined|Infinity/);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="720" height="\d+" viewBox/);
  });

  test("stands on a white ground", () => {
    expect(svg).toMatch(/aria-label="Distance"[^>]*><rect width="720" height="\d+" fill="#ffffff"\/>/);
  });
});

describe("seeds and panels", () => {
  const seeds = (name: string, factor: number) =>
    curveOfSeeds({ name, runs: [points(factor, 2 * factor), points(3 * factor, 4 * factor)] });
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

  test("each series has a line and a band in every panel, and one name in the legend", () => {
    expect(marks(svg, "line")).toHaveLength(4);
    expect(marks(svg, "area")).toHaveLength(4);
    expect(textsOf(svg).filter((text) => text === "a" || text === "b")).toEqual(["a", "b"]);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["stick 0.25", "limit 0.25", "stick 0.5", "limit 0.5"]),
    );
  });

  test("panels share their axes, and the title of y stands once", () => {
    expect(textsOf(svg).filter((text) => text === "y")).toHaveLength(1);
    const [first, second] = marks(svg, "line").filter((_, i) => i % 2 === 0);
    expect(/d="([^"]+)"/.exec(first)![1].split(",")[1]).toBe(/d="([^"]+)"/.exec(second)![1].split(",")[1]);
  });

  test("a fan of quantiles is one line with several bands", () => {
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

describe("data that can hardly be drawn", () => {
  test("nothing at all is said to be no data", () => {
    for (const panels of [[], [{ curves: [] }], [{ curves: [{ name: "kl", points: [] }] }]]) {
      expect(textsOf(lineChart(chart([], { panels })))).toEqual(["Distance", "no data"]);
    }
  });

  test("one point is a dot and no line", () => {
    const svg = lineChart(chart([0.5]));
    expect(marks(svg, "line")).toHaveLength(0);
    expect(marks(svg, "dot")[0].match(/<circle/g)).toHaveLength(1);
  });

  test("what is not finite or not above 0 is left out, and counted", () => {
    const svg = lineChart(chart([1, Number.NaN, 0.5, Number.POSITIVE_INFINITY, 0, -1]));
    expect(marks(svg, "dot")[0].match(/<circle/g)).toHaveLength(2);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "Left out: 2 points that are not finite.",
        "Left out: 2 points that are not above 0, on a logarithmic axis.",
      ]),
    );
    expect(textsOf(lineChart(chart([0, 0])))).toEqual([
      "Distance",
      "no data",
      "Left out: 2 points that are not above 0, on a logarithmic axis.",
      "The limit is 0.1, outside of what is shown.",
    ]);
  });

  test("a band that reaches 0 is left out there, and the figure says so", () => {
    const ends = [0.5, 0, 0.5].map((low, x) => ({ x, low, high: 2 }));
    const curve = { name: "kl", points: points(1, 1, 1), bands: [{ points: ends }] };
    const texts = textsOf(lineChart(chart([], { panels: [{ curves: [curve] }] })));
    expect(texts).toContain("Bands are left out where an end is not finite or not above 0.");
    const whole = { ...curve, bands: [{ points: ends.toSpliced(1, 1) }] };
    expect(textsOf(lineChart(chart([], { panels: [{ curves: [whole] }] }))).join()).not.toContain("left out");
  });

  test("a constant is a level line inside the frame", () => {
    const svg = lineChart(
      chart([3, 3, 3], { y: { label: "y" }, panels: [{ curves: [{ name: "c", points: points(3, 3, 3) }] }] }),
    );
    const [, y1, , y2, , y3] = numbers(/d="([^"]+)"/.exec(marks(svg, "line")[0])![1]);
    expect([y2, y3]).toEqual([y1, y1]);
    expect(y1).toBeGreaterThan(24);
    expect(y1).toBeLessThan(220);
  });

  test("a limit of zero, or one that is very far, is told instead of drawn", () => {
    const withLimit = (y: number) =>
      lineChart(
        chart([], {
          panels: [{ curves: [{ name: "kl", points: points(1, 0.1) }], references: [{ name: "limit", y }] }],
        }),
      );
    for (const [y, text] of [
      [0, "The limit is 0, outside of what is shown."],
      [5.6e-15, "The limit is 5.6e-15, outside of what is shown."],
      [Number.NaN, "The limit is not a number."],
    ] as const) {
      expect(marks(withLimit(y), "rule")).toHaveLength(0);
      expect(textsOf(withLimit(y))).toContain(text);
    }
    expect(marks(withLimit(0.001), "rule")).toHaveLength(1);
  });
});

test("names from strangers stay text", () => {
  const strange = `</text></svg><script>alert("1")</script>&'`;
  const svg = lineChart({
    title: strange,
    x: { label: strange, unit: strange },
    y: { label: strange },
    panels: [
      {
        title: strange,
        curves: ["a", "b"].map((name) => ({ name: strange + name, points: points(1, 2) })),
        references: [{ name: strange, y: 1.5 }],
      },
    ],
    notes: [strange],
  });
  expect(svg).not.toContain("<script");
  expect(svg.match(/<\/svg>/g)).toHaveLength(2);
  expect(svg).toContain("&lt;script&gt;alert(&quot;1&quot;)");
});
