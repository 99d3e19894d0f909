#!/usr/bin/env node
// The command line. Commands load what they need when they run, so that --help is immediate.

import { Argument, CommanderError, Option } from "commander";
import { aboutMethod, DEFAULT_METHODS, GAMMA_METHOD, METHOD_NAMES } from "../compare/method-names.ts";
import { registerForecast } from "./commands/forecast/register.ts";
import { addConfigFlags, configOfFlags } from "./config/flags.ts";
import { COMPARED_TASKS, TASKS } from "./config/keys.ts";
import { EXIT_CODES, report, UsageError } from "./fail.ts";
import { aName, flagOf, oneOf, positiveNumber, wholeNumber } from "./flag-kinds.ts";
import { watchOutput } from "./output.ts";
import { SAMPLE_FORMATS } from "./sample-formats.ts";
import { StrangeFlags, type Typed, TypedCommand } from "./typed.ts";
import { readVersion } from "./version.ts";

const program = new TypedCommand("gflownet")
  .description("Generative flow networks for stochastic environments.")
  .version(readVersion())
  .exitOverride()
  .configureOutput({ outputError: () => {} })
  .showSuggestionAfterError() as TypedCommand;

command("tasks", "list what there is to solve")
  .option("--json", "print one JSON array")
  .action(async (options) => (await import("./commands/tasks.ts")).tasks(options));

const train = command("train", "train on a task: makes a run on disk, or goes on with one");
train
  .addArgument(taskArgument())
  .addOption(named(train, "--config <file>", "take settings from a config.json; flags override it"))
  .addOption(
    positive(
      train,
      "--seconds <s>",
      "how long to train: measures the rate and fixes the number of iterations",
    ),
  )
  .addOption(named(train, "--out <folder>", "folder of the run (default: runs/TASK-N)"))
  .addOption(named(train, "--resume <run>", "go on with a run that was stopped"))
  .addOption(new Option("--json", "print one JSON object per event and line").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .action(async (task, options) =>
    (await import("./commands/train.ts")).trainRun(await typedBy(train, task), options),
  );

command("evaluate", "exact figures of a run beside the best reachable")
  .argument("<run>", "folder of a run")
  .option("--json", "print one JSON object")
  .action(async (run, options) => (await import("./commands/evaluate.ts")).evaluate(run, options));

const sample = command("sample", "draw objects from a run");
sample
  .argument("<run>", "folder of a run")
  .addOption(whole(sample, "-n, --count <n>", "how many").default(10))
  .option("--greedy", "intend the likeliest at every step; noise stays on")
  .addOption(format(sample).default("csv"))
  .addOption(whole(sample, "--seed <n>", "seed of the draws", 0).default(0))
  .action(async (run, options) => {
    await check(sample);
    await (await import("./commands/sample.ts")).sample(run, options);
  });

const limit = command("limit", "the best that any policy can reach on a task, without training");
limit
  .addArgument(taskArgument())
  .option("--json", "print one JSON object")
  .action(async (task, options) =>
    (await import("./commands/limit.ts")).limit(await typedBy(limit, task), options),
  );

const exporting = command("export", "write the trained policy and dynamics as an .onnx file");
exporting
  .argument("<run>", "folder of a run")
  .addOption(named(exporting, "--onnx <file>", "where to").makeOptionMandatory())
  .addOption(whole(exporting, "--rows <n>", "states that one call takes", 1, 2 ** 31 - 1).default(256))
  .action(async (run, options) => {
    await check(exporting);
    await (await import("./commands/export.ts")).exportRun(run, options);
  });

const reporting = command("report", "write a run as a page of figures and tables, in one HTML file");
reporting
  .argument("<run>", "folder of a run")
  .addOption(named(reporting, "--out <file>", "where to (default: report.html in the run)"))
  .option("--json", "print one JSON object")
  .action(async (run, options) => {
    await check(reporting);
    await (await import("./commands/report.ts")).report(run, options);
  });

const compare = command(
  "compare",
  "compare methods on a task under levels of noise: tables, figures and a page on disk",
);
compare
  .addArgument(taskArgument(COMPARED_TASKS))
  .addOption(named(compare, "--methods <a,b>", `which ones (default: ${DEFAULT_METHODS.join(",")})`))
  .addOption(named(compare, "--gammas <x,x>", "run kl-entropy once for each of these γ instead of 0.5"))
  .addOption(named(compare, "--stick <x,x>", "levels of noise (default: 0.25)"))
  .addOption(whole(compare, "--seeds <n>", "how often each runs, with the seeds 0 to n - 1 (default: 3)"))
  .addOption(
    whole(compare, "--calls <n>", "oracle calls of each cell: objects drawn or given, repeated ones too"),
  )
  .addOption(
    positive(
      compare,
      "--seconds <s>",
      "instead: how long each cell takes, compiling and evaluating included",
    ),
  )
  .addOption(whole(compare, "--evaluations <n>", "points of each curve after the first (default: 20)"))
  .option("--on-policy", "learned methods explore by uniform intentions instead of uniform objects")
  .addOption(whole(compare, "--jobs <n>", "cells at a time (default: as many as there are cores)"))
  .addOption(
    named(
      compare,
      "--out <folder>",
      "folder of the comparison, new or to go on with (default: comparisons/TASK-N)",
    ),
  )
  .addOption(named(compare, "--resume <folder>", "go on with a comparison that was stopped"))
  .addOption(new Option("--json", "print one JSON object per record and line").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .addHelpText("after", `\nMethods:\n${methodsHelp()}`)
  .action(async (task, { stick: sticks, ...options }) => {
    const typed = await typedBy(compare, task);
    await check(typed);
    const { stick: _, ...config } = typed.flags;
    await (await import("./commands/compare.ts")).compare(config, { ...options, sticks });
  });

registerForecast(command("forecast", "forecast time series: check, fit, predict, backtest, compare, verify"));

command("runs", "list runs")
  .argument("[folder]", "where they are (default: runs)")
  .option("--json", "print one JSON array")
  .action(async (folder, options) => (await import("./commands/runs.ts")).runs(folder, options));

command("inspect", "show what a saved .onnx model computes, takes and returns")
  .argument("<file>", "a file written by export")
  .option("--json", "print one JSON object")
  .action(async (file, options) => (await import("./commands/inspect.ts")).inspect(file, options));

addConfigFlags(train);
addConfigFlags(limit, ["task", "reward"]);
addConfigFlags(compare, ["task", "reward", "networks", "learning"], {
  plus: ["epsilon", "engine"],
  minus: ["stick"],
  tasks: COMPARED_TASKS,
  help: {
    task: `what to solve; one of ${COMPARED_TASKS.join(", ")} (default: tfbind8)`,
    epsilon: "with --on-policy: share of steps with a uniform intention (default: 0.5:0:linear:0.6)",
  },
});

function methodsHelp(): string {
  const width = Math.max(...METHOD_NAMES.map((name) => name.length));
  const lines = METHOD_NAMES.map((name) => `  ${name.padEnd(width)}  ${aboutMethod(name)}`);
  return [...lines, `\n${GAMMA_METHOD} takes another γ behind a colon: ${GAMMA_METHOD}:0.25`].join("\n");
}

function command(name: string, description: string): TypedCommand {
  return (program.command(name) as TypedCommand).description(description) as TypedCommand;
}

function taskArgument(tasks: readonly string[] = TASKS): Argument {
  return new Argument("[task]", `what to solve: ${tasks.join(", ")}`);
}

/** What was typed, the task included. */
async function typedBy(from: TypedCommand, task: string | undefined): Promise<Typed> {
  const { withTask } = await import("./config/typed-config.ts");
  return withTask({ flags: configOfFlags(from.opts()), wrong: from.wrong }, task);
}

/** Throws if something is wrong with the flags of a command by themselves. */
async function check({ wrong }: Pick<Typed, "wrong">): Promise<void> {
  if (wrong.size > 0) (await import("./config/typed-config.ts")).checkTyped(wrong);
}

function whole(of: TypedCommand, flags: string, description: string, least = 1, most?: number): Option {
  return flagOf(of, flags, description, wholeNumber(least, most));
}

function positive(of: TypedCommand, flags: string, description: string): Option {
  return flagOf(of, flags, description, positiveNumber);
}

function format(of: TypedCommand): Option {
  const description = `how they are written: ${SAMPLE_FORMATS.join(", ")}`;
  return flagOf(of, "--format <name>", description, oneOf(SAMPLE_FORMATS));
}

/** Takes the name of a file or folder. */
function named(of: TypedCommand, flags: string, description: string): Option {
  return flagOf(of, flags, description, aName);
}

watchOutput();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof StrangeFlags) {
    process.exitCode = report((await import("./config/typed-config.ts")).strangeFlagsError(error));
  } else if (!(error instanceof CommanderError)) process.exitCode = report(error);
  else if (error.exitCode === 0) process.exitCode = 0;
  else if (error.code === "commander.help") process.exitCode = EXIT_CODES.usage;
  else process.exitCode = report(new UsageError(error.message.replace(/^error: /, "").replaceAll("\n", " ")));
}
