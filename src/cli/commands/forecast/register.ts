// The subcommands of `gflownet forecast` and their flags. Each loads its implementation when it runs, so that `--help` is
// fast.

import { Argument, Option } from "commander";
import type { PredictiveDistribution } from "../../../forecast/baselines/index.ts";
import { FORECASTERS, TOKEN_MODEL } from "../../../forecast/forecasters/forecaster-names.ts";
import { FORECAST_SETTING_KEYS } from "../../../forecast/model/settings-table.ts";
import {
  horizonKind,
  inputSizeKind,
  levelsKind,
  noiseKind,
  quantilesKind,
  refitKind,
  secondsKind,
  stepSizeKind,
  temperatureKind,
  windowsKind,
} from "../../../forecast/option-kinds.ts";
import { throwIssues } from "../../../issues.ts";
import { choice, type Kind, listOf, number, text, whole } from "../../../settings/kinds.ts";
import type { InputCommand } from "../../input.ts";
import { QUEUE_FLAG_HELP } from "../../register-queue.ts";
import { addDataFlags } from "./data-flags.ts";
import { addModelFlags, forecasterList } from "./model-flags.ts";

/** The distribution `point` is not offered: it has no uncertainty and serves only to reproduce published results. */
const PREDICTIVE_DISTRIBUTIONS: readonly Exclude<PredictiveDistribution, "point">[] = [
  "gaussian",
  "empirical",
];
const levelList = distinct(levelsKind);
const quantileList = distinct(quantilesKind);

export function registerForecast(forecast: InputCommand): void {
  const check = subcommand(forecast, "check", "describe a file of time series and warn about problems");
  addFile(check);
  addFlag(check, "--parts <file>", "write trend, season and residual of each series as CSV", text());
  addPrinting(check);
  addDataFlags(check, ["fill", "floor"]);
  check.action(async (path, options) => {
    checkFlags(check);
    await (await import("./check.ts")).check(path, options);
  });

  const fit = subcommand(forecast, "fit", "train a model on a file and write a model folder");
  addFile(fit);
  addHorizon(fit);
  addFlag(fit, "--out <folder>", "new folder for the model (default: models/NAME-N)", text());
  addPrinting(fit);
  addDataFlags(fit);
  addModelFlags(fit);
  fit.action(async (path, options) => {
    checkFlags(fit);
    await (await import("./fit.ts")).fit(path, options);
  });

  const predict = subcommand(
    forecast,
    "predict",
    "forecast with a saved model, or with models that are fitted to a file first",
  );
  predict.addArgument(new Argument("[source]", "model folder, or a file of time series"));
  addDemo(predict);
  addHorizon(predict);
  addFlag(
    predict,
    "--data <file>",
    "with a model folder: file of the series to forecast (default: the data that the model was fitted on)",
    text(),
  );
  addModels(predict, TOKEN_MODEL);
  const seriesList = listOf(text(), "series names, separated by commas");
  addFlag(predict, "--series <a,b>", "forecast only these series (default: all)", seriesList);
  addLevels(predict);
  addFlag(predict, "--quantiles <q,q>", "quantiles to write, such as 0.1,0.5,0.9", quantileList);
  addFlag(
    predict,
    "--out <file>",
    "output file, .csv or .json, or a new folder, which the dashboard shows (default: CSV on stdout)",
    text(),
  );
  addFlag(predict, "--paths <file>", "write all sampled paths as CSV", text());
  addFlag(predict, "--report <file>", "write an HTML page with fan charts and decompositions", text());
  addPrinting(predict);
  addScenarios(predict);
  addDataFlags(predict);
  addModelFlags(predict);
  predict.action(async (source, options) => {
    checkFlags(predict);
    await (await import("./predict.ts")).predict(source, options);
  });

  const backtest = subcommand(
    forecast,
    "backtest",
    "evaluate models at past cutoffs and write tables and an HTML page",
  );
  addFile(backtest);
  addWindows(backtest);
  addFlag(
    backtest,
    "--seconds <s>",
    "time budget: training of learned models ends early, and windows that are not reached are left out (default: none)",
    secondsKind,
  );
  addFlag(
    backtest,
    "--quantiles <q,q>",
    "quantiles to write, such as 0.1,0.5,0.9 (default: none)",
    quantileList,
  );
  addModels(backtest, "all");
  addFlag(
    backtest,
    "--out <folder>",
    "new folder for the results, or one with shards of a command that was stopped (default: backtests/NAME-N)",
    text(),
  );
  addPrinting(backtest);
  addShards(backtest);
  addDataFlags(backtest);
  addModelFlags(backtest);
  backtest.addHelpText("after", `\nModels:\n${modelsHelp()}`).action(async (path, options) => {
    checkFlags(backtest);
    await (await import("./backtest.ts")).backtest(path, options);
  });

  const compare = subcommand(
    forecast,
    "compare",
    "backtest models on several files and seeds, and print mean ± standard deviation",
  );
  compare.addArgument(new Argument("[files...]", "files of time series"));
  addDemo(compare);
  addWindows(compare);
  addModels(compare, "all");
  addFlag(
    compare,
    "--seeds <n>",
    "train learned models with the seeds 0 to n - 1 (default: 3)",
    whole(1, 1000),
  );
  addFlag(
    compare,
    "--out <folder>",
    "folder for the results of shards, one folder per file (default: backtests/NAME-N)",
    text(),
  );
  addPrinting(compare);
  addShards(compare);
  addDataFlags(compare);
  addModelFlags(compare, ["seed"]);
  compare.addHelpText("after", `\nModels:\n${modelsHelp()}`).action(async (paths, options) => {
    checkFlags(compare);
    await (await import("./compare.ts")).compare(paths, options);
  });

  const verify = subcommand(
    forecast,
    "verify",
    "train GFlowNets on processes whose path distributions are known, and measure their exact errors",
  );
  verify.option("--quick", "train for a fifth of the iterations and accept larger errors");
  const caseList = listOf(text(), "case names, separated by commas");
  addFlag(verify, "--only <a,b>", "run only these test cases, such as V1,V10b", caseList);
  addFlag(verify, "--seed <n>", "seed of training (default: 0)", FORECAST_SETTING_KEYS.seed.kind);
  addPrinting(verify);
  verify.action(async (options) => {
    checkFlags(verify);
    await (await import("./verify.ts")).verify(options);
  });
}

function subcommand(forecast: InputCommand, name: string, description: string): InputCommand {
  return (forecast.command(name) as InputCommand).description(description) as InputCommand;
}

function addFile(command: InputCommand): void {
  command.addArgument(
    new Argument("[file]", "time series as CSV, JSON or Parquet; CSV and JSON may be compressed with gzip"),
  );
  addDemo(command);
}

function addDemo(command: InputCommand): void {
  command.option(
    "--demo",
    "use the sample data of the package: daily births in the United States, 1969 to 1988",
  );
}

function addHorizon(command: InputCommand): void {
  addFlag(command, "--horizon <n>", "number of steps to forecast (default with --demo: 28)", horizonKind);
}

/** Number and position of the windows of a backtest, and the intervals. */
function addWindows(command: InputCommand): void {
  addHorizon(command);
  addFlag(
    command,
    "--windows <n>",
    "number of past cutoffs to forecast from (default: 1; with --demo: 10)",
    windowsKind,
  );
  addFlag(
    command,
    "--step-size <n>",
    "steps from one cutoff to the next (default: the horizon)",
    stepSizeKind,
  );
  addFlag(
    command,
    "--align <name>",
    "count the cutoffs from the end of each series, or have them at the same time for all: series, time (default: series)",
    choice(["series", "time"]),
  );
  addFlag(
    command,
    "--refit <k>",
    "fit the models at every k-th cutoff; 0 for the first cutoff only (default: 0)",
    refitKind,
  );
  addFlag(
    command,
    "--input-size <n>",
    "number of rows before a cutoff that models see (default: all)",
    inputSizeKind,
  );
  addLevels(command);
}

function addLevels(command: InputCommand): void {
  addFlag(
    command,
    "--levels <p,p>",
    "levels of central prediction intervals in percent (default: 80,95)",
    levelList,
  );
}

/** Flags of Parquet files with many series. */
function addShards(command: InputCommand): void {
  command.optionsGroup("Many series, in a Parquet file:");
  addFlag(
    command,
    "--shards <n>",
    "divide the series into at least n shards, each of which reads only its rows (default: by size, from 10,000 series on; baselines only)",
    whole(1, 1_000_000),
  );
  addFlag(
    command,
    "--jobs <n>",
    "shards that run at a time, each in a process (default: the number of cores)",
    whole(1, 1000),
  );
  addFlag(command, "--queue <url>", `${QUEUE_FLAG_HELP}; the series are divided into shards then`, text());
  command.option("--forecasts", "write the forecasts of every series besides its scores");
}

/** Flags that need a model folder. */
function addScenarios(command: InputCommand): void {
  command.optionsGroup("Scenarios, with a model folder:");
  const flags: [string, string, Kind<unknown>][] = [
    [
      "--constraint <text>",
      'sample only paths that meet a condition, such as "sum <= 1000 and min > 0"',
      text(),
    ],
    ["--event <text>", 'write the probability of an event instead of forecasts, such as "max >= 50"', text()],
    [
      "--temperature <x>",
      "raise the path distribution to the power 1/x: flatter above 1, more peaked below 1",
      temperatureKind,
    ],
    [
      "--noise <x>",
      "probability that at each step a random value bin replaces the planned one; paths follow the best plan under this noise",
      noiseKind,
    ],
    [
      "--particles <n>",
      "with --infill: number of partial paths that are kept while a gap longer than the horizon is filled (default: 128)",
      whole(2, 100_000),
    ],
    ["--target <name>", "target that --constraint and --event apply to (default: the first)", text()],
    [
      "--tune-seconds <s>",
      "seconds of training that adapts the sampler to the scenario (default: 20)",
      number({ from: 0, to: 86_400 }),
    ],
    [
      "--tune-iterations <n>",
      "iterations of this training, instead of --tune-seconds, for reproducible results",
      whole(0, Number.MAX_SAFE_INTEGER),
    ],
  ];
  command.option(
    "--infill",
    "fill gaps inside the series instead of forecasting, given the values on both sides",
  );
  for (const [names, help, kind] of flags) addFlag(command, names, help, kind);
}

function addModels(command: InputCommand, byDefault: string): void {
  addFlag(command, "--models <a,b>", `models to use (default: ${byDefault})`, forecasterList);
  addFlag(
    command,
    "--predictive-distribution <name>",
    "predictive distribution of baselines: gaussian, with the standard deviation of past errors, or empirical, the past errors themselves (default: gaussian)",
    choice(PREDICTIVE_DISTRIBUTIONS),
  );
}

function addPrinting(command: InputCommand): void {
  command.addOption(new Option("--json", "print one JSON object per line").conflicts("quiet"));
  command.option("--quiet", "print only errors");
}

function addFlag(command: InputCommand, flags: string, help: string, kind: Kind<unknown>): void {
  command.addOption(command.flag(flags, help, kind));
}

/** A list separated by commas, without duplicate values, because each becomes a column. */
function distinct<T>(kind: Kind<readonly T[]>): Kind<readonly T[]> {
  const rule = `${kind.rule}, separated by commas`;
  return {
    ...kind,
    rule,
    violation: (value) => (kind.violation(value) ? { rule } : null),
    fromText(text) {
      const values = kind.fromText(text);
      return Array.isArray(values) ? [...new Set(values)] : values;
    },
  };
}

function modelsHelp(): string {
  const width = Math.max(...Object.keys(FORECASTERS).map((name) => name.length));
  const lines = Object.entries(FORECASTERS).map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  const example = `${TOKEN_MODEL}:encoder=gru:hidden=64+64`;
  return [...lines, `\nSettings of ${TOKEN_MODEL} can follow a colon: ${example}`].join("\n");
}

/** Throws if a flag of the command has an invalid value. */
function checkFlags({ issues }: InputCommand): void {
  throwIssues(issues);
}
