// Backtests: metrics computed by hand, refitting, events, rows, and rejected options.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../../test/support/panels.ts";
import { studentTQuantile } from "../../math/student-t.ts";
import { naive, seasonalNaive, theta } from "../baselines/index.ts";
import { TooLittleData } from "../too-little-data.ts";
import type { Forecast, Forecaster } from "../types.ts";
import {
  type BacktestEvent,
  type BacktestOptions,
  backtest,
  backtestColumns,
  backtestRows,
  runBacktest,
} from "./index.ts";

const values = [1, 4, 2, 6, 3, 9, 5, 12];
const panel = panelOf({ a: values }, 2);
const options: BacktestOptions = { panel, forecasters: [naive()], horizon: 2, windows: 2, levels: [80] };

/** Forecasts the number of rows it was fitted on and the number it sees. */
function counting(name = "Counting"): Forecaster & { readonly calls: string[] } {
  const calls: string[] = [];
  const rowsOf = (given: BacktestOptions["panel"]) => given.series.map(({ times }) => times.length).join();
  return {
    name,
    calls,
    async fit(given) {
      calls.push(`fit ${rowsOf(given)}`);
      return {
        async predict(later, { horizon, quantiles }) {
          calls.push(`predict ${rowsOf(later)}`);
          const zero = () => new Float64Array(horizon);
          return later.series.map(
            ({ id }): Forecast => ({ id, target: "y", mean: zero(), quantiles: quantiles.map(zero) }),
          );
        },
      };
    },
  };
}

async function eventsOf(given: BacktestOptions): Promise<BacktestEvent[]> {
  const events: BacktestEvent[] = [];
  for await (const event of backtest(given)) events.push(event);
  return events;
}

describe("a backtest", () => {
  test("evaluates every window, also for the seasonal naive forecast", async () => {
    const { models, notes } = await runBacktest(options);
    expect(models.map(({ name }) => name)).toEqual(["Naive", "SeasonalNaive"]);
    // The naive forecast is 6 for the actual values 3 and 9, then 9 for 5 and 12. The seasonal naive forecast is 2 and
    // 6 for 3 and 9, then 3 and 9 for 5 and 12.
    const [last, seasonal] = models.map(({ metrics }) => metrics);
    expect(last.overall.MAE.value).toBeCloseTo((3 + 3 + 4 + 3) / 4, 12);
    expect(seasonal.overall.MAE.value).toBeCloseTo((1 + 3 + 2 + 3) / 4, 12);
    expect(seasonal.byStep.map(({ MAE }) => MAE.value)).toEqual([1.5, 3]);
    expect(models[0].skill.MAE.value).toBeCloseTo(1 - 13 / 9, 12);
    expect(models[1].skill.MAE.value).toBe(0);
    // Scales: of 1, 4, 2, 6 mean(1, 2); with 3, 9 mean(1, 2, 1, 3).
    expect(seasonal.overall.MASE.value).toBeCloseTo((2 / 1.5 + 2.5 / 1.75) / 2, 12);
    expect(notes).toEqual([]);
    // Mean absolute differences of neighbouring values: mean(3, 2, 4) for 1, 4, 2, 6, and mean(3, 2, 4, 3, 6) after 3,
    // 9 follow.
    const stepwise = await runBacktest({ ...options, season: 1 });
    expect(stepwise.models[1].metrics.overall.MASE.value).toBeCloseTo((2 / 3 + 2.5 / 3.6) / 2, 12);
  });

  test("fits at every window, once, or at every k-th, and always shows all rows up to the cutoff", async () => {
    const calls = async (refit: number) => {
      const forecaster = counting();
      await runBacktest({ ...options, forecasters: [forecaster], windows: 5, stepSize: 1, refit });
      return forecaster.calls;
    };
    const predicted = [2, 3, 4, 5, 6].map((rows) => `predict ${rows}`);
    expect(await calls(0)).toEqual(["fit 2", ...predicted]);
    expect(await calls(1)).toEqual(predicted.flatMap((text) => [text.replace("predict", "fit"), text]));
    expect((await calls(2)).filter((text) => text.startsWith("fit"))).toEqual(["fit 2", "fit 4", "fit 6"]);
  });

  test("shows only the last rows with an input size", async () => {
    const forecaster = counting();
    await runBacktest({ ...options, forecasters: [forecaster], inputSize: 3 });
    expect(forecaster.calls).toEqual(["fit 3", "predict 3", "fit 3", "predict 3"]);
  });

  test("yields events and ends with the result", async () => {
    const events = await eventsOf(options);
    const texts = events.map((event) => ("model" in event ? `${event.type} ${event.model}` : event.type));
    const window = [
      "window",
      "fitted Naive",
      "predicted Naive",
      "fitted SeasonalNaive",
      "predicted SeasonalNaive",
    ];
    expect(texts).toEqual([...window, ...window, "done"]);
    expect(events[5]).toEqual({ type: "window", window: 2, windows: 2, series: 1, cutoff: 5 * 86_400_000 });
  });

  test("stops between steps when the signal is aborted", async () => {
    const controller = new AbortController();
    const run = backtest({ ...options, signal: controller.signal });
    await run.next();
    controller.abort();
    await expect(run.next()).rejects.toThrow(/abort/i);
  });

  test("skips missing actual values and reports non-finite forecasts", async () => {
    const torn = panelOf({ a: [1, 2, 3, 4, 5, Number.NaN] });
    const { models } = await runBacktest({ ...options, panel: torn, windows: 1 });
    expect(models[0].metrics.overall.MAE.value).toBe(1);
    expect(models[0].metrics.byStep[1].MAE).toEqual({ value: null, reason: "no target was observed" });
    const broken: Forecaster = {
      name: "Broken",
      fit: async () => ({
        predict: async (_, { horizon, quantiles }) => {
          const row = () => new Float64Array(horizon).fill(Number.NaN);
          return [{ id: "a", target: "y", mean: row(), quantiles: quantiles.map(row) }];
        },
      }),
    };
    const result = await runBacktest({ ...options, forecasters: [broken], windows: 1 });
    for (const name of ["MAE", "WQL", "CRPS", "coverage-80", "MSIS-80"]) {
      expect(result.models[0].metrics.overall[name]).toEqual({
        value: null,
        reason: "a forecast is not finite",
      });
      expect(result.models[0].skill.MAE.value).toBeNull();
    }
    expect(Array.from(backtestRows(result))[0].Broken).toBeNull();
  });
});

describe("a time budget", () => {
  const slow: Forecaster = {
    name: "Slow",
    async fit(_, { deadline } = {}) {
      // The budget ends while it forecasts the first window.
      if (deadline === undefined) throw new Error("there must be a deadline");
      return {
        async predict({ series }, { horizon, quantiles }) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          const zeros = new Float64Array(horizon);
          return series.map(({ id }) => ({
            id,
            target: "y",
            mean: zeros,
            quantiles: quantiles.map(() => zeros),
          }));
        },
      };
    },
  };

  test("leaves out the windows that are not reached, with a note, and keeps the first", async () => {
    const { models, notes } = await runBacktest({ ...options, forecasters: [slow], seconds: 0.02 });
    expect(models.map(({ cases }) => new Set(cases.map(({ window }) => window)).size)).toEqual([1, 1]);
    expect(notes).toEqual(["the time budget of 0.02 s ended after 1 window of 2"]);
  });

  test("that is long enough changes nothing", async () => {
    const { models, notes } = await runBacktest({ ...options, forecasters: [slow], seconds: 100 });
    expect(models[0].cases).toHaveLength(2);
    expect(notes).toEqual([]);
  });
});

describe("a panel of unequal series", () => {
  const ended = panelOf({ long: [1, 3, 2, 4, 3, 5, 4], ended: [5, 6, 8, 9] }, 1);

  test("judges each at its own cutoffs, and with a common time only those that go on", async () => {
    const idsOf = async (align?: "time") => {
      const { models } = await runBacktest({ panel: ended, forecasters: [naive()], horizon: 2, align });
      return models[0].cases.map(({ id, cutoff }) => [id, cutoff / 86_400_000]);
    };
    expect(await idsOf()).toEqual([
      ["long", 4],
      ["ended", 1],
    ]);
    expect(await idsOf("time")).toEqual([["long", 4]]);
  });
});

describe("a forecaster that needs more rows than there are", () => {
  const greedy: Forecaster = {
    name: "Greedy",
    async fit() {
      throw new TooLittleData("it needs ten rows, got two");
    },
  };

  test("is left out with a note, and the others are judged", async () => {
    const result = await runBacktest({ ...options, forecasters: [greedy, naive()] });
    expect(result.models.map(({ name, kind }) => [name, kind])).toEqual([
      ["Naive", "baseline"],
      ["SeasonalNaive", "baseline"],
    ]);
    expect(result.notes).toEqual([
      "Greedy is left out, because the rows before the first cutoff are too few: it needs ten rows, got two",
    ]);
  });

  test("is an error if it is the only one", async () => {
    await expect(runBacktest({ ...options, forecasters: [greedy] })).rejects.toThrow(
      "it needs ten rows, got two",
    );
  });
});

test("a note says how often the naive forecast takes the place of a method", async () => {
  const line = Array.from({ length: 20 }, (_, t) => t + (t % 3));
  const two = panelOf({ line, constant: line.map(() => 4) }, 1);
  const { notes } = await runBacktest({ panel: two, forecasters: [theta(), naive()], horizon: 2 });
  expect(notes).toEqual([
    "Theta is the naive forecast in 1 of 2 forecasts, because the rows before the cutoff are too few, constant, or below 0 for it",
  ]);
});

describe("rows", () => {
  test("have the usual columns", async () => {
    const result = await runBacktest({ ...options, levels: [80, 95], forecasters: [seasonalNaive()] });
    const columns = backtestColumns(result);
    expect(columns.join()).toBe(
      "unique_id,ds,cutoff,y,SeasonalNaive,SeasonalNaive-median,SeasonalNaive-lo-95,SeasonalNaive-lo-80,SeasonalNaive-hi-80,SeasonalNaive-hi-95",
    );
    const rows = Array.from(backtestRows(result));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(columns.toSorted());
    expect(rows[2]).toMatchObject({
      unique_id: "a",
      ds: "1970-01-07",
      cutoff: "1970-01-06",
      y: 5,
      SeasonalNaive: 3,
    });
    const row = rows[2] as Record<string, number>;
    expect(row["SeasonalNaive-lo-95"]).toBeLessThan(row["SeasonalNaive-lo-80"]);
    expect(row["SeasonalNaive-hi-80"] - 3).toBeCloseTo(
      studentTQuantile(0.9, 4) * Math.sqrt((1 + 4 + 1 + 9) / 4),
      10,
    );
  });

  test("have the quantiles that are asked for, which do not change WQL", async () => {
    const forecasters = [seasonalNaive()];
    const plain = await runBacktest({ ...options, levels: [], forecasters });
    const result = await runBacktest({ ...options, levels: [], columnQuantiles: [0.25, 0.975], forecasters });
    expect(backtestColumns(result).slice(4)).toEqual([
      ...["SeasonalNaive", "SeasonalNaive-median", "SeasonalNaive-q-25", "SeasonalNaive-q-97.5"],
    ]);
    const row = Array.from(backtestRows(result))[2] as Record<string, number>;
    const deviation = Math.sqrt((1 + 4 + 1 + 9) / 4);
    expect(row["SeasonalNaive-q-25"]).toBeCloseTo(3 + studentTQuantile(0.25, 4) * deviation, 10);
    expect(row["SeasonalNaive-q-97.5"]).toBeCloseTo(3 + studentTQuantile(0.975, 4) * deviation, 10);
    expect(result.models[0].metrics.overall.WQL).toEqual(plain.models[0].metrics.overall.WQL);
  });

  test("have a point-forecast column after the median for models with a point-forecast head", async () => {
    const pointed: Forecaster = {
      name: "Pointed",
      fit: async () => ({
        predict: async ({ series }, { horizon, quantiles }) =>
          series.map(({ id, times }): Forecast => {
            const zeros = new Float64Array(horizon);
            const point = zeros.map((_, h) => 10 * times.length + h);
            return { id, target: "y", mean: zeros, point, quantiles: quantiles.map(() => zeros) };
          }),
      }),
    };
    const result = await runBacktest({ ...options, forecasters: [pointed] });
    expect(backtestColumns(result).filter((name) => !/-(lo|hi)-/.test(name))).toEqual([
      ...["unique_id", "ds", "cutoff", "y", "Pointed", "Pointed-median", "Pointed-point"],
      ...["SeasonalNaive", "SeasonalNaive-median"],
    ]);
    expect(Array.from(backtestRows(result), (row) => row["Pointed-point"])).toEqual([40, 41, 60, 61]);
  });

  test("name the target if there are several", async () => {
    const two = {
      ...panel,
      targets: ["y", "z"],
      series: panel.series.map((series) => ({
        ...series,
        targets: [series.targets[0], series.targets[0].map((v) => -10 * v)],
      })),
    };
    const result = await runBacktest({ ...options, panel: two, windows: 1 });
    expect(backtestColumns(result).slice(0, 3)).toEqual(["unique_id", "target", "ds"]);
    expect(Array.from(backtestRows(result), ({ target, Naive }) => [target, Naive])).toEqual([
      ["y", 9],
      ["y", 9],
      ["z", -90],
      ["z", -90],
    ]);
    const { bySeries: series } = result.models[0].metrics;
    expect(Object.keys(series)).toEqual(["a/y", "a/z"]);
    // Each target is scaled separately, so its unit does not matter.
    expect(series["a/z"].MAE.value).toBeCloseTo(10 * series["a/y"].MAE.value!, 10);
    expect(series["a/z"].MASE.value).toBeCloseTo(series["a/y"].MASE.value!, 10);
  });
});

describe("a backtest rejects", () => {
  test.each([
    [{ horizon: 0 }, "horizon: must be a whole number from 1 to 100000, got 0"],
    [{ windows: 1.5 }, "windows: must be a whole number from 1 to 100000, got 1.5"],
    [{ refit: -1 }, "refit: must be a whole number from 0 to 2^53 - 1, got -1"],
    [{ quantiles: [0.5, 1] }, "quantiles: must be numbers between 0 and 1, got 1"],
    [{ levels: [120] }, "levels: must be numbers between 0 and 100, got 120"],
    [{ forecasters: [naive(), naive()] }, "forecasters: must have different names, got Naive twice"],
    [{ panel: { ...panel, series: [] } }, "panel: must have at least one series, got none"],
    [
      { horizon: 8 },
      'windows: no series has rows before the first of 2 windows of 8 steps: series "a" is skipped in window 1: it has no rows before the cutoff',
    ],
    [
      { horizon: 100, windows: 1 },
      'windows: no series has rows before the first of 1 window of 100 steps: series "a" is skipped in window 1: it has no rows before the cutoff',
    ],
  ])("%j", async (change, message) => {
    await expect(runBacktest({ ...options, ...change })).rejects.toMatchObject({
      name: "UserError",
      message,
    });
  });

  const answering = (answer: (forecast: Forecast) => readonly Forecast[]): Forecaster => ({
    name: "Odd",
    fit: async () => ({
      predict: async (_, { horizon, quantiles }) => {
        const row = () => new Float64Array(horizon);
        return answer({ id: "a", target: "y", mean: row(), quantiles: quantiles.map(row) });
      },
    }),
  });

  test.each<[(forecast: Forecast) => readonly Forecast[], string]>([
    [() => [], "Odd: there must be 1 forecasts, series by series, got 0, with none instead of y of a"],
    [
      (one) => [{ ...one, id: "b" }],
      "Odd: there must be 1 forecasts, series by series, got 1, with y of b instead of y of a",
    ],
    [(one) => [one, one], "Odd: there must be 1 forecasts, series by series, got 2"],
    [(one) => [{ ...one, quantiles: [] }], 'Odd: a forecast must have 9 quantiles, got 0 of series "a"'],
    [
      (one) => [{ ...one, mean: new Float64Array(3) }],
      'Odd: a forecast must have 2 steps, got 3 of series "a"',
    ],
    [
      (one) => [{ ...one, quantiles: one.quantiles.map((row, i) => row.fill(-i)) }],
      'Odd: quantiles must not cross, got 0 above -1 at step 1 of series "a"',
    ],
  ])("a forecast that does not match the request: %o", async (answer, message) => {
    await expect(runBacktest({ ...options, forecasters: [answering(answer)] })).rejects.toThrow(message);
  });
});
