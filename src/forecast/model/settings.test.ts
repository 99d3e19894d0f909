import { expect, test } from "vitest";
import { MAX_THREADS } from "../../engine/native.ts";
import { UserError } from "../../issues.ts";
import { checkForecastSettings, completeForecastSettings, forecastSettingIssues } from "./settings.ts";
import { FORECAST_DEFAULTS, FORECAST_SETTING_KEYS } from "./settings-table.ts";

test("omitted settings get their defaults, and every default follows its rule", () => {
  expect(completeForecastSettings({ horizon: 2, bins: 5, width: undefined })).toEqual({
    ...FORECAST_DEFAULTS,
    horizon: 2,
    bins: 5,
  });
  expect(forecastSettingIssues({ horizon: 1, ...FORECAST_DEFAULTS })).toEqual([]);
});

test.each([
  [{}, "horizon: must be a whole number from 1 to 100000, got undefined"],
  [{ horizon: 0 }, "horizon: must be a whole number from 1 to 100000, got 0"],
  [{ horizon: 1, smoothing: 1 }, "smoothing: must be a number in [0, 1), got 1"],
  [{ horizon: 1, pointLoss: "mape" }, 'pointLoss: must be one of none, mse, mae, huber, got "mape"'],
  [{ horizon: 1, lags: [7, 0] }, 'lags: must be a list of whole numbers of at least 1 or "year", got [7,0]'],
  [{ horizon: 1, binDoublings: 7 }, "binDoublings: must be a whole number from 0 to 6, got 7"],
  [{ horizon: 1, refine: 2 }, "refine: is not a setting of a forecasting model"],
  [{ horizon: 1, width: 33, heads: 3 }, "width: must be even, got 33"],
  [{ horizon: 1, heads: 3 }, "heads: must divide `width`, got 3 heads for a width of 32"],
  [{ horizon: 1, width: 6, heads: 4 }, "heads: must divide `width`, got 4 heads for a width of 6"],
])("%j is rejected", (settings, message) => {
  expect(() => completeForecastSettings(settings as { horizon: number })).toThrow(message);
});

test("all issues are reported at once", () => {
  const settings = { horizon: 3, bins: 0, normaliser: "cube" as "log", patience: 1.5 };
  const paths = forecastSettingIssues(settings).map(({ path, code }) => [path, code]);
  expect(paths).toEqual([
    ["bins", "invalid"],
    ["normaliser", "invalid"],
    ["patience", "invalid"],
  ]);
  expect(() => completeForecastSettings(settings)).toThrow(UserError);
});

test("lags have a form as text", () => {
  for (const lags of [[7, "year"], [], [168]] as const) {
    expect(FORECAST_SETTING_KEYS.lags.kind.fromText(FORECAST_SETTING_KEYS.lags.kind.toText(lags))).toEqual(
      lags,
    );
  }
  expect(FORECAST_SETTING_KEYS.lags.kind.fromText("7,month")).toBeUndefined();
});

test("a rule between settings holds only where it matters, and is skipped while one of its settings is invalid", () => {
  expect(forecastSettingIssues({ horizon: 1, encoder: "gru", heads: 3 })).toEqual([]);
  const paths = forecastSettingIssues({ horizon: 1, width: 0, heads: 3 }).map(({ path }) => path);
  expect(paths).toEqual(["width"]);
});

test("threads are limited by the machine", async () => {
  const check = (threads: number, engine: "native" | "jax") =>
    checkForecastSettings({ horizon: 1, threads, engine, width: 33 });
  await expect(check(MAX_THREADS, "native")).rejects.toThrow(/^width: must be even, got 33$/);
  await expect(check(256, "jax")).rejects.toThrow(/^width: must be even, got 33$/);
  await expect(check(256, "native")).rejects.toThrow(
    `threads: must be at most ${MAX_THREADS} on this machine, got 256`,
  );
});
