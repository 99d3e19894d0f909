// Where windows lie, what is seen in them, and that nothing of the future is.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../../test/support/panels.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Panel } from "../types.ts";
import { cutWindow, type WindowPlan } from "./windows.ts";

const missing = Number.NaN;
const plan: WindowPlan = { horizon: 2, windows: 3, stepSize: 1, align: "time" };

/** What of one series a window shows and asks. */
function seen(panel: Panel, given: WindowPlan, number: number): { past: number[]; ahead: number[] } {
  const { panel: cut, outcomes } = cutWindow(panel, given, number);
  return { past: [...cut.series[0].targets[0]], ahead: [...outcomes[0].targets[0]] };
}

describe("windows", () => {
  const panel = panelOf({ a: [1, 2, 3, 4, 5, 6, 7] });

  test("end with the data, a step apart, and see all before them", () => {
    expect(seen(panel, plan, 0)).toEqual({ past: [1, 2, 3], ahead: [4, 5] });
    expect(seen(panel, plan, 1)).toEqual({ past: [1, 2, 3, 4], ahead: [5, 6] });
    expect(seen(panel, plan, 2)).toEqual({ past: [1, 2, 3, 4, 5], ahead: [6, 7] });
  });

  test("that slide see so many rows only, but the scale still knows all before", () => {
    const sliding = { ...plan, inputSize: 2 };
    expect(seen(panel, sliding, 1)).toEqual({ past: [3, 4], ahead: [5, 6] });
    expect([...cutWindow(panel, sliding, 1).outcomes[0].past[0]]).toEqual([1, 2, 3, 4]);
    expect(seen(panel, { ...plan, inputSize: 100 }, 0).past).toEqual([1, 2, 3]);
  });

  test("have the cutoff at the last time seen", () => {
    const { panel: cut, outcomes } = cutWindow(panel, plan, 0);
    expect(outcomes[0].cutoff).toBe(cut.series[0].times.at(-1));
    expect([...outcomes[0].times]).toEqual([...panel.series[0].times.subarray(3, 5)]);
  });
});

describe("series that end at different times", () => {
  const panel = panelOf({ long: [1, 2, 3, 4, 5, 6, 7], short: [1, 2, 3, 4, 5] });

  test("are cut at one moment, and left out where they do not go on for a whole horizon", () => {
    const first = cutWindow(panel, plan, 0);
    expect(first.outcomes.map(({ cutoff }) => cutoff)).toEqual([2, 2].map((day) => day * 86_400_000));
    const second = cutWindow(panel, plan, 1);
    expect(second.panel.series.map(({ id }) => id)).toEqual(["long"]);
    expect(second.left).toEqual([
      'series "short" is left out of window 2: it has 1 of 2 steps after the cutoff',
    ]);
  });

  test("are cut where the longest of those that end last says", () => {
    const late = panelOf({ young: [1], old: [1, 2, 3, 4, 5] });
    const [young, old] = late.series;
    const panel = { ...late, series: [{ ...young, times: old.times.slice(-1) }, old] };
    expect(cutWindow(panel, plan, 0).outcomes.map(({ id }) => id)).toEqual(["old"]);
  });

  test("are cut each at its own end if so wanted", () => {
    const { outcomes } = cutWindow(panel, { ...plan, align: "series" }, 2);
    expect(outcomes.map(({ targets }) => [...targets[0]])).toEqual([
      [6, 7],
      [4, 5],
    ]);
  });

  test("are left out, with the reason, where nothing is known before the cutoff", () => {
    const { left, panel: cut } = cutWindow(
      panelOf({ a: [1, 2, 3, 4], b: [missing, missing, 3, 4] }),
      { ...plan, windows: 1 },
      0,
    );
    expect(left).toEqual(['series "b" is left out of window 1: no target is observed before the cutoff']);
    expect(cut.series.map(({ id }) => id)).toEqual(["a"]);
    expect(cutWindow(panelOf({ a: [1, 2] }), { ...plan, windows: 1 }, 0).left).toEqual([
      'series "a" is left out of window 1: it has no rows before the cutoff',
    ]);
  });
});

describe("the future", () => {
  const rows = 30;
  const stream = RandomStream.fromSeed(8);

  /** Two targets and covariates of every kind, some of them known ahead; random from a row on. */
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
        { name: "weather", kind: "numeric", known: false },
        { name: "mood", kind: "categorical", known: false },
        // Known ahead, so it stays as it is.
        { name: "price", kind: "numeric", known: true },
      ],
      series: panel.series.map((series) => ({
        ...series,
        targets: [values(), values()],
        covariates: { weather: values(), mood: levels(), price: plan.map((_, t) => t * t) },
        statics: { region: "north" },
      })),
    };
  }

  test.each([0, 1, 2, 3])("changes nothing of what is seen in window %d", (number) => {
    const given: WindowPlan = { horizon: 4, windows: 4, stepSize: 3, align: "time" };
    const cut = rows - given.horizon - (given.windows - 1 - number) * given.stepSize;
    const [one, other] = [richPanel(cut), richPanel(cut)].map((panel) => cutWindow(panel, given, number));
    expect(one.panel).toEqual(other.panel);
    expect(one.outcomes[0].past).toEqual(other.outcomes[0].past);
    expect(one.outcomes[0].targets).not.toEqual(other.outcomes[0].targets);
    // One row earlier it would be seen, so the test can fail.
    const early = cutWindow(richPanel(cut - 1), given, number);
    expect(early.panel).not.toEqual(one.panel);
  });

  test("has only its times and what is known ahead, in memory of its own", () => {
    const { panel } = cutWindow(richPanel(rows), { horizon: 4, windows: 1, stepSize: 1, align: "time" }, 0);
    const [series] = panel.series;
    expect(Object.keys(series.future!.covariates)).toEqual(["price"]);
    expect(series.future!.covariates.price).toEqual(Float64Array.of(26 ** 2, 27 ** 2, 28 ** 2, 29 ** 2));
    expect(series.future!.times).toHaveLength(4);
    expect(series.targets[0].buffer.byteLength).toBe(26 * 8);
  });
});
