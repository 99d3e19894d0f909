// Dots with deviations, and points over two numbers: where they stand.

import { describe, expect, test } from "vitest";
import { dotChart } from "./dot-chart.ts";
import { scatterChart } from "./scatter-chart.ts";

const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const group = (svg: string, kind: string, n = 0) =>
  [...svg.matchAll(new RegExp(`<g [^>]*aria-label="${kind}"[^>]*>(.*?)</g>`, "g"))][n]?.[1] ?? "";
const attributes = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`\\b${name}="([^"]+)"`, "g"))].map(([, value]) => Number(value));

describe("dots", () => {
  const svg = dotChart({
    title: "Reward",
    value: { label: "mean reward" },
    panels: [
      {
        title: "stick 0.5",
        groups: [
          { name: "first", values: [1, 2, 3] },
          { name: "second", values: [5] },
          { name: "third", values: [Number.NaN] },
        ],
      },
    ],
  });

  test("stand at the mean, with one standard deviation to each side and the seeds below", () => {
    const [seeds, means] = [group(svg, "dot", 0), group(svg, "dot", 1)];
    const [one, two, three] = attributes(seeds, "cx");
    expect(attributes(means, "cx")[0]).toBeCloseTo(two, 2);
    const [from, , to] = /d="([^"]+)"/
      .exec(group(svg, "link"))![1]
      .match(/-?[\d.]+/g)!
      .map(Number);
    expect([from, to]).toEqual([expect.closeTo(one, 2), expect.closeTo(three, 2)]); // the deviation of 1, 2, 3 is 1
    expect(attributes(means, "cy")[0]).toBeLessThan(attributes(means, "cy")[1]);
  });

  test("have their names, also where there is nothing, and what is left out is counted", () => {
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "first",
        "second",
        "third",
        "stick 0.5",
        "mean reward",
        "Left out: 1 of 5 values, not finite.",
      ]),
    );
  });

  test("are the same whenever they are drawn, and none is no data", () => {
    expect(svg).not.toMatch(/\d\.\d{4,}|NaN|Infinity/);
    const none = {
      title: "Reward",
      value: { label: "r" },
      panels: [{ groups: [{ name: "a", values: [] }] }],
    };
    expect(textsOf(dotChart(none))).toEqual(["Reward", "no data"]);
  });
});

describe("a scatter", () => {
  const axes = { title: "S", x: { label: "log R" }, y: { label: "log P" } };

  test("has its points, and its line through those that are on it", () => {
    const points = [0, 1, 2].map((x) => ({ x, y: 2 * x - 1 }));
    const svg = scatterChart({ ...axes, points, line: { name: "slope 2", slope: 2, intercept: -1 } });
    const dots = group(svg, "dot");
    const [xs, ys] = [attributes(dots, "cx"), attributes(dots, "cy")];
    const [x1, y1, x2, y2] = /d="([^"]+)"/
      .exec(group(svg, "line"))![1]
      .match(/-?[\d.]+/g)!
      .map(Number);
    for (const i of [0, 1, 2]) {
      expect(y1 + ((xs[i] - x1) * (y2 - y1)) / (x2 - x1)).toBeCloseTo(ys[i], 1);
    }
    expect(textsOf(svg)).toContain("slope 2");
  });

  test("leaves out what is not finite, and a line that is nowhere near", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
      { x: Number.NEGATIVE_INFINITY, y: 0 },
    ];
    const svg = scatterChart({ ...axes, points, line: { name: "far", slope: 1, intercept: 100 } });
    expect(attributes(group(svg, "dot"), "cx")).toHaveLength(2);
    expect(textsOf(svg)).toContain("Left out: 1 of 3 points, not finite.");
    expect(textsOf(svg)).not.toContain("far");
    expect(textsOf(scatterChart({ ...axes, points: [] }))).toEqual(["S", "no data"]);
  });
});
