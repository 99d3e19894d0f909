// Windows of a backtest: position, visible rows, and no leak of future values.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../../test/support/panels.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Panel } from "../types.ts";
import { countJudged, cutWindow, type WindowLayout } from "./windows.ts";

const missing = Number.NaN;
const plan: WindowLayout = { horizon: 2, windows: 3, stepSize: 1, align: "time" };

/** The visible and the actual values of one series in a window. */
function windowValues(
  panel: Panel,
  layout: WindowLayout,
  index: number,
): { past: number[]; future: number[] } {
  const { panel: cut, actuals } = cutWindow(panel, layout, index);
  return { past: [...cut.series[0].targets[0]], future: [...actuals[0].targets[0]] };
}

describe("windows", () => {
  const panel = panelOf({ a: [1, 2, 3, 4, 5, 6, 7] });

  test("end with the data, are one step size apart, and see all earlier rows", () => {
    expect(windowValues(panel, plan, 0)).toEqual({ past: [1, 2, 3], future: [4, 5] });
    expect(windowValues(panel, plan, 1)).toEqual({ past: [1, 2, 3, 4], future: [5, 6] });
    expect(windowValues(panel, plan, 2)).toEqual({ past: [1, 2, 3, 4, 5], future: [6, 7] });
  });

  test("with an input size see only the last rows, but the scale uses all earlier ones", () => {
    const sliding = { ...plan, inputSize: 2 };
    expect(windowValues(panel, sliding, 1)).toEqual({ past: [3, 4], future: [5, 6] });
    expect([...cutWindow(panel, sliding, 1).actuals[0].past[0]]).toEqual([1, 2, 3, 4]);
    expect(windowValues(panel, { ...plan, inputSize: 100 }, 0).past).toEqual([1, 2, 3]);
  });

  test("have the last visible time as the cutoff", () => {
    const { panel: cut, actuals } = cutWindow(panel, plan, 0);
    expect(actuals[0].cutoff).toBe(cut.series[0].times.at(-1));
    expect([...actuals[0].times]).toEqual([...panel.series[0].times.subarray(3, 5)]);
  });
});

describe("series that end at different times", () => {
  const panel = panelOf({ long: [1, 2, 3, 4, 5, 6, 7], short: [1, 2, 3, 4, 5] });

  test("have a common cutoff, and are skipped without a full horizon after it", () => {
    const first = cutWindow(panel, plan, 0);
    expect(first.actuals.map(({ cutoff }) => cutoff)).toEqual([2, 2].map((day) => day * 86_400_000));
    const second = cutWindow(panel, plan, 1);
    expect(second.panel.series.map(({ id }) => id)).toEqual(["long"]);
    expect(second.skipped).toEqual([
      'series "short" is skipped in window 2: it has 1 of 2 steps after the cutoff',
    ]);
  });

  test("have the cutoff of the longest series among those that end last", () => {
    const late = panelOf({ young: [1], old: [1, 2, 3, 4, 5] });
    const [young, old] = late.series;
    const panel = { ...late, series: [{ ...young, times: old.times.slice(-1) }, old] };
    expect(cutWindow(panel, plan, 0).actuals.map(({ id }) => id)).toEqual(["old"]);
  });

  test("are all judged with cutoffs per series, and with a common one only those with a horizon after it", () => {
    const ended = panelOf({ long: [1, 2, 3, 4, 5, 6, 7], gone: [1, 2, 3], new: [1, 2], tiny: [1] });
    const late = { ...plan, windows: 1, horizon: 1 };
    expect(countJudged(ended, { ...late, align: "series" })).toBe(3);
    expect(countJudged(ended, late)).toBe(1);
    // The first of three windows needs four rows, the last two.
    expect(countJudged(ended, { ...late, windows: 3, align: "series" })).toBe(3);
  });

  test("have separate cutoffs with align series", () => {
    const { actuals } = cutWindow(panel, { ...plan, align: "series" }, 2);
    expect(actuals.map(({ targets }) => [...targets[0]])).toEqual([
      [6, 7],
      [4, 5],
    ]);
  });

  test("are skipped, with the reason, if nothing is observed before the cutoff", () => {
    const { skipped, panel: cut } = cutWindow(
      panelOf({ a: [1, 2, 3, 4], b: [missing, missing, 3, 4] }),
      { ...plan, windows: 1 },
      0,
    );
    expect(skipped).toEqual([
      'series "b" is skipped in window 1: a target has no observed value before the cutoff',
    ]);
    expect(cut.series.map(({ id }) => id)).toEqual(["a"]);
    expect(cutWindow(panelOf({ a: [1, 2] }), { ...plan, windows: 1 }, 0).skipped).toEqual([
      'series "a" is skipped in window 1: it has no rows before the cutoff',
    ]);
  });
});

describe("the future", () => {
  const rows = 30;
  const stream = RandomStream.fromSeed(8);

  /** Two targets and covariates of every kind, some known in the future. Values are random from row `from`. */
  function richPanel(from: number): Panel {
    const numbers = (t: number) => (t < from ? Math.sin(t) : stream.normal());
    const values = () => Float64Array.from({ length: rows }, (_, t) => numbers(t));
    const levels = () =>
      Array.from({ length: rows }, (_, t) => (t < from ? `level ${t % 3}` : `${stream.uniform()}`));
    const panel = panelOf({ a: values(), b: values() }, 7);
    const plan = values();
    return {
      ...panel,
      targets: ["y", "z"],
      covariates: [
        { name: "weather", kind: "numeric", knownInFuture: false },
        { name: "mood", kind: "categorical", knownInFuture: false },
        // Known in the future, so it does not change.
        { name: "price", kind: "numeric", knownInFuture: true },
      ],
      series: panel.series.map((series) => ({
        ...series,
        targets: [values(), values()],
        covariates: { weather: values(), mood: levels(), price: plan.map((_, t) => t * t) },
        statics: { region: "north" },
      })),
    };
  }

  test.each([0, 1, 2, 3])("does not change the visible rows of window %d", (number) => {
    const given: WindowLayout = { horizon: 4, windows: 4, stepSize: 3, align: "time" };
    const cut = rows - given.horizon - (given.windows - 1 - number) * given.stepSize;
    const [one, other] = [richPanel(cut), richPanel(cut)].map((panel) => cutWindow(panel, given, number));
    expect(one.panel).toEqual(other.panel);
    expect(one.actuals[0].past).toEqual(other.actuals[0].past);
    expect(one.actuals[0].targets).not.toEqual(other.actuals[0].targets);
    // One row earlier the change is visible, so the test can fail.
    const early = cutWindow(richPanel(cut - 1), given, number);
    expect(early.panel).not.toEqual(one.panel);
  });

  test("contains only times and known-future covariates, as copies", () => {
    const { panel } = cutWindow(richPanel(rows), { horizon: 4, windows: 1, stepSize: 1, align: "time" }, 0);
    const [series] = panel.series;
    expect(Object.keys(series.future!.covariates)).toEqual(["price"]);
    expect(series.future!.covariates.price).toEqual(Float64Array.of(26 ** 2, 27 ** 2, 28 ** 2, 29 ** 2));
    expect(series.future!.times).toHaveLength(4);
    expect(series.targets[0].buffer.byteLength).toBe(26 * 8);
  });
});
