// The verbs of `gflownet forecast` and their flags. Each loads what it does when it runs, so that --help is immediate.

import { Argument, Option } from "commander";
import {
  aName,
  belowOne,
  type FlagKind,
  flagOf,
  listOf,
  numberBetween,
  oneOf,
  positiveNumber,
  wholeNumber,
} from "../../flag-kinds.ts";
import type { TypedCommand } from "../../typed.ts";
import { LEARNED, MODELS, SPREAD_NAMES } from "./choices.ts";
import { addDataFlags } from "./data-flags.ts";
import { addModelFlags, typedModels } from "./model-flags.ts";

const levels = eachOnce(
  listOf(numberBetween(0, 100, { open: true }), "numbers between 0 and 100 percent, apart by commas"),
);
const quantiles = eachOnce(
  listOf(numberBetween(0, 1, { open: true }), "numbers between 0 and 1, apart by commas"),
);

export function registerForecast(forecast: TypedCommand): void {
  const check = verb(forecast, "check", "what a file of time series holds, and what is odd about it");
  file(check);
  taken(check, "--parts <file>", "write trend, seasons and rest of each series as CSV", aName);
  printing(check);
  addDataFlags(check, ["fill"]);
  check.action(async (path, options) => {
    await checked(check);
    await (await import("./check.ts")).check(path, options);
  });

  const fit = verb(forecast, "fit", "learn from a file; makes a folder with the model, also as .onnx");
  file(fit);
  horizon(fit);
  taken(fit, "--out <folder>", "folder of the model, new (default: models/NAME-N)", aName);
  printing(fit);
  addDataFlags(fit);
  addModelFlags(fit);
  fit.action(async (path, options) => {
    await checked(fit);
    await (await import("./fit.ts")).fit(path, options);
  });

  const predict = verb(forecast, "predict", "forecast with a saved model, or with one learned on the spot");
  predict.addArgument(new Argument("[source]", "folder that fit has made, or a file of time series"));
  demo(predict);
  horizon(predict);
  taken(
    predict,
    "--data <file>",
    "with a folder: series to go on from (default: those it was fitted on)",
    aName,
  );
  models(predict, LEARNED);
  taken(
    predict,
    "--series <a,b>",
    "forecast these only (default: all)",
    listOf(aName, "names of series, apart by commas"),
  );
  intervals(predict);
  taken(predict, "--quantiles <q,q>", "quantiles to write, as 0.1,0.5,0.9", quantiles);
  taken(predict, "--out <file>", "where to: .csv or .json (default: CSV on the screen)", aName);
  taken(predict, "--paths <file>", "write every drawn path as CSV", aName);
  taken(predict, "--report <file>", "write a page with fan charts and parts of the series", aName);
  printing(predict);
  scenarios(predict);
  addDataFlags(predict);
  addModelFlags(predict);
  predict.action(async (source, options) => {
    await checked(predict);
    await (await import("./predict.ts")).predict(source, options);
  });

  const backtest = verb(
    forecast,
    "backtest",
    "forecast at past cutoffs and judge by what came: tables and a page",
  );
  file(backtest);
  rolling(backtest);
  models(backtest, "all");
  taken(backtest, "--out <folder>", "folder of the results, new (default: backtests/NAME-N)", aName);
  printing(backtest);
  addDataFlags(backtest);
  addModelFlags(backtest);
  backtest.addHelpText("after", `\nModels:\n${modelsHelp()}`).action(async (path, options) => {
    await checked(backtest);
    await (await import("./backtest.ts")).backtest(path, options);
  });

  const compare = verb(
    forecast,
    "compare",
    "backtests of models over files and seeds: mean ± standard deviation",
  );
  compare.addArgument(new Argument("[files...]", "files of time series"));
  demo(compare);
  rolling(compare);
  models(compare, "all");
  taken(
    compare,
    "--seeds <n>",
    "how often what is learned runs, with the seeds 0 to n - 1 (default: 3)",
    wholeNumber(1, 1000),
  );
  printing(compare);
  addDataFlags(compare);
  addModelFlags(compare, ["seed"]);
  compare.addHelpText("after", `\nModels:\n${modelsHelp()}`).action(async (paths, options) => {
    await checked(compare);
    await (await import("./compare.ts")).compare(paths, options);
  });

  const verify = verb(forecast, "verify", "flows over paths against processes whose laws are known exactly");
  verify.option("--quick", "a fifth of the training, and wider bounds");
  taken(verify, "--only <a,b>", "these cases, as V1,V10b", listOf(aName, "names of cases, apart by commas"));
  taken(verify, "--seed <n>", "seed of training (default: 0)", wholeNumber(0));
  printing(verify);
  verify.action(async (options) => {
    await checked(verify);
    await (await import("./verify.ts")).verify(options);
  });
}

function verb(forecast: TypedCommand, name: string, description: string): TypedCommand {
  return (forecast.command(name) as TypedCommand).description(description) as TypedCommand;
}

function file(command: TypedCommand): void {
  command.addArgument(new Argument("[file]", "CSV, JSON or Parquet, gzipped or not"));
  demo(command);
}

function demo(command: TypedCommand): void {
  command.option("--demo", "use the births in the United States, 1969 to 1988, which come with the package");
}

function horizon(command: TypedCommand): void {
  taken(command, "--horizon <n>", "steps ahead (with --demo: 28)", wholeNumber(1, 100_000));
}

/** How the past is cut, and what is measured. */
function rolling(command: TypedCommand): void {
  horizon(command);
  taken(command, "--n-windows <n>", "cutoffs (default: 1; with --demo: 10)", wholeNumber(1, 100_000));
  taken(
    command,
    "--step-size <n>",
    "steps from one cutoff to the next (default: the horizon)",
    wholeNumber(),
  );
  taken(
    command,
    "--refit <k>",
    "learn anew at each k-th cutoff; 0 at the first only (default: 0)",
    wholeNumber(0),
  );
  taken(command, "--input-size <n>", "rows before a cutoff that are seen (default: all)", wholeNumber());
  intervals(command);
}

function intervals(command: TypedCommand): void {
  taken(command, "--level <p,p>", "central intervals in percent (default: 80,95)", levels);
}

/** What a saved model can do beside forecasting. */
function scenarios(command: TypedCommand): void {
  command.optionsGroup("Scenarios, with the folder of a model:");
  taken(command, "--constraint <text>", 'paths that meet this only: "sum <= 1000 and min > 0"', aName);
  taken(command, "--event <text>", 'instead, how likely this is: "max >= 50"', aName);
  command.option("--infill", "instead, what may stand in gaps, given both sides");
  taken(
    command,
    "--temperature <x>",
    "likelihood^(1/x): above 1 bolder paths, below 1 likelier ones",
    positiveNumber,
  );
  taken(
    command,
    "--noise <x>",
    "plans carried out with error: with this probability any bin comes instead of the intended one",
    belowOne,
  );
  taken(
    command,
    "--branches <n>",
    "with --infill: paths kept between two pieces of a gap longer than the horizon (default: 128)",
    wholeNumber(2, 100_000),
  );
  taken(command, "--of <target>", "the target that conditions are about (default: the first)", aName);
  taken(
    command,
    "--tune-seconds <s>",
    "time to tune a policy for it (default: 20)",
    numberBetween(0, 86_400),
  );
  taken(command, "--tune-iterations <n>", "iterations instead: the same for the same seed", wholeNumber(0));
}

/** Columns are named by them, and a table has each column once. */
function eachOnce<T>(kind: FlagKind<readonly T[]>): FlagKind<readonly T[]> {
  return {
    ...kind,
    read(text) {
      const values = kind.read(text);
      return values && [...new Set(values)];
    },
  };
}

function models(command: TypedCommand, byDefault: string): void {
  taken(command, "--models <a,b>", `which ones (default: ${byDefault})`, typedModels);
  taken(
    command,
    "--spread <name>",
    "where quantiles of baselines come from: gaussian, of their deviation, or empirical, their past errors (default: gaussian)",
    oneOf(SPREAD_NAMES),
  );
}

function printing(command: TypedCommand): void {
  command.addOption(new Option("--json", "print JSON, one object per line").conflicts("quiet"));
  command.option("--quiet", "print nothing but errors");
}

function taken(command: TypedCommand, flags: string, description: string, kind: FlagKind<unknown>): void {
  command.addOption(flagOf(command, flags, description, kind));
}

function modelsHelp(): string {
  const width = Math.max(...Object.keys(MODELS).map((name) => name.length));
  const lines = Object.entries(MODELS).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return [
    ...lines,
    `\n${LEARNED} takes settings of its own behind a colon: ${LEARNED}:encoder=gru:hidden=64+64`,
  ].join("\n");
}

/** Throws if something is wrong with the flags of a command by themselves. */
async function checked({ wrong }: TypedCommand): Promise<void> {
  if (wrong.size > 0) (await import("../../config/typed-config.ts")).checkTyped(wrong);
}
