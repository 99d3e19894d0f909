// What a comparison is told on the command line, and what each of its cells is told of that.

import type { CellOptions } from "../compare/cell.ts";
import { budgetOf, type Comparison } from "../compare/comparison.ts";
import type { Cell } from "../compare/grid.ts";
import {
  DEFAULT_METHODS,
  GAMMA_METHOD,
  METHOD_NAMES,
  METHODS,
  methodProblem,
  partsOf,
} from "../compare/method-names.ts";
import type { CommonSettings } from "../compare/methods.ts";
import { isListed } from "../tasks/task.ts";
import { taskNameOf } from "./config/defaults.ts";
import { show } from "./config/error.ts";
import { COMPARED_TASKS, type Group, type KeyName, keyOf, type TaskName } from "./config/keys.ts";
import { numberFrom } from "./config/kinds.ts";
import { type Config, completeConfig, KEYS, parseConfig, settingsOf, taskOf } from "./config.ts";
import { UsageError } from "./fail.ts";
import { nearest } from "./nearest.ts";

/** What was typed beside the keys of a config. */
export interface ComparisonFlags {
  readonly methods?: string;
  readonly gammas?: string;
  readonly sticks?: string;
  readonly seeds?: number;
  readonly calls?: number;
  readonly seconds?: number;
  readonly evaluations?: number;
  readonly onPolicy?: boolean;
}

/** Groups of keys that say something about a comparison. */
const GROUPS: readonly Group[] = ["task", "reward", "networks", "learning"];
const DEFAULTS = { seeds: 3, evaluations: 20, sticks: [0.25] };

/** The whole comparison, with nothing left open. Throws a UsageError if something cannot be. */
export async function comparisonOf(config: Config, flags: ComparisonFlags): Promise<Comparison> {
  if (!COMPARED_TASKS.includes(taskNameOf(config))) throw notComparable(taskNameOf(config));
  const { calls = null, seconds = null } = flags;
  if ((calls === null) === (seconds === null)) {
    throw new UsageError(
      calls === null
        ? "give --calls or --seconds: how far each cell goes"
        : "--calls and --seconds both say how far each cell goes; give one of them",
    );
  }
  if (config.epsilon !== undefined && !flags.onPolicy) {
    throw new UsageError("--epsilon is for --on-policy, without which objects are drawn uniformly instead");
  }
  const sticks =
    flags.sticks === undefined ? DEFAULTS.sticks : numbersOf("stick", flags.sticks, KEYS.stick.kind);
  const complete = await completeConfig(parseConfig({ ...config, stick: sticks[0] }, "the command line"));
  if (calls !== null && calls < complete.batch) {
    throw new UsageError(`--calls must be at least the batch of ${complete.batch}, got ${calls}`);
  }
  const kept = Object.entries(complete).filter(
    ([name]) => isCommon(name) || (name === "epsilon" && config.epsilon !== undefined),
  );
  return {
    methods: methodsOf(flags),
    sticks,
    seeds: Array.from({ length: flags.seeds ?? DEFAULTS.seeds }, (_, seed) => seed),
    calls,
    seconds,
    evaluations: flags.evaluations ?? DEFAULTS.evaluations,
    onPolicy: flags.onPolicy ?? false,
    settings: Object.fromEntries(kept),
  };
}

/** What a cell runs with, in this process. */
export async function cellOptionsOf(
  comparison: Comparison,
  { method, stick, seed }: Cell,
): Promise<Omit<CellOptions, "elapsed">> {
  const config = await completeConfig(parseConfig({ ...comparison.settings, stick }, "comparison.json"));
  const settings = settingsOf(config);
  const { policy, dynamics, batch, learningRate, dynamicsLearningRate, clip, dynamicsClip, reward } =
    settings;
  const common: CommonSettings = {
    ...{ policy, dynamics, batch, learningRate, dynamicsLearningRate, reward },
    ...(clip !== undefined && { clip }),
    ...(dynamicsClip !== undefined && { dynamicsClip }),
    onPolicy: comparison.onPolicy,
    ...("epsilon" in comparison.settings && { epsilon: settings.exploration.epsilon }),
  };
  const task = await taskOf(config);
  if (!isListed(task)) throw notComparable(config.task);
  return {
    ...{ task, method, seed, common, engine: config.engine },
    budget: budgetOf(comparison),
    evaluations: comparison.evaluations,
  };
}

function notComparable(task: TaskName): UsageError {
  const others = COMPARED_TASKS.join(", ");
  return new UsageError(
    `task: methods are compared under levels of --stick, which ${task} does not have; take one of ${others}`,
  );
}

function isCommon(name: string): boolean {
  if (name === "tableSha256" || name === "engine") return true;
  return Object.hasOwn(KEYS, name) && name !== "stick" && GROUPS.includes(keyOf(name as KeyName).group);
}

function methodsOf({ methods, gammas }: ComparisonFlags): string[] {
  const named = methods === undefined ? [...DEFAULT_METHODS] : partsOfList(methods);
  for (const method of named) checkMethod(method);
  const expanded =
    gammas === undefined
      ? named
      : named.flatMap((method) =>
          method === GAMMA_METHOD
            ? numbersOf("gammas", gammas, GAMMA).map((gamma) => `${GAMMA_METHOD}:${gamma}`)
            : [method],
        );
  if (gammas !== undefined && !named.includes(GAMMA_METHOD)) {
    throw new UsageError(`--gammas is for the method ${GAMMA_METHOD}, which is not among the methods`);
  }
  return distinct("methods", expanded);
}

function checkMethod(method: string): void {
  const problem = methodProblem(method);
  if (problem === null) return;
  const { name, gamma } = partsOf(method);
  if (problem === "gamma") {
    throw new UsageError(
      Object.hasOwn(METHODS, name) && name !== GAMMA_METHOD
        ? `--methods: ${name} takes no γ; ${GAMMA_METHOD} does, as in ${GAMMA_METHOD}:0.25`
        : `--methods: the γ of ${name} must be a number in (0, 1), got ${show(gamma)}`,
    );
  }
  const meant = nearest(name, METHOD_NAMES);
  const hint = meant ? `did you mean ${meant}?` : `there are ${METHOD_NAMES.join(", ")}`;
  throw new UsageError(`--methods: there is no method ${show(name)}; ${hint}`);
}

interface NumberKind {
  readonly rule: string;
  problem(value: unknown): string | null;
}

const GAMMA: NumberKind = {
  rule: "a number in (0, 1)",
  problem: (value) => ((value as number) > 0 && (value as number) < 1 ? null : "must be in (0, 1)"),
};

function numbersOf(flag: string, text: string, kind: NumberKind): number[] {
  const numbers = partsOfList(text).map((part) => {
    const value = numberFrom(part);
    if (value !== undefined && kind.problem(value) === null) return value;
    throw new UsageError(`--${flag} takes numbers with commas between, each ${kind.rule}, got ${show(part)}`);
  });
  return distinct(flag, numbers);
}

function partsOfList(text: string): string[] {
  return text.split(",").map((part) => part.trim());
}

function distinct<T>(flag: string, values: readonly T[]): T[] {
  const again = values.find((value, i) => values.indexOf(value) < i);
  if (again !== undefined) throw new UsageError(`--${flag} has ${again} twice; give each once`);
  return [...values];
}
