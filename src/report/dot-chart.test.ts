// Tests of dot and scatter charts: positions of dots and lines.

import { describe, expect, test } from "vitest";
import { attributes, marks, pathOf, textsOf } from "../../test/support/svg.ts";
import { dotChart } from "./dot-chart.ts";
import { scatterChart } from "./scatter-chart.ts";

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

  test("are at the mean, with one standard deviation to each side and the seeds below", () => {
    const [seeds, means] = [marks(svg, "dot")[0], marks(svg, "dot")[1]];
    const [one, two, three] = attributes(seeds, "cx");
    expect(attributes(means, "cx")[0]).toBeCloseTo(two, 2);
    const [from, , to] = pathOf(marks(svg, "link")[0]).numbers;
    expect([from, to]).toEqual([expect.closeTo(one, 2), expect.closeTo(three, 2)]); // 1, 2, 3 have standard deviation 1
    expect(attributes(means, "cy")[0]).toBeLessThan(attributes(means, "cy")[1]);
  });

  test("have a name even if they have no values, and a note counts omitted values", () => {
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "first",
        "second",
        "third",
        "stick 0.5",
        "mean reward",
        "Omitted: 1 of 5 values that are not finite.",
      ]),
    );
  });

  test("have no long decimals or NaN, and without values the chart says 'no data'", () => {
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

  test("draws its points, and a reference line that passes through the points on it", () => {
    const points = [0, 1, 2].map((x) => ({ x, y: 2 * x - 1 }));
    const svg = scatterChart({ ...axes, points, line: { name: "slope 2", slope: 2, intercept: -1 } });
    const dots = marks(svg, "dot")[0];
    const [xs, ys] = [attributes(dots, "cx"), attributes(dots, "cy")];
    const [x1, y1, x2, y2] = pathOf(marks(svg, "line")[0]).numbers;
    for (const i of [0, 1, 2]) {
      expect(y1 + ((xs[i] - x1) * (y2 - y1)) / (x2 - x1)).toBeCloseTo(ys[i], 1);
    }
    expect(textsOf(svg)).toContain("slope 2");
  });

  test("omits points that are not finite, and a line outside the frame", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
      { x: Number.NEGATIVE_INFINITY, y: 0 },
    ];
    const svg = scatterChart({ ...axes, points, line: { name: "far", slope: 1, intercept: 100 } });
    expect(attributes(marks(svg, "dot")[0], "cx")).toHaveLength(2);
    expect(textsOf(svg)).toContain("Omitted: 1 of 3 points that are not finite.");
    expect(textsOf(svg)).not.toContain("far");
    expect(textsOf(scatterChart({ ...axes, points: [] }))).toEqual(["S", "no data"]);
  });
});
