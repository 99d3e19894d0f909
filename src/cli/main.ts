#!/usr/bin/env node
// The command line. Commands load what they need when they run, so that --help is immediate.

import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { ENGINES } from "../engine/engine-name.ts";
import { report, USAGE_EXIT_CODE, UsageError } from "./fail.ts";
import { readVersion } from "./version.ts";

const program = new Command("gflownet")
  .description("Generative flow networks for stochastic environments.")
  .version(readVersion())
  .exitOverride()
  .configureOutput({ outputError: () => {} })
  .showSuggestionAfterError();

program
  .command("train")
  .description(
    "train the benchmark iteration on DNA strings of eight letters (a hand-made score, not TFBind8)",
  )
  .addOption(positive("--seconds <s>", "how long to train").default(20))
  .addOption(whole("--hidden <n>", "width of both hidden layers").default(64))
  .addOption(whole("--batch <n>", "strings per iteration").default(32))
  .addOption(
    number("--stick <p>", "probability that the environment draws its own letter, in [0, 1)").default(0.25),
  )
  .addOption(positive("--learning-rate <r>", "Adam's learning rate").default(1e-3))
  .addOption(whole("--seed <n>", "seed of every random number", 0).default(0))
  .addOption(
    new Option("--engine <name>", "what runs it (default: native where its library loads)").choices(ENGINES),
  )
  .addOption(whole("--threads <n>", "threads of the native engine; two pay off from --hidden 256").default(1))
  .option("--save <file>", "save the trained policy as an .onnx file")
  .option("--json", "print one JSON object per line instead of text")
  .action(async (options) => (await import("./train.ts")).train(options));

program
  .command("inspect")
  .description("show what a saved .onnx model computes, takes and returns")
  .argument("<file>", "a file written by train --save")
  .option("--json", "print one JSON object")
  .action(async (file, options) => (await import("./inspect.ts")).inspect(file, options));

function number(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
    return value;
  });
}

function positive(flags: string, description: string): Option {
  return checked(number(flags, description), (value) => value > 0, "It must be above 0.");
}

function whole(flags: string, description: string, least = 1): Option {
  const fits = (value: number) => Number.isSafeInteger(value) && value >= least;
  return checked(number(flags, description), fits, `It must be a whole number of at least ${least}.`);
}

function checked(option: Option, fits: (value: number) => boolean, rule: string): Option {
  const parse = option.parseArg as (text: string, previous: number) => number;
  return option.argParser((text, previous: number) => {
    const value = parse(text, previous);
    if (!fits(value)) throw new InvalidArgumentError(rule);
    return value;
  });
}

// A reader that closes early, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = report(error);
  else if (error.exitCode === 0) process.exitCode = 0;
  else if (error.code === "commander.help") process.exitCode = USAGE_EXIT_CODE;
  else process.exitCode = report(new UsageError(error.message.replace(/^error: /, "").replaceAll("\n", " ")));
}
