// What the command line says there is, is what there is.

import { describe, expect, test } from "vitest";
import { baselines } from "../../../forecast/baselines/index.ts";
import { AFFINE_NORMALISATIONS, AGGREGATES, COUNTED_UNITS, FILLS } from "../../../forecast/data/index.ts";
import { completeSettings, flowForecaster } from "../../../forecast/model/index.ts";
import { NORMALISERS, POINT_LOSSES } from "../../../forecast/model/settings.ts";
import { CONTEXT_ENCODERS, POSITIONS } from "../../../forecast/network/context-encoder.ts";
import { flagOf } from "../../flag-kinds.ts";
import { TypedCommand } from "../../typed.ts";
import {
  AGGREGATE_NAMES,
  COLUMN_NORMALISERS,
  ENCODERS,
  FILL_NAMES,
  LEARNED,
  MODELS,
  NORMALISER_NAMES,
  POINT_LOSS_NAMES,
  POSITION_NAMES,
  TIME_UNIT_NAMES,
} from "./choices.ts";
import { contestantOf, forecastSettings } from "./contestants.ts";
import { inDataFlags } from "./data-flags.ts";
import { ALL_MODELS, modelSettingsOf, typedModels } from "./model-flags.ts";

test("names for help are those of the code", () => {
  expect(Object.keys(MODELS)).toEqual([LEARNED, ...Object.keys(baselines)]);
  expect(ENCODERS).toEqual(CONTEXT_ENCODERS);
  expect(POSITION_NAMES).toEqual(POSITIONS);
  expect(POINT_LOSS_NAMES).toEqual(POINT_LOSSES);
  expect(NORMALISER_NAMES).toEqual(NORMALISERS);
  expect(COLUMN_NORMALISERS).toEqual(AFFINE_NORMALISATIONS);
  expect(FILL_NAMES).toEqual(FILLS);
  expect(AGGREGATE_NAMES).toEqual(AGGREGATES);
  expect(TIME_UNIT_NAMES).toEqual(COUNTED_UNITS);
});

test("there is a flag for every setting of a model", () => {
  const { horizon: _, ...settings } = completeSettings({ horizon: 1 });
  expect(Object.keys(modelSettingsOf(settings)).sort()).toEqual(Object.keys(settings).sort());
});

describe("models", () => {
  const options = { horizon: 3, settings: { bins: 5 } };

  test("are named as their columns are, settings of their own included", () => {
    const names = ALL_MODELS.map((model) => contestantOf(model, options).name);
    const own = typedModels.read("gflownet:bins=16:hidden=8+4")!;
    expect(names[0]).toBe(flowForecaster({ horizon: 3 }).name);
    expect(contestantOf(own[0], options).name).toBe("GFlowNet:bins=16:hidden=8+4");
    expect(own[0].settings).toEqual({ bins: 16, hidden: [8, 4] });
  });

  test.each([
    "foo",
    "naive,",
    "naive:bins=2",
    "gflownet:bins",
    "gflownet:bins=-1",
    "gflownet:foo=1",
    "gflownet:bins=1=2",
  ])("%s is refused", (text) => {
    expect(typedModels.read(text)).toBeUndefined();
  });

  test.each([
    [
      "naive,gflownet:bins=4:normaliser=foo",
      'normaliser must be one of none, mean, standard, min-max, robust, seasonal-difference, log, log1p, got "foo"',
    ],
    ["gflownet:bins", 'bins must be a whole number from 1 to 4096, got ""'],
    ["gflownet:hidden=8+x", 'hidden must be whole numbers above 0, apart by +, got "8+x"'],
    ["naive:bins=2", 'naive takes no settings, got "naive:bins=2"'],
    [
      "gflownet:normalizer=log",
      'gflownet has no setting "normalizer"; those it has are in --help, as flags of the learned model',
    ],
    [
      "naif:bins=2",
      'must be out of gflownet, naive, seasonal-naive, drift, seasonal-naive-drift, window-average, mstl-ets, apart by commas, or gflownet:setting=value, got "naif:bins=2"',
    ],
  ])("%s is told by what is wrong in it", (text, sentence) => {
    const command = new TypedCommand();
    command.addOption(flagOf(command, "--models <a,b>", "which ones", typedModels));
    command.parse(["--models", text], { from: "user" });
    expect([...command.wrong]).toEqual([["--models", sentence]]);
  });
});

test("a point forecast has its weight beside its loss", () => {
  expect(forecastSettings(2, { point: "mae", bins: 4 })).toEqual({
    horizon: 2,
    bins: 4,
    point: { loss: "mae", weight: 1 },
  });
});

test("sentences of the data module name flags", () => {
  const sentence = "f.csv has no column of times named ds; name one with timeColumn: it has none";
  expect(inDataFlags(sentence)).toBe(
    "f.csv has no column of times named ds; name one with --time-col: it has none",
  );
});
