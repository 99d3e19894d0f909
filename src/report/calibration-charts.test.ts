// Tests of calibration and bound charts: positions of curves and bars relative to their reference lines.

import { describe, expect, test } from "vitest";
import { attributes, marks, pathOf, textsOf } from "../../test/support/svg.ts";
import { boundChart } from "./bound-chart.ts";
import { horizonErrorChart, pitHistogram, reliabilityChart } from "./calibration-charts.ts";

describe("reliability", () => {
  const levels = (observed: readonly number[]) =>
    [0.9, 0.5, 0.1].map((nominal, i) => ({ nominal, observed: observed[i] }));

  test("a calibrated model lies on the diagonal, in any order of its levels", () => {
    const svg = reliabilityChart({ models: [{ name: "calibrated model", levels: levels([0.9, 0.5, 0.1]) }] });
    const [diagonal, curve] = marks(svg, "line").map((mark) => pathOf(mark).numbers);
    const [x1, y1, x2, y2] = diagonal;
    for (const i of [0, 2, 4]) {
      expect(curve[i + 1]).toBeCloseTo(y1 + ((curve[i] - x1) * (y2 - y1)) / (x2 - x1), 2);
    }
    expect(curve[0]).toBeLessThan(curve[4]);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["calibrated model", "calibrated", "nominal coverage"]),
    );
  });

  test("an overconfident model lies below the diagonal; non-finite values are omitted", () => {
    const svg = reliabilityChart({
      models: [{ name: "overconfident", levels: levels([0.7, 0.3, Number.NaN]) }],
    });
    const [[x1, y1, x2, y2], curve] = marks(svg, "line").map((mark) => pathOf(mark).numbers);
    expect(curve).toHaveLength(4);
    expect(curve[1]).toBeGreaterThan(y1 + ((curve[0] - x1) * (y2 - y1)) / (x2 - x1) + 1);
    expect(textsOf(svg)).toContain("Omitted: 1 point that is not finite.");
  });

  test("without models the chart says 'no data'", () => {
    expect(textsOf(reliabilityChart({ models: [] }))).toEqual([
      "Reliability: coverage of intervals",
      "no data",
    ]);
  });
});

describe("a PIT histogram", () => {
  test("has bars at the uniform line if all counts are equal", () => {
    const svg = pitHistogram({ models: [{ name: "flat", counts: [7, 7, 7, 7] }] });
    const [bars] = marks(svg, "rect");
    expect(attributes(bars, "y")).toHaveLength(4);
    const rule = marks(svg, "rule").at(-1)!;
    for (const y of attributes(bars, "y")) expect(y).toBeCloseTo(attributes(rule, "y1")[0], 2);
  });

  test("has bars proportional to their counts", () => {
    const svg = pitHistogram({ models: [{ name: "m", counts: Float64Array.from([10, 30, 0]) }] });
    const [first, second] = attributes(marks(svg, "rect")[0], "height");
    expect(second / first).toBeCloseTo(3, 2);
    expect(textsOf(svg).some((text) => text.startsWith("High at both ends"))).toBe(true);
  });

  test("omits invalid counts, names models without values, and shows 'no data' without models", () => {
    const svg = pitHistogram({
      models: [
        { name: "m", counts: [1, Number.NaN, 2, -1] },
        { name: "<i>empty</i>", counts: [] },
      ],
    });
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "Omitted: 2 bars without a valid count.",
        "&lt;i&gt;empty&lt;/i&gt;: no values.",
      ]),
    );
    expect(svg).not.toMatch(/NaN|<i>/);
    expect(textsOf(pitHistogram({ models: [] }))).toContain("no data");
  });
});

describe("errors by step", () => {
  const metric = { label: "MAE", unit: "births" };

  test("start at step 1, with integer ticks, and include 0 on the y axis", () => {
    const svg = horizonErrorChart({
      metric,
      models: [
        { name: "a", errors: [1, 2, 3] },
        { name: "b", errors: Float64Array.from([2, 3, Number.NaN]) },
      ],
    });
    const texts = textsOf(svg);
    expect(texts.slice(0, 7)).toEqual(["MAE by step ahead", "a", "b", "1", "2", "3", "steps ahead"]);
    expect(texts).toEqual(
      expect.arrayContaining(["0", "MAE (births)", "Omitted: 1 point that is not finite."]),
    );
    const [a] = marks(svg, "line").map((mark) => pathOf(mark).numbers);
    expect(a[1] - a[3]).toBeCloseTo(a[3] - a[5], 2);
  });

  test("without models the chart says 'no data'", () => {
    expect(textsOf(horizonErrorChart({ metric, models: [] }))).toEqual(["MAE by step ahead", "no data"]);
  });
});

describe("bounds", () => {
  const chart = { title: "Learned against exact", value: { label: "total variation" } };
  const svg = boundChart({
    ...chart,
    items: [
      { name: "V1", reached: 0.02, limit: 0.01, bound: 0.04 },
      { name: "V2", reached: 0.06, bound: 0.05 },
      { name: "V3", reached: Number.NaN },
    ],
  });

  test("are drawn beside bars that start at 0", () => {
    const [bars] = marks(svg, "rect");
    const [starts, widths] = [attributes(bars, "x"), attributes(bars, "width")];
    expect(widths[1] / widths[0]).toBeCloseTo(3, 2);
    const [limits, bounds] = marks(svg, "rule").map((inside) => attributes(inside, "x1"));
    expect(limits).toHaveLength(1);
    expect(limits[0] - starts[0]).toBeCloseTo(widths[0] / 2, 2);
    expect(bounds[0] - starts[0]).toBeCloseTo(2 * widths[0], 2);
  });

  test("are written beside the value, and values beyond their bound have another colour", () => {
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        ...["0.02 ≤ 0.04", "0.06 &gt; 0.05", "not a number", "within its bound", "exceeds its bound"],
        "Omitted: 1 of 6 numbers that are not finite.",
      ]),
    );
    const fills = [...marks(svg, "rect")[0].matchAll(/fill="(#\w+)"/g)].map(([, colour]) => colour);
    expect(new Set(fills).size).toBe(2);
  });

  test("can be on a logarithmic axis, where 0 has no bar; without items the chart says 'no data'", () => {
    const log = boundChart({
      ...{ title: "T", value: { label: "tv", scale: "log" } },
      items: [
        { name: "exact", reached: 0, bound: 0.001 },
        { name: "near", reached: 0.1, bound: 0.2 },
      ],
    });
    expect(attributes(marks(log, "rect")[0], "x")).toHaveLength(1);
    expect(textsOf(log)).toEqual(
      expect.arrayContaining(["0 ≤ 0.001", "Omitted: 1 of 4 numbers that are not finite and positive."]),
    );
    expect(textsOf(boundChart({ ...chart, items: [] }))).toEqual(["Learned against exact", "no data"]);
  });
});
