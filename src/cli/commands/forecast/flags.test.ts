// The flags of `gflownet forecast` agree with the library, and `--models` is parsed with its settings.

import { describe, expect, test } from "vitest";
import { baselines } from "../../../forecast/baselines/index.ts";
import { ALL_FORECASTERS, forecasterByName } from "../../../forecast/forecasters/forecaster-by-name.ts";
import { FORECASTERS, TOKEN_MODEL } from "../../../forecast/forecasters/forecaster-names.ts";
import { tokenModel } from "../../../forecast/model/forecaster.ts";
import { completeForecastSettings } from "../../../forecast/model/settings.ts";
import { readText } from "../../../settings/kinds.ts";
import { InputCommand } from "../../input.ts";
import { addDataFlags } from "./data-flags.ts";
import { addModelFlags, forecasterList, modelSettings } from "./model-flags.ts";

test("the names in --help are those of the baselines and the learned model", () => {
  expect(Object.keys(FORECASTERS)).toEqual([TOKEN_MODEL, ...Object.keys(baselines)]);
});

test("every setting of a model has a flag", () => {
  const { horizon: _, ...settings } = completeForecastSettings({ horizon: 1 });
  expect(Object.keys(modelSettings(settings)).sort()).toEqual(Object.keys(settings).sort());
});

test("a command names the flags of its options, and leaves other names as they are", () => {
  const command = new InputCommand("fit").argument("[season]") as InputCommand;
  addDataFlags(command);
  addModelFlags(command);
  const names = ["tokenLags", "timeColumn", "header", "season", "panel"];
  expect(names.map(command.flagOf)).toEqual([
    ...["--token-lags", "--time-column", "--no-header", "season", "panel"],
  ]);
});

test("the help of a model flag has its rule and its default from the table of settings", () => {
  const command = new InputCommand("fit");
  addModelFlags(command);
  const helpOf = (flag: string) => command.options.find(({ long }) => long === flag)?.description;
  expect(helpOf("--heads")).toBe("attention heads of the transformer; must divide --width (default: 2)");
  expect(helpOf("--hidden")).toBe("hidden layer widths of the path network (default: 128,128)");
  expect(helpOf("--engine")).toBe("engine; one of native, jax (default: native if available)");
});

describe("--models", () => {
  const options = { horizon: 3, settings: { bins: 5 } };
  const parse = (text: string) => readText(forecasterList, text);

  test("names forecasters as their columns, with the settings of each", () => {
    const result = parse("token-model:bins=16:hidden=8+4");
    const [spec] = "value" in result ? result.value : [];
    expect(forecasterByName(ALL_FORECASTERS[0], options).name).toBe(tokenModel({ horizon: 3 }).name);
    expect(forecasterByName(spec, options).name).toBe("TokenModel:bins=16:hidden=8+4");
    expect(spec.settings).toEqual({ bins: 16, hidden: [8, 4] });
  });

  const rule =
    "a list of token-model, naive, seasonal-naive, drift, seasonal-naive-drift, window-average, mstl-ets, theta, croston, separated by commas, or token-model:setting=value";
  test.each([
    ["foo", rule],
    ["naive,", rule],
    ["naif:bins=2", rule],
    ["naive:bins=2", "a list of models in which naive has no settings"],
    ["token-model:bins", "a list of models in which bins is a whole number from 1 to 4096"],
    ["token-model:bins=-1", "a list of models in which bins is a whole number from 1 to 4096"],
    ["token-model:bins=0x10", "a list of models in which bins is a whole number from 1 to 4096"],
    ["token-model:bins=1=2", "a list of models in which bins is a whole number from 1 to 4096"],
    [
      "naive,token-model:bins=4:normaliser=foo",
      "a list of models in which normaliser is one of none, mean, standard, min-max, robust, seasonal-difference, log, log1p",
    ],
    [
      "token-model:normalizer=log",
      "a list of models in which settings are flags of the learned model, not normalizer",
    ],
  ])("rejects %s", (text, expected) => {
    expect(parse(text)).toEqual({ problem: `must be ${expected}, got ${JSON.stringify(text)}` });
  });
});
