// Runs the cases of the fuzz benchmark: passes random or damaged input to the entry points of the program and classifies
// the outcome.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { CommanderError } from "commander";
import { addConfigFlags, CONFIG_FLAGS, configOfFlags } from "../../src/cli/config-flags.ts";
import { parseInput, unknownFlagsError } from "../../src/cli/config-input.ts";
import { type ConfigInput, InputCommand, UnknownFlags } from "../../src/cli/input.ts";
import {
  type Config,
  completeConfig,
  configText,
  parseConfig,
  parseConfigText,
  readConfig,
  taskOf,
  trainOptionsOf,
} from "../../src/config/index.ts";
import { NonFiniteError } from "../../src/engine/errors.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import type { EvaluationEvent } from "../../src/gfn/training/events.ts";
import { train } from "../../src/gfn/training/train.ts";
import { modelTrainer, type Trainer } from "../../src/gfn/training/trainer.ts";
import { UserError } from "../../src/issues.ts";
import { listRuns } from "../../src/run/list-runs.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";
import { openForWriting, viewRun } from "../../src/run/run-folder.ts";
import { type ErrorSource, errorProblem, findNonFinite, messageProblem } from "./check-error.ts";
import { damaged, damagedText } from "./damage.ts";
import { Random } from "./random.ts";
import { type AnyConfig, type InputFiles, nonConfig, randomConfig } from "./random-config.ts";
import { hasSmallTask, sizeOf } from "./size.ts";
import { tamperedCheckpoint } from "./tampered-checkpoint.ts";
import { bindingTableText, trainValidRun, type ValidRun, writeInputFiles } from "./valid-files.ts";

/** Random configs: as an object, as the text of a file, as flags. */
export const CONFIG_KINDS = ["object", "text", "flags"] as const;
/** Damaged files: a binding table, a config, a checkpoint, metrics. */
export const FILE_KINDS = ["table", "json", "checkpoint", "metrics"] as const;
export type CaseKind = (typeof CONFIG_KINDS)[number] | (typeof FILE_KINDS)[number];

export interface FuzzCase {
  readonly kind: CaseKind;
  readonly seed: number;
}

/** The outcome of a case. Only `failed` is a fault of the program. */
export type Outcome =
  /** The input was processed, with a few iterations of training if it is a config. */
  | { readonly kind: "worked" }
  /** The config was accepted, but is too large to train here. */
  | { readonly kind: "large" }
  /** Training ended with the message that the loss is not finite. */
  | { readonly kind: "diverged"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly problem: string };

const WORKED: Outcome = { kind: "worked" };
const ITERATIONS = 3;

/** Runs cases in a folder. The input of a case is written there first, and deleted unless the case fails. */
export class Fuzzer {
  readonly #folder: string;
  #files: Promise<InputFiles> | undefined;
  #table: string | undefined;
  #run: Promise<ValidRun> | undefined;
  #trainer: Promise<Trainer> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async try(each: FuzzCase): Promise<Outcome> {
    const random = new Random(each.seed, each.kind);
    const path = join(this.#folder, `${each.kind}-${each.seed}`);
    await mkdir(this.#folder, { recursive: true });
    const source: ErrorSource = { checkpoint: each.kind === "checkpoint" };
    const outcome = await this.#attempt(each.kind, random, path).catch((error: unknown): Outcome => {
      const problem = errorProblem(error, source);
      if (problem) return { kind: "failed", problem };
      const { message } = error as Error;
      return { kind: error instanceof NonFiniteError ? "diverged" : "refused", message };
    });
    if (outcome.kind !== "failed") await rm(path, { recursive: true, force: true });
    return outcome;
  }

  async dispose(): Promise<void> {
    await (await this.#trainer)?.dispose();
  }

  async #attempt(kind: CaseKind, random: Random, path: string): Promise<Outcome> {
    switch (kind) {
      case "object": {
        const value = await this.#randomValue(random);
        await writeFile(path, inspect(value, { depth: 9, maxArrayLength: 40, maxStringLength: 3000 }));
        return trainBriefly(await parseConfig(value));
      }
      case "text": {
        const text = textOf(await this.#randomValue(random), random);
        await writeFile(path, text);
        return trainBriefly(await readConfig(path));
      }
      case "flags": {
        const typed = flagsFor(randomConfig(random, await this.#inputFiles()), random);
        await writeFile(path, JSON.stringify(typed));
        return trainBriefly(await parseInput(inputOf(typed)));
      }
      case "table": {
        this.#table ??= bindingTableText();
        await writeFile(path, damagedText(this.#table, random));
        const config: Config = { task: "tfbind8", table: path, hidden: [4], dynamicsHidden: [2], batch: 4 };
        // Training on all 8-mers is slow and hardly depends on the file, so only a few cases train.
        return trainBriefly(config, random.chance(0.03));
      }
      case "json": {
        const { config } = await this.#validRun();
        await writeFile(path, damagedText(config, random));
        return trainBriefly(await readConfig(path));
      }
      case "checkpoint":
        return this.#checkpoint(random, path);
      case "metrics":
        return this.#metrics(random, path);
      default:
        return kind satisfies never;
    }
  }

  async #randomValue(random: Random): Promise<unknown> {
    return random.chance(0.02) ? nonConfig(random) : randomConfig(random, await this.#inputFiles());
  }

  /** Decodes and restores a checkpoint and trains one step. A refused checkpoint must not change the trainer. */
  async #checkpoint(random: Random, path: string): Promise<Outcome> {
    const { checkpoint, options } = await this.#validRun();
    this.#trainer ??= modelTrainer(options);
    const trainer = await this.#trainer;
    const bytes = random.chance(0.4) ? damaged(checkpoint, random) : tamperedCheckpoint(checkpoint, random);
    await writeFile(path, bytes);
    const snapshot = decodeCheckpoint(bytes, path);
    if (snapshot.iteration > 1e12) return { kind: "large" };
    const state = async () => {
      const run = { iteration: 0, iterations: null, seconds: 0, evaluated: false };
      return encodeCheckpoint({ ...run, ...(await trainer.save()) });
    };
    const before = await state();
    try {
      trainer.restore(snapshot);
    } catch (error) {
      if (Buffer.from(await state()).equals(before)) throw error;
      return {
        kind: "failed",
        problem: `the checkpoint was refused, but changed the trainer: ${(error as Error).message}`,
      };
    }
    try {
      const report = await trainer.step(snapshot.iteration, 0.5);
      const { tensors, streams } = await trainer.save();
      const problem = findNonFinite({ report, tensors, streams });
      return problem ? { kind: "failed", problem: `no error, but ${problem}` } : WORKED;
    } finally {
      trainer.restart();
    }
  }

  /** Lists and opens a run with damaged metrics, truncates them at the checkpoint, and reads them. */
  async #metrics(random: Random, path: string): Promise<Outcome> {
    const { config, metrics, checkpoint, iteration } = await this.#validRun();
    await mkdir(join(path, "run"), { recursive: true });
    const folder = join(path, "run");
    await writeFile(join(folder, RUN_FILES.config), config);
    await writeFile(join(folder, RUN_FILES.checkpoint), checkpoint);
    await writeFile(join(folder, RUN_FILES.metrics), damagedText(metrics, random));
    const [listed] = await listRuns(path);
    const fault = listed.problem === null ? undefined : messageProblem(listed.problem);
    if (fault) return { kind: "failed", problem: `${fault} in ${JSON.stringify(listed.problem)}` };
    const run = await openForWriting(folder);
    try {
      await run.truncateMetrics(iteration);
      run.appendMetrics({ kind: "start" });
    } finally {
      await run.close();
    }
    await (await viewRun(folder)).readMetrics();
    return WORKED;
  }

  #inputFiles(): Promise<InputFiles> {
    this.#files ??= writeInputFiles(join(this.#folder, "named"));
    return this.#files;
  }

  #validRun(): Promise<ValidRun> {
    this.#run ??= trainValidRun();
    return this.#run;
  }
}

/** Completes a parsed config, writes and parses it again, and trains a few iterations if the run is small. */
async function trainBriefly(parsed: Config, mayTrain = true): Promise<Outcome> {
  const config = await completeConfig(parsed);
  const again = await parseConfigText(configText(config), "again");
  if (configText(await completeConfig(again)) !== configText(config)) {
    return { kind: "failed", problem: "the complete config changes when it is written and parsed again" };
  }
  if (!hasSmallTask(config)) return { kind: "large" };
  const task = await taskOf(config);
  const options = await trainOptionsOf(config, task);
  const size = sizeOf(config, task);
  if (size === "large") return { kind: "large" };
  if (!mayTrain) return WORKED;
  const { iterations = ITERATIONS, seconds: _, plan: __, ...others } = options;
  try {
    // The exact limit of hidden regimes takes seconds to compute.
    const evaluation = config.task === "regime" ? "sampled" : undefined;
    for await (const event of train({
      ...others,
      evaluation,
      iterations: Math.min(iterations, ITERATIONS),
    })) {
      // Even if the loss is not finite, all events are checked.
      const problem = findNonFinite(event.kind === "evaluation" ? withoutAllowedInfinities(event) : event);
      if (problem) return { kind: "failed", problem: `no error, but ${problem} in ${event.kind}` };
    }
  } catch (error) {
    // The command line reports these errors as insufficient memory.
    const { message } = error as Error;
    if (
      size === "impossible" &&
      /^Invalid typed array length|^Array buffer allocation failed/.test(message)
    ) {
      return { kind: "refused", message };
    }
    throw error;
  }
  return WORKED;
}

/**
 * The event without values that may be infinite or NaN: the KL divergence of a policy that never samples some object, and
 * the diversity of a single object.
 */
function withoutAllowedInfinities(event: EvaluationEvent): object {
  if (!event.exact) {
    const { diversity, ...topK } = event.sampled.topK;
    return { ...event, sampled: { ...event.sampled, topK: topK.count < 2 ? topK : event.sampled.topK } };
  }
  const { kl, ...reached } = event.reached;
  return { ...event, reached: kl === Number.POSITIVE_INFINITY ? reached : event.reached };
}

/** The value as JSON text, sometimes with a duplicate key. */
function textOf(value: unknown, random: Random): string {
  const text = jsonOf(value, random.pick([0, 2]));
  return random.chance(0.05) ? text.replace("{", `{"seed": ${random.below(9)},`) : text;
}

/** JSON text of a value. A value that is nested too deeply for JSON.stringify becomes deeply nested lists. */
function jsonOf(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return `{"hidden": ${"[".repeat(1e5)}${"]".repeat(1e5)}}`;
  }
}

/** The config as command-line arguments. */
function flagsFor(config: AnyConfig, random: Random): string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    const flag = CONFIG_FLAGS.find((each) => each.key === key);
    if (!flag) return key === "version" ? [] : [`--${printable(key)}`, String(value)];
    if (flag.negation) return [value === true ? flag.name : flag.negation];
    if (random.chance(0.003)) return [flag.name];
    return random.chance(0.2) ? [`${flag.name}=${flagValue(value)}`] : [flag.name, flagValue(value)];
  });
}

/**
 * Arguments have printable ASCII only: error messages quote them unchanged, so control characters would count as a
 * problem.
 */
function printable(key: string): string {
  return key.replaceAll(/[^ -~]/g, "").slice(0, 40);
}

function flagValue(value: unknown, depth = 0): string {
  if (depth > 9) return "";
  const part = (each: unknown) => flagValue(each, depth + 1);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(part).join(",");
  if (typeof value !== "object" || value === null) return String(value);
  const { from, to, shape = "linear", until } = value as AnyConfig;
  return [from, to, shape, until]
    .filter((each) => each !== undefined)
    .map(part)
    .join(":");
}

/** The parsed input of the command line for these arguments. */
function inputOf(parameters: readonly string[]): ConfigInput {
  const program = new InputCommand("gflownet")
    .exitOverride()
    .configureOutput({ writeErr() {}, writeOut() {} });
  const command = program.command("train") as InputCommand;
  addConfigFlags(command);
  try {
    program.parse(["train", ...parameters], { from: "user" });
  } catch (error) {
    if (error instanceof UnknownFlags) throw unknownFlagsError(error);
    if (!(error instanceof CommanderError)) throw error;
    // src/cli/main.ts converts the error in the same way.
    throw new UserError(error.message.replace(/^error: /, "").replaceAll("\n", " "), { cause: error });
  }
  return { flags: configOfFlags(command.opts()), issues: command.issues };
}
