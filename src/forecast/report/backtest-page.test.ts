// Tables of the backtest page.

import { expect, test } from "vitest";
import { plainTable } from "../../report/tables.ts";
import { runBacktest } from "../backtest/index.ts";
import { baselines } from "../baselines/index.ts";
import { seriesTables } from "./backtest-page.ts";

const DAYS = 30;
const times = Float64Array.from({ length: DAYS }, (_, t) => t * 86_400_000);

test("the table of series has the worst first, and marks the best model of each", async () => {
  const series = (id: string, value: (t: number) => number) => ({
    ...{ id, times, covariates: {}, statics: {} },
    targets: [times.map((_, t) => value(t))],
  });
  const { models } = await runBacktest({
    panel: {
      // Drift is exact on the first series, the seasonal naive forecast on the second.
      series: [series("line", (t) => 3 * t), series("weeks", (t) => (t % 7) ** 2 + (t % 2) / 10)],
      ...{ targets: ["y"], covariates: [], frequency: { unit: "day", count: 1 }, season: 7 },
    },
    forecasters: [baselines.drift()],
    horizon: 3,
  });
  const [mase, wql] = seriesTables({ models }).map((table) => plainTable(table).split("\n"));
  expect(mase[0]).toBe("MASE of each series, the worst of Drift first; * the best of its row");
  expect(wql[0]).toBe("WQL of each series, the worst of Drift first; * the best of its row");
  for (const [, , weeks, line] of [mase, wql]) {
    expect(line).toMatch(/^line +\S+ \* +[\d.]+$/);
    expect(weeks).toMatch(/^weeks +[\d.]+ +\S+ \*$/);
  }
});
