// One case of the fuzz benchmark: something strange goes through the real entry points, and what happens is judged.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { CommanderError } from "commander";
import { parseTyped, strangeFlagsError } from "../../src/cli/config/typed-config.ts";
import {
  addConfigFlags,
  type Config,
  completeConfig,
  configOfFlags,
  configText,
  flagsOf,
  parseConfig,
  parseConfigText,
  readConfig,
  taskOf,
  trainOptionsOf,
} from "../../src/cli/config.ts";
import { UsageError } from "../../src/cli/fail.ts";
import { StrangeFlags, type Typed, TypedCommand } from "../../src/cli/typed.ts";
import { NonFiniteError } from "../../src/engine/errors.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/checkpoint.ts";
import type { EvaluationEvent } from "../../src/gfn/events.ts";
import { train } from "../../src/gfn/train.ts";
import { createTrainer, type Trainer } from "../../src/gfn/trainer.ts";
import { openRun, viewRun } from "../../src/run/folder.ts";
import { listRuns } from "../../src/run/list.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";
import { resealed } from "./checkpoint.ts";
import { type AnyConfig, type NamedFiles, noConfig, randomConfig } from "./config.ts";
import { damaged, damagedText } from "./damage.ts";
import { faultOf, faultOfMessage, nonFinite, type Source } from "./judge.ts";
import { type OriginalRun, originalRun, tableText, writeNamedFiles } from "./originals.ts";
import { Chance } from "./random.ts";
import { hasSmallTask, sizeOf } from "./size.ts";

/** Configs as a caller has them, as a file, as flags; and files: a table, a config, a checkpoint, metrics. */
export const CONFIG_KINDS = ["object", "text", "flags"] as const;
export const FILE_KINDS = ["table", "json", "checkpoint", "metrics"] as const;
export type CaseKind = (typeof CONFIG_KINDS)[number] | (typeof FILE_KINDS)[number];

export interface Case {
  readonly kind: CaseKind;
  readonly seed: number;
}

/** What may come of it, and what may not. */
export type Outcome =
  /** It worked, a few iterations included where there is something to train. */
  | { readonly kind: "worked" }
  /** It was taken, and is too large to be tried here. */
  | { readonly kind: "large" }
  /** A loss was not finite, and training ended with that word. */
  | { readonly kind: "diverged"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly problem: string };

const WORKED: Outcome = { kind: "worked" };
const ITERATIONS = 3;

/** Does cases in a folder of its own. What is tried lies there while it is tried, and stays if it fails. */
export class Fuzzer {
  readonly #folder: string;
  #files: Promise<NamedFiles> | undefined;
  #table: string | undefined;
  #run: Promise<OriginalRun> | undefined;
  #trainer: Promise<Trainer> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async try(each: Case): Promise<Outcome> {
    const chance = new Chance(each.seed, each.kind);
    const path = join(this.#folder, `${each.kind}-${each.seed}`);
    await mkdir(this.#folder, { recursive: true });
    const source: Source = { state: each.kind === "checkpoint" };
    const outcome = await this.#attempt(each.kind, chance, path).catch((error: unknown): Outcome => {
      const problem = faultOf(error, source);
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

  async #attempt(kind: CaseKind, chance: Chance, path: string): Promise<Outcome> {
    switch (kind) {
      case "object": {
        const value = await this.#randomValue(chance);
        await writeFile(path, inspect(value, { depth: 9, maxArrayLength: 40, maxStringLength: 3000 }));
        return trained(parseConfig(value, "random"));
      }
      case "text": {
        const text = textOf(await this.#randomValue(chance), chance);
        await writeFile(path, text);
        return trained(await readConfig(path));
      }
      case "flags": {
        const typed = flagsFor(randomConfig(chance, await this.#named()), chance);
        await writeFile(path, JSON.stringify(typed));
        return trained(parseTyped(typedBy(typed)));
      }
      case "table": {
        this.#table ??= tableText();
        await writeFile(path, damagedText(this.#table, chance));
        const config: Config = { task: "tfbind8", table: path, hidden: [4], dynamicsHidden: [2], batch: 4 };
        // Training on all strings takes a while, and does not depend on the file.
        return trained(config, chance.happens(0.03));
      }
      case "json": {
        const { config } = await this.#original();
        await writeFile(path, damagedText(config, chance));
        return trained(await readConfig(path));
      }
      case "checkpoint":
        return this.#checkpoint(chance, path);
      case "metrics":
        return this.#metrics(chance, path);
      default:
        return kind satisfies never;
    }
  }

  async #randomValue(chance: Chance): Promise<unknown> {
    return chance.happens(0.02) ? noConfig(chance) : randomConfig(chance, await this.#named());
  }

  /** Restores what can be read, and takes a step from there. What is refused changes nothing. */
  async #checkpoint(chance: Chance, path: string): Promise<Outcome> {
    const { checkpoint, options } = await this.#original();
    this.#trainer ??= createTrainer(options);
    const trainer = await this.#trainer;
    const bytes = chance.happens(0.4) ? damaged(checkpoint, chance) : resealed(checkpoint, chance);
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
      return { kind: "failed", problem: `refused, and the trainer changed: ${(error as Error).message}` };
    }
    try {
      const report = await trainer.step(snapshot.iteration, 0.5);
      const { tensors, streams } = await trainer.save();
      const problem = nonFinite({ report, tensors, streams });
      return problem ? { kind: "failed", problem: `silently, ${problem}` } : WORKED;
    } finally {
      trainer.restart();
    }
  }

  /** Opens a run whose metrics are damaged, goes on from its checkpoint, and looks at it. */
  async #metrics(chance: Chance, path: string): Promise<Outcome> {
    const { config, metrics, checkpoint, iteration } = await this.#original();
    await mkdir(join(path, "run"), { recursive: true });
    const folder = join(path, "run");
    await writeFile(join(folder, RUN_FILES.config), config);
    await writeFile(join(folder, RUN_FILES.checkpoint), checkpoint);
    await writeFile(join(folder, RUN_FILES.metrics), damagedText(metrics, chance));
    const [listed] = await listRuns(path);
    const fault = listed.problem === null ? undefined : faultOfMessage(listed.problem);
    if (fault) return { kind: "failed", problem: `${fault} in ${JSON.stringify(listed.problem)}` };
    const run = await openRun(folder);
    try {
      await run.truncateMetrics(iteration);
      run.appendMetrics({ kind: "start" });
    } finally {
      await run.close();
    }
    await (await viewRun(folder)).readMetrics();
    return WORKED;
  }

  #named(): Promise<NamedFiles> {
    this.#files ??= writeNamedFiles(join(this.#folder, "named"));
    return this.#files;
  }

  #original(): Promise<OriginalRun> {
    this.#run ??= originalRun();
    return this.#run;
  }
}

/** From a config that was parsed to a few iterations of training, if that is a small matter. */
async function trained(parsed: Config, mayTrain = true): Promise<Outcome> {
  const config = await completeConfig(parsed);
  const again = parseConfigText(configText(config), "again");
  if (configText(await completeConfig(again)) !== configText(config)) {
    return { kind: "failed", problem: "the complete config, read again, is another" };
  }
  if (!hasSmallTask(config)) return { kind: "large" };
  const task = await taskOf(config);
  const options = await trainOptionsOf(config, task);
  const size = sizeOf(config, task);
  if (size === "large") return { kind: "large" };
  if (!mayTrain) return WORKED;
  const { iterations = ITERATIONS, ...others } = options;
  try {
    // The limit of hidden regimes takes seconds to find.
    const evaluation = config.task === "regime" ? "sampled" : undefined;
    for await (const event of train({
      ...others,
      evaluation,
      iterations: Math.min(iterations, ITERATIONS),
    })) {
      // What is kept after a loss was not finite is looked at too.
      const problem = nonFinite(event.kind === "evaluation" ? withoutUndefined(event) : event);
      if (problem) return { kind: "failed", problem: `silently, ${problem} in ${event.kind}` };
    }
  } catch (error) {
    // Of these the command line says that there is too little memory.
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

/** A policy that never reaches something of the target is infinitely far from it. The best reachable is not. A single
 * object has no diversity. */
function withoutUndefined(event: EvaluationEvent): object {
  if (!event.exact) {
    const { diversity, ...topK } = event.sampled.topK;
    return { ...event, sampled: { ...event.sampled, topK: topK.count < 2 ? topK : event.sampled.topK } };
  }
  const { kl, ...reached } = event.reached;
  return { ...event, reached: kl === Number.POSITIVE_INFINITY ? reached : event.reached };
}

/** As a file has it: JSON, at times with a name that stands twice. */
function textOf(value: unknown, chance: Chance): string {
  const text = jsonOf(value, chance.pick([0, 2]));
  return chance.happens(0.05) ? text.replace("{", `{"seed": ${chance.below(9)},`) : text;
}

/** What is nested too deeply to be written is written as lists in lists. */
function jsonOf(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return `{"hidden": ${"[".repeat(1e5)}${"]".repeat(1e5)}}`;
  }
}

/** As it is typed. */
function flagsFor(config: AnyConfig, chance: Chance): string[] {
  const flags = flagsOf();
  return Object.entries(config).flatMap(([key, value]) => {
    const flag = flags.find((each) => each.key === key);
    if (!flag) return key === "version" ? [] : [`--${readable(key)}`, String(value)];
    if (flag.negation) return [value === true ? flag.name : flag.negation];
    if (chance.happens(0.003)) return [flag.name];
    return chance.happens(0.2) ? [`${flag.name}=${typed(value)}`] : [flag.name, typed(value)];
  });
}

/** What is typed is said again as it was typed, so that it should be something that people type. */
function readable(key: string): string {
  return key.replaceAll(/[^ -~]/g, "").slice(0, 40);
}

function typed(value: unknown, depth = 0): string {
  if (depth > 9) return "";
  const part = (each: unknown) => typed(each, depth + 1);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(part).join(",");
  if (typeof value !== "object" || value === null) return String(value);
  const { from, to, shape = "linear", until } = value as AnyConfig;
  return [from, to, shape, until]
    .filter((each) => each !== undefined)
    .map(part)
    .join(":");
}

/** What the command line makes of flags. */
function typedBy(words: readonly string[]): Typed {
  const program = new TypedCommand("gflownet")
    .exitOverride()
    .configureOutput({ writeErr() {}, writeOut() {} });
  const command = program.command("train") as TypedCommand;
  addConfigFlags(command);
  try {
    program.parse(["train", ...words], { from: "user" });
  } catch (error) {
    if (error instanceof StrangeFlags) throw strangeFlagsError(error);
    if (!(error instanceof CommanderError)) throw error;
    // As main.ts says it.
    throw new UsageError(error.message.replace(/^error: /, "").replaceAll("\n", " "), { cause: error });
  }
  return { flags: configOfFlags(command.opts()), wrong: command.wrong };
}
