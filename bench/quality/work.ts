// What a process of the quality benchmark does: trains one setting, or times one computation.

import { RandomStream } from "../../src/engine/index.ts";
import { defaultSettings } from "../../src/gfn/defaults.ts";
import { normalise } from "../../src/gfn/evaluate/distances.ts";
import { exactEvaluator } from "../../src/gfn/evaluate/exact-evaluator.ts";
import { limitByFilling } from "../../src/gfn/evaluate/limit.ts";
import type { EndEvent, ExactEvaluationEvent, StartEvent, TrainEvent } from "../../src/gfn/events.ts";
import { model as modelOf } from "../../src/gfn/model.ts";
import { rewardTable } from "../../src/gfn/reward.ts";
import type { Settings } from "../../src/gfn/settings.ts";
import { train } from "../../src/gfn/train.ts";
import { bitSequenceTask } from "../../src/tasks/bit-sequence/index.ts";
import { hypergridTask } from "../../src/tasks/hypergrid/index.ts";
import type { ListedTask } from "../../src/tasks/task.ts";
import { tfbind8Task } from "../../src/tasks/tfbind8/index.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { median } from "../statistics.ts";
import type { Assignment, Problem, Timing, Training } from "./settings.ts";
import { tfbind8Table } from "./table.ts";

export interface TrainingResult {
  readonly kind: "training";
  readonly reached: ExactEvaluationEvent["reached"];
  readonly limit: ExactEvaluationEvent["limit"];
  readonly uniform: ExactEvaluationEvent["uniform"];
  /** What a policy reaches that takes noise for no noise; null if the objective models the dynamics. */
  readonly prediction: { readonly tv: number; readonly kl: number } | null;
  readonly iterations: number;
  /** As the run counts them. */
  readonly seconds: number;
  /** Around all of the run. */
  readonly wallSeconds: number;
  readonly memoryRows: number;
  readonly parameters: StartEvent["parameters"];
}

export interface TimingResult {
  readonly kind: "timing";
  /** Median of the repeats. */
  readonly seconds: number;
  readonly repeats: readonly number[];
}

export type Result = TrainingResult | TimingResult;

export async function perform(assignment: Assignment): Promise<Result> {
  const task = await taskOf(assignment.problem);
  return assignment.kind === "training" ? trainOn(task, assignment) : timeOn(task, assignment);
}

/** The default settings for a task, but for what a training changes. */
export function settingsFor(
  { environment }: Pick<ListedTask, "environment">,
  { exponent, memory, objective }: Pick<Training, "exponent" | "memory" | "objective">,
): Settings {
  const usual = defaultSettings(environment);
  const { memoryRows: _rows, memoryRateScale: _scale, ...forgetful } = usual.policy;
  return defaultSettings(environment, {
    reward: { ...usual.reward, exponent },
    ...(!memory && { policy: forgetful }),
    ...(objective && { objective }),
  });
}

/**
 * Where a policy ends on a tree that intends the target's own shares, with noise on top. The closed form of the limit,
 * told that there is no noise, is that policy; it is followed with the true kernel.
 */
export function intendingTheTarget(
  { environment }: Pick<ListedTask, "environment">,
  reward: Float64Array,
): { readonly tv: number; readonly kl: number } {
  const { tv, kl } = limitByFilling(environment.enumerate(), normalise(reward).target, 0);
  return { tv, kl };
}

async function trainOn(
  task: ListedTask,
  assignment: Extract<Assignment, { kind: "training" }>,
): Promise<TrainingResult> {
  const { environment, scores } = task;
  const { seed, seconds } = assignment;
  const settings = settingsFor(task, assignment);
  const started = performance.now();
  const events = train({ ...settings, environment, scores, seed, seconds, engine: "native", threads: 1 });
  const { start, evaluation, end } = await lastOfEach(events);
  const wallSeconds = (performance.now() - started) / 1000;
  const { reached, limit, uniform } = evaluation;
  return {
    kind: "training",
    reached,
    limit,
    uniform,
    prediction:
      settings.objective.dynamics === "none" && environment.tree
        ? intendingTheTarget(task, rewardTable(scores, settings.reward))
        : null,
    iterations: end.iterations,
    seconds: end.seconds,
    wallSeconds,
    memoryRows: settings.policy.memoryRows ?? 0,
    parameters: start.parameters,
  };
}

async function lastOfEach(
  events: AsyncIterable<TrainEvent>,
): Promise<{ start: StartEvent; evaluation: ExactEvaluationEvent; end: EndEvent }> {
  let start: StartEvent | undefined;
  let evaluation: ExactEvaluationEvent | undefined;
  let end: EndEvent | undefined;
  for await (const event of events) {
    if (event.kind === "start") start = event;
    if (event.kind === "evaluation" && event.exact) evaluation = event;
    if (event.kind === "end") end = event;
  }
  if (!start || !evaluation || !end)
    throw new Error("quality: the run ended without start, evaluation or end");
  return { start, evaluation, end };
}

const REPEATS = 7;

async function timeOn(task: ListedTask, { what }: Timing): Promise<TimingResult> {
  const { environment, scores } = task;
  const settings = settingsFor(task, { exponent: 3, memory: true });
  const reward = rewardTable(scores, settings.reward);
  if (what === "limit") {
    const { target } = normalise(reward);
    const listed = environment.enumerate();
    return repeated(async () => limitByFilling(listed, target, environment.stick));
  }
  const model = modelOf(environment, settings);
  const reader = await exactEvaluator({
    model,
    reward,
    balance: settings.objective.balance,
    usesDynamics: true,
    engine: "native",
  });
  const stream = RandomStream.fromSeed(0);
  const policy = model.policyLayout.init(stream.split("policy"));
  const dynamics = model.dynamicsLayout.init(stream.split("dynamics"));
  try {
    return await repeated(() => reader.evaluate({ policy, dynamics }));
  } finally {
    await reader.dispose();
  }
}

/** Times a computation after one call that does not count. */
async function repeated(compute: () => Promise<unknown>): Promise<TimingResult> {
  await compute();
  const repeats: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const started = performance.now();
    await compute();
    repeats.push((performance.now() - started) / 1000);
  }
  return { kind: "timing", seconds: median(repeats), repeats };
}

async function taskOf(problem: Problem): Promise<ListedTask> {
  switch (problem.task) {
    case "tfbind8":
      return tfbind8Task({ stick: problem.stick, table: await readBindingTable(tfbind8Table()) });
    case "hypergrid": {
      const { stick, dimensions, side, r0 } = problem;
      return hypergridTask({ stick, dimensions, side, r0 });
    }
    case "bit-sequence":
      return bitSequenceTask({ stick: problem.stick, bits: problem.bits, word: problem.word });
    default:
      return problem satisfies never;
  }
}
