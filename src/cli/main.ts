#!/usr/bin/env node
// The command line. Each command imports its implementation when it runs, so that --help is fast.

import { Argument, CommanderError, Option } from "commander";
import { SHARED_KEYS } from "../compare/comparison-keys.ts";
import { DEFAULT_TASK, TASK_NAMES } from "../config/config.ts";
import { UserError } from "../issues.ts";
import { ACQUISITIONS } from "../proxy/acquisition-names.ts";
import { FIGURE_FORMATS } from "../report/figure-format-names.ts";
import { SAMPLE_FORMATS } from "../run/sample-format-names.ts";
import { choice, listOf, number, text, whole as wholeNumber } from "../settings/kinds.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import { SWEEP_KINDS } from "../sweep/sweep-kinds.ts";
import { registerForecast } from "./commands/forecast/register.ts";
import { addComparisonFlags, addSharedFlags, collect, comparisonOfFlags } from "./comparison-flags.ts";
import { addConfigFlags, configOfFlags } from "./config-flags.ts";
import { type ConfigInput, InputCommand, UnknownFlags } from "./input.ts";
import { methodsHelp, SWEEP_HELP } from "./methods-help.ts";
import { watchOutput } from "./output.ts";
import { queueOption, registerQueue } from "./register-queue.ts";
import { EXIT_CODES, reportError } from "./report-error.ts";
import { helpByTask } from "./task-help.ts";
import { readVersion } from "./version.ts";

/** What the x axis of a curve counts. */
const X_AXES = ["iterations", "calls", "seconds"] as const;

const program = new InputCommand("gflownet")
  .description("Generative flow networks for stochastic environments.")
  .version(readVersion())
  .exitOverride()
  .configureOutput({ outputError: () => {} })
  .showSuggestionAfterError() as InputCommand;

/** Settings that `train --help` shows without a task. */
const COMMON_SETTINGS = [
  ...["stick", "objective", "rewardExponent", "hidden", "batch", "learningRate"],
  ...["iterations", "evaluateEvery", "samples", "seed", "engine", "threads"],
];

command("tasks", "list the tasks")
  .option("--json", "print one JSON array")
  .action(async (options) => (await import("./commands/tasks.ts")).tasks(options));

const train = command("train", "train on a task: writes a run folder, or resumes one");
train
  .addArgument(taskArgument())
  .addOption(named(train, "--config <file>", "read settings from a config.json; flags override it"))
  .addOption(named(train, "--out <folder>", "folder of the run (default: runs/TASK-N)"))
  .addOption(
    named(
      train,
      "--resume <run>",
      "resume a run that was stopped, or go on with a finished one: with --seconds this much longer, with --iterations until it has this many",
    ),
  )
  .addOption(
    named(
      train,
      "--repeat <run>",
      "train a run again by the plan that it recorded: bit-identical, into a new folder",
    ),
  )
  .addOption(moduleOption(train))
  .addOption(new Option("--json", "print each event as one line of JSON").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .action(async (task, options) =>
    (await import("./commands/train.ts")).train(await inputOf(train, task), options),
  );

const evaluating = command(
  "evaluate",
  "compute the metrics of a run, exact if possible, beside the limit: the best that any policy can reach",
);
evaluating
  .argument("<run>", "folder of a run")
  .option("--json", "print one JSON object")
  .addOption(moduleOption(evaluating))
  .addOption(
    named(
      evaluating,
      "--held-out <file>",
      "text file of objects that training did not use, one per line (for a design, a table with the columns string and score): reports how well their log-probabilities follow their rewards",
    ),
  )
  .addOption(preference(evaluating))
  .action(async (run, options) => {
    await check(evaluating.issues);
    await (await import("./commands/evaluate.ts")).evaluate(run, options);
  });

const sample = command("sample", "sample objects from a run");
sample
  .argument("<run>", "folder of a run")
  .addOption(whole(sample, "-n, --count <n>", "number of samples").default(10))
  .option("--greedy", "take the most probable action at every step; the environment still adds its noise")
  .addOption(
    sample.flag(
      "--template <letters>",
      "letters to intend at each position, with ? for any letter, such as 'AC??GT'; the environment still adds its noise",
      text("letters and ?"),
    ),
  )
  .addOption(sample.flag("--prefix <letters>", "letters to intend at the first positions", text("letters")))
  .addOption(
    sample.flag(
      "--temperature <number>",
      "divisor of the policy's logits: above 1 samples are more diverse (default: 1)",
      number({ above: 0 }),
    ),
  )
  .addOption(preference(sample))
  .addOption(format(sample))
  .addOption(whole(sample, "--seed <n>", "seed of the samples", 0).default(0))
  .addOption(named(sample, "--out <file>", "output file (default: standard output)"))
  .option("--force", "replace the output file if it exists")
  .action(async (run, options) => {
    await check(sample.issues);
    await (await import("./commands/sample.ts")).sample(run, options);
  });

const limit = command(
  "limit",
  "compute the limit of a task (the best that any policy can reach), without training",
);
limit
  .addArgument(taskArgument())
  .option("--json", "print one JSON object")
  .action(async (task, options) =>
    (await import("./commands/limit.ts")).limit(await inputOf(limit, task), options),
  );

const exporting = command("export", "write the trained policy and dynamics model as an .onnx file");
exporting
  .argument("<run>", "folder of a run")
  .addOption(named(exporting, "--onnx <file>", "output file").makeOptionMandatory())
  .addOption(
    whole(exporting, "--rows <n>", "number of states per call of the exported model", 1, 2 ** 31 - 1).default(
      256,
    ),
  )
  .action(async (run, options) => {
    await check(exporting.issues);
    await (await import("./commands/export.ts")).exportRun(run, options);
  });

const importing = command("import", "make a run of a file that was downloaded from the playground");
importing
  .argument("<file>", "JSON file of the playground")
  .addOption(named(importing, "--out <folder>", "folder of the run (default: a new one in runs)"))
  .option("--json", "print one JSON object")
  .action(async (file, options) => {
    await check(importing.issues);
    await (await import("./commands/import.ts")).importFile(file, options);
  });

const reporting = command(
  "report",
  "write runs, comparisons, designs, backtests or forecasts as one HTML file that needs no server",
);
reporting
  .argument(
    "<folders...>",
    "folders of runs, comparisons, designs, backtests or forecasts, or folders of these",
  )
  .addOption(
    named(reporting, "--out <file>", "output file (default: report.html, in the folder if there is one)"),
  )
  .addOption(named(reporting, "--figures <folder>", "also write all figures and tables into this folder"))
  .addOption(
    reporting.flag(
      "--formats <a,b>",
      `formats of the figures: ${FIGURE_FORMATS.join(", ")} (default: all)`,
      listOf(choice(FIGURE_FORMATS)),
    ),
  )
  .addOption(
    reporting.flag(
      "--x <name>",
      "x axis of curves: iterations, calls or seconds (default: calls for comparisons and designs, else iterations)",
      choice(X_AXES),
    ),
  )
  .option("--json", "print one JSON object")
  .action(async (folders, options) => {
    await check(reporting.issues);
    await (await import("./commands/report.ts")).report(folders, options);
  });

const compare = command(
  "compare",
  "compare methods on a task at several noise levels: writes tables, figures and a page",
);
compare.addArgument(taskArgument());
addComparisonFlags(compare);
compare
  .addOption(
    whole(
      compare,
      "--jobs <n>",
      "number of experiments that run at the same time (default: the number of cores)",
    ),
  )
  .addOption(
    named(
      compare,
      "--out <folder>",
      "folder of the comparison: a new one, or one to continue (default: comparisons/TASK-N)",
    ),
  )
  .addOption(named(compare, "--resume <folder>", "resume a comparison that was stopped"))
  .addOption(queueOption(compare, { named }))
  .addOption(new Option("--json", "print each record as one line of JSON").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .addHelpText("after", methodsHelp())
  .action(async (task, options) => {
    const { flags, issues } = await inputOf(compare, task);
    const { stick: _, ...config } = flags; // its noise levels are those of the comparison
    const { compare: run } = await import("./commands/compare.ts");
    await run({ flags: config, issues }, comparisonOfFlags(options), options);
  });

const sweeping = command(
  "sweep",
  "run a method with settings over lists or ranges: writes a table, figures of each key's effect, and a page",
);
sweeping.addArgument(taskArgument());
sweeping
  .option("--method <name:key=value,…>", "method with the settings that stay the same (default: kl)")
  .addOption(
    new Option(
      "--vary <key=values>",
      "key with its values: batch=32,64, hidden=[64],[256,256] or learningRate=1e-4..1e-2:log; repeat it for several keys",
    ).argParser(collect),
  )
  .addOption(
    sweeping.flag(
      "--strategy <name>",
      "grid: all combinations; random: --samples of them; halving: ends the worse settings early (default: grid)",
      SWEEP_KINDS.strategy,
      "strategy",
    ),
  )
  .addOption(sweeping.flag("--samples <n>", "number of random settings", SWEEP_KINDS.samples, "samples"))
  .addOption(
    sweeping.flag(
      "--sample-seed <n>",
      "seed of the random settings (default: 0)",
      SWEEP_KINDS.sampleSeed,
      "sampleSeed",
    ),
  )
  .addOption(
    sweeping.flag(
      "--eta <n>",
      "halving keeps one of this many settings (default: 3)",
      SWEEP_KINDS.eta,
      "eta",
    ),
  )
  .addOption(
    sweeping.flag(
      "--metric <name>",
      `what settings are ranked by; ${SWEEP_KINDS.metric.rule} (default: tv, or sampledTv for searches)`,
      SWEEP_KINDS.metric,
      "metric",
    ),
  );
addSharedFlags(sweeping);
sweeping
  .addOption(
    whole(
      sweeping,
      "--jobs <n>",
      "number of experiments that run at the same time (default: the number of cores)",
    ),
  )
  .addOption(
    named(
      sweeping,
      "--out <folder>",
      "folder of the sweep: a new one, or one to continue (default: sweeps/TASK-N)",
    ),
  )
  .addOption(named(sweeping, "--resume <folder>", "resume a sweep that was stopped"))
  .addOption(queueOption(sweeping, { named }))
  .addOption(new Option("--json", "print each record as one line of JSON").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .addHelpText("after", `${SWEEP_HELP}${methodsHelp()}`)
  .action(async (task, options) => {
    const { flags, issues } = await inputOf(sweeping, task);
    const { stick, ...config } = flags;
    const { method, vary, strategy, samples, sampleSeed, eta, metric } = options;
    const own = { method, vary, strategy, samples, sampleSeed, eta, metric };
    const { methods: _, ...shared } = comparisonOfFlags({ ...options, method: undefined });
    const sticks = stick === undefined ? {} : { sticks: [stick as number] };
    const { sweep: run } = await import("./commands/sweep.ts");
    await run({ flags: config, issues }, withoutUndefined({ ...own, ...shared, ...sticks }), options);
  });

const designing = command(
  "design",
  "design strings for a problem file: diverse candidates with high scores, from an oracle or a laboratory",
);
designing
  .argument("<problem>", "problem file; `gflownet init` writes one")
  .addOption(
    whole(
      designing,
      "--budget <n>",
      "most strings that are sent to the oracle (default: that of the problem, or 10000)",
    ),
  )
  .addOption(
    named(
      designing,
      "--out <path>",
      "folder of the design, a new one or one to continue (default: designs/NAME-N); with --propose the file for the strings to measure",
    ),
  )
  .option("--allow-exec", "allow the problem file to run its program or module")
  .addOption(
    designing.flag(
      "--allow-net <hosts>",
      "hosts that the problem file may contact, separated by commas",
      listOf(text()),
    ),
  )
  .addOption(
    designing.flag(
      "--allow-file <files>",
      "files outside the folder of the problem file that it may read, separated by commas",
      listOf(text()),
    ),
  )
  .addOption(queueOption(designing, { named }))
  .addOption(
    whole(designing, "--jobs <n>", "with --queue: batches of strings on the queue at a time (default: 8)"),
  )
  .option("--retry-failed", "send strings again that got no score before")
  .addOption(whole(designing, "--candidates <n>", "number of candidates").default(100))
  .addOption(
    whole(designing, "--radius <n>", "strings farther apart than this are in different circles", 0).default(
      2,
    ),
  )
  .addOption(whole(designing, "--iterations <n>", "iterations of training (default: depends on the budget)"))
  .addOption(
    designing.flag(
      "--seconds <x>",
      "duration of the training instead of a number of iterations",
      number({ above: 0 }),
    ),
  )
  .addOption(whole(designing, "--seed <n>", "seed of all random numbers (default: that of the problem)", 0))
  .addOption(
    designing.flag(
      "--engine <name>",
      "native or jax (default: native if it is available)",
      choice(["native", "jax"]),
    ),
  )
  .addOption(whole(designing, "--threads <n>", "threads of the native engine (default: 1)"))
  .addOption(
    whole(
      designing,
      "--rounds <n>",
      "spend the budget in this many rounds: learn a proxy of the score, propose, score (default: as many as --batch fills)",
    ),
  )
  .addOption(whole(designing, "--batch <n>", "strings of a round (default: the budget divided by --rounds)"))
  .addOption(
    designing
      .flag(
        "--acquisition <name>",
        `with rounds: how the proxy chooses strings (${ACQUISITIONS.join(", ")})`,
        choice(ACQUISITIONS),
      )
      .default(ACQUISITIONS[0]),
  )
  .addOption(
    whole(designing, "--propose <n>", "propose this many new strings to measure, and write them to --out"),
  )
  .addOption(
    named(designing, "--tell <file>", "add measured scores from a table with the columns string and score"),
  )
  .addOption(
    named(
      designing,
      "--folder <folder>",
      "folder of the rounds with --propose and --tell (default: NAME-rounds beside the problem)",
    ),
  )
  .option("--force", "replace the file of --propose if it exists")
  .addOption(new Option("--json", "print one JSON object per line").conflicts("quiet"))
  .option("--quiet", "print nothing but errors")
  .action(async (problem, options) => {
    await check(designing.issues);
    await (await import("./commands/design.ts")).design(problem, options);
  });

const initialising = command(
  "init",
  "write a problem file: from flags, from a table of strings with scores, or by asking",
);
initialising
  .option("--dna", "alphabet ACGT")
  .option("--rna", "alphabet ACGU")
  .option("--protein", "alphabet of the 20 amino acids")
  .addOption(
    initialising.flag(
      "--alphabet <letters>",
      "letters such as 01, or tokens separated by commas",
      listOf(text("a token")),
    ),
  )
  .addOption(named(initialising, "--length <n|min-max>", "number of letters of a string: 12, or 8-12"))
  .addOption(named(initialising, "--oracle <command>", "program that scores strings, with its arguments"))
  .addOption(named(initialising, "--url <address>", "HTTP address that scores strings"))
  .addOption(named(initialising, "--table <file>", "table of strings with scores"))
  .addOption(
    initialising.flag(
      "--landscape <name>",
      "built-in scores to try: ehrlich or nk",
      choice(["ehrlich", "nk"]),
    ),
  )
  .addOption(named(initialising, "--template <letters>", "what each position may hold, such as AC??GT"))
  .addOption(
    initialising.flag(
      "--forbid <motifs>",
      "motifs that must not occur, separated by commas",
      listOf(text("a motif")),
    ),
  )
  .addOption(
    initialising.flag(
      "--require <motifs>",
      "motifs that must occur, separated by commas",
      listOf(text("a motif")),
    ),
  )
  .addOption(
    initialising.flag(
      "--stick <x>",
      "probability that a letter is replaced by a uniform draw",
      number({ from: 0, below: 1 }),
    ),
  )
  .option("--minimise", "low scores are good")
  .addOption(whole(initialising, "--budget <n>", "most strings that are sent to the oracle"))
  .addOption(
    named(
      initialising,
      "--from <file>",
      "CSV or TSV file of strings with scores, which gives the alphabet, the length and known strings",
    ),
  )
  .addOption(named(initialising, "--string-column <name>", "with --from: column of the strings"))
  .addOption(named(initialising, "--score-column <name>", "with --from: column of the scores"))
  .addOption(named(initialising, "--out <file>", "output file, .yaml or .json").default("problem.yaml"))
  .option("--force", "replace the output file if it exists")
  .action(async (options) => (await import("./commands/init.ts")).init(options, initialising.issues));

const forecast = command("forecast", "forecast time series: check, fit, predict, backtest, compare, verify");
registerForecast(forecast);

command("runs", "list the runs in a folder")
  .argument("[folder]", "folder of the runs (default: runs)")
  .option("--json", "print one JSON array")
  .action(async (folder, options) => (await import("./commands/runs.ts")).runs(folder, options));

const dashboard = command(
  "dashboard",
  "show runs, comparisons, designs, backtests and forecasts in a browser, live, by a server on this machine",
);
dashboard
  .argument(
    "[folder]",
    "folder with runs, or with the folders runs, designs, comparisons, backtests and forecasts (default: .)",
  )
  .addOption(
    whole(
      dashboard,
      "--port <n>",
      "port of the server (default: 7340, or a free one if it is in use)",
      0,
      65535,
    ),
  )
  .option("--no-open", "do not open a browser")
  .option("--allow-train", "let the page start, stop and resume runs")
  .option("--json", "print one JSON object with the address")
  .action(async (folder, options) => {
    await check(dashboard.issues);
    await (await import("./commands/dashboard.ts")).dashboard(folder, options);
  });

const playing = command(
  "playground",
  "train in the browser, on built-in problems or your own: serves a page on this machine, or copies it for a web host",
);
playing
  .addOption(
    whole(
      playing,
      "--port <n>",
      "port of the server (default: 7350, or a free one if it is in use)",
      0,
      65535,
    ),
  )
  .option("--no-open", "do not open a browser")
  .addOption(
    named(
      playing,
      "--out <folder>",
      "copy the page into a new folder, for any web host, instead of serving it",
    ),
  )
  .option("--json", "print one JSON object with the address")
  .action(async (options) => {
    await check(playing.issues);
    await (await import("./commands/playground.ts")).playground(options);
  });

registerQueue({ command, whole, named, check });

command("inspect", "describe an exported .onnx model: inputs, outputs, metadata")
  .argument("<file>", "a file written by export")
  .option("--json", "print one JSON object")
  .action(async (file, options) => (await import("./commands/inspect.ts")).inspect(file, options));

addConfigFlags(train, undefined, { minus: ["plan"] });
addConfigFlags(limit, ["task", "reward"]);
addConfigFlags(compare, [], {
  plus: [...SHARED_KEYS, "epsilon"],
  tasks: TASK_NAMES,
  help: {
    task: `task to compare on; one of ${TASK_NAMES.join(", ")} (default: ${DEFAULT_TASK.name})`,
    epsilon:
      "with --on-policy: probability of a uniformly drawn action at each step (default: 0.5:0:linear:0.6)",
  },
});

helpByTask(train, { tasks: TASK_NAMES, common: COMMON_SETTINGS });
helpByTask(limit, { tasks: TASK_NAMES });
addConfigFlags(sweeping, [], { plus: [...SHARED_KEYS, "stick", "epsilon"], tasks: TASK_NAMES });
helpByTask(sweeping, { tasks: TASK_NAMES });
helpByTask(compare, { tasks: TASK_NAMES });

for (const parent of [program, forecast]) {
  parent.helpCommand(false); // commander's own prints the help of the program for an unknown command
  (parent.command("help") as InputCommand)
    .description("display help for a command")
    .argument("[command...]", "command, and a task")
    .action(async (words) => (await import("./commands/help.ts")).help(parent, words));
}

function command(name: string, description: string): InputCommand {
  return (program.command(name) as InputCommand).description(description) as InputCommand;
}

function taskArgument(tasks: readonly string[] = TASK_NAMES): Argument {
  return new Argument("[task]", `one of ${tasks.join(", ")} (default: ${DEFAULT_TASK.name})`);
}

/** The flags of a command that are keys of a config, with the task. */
async function inputOf(from: InputCommand, task: string | undefined): Promise<ConfigInput> {
  const { withTask } = await import("./config-input.ts");
  return withTask({ flags: configOfFlags(from.opts()), issues: from.issues }, task);
}

/** Throws if a flag is invalid. */
async function check(issues: InputCommand["issues"]): Promise<void> {
  if (issues.length > 0) (await import("./config-input.ts")).checkInput(issues);
}

function whole(
  of: InputCommand,
  flags: string,
  description: string,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): Option {
  return of.flag(flags, description, wholeNumber(least, most));
}

function format(of: InputCommand): Option {
  const description = `output format: ${SAMPLE_FORMATS.join(", ")} (default: by the extension of --out, else csv)`;
  return of.flag("--format <name>", description, choice(SAMPLE_FORMATS));
}

/** For runs that were trained with preferences. */
function preference(of: InputCommand): Option {
  return of.flag(
    "--preference <w1,w2>",
    "weights of the objectives, which sum to 1, for a design with `preferences: conditioned` (default: those of the problem file)",
    listOf(number({ from: 0, to: 1 }), "weights from 0 to 1, separated by commas"),
    "preference",
  );
}

/** For runs that were trained from TypeScript with functions of the user. */
function moduleOption(of: InputCommand): Option {
  return named(
    of,
    "--module <file>",
    "JavaScript module that exports `scores`, the score function of a run that was trained from TypeScript",
  );
}

/** A flag whose value is a path or a list of names. */
function named(of: InputCommand, flags: string, description: string): Option {
  return of.flag(flags, description, text());
}

let running: InputCommand | undefined;
program.hook("preAction", (_, action) => {
  running = action as InputCommand;
});

watchOutput();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof UnknownFlags) {
    process.exitCode = reportError((await import("./config-input.ts")).unknownFlagsError(error));
  } else if (!(error instanceof CommanderError)) process.exitCode = reportError(error, running?.flagOf);
  else if (error.exitCode === 0) process.exitCode = 0;
  else if (error.code === "commander.help") process.exitCode = EXIT_CODES.usage;
  else process.exitCode = reportError(new UserError(commanderMessage(error)));
}

/** Commander's message on one line, without its prefix. */
function commanderMessage({ message }: CommanderError): string {
  const prefix = "error: ";
  const text = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return text.replaceAll("\n", " ");
}
