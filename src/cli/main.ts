#!/usr/bin/env node
// The command line. Commands load what they need when they run, so that --help is immediate.

import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addConfigFlags, configOfFlags } from "./config/flags.ts";
import { type Config, TASKS, type TaskName } from "./config/keys.ts";
import { EXIT_CODES, report, UsageError } from "./fail.ts";
import { watchOutput } from "./output.ts";
import { SAMPLE_FORMATS } from "./sample-formats.ts";
import { readVersion } from "./version.ts";

const program = new Command("gflownet")
  .description("Generative flow networks for stochastic environments.")
  .version(readVersion())
  .exitOverride()
  .configureOutput({ outputError: () => {} })
  .showSuggestionAfterError();

program
  .command("tasks")
  .description("list what there is to solve")
  .option("--json", "print one JSON array")
  .action(async (options) => (await import("./commands/tasks.ts")).tasks(options));

const train = program
  .command("train")
  .description("train on a task: makes a run on disk, or goes on with one")
  .addArgument(taskArgument())
  .addOption(named("--config <file>", "take settings from a config.json; flags override it"))
  .addOption(
    positive("--seconds <s>", "how long to train: measures the rate and fixes the number of iterations"),
  )
  .addOption(named("--out <folder>", "folder of the run (default: runs/TASK-N)"))
  .addOption(named("--resume <run>", "go on with a run that was stopped"))
  .addOption(new Option("--json", "print one JSON object per event and line").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .action(async (task, options) =>
    (await import("./commands/train.ts")).trainRun(await configOf(task, options), options),
  );

program
  .command("evaluate")
  .description("exact figures of a run beside the best reachable")
  .argument("<run>", "folder of a run")
  .option("--json", "print one JSON object")
  .action(async (run, options) => (await import("./commands/evaluate.ts")).evaluate(run, options));

program
  .command("sample")
  .description("draw objects from a run")
  .argument("<run>", "folder of a run")
  .addOption(whole("-n, --count <n>", "how many").default(10))
  .option("--greedy", "intend the likeliest at every step; noise stays on")
  .addOption(new Option("--format <name>", "how they are written").choices(SAMPLE_FORMATS).default("csv"))
  .addOption(whole("--seed <n>", "seed of the draws", 0).default(0))
  .action(async (run, options) => (await import("./commands/sample.ts")).sample(run, options));

const limit = program
  .command("limit")
  .description("the best that any policy can reach on a task, without training")
  .addArgument(taskArgument())
  .option("--json", "print one JSON object")
  .action(async (task, options) =>
    (await import("./commands/limit.ts")).limit(await configOf(task, options), options),
  );

program
  .command("export")
  .description("write the trained policy and dynamics as an .onnx file")
  .argument("<run>", "folder of a run")
  .addOption(named("--onnx <file>", "where to").makeOptionMandatory())
  .addOption(whole("--rows <n>", "states that one call takes", 1, 2 ** 31 - 1).default(256))
  .action(async (run, options) => (await import("./commands/export.ts")).exportRun(run, options));

program
  .command("report")
  .description("write a run as a page of figures and tables, in one HTML file")
  .argument("<run>", "folder of a run")
  .addOption(named("--out <file>", "where to (default: report.html in the run)"))
  .option("--json", "print one JSON object")
  .action(async (run, options) => (await import("./commands/report.ts")).report(run, options));

program
  .command("runs")
  .description("list runs")
  .argument("[folder]", "where they are (default: runs)")
  .option("--json", "print one JSON array")
  .action(async (folder, options) => (await import("./commands/runs.ts")).runs(folder, options));

program
  .command("inspect")
  .description("show what a saved .onnx model computes, takes and returns")
  .argument("<file>", "a file written by export")
  .option("--json", "print one JSON object")
  .action(async (file, options) => (await import("./commands/inspect.ts")).inspect(file, options));

addConfigFlags(train);
addConfigFlags(limit, ["task", "reward"]);

function taskArgument(): Argument {
  return new Argument("[task]", `what to solve: ${TASKS.join(", ")}`);
}

/** What was typed, the task included. */
async function configOf(
  task: string | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<Config> {
  const flags = configOfFlags(options);
  if (task === undefined) return flags;
  if (!(TASKS as readonly string[]).includes(task)) {
    const meant = (await import("./nearest.ts")).nearest(task, TASKS);
    const hint = meant ? `did you mean ${meant}?` : `there are ${TASKS.join(", ")}`;
    throw new UsageError(`there is no task ${JSON.stringify(task)}; ${hint}`);
  }
  if (flags.task !== undefined && flags.task !== task) {
    throw new UsageError(`the task is ${task}, and --task says ${flags.task}; give one of them`);
  }
  return { ...flags, task: task as TaskName };
}

function positive(flags: string, description: string): Option {
  return checked(flags, description, (value) => value > 0, "It must be a number above 0.");
}

function whole(flags: string, description: string, least = 1, most = Number.MAX_SAFE_INTEGER): Option {
  const fits = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return checked(flags, description, fits, `It must be a whole number from ${least} to ${most}.`);
}

function checked(flags: string, description: string, fits: (value: number) => boolean, rule: string): Option {
  return new Option(flags, description).argParser((text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value) || !fits(value)) throw new InvalidArgumentError(rule);
    return value;
  });
}

/** Takes the name of a file or folder. An empty one is a variable that was not set. */
function named(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (text === "") throw new InvalidArgumentError("It must be a name.");
    return text;
  });
}

watchOutput();
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = report(error);
  else if (error.exitCode === 0) process.exitCode = 0;
  else if (error.code === "commander.help") process.exitCode = EXIT_CODES.usage;
  else process.exitCode = report(new UsageError(error.message.replace(/^error: /, "").replaceAll("\n", " ")));
}
