// Executes one measurement of the quality benchmark: trains one case, or times one computation.

import { RandomStream } from "../../src/engine/index.ts";
import { exactEvaluator } from "../../src/gfn/evaluate/exact-evaluator.ts";
import { limitByWaterFilling } from "../../src/gfn/evaluate/limit.ts";
import { model as modelOf } from "../../src/gfn/policy/model.ts";
import { rewardTable } from "../../src/gfn/reward/reward.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import type {
  EndEvent,
  ExactEvaluationEvent,
  StartEvent,
  TrainEvent,
} from "../../src/gfn/training/events.ts";
import type { Settings } from "../../src/gfn/training/settings.ts";
import { train } from "../../src/gfn/training/train.ts";
import { normaliseRewards } from "../../src/math/distances.ts";
import { bitSequenceTask } from "../../src/tasks/bit-sequence/index.ts";
import { hypergridTask } from "../../src/tasks/hypergrid/index.ts";
import type { EnumerableTask } from "../../src/tasks/task.ts";
import { tfbind8Task } from "../../src/tasks/tfbind8/index.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { median } from "../statistics.ts";
import { bindingTablePath } from "./binding-table-path.ts";
import type { Measurement, Problem, Timing, Training } from "./cases.ts";

export interface TrainingResult {
  readonly kind: "training";
  readonly reached: ExactEvaluationEvent["reached"];
  readonly limit: ExactEvaluationEvent["limit"];
  readonly uniform: ExactEvaluationEvent["uniform"];
  /** Predicted distances of a policy that is trained without a dynamics model. Null if there is a dynamics model. */
  readonly prediction: { readonly tv: number; readonly kl: number } | null;
  readonly iterations: number;
  /** Training time as reported by the run. */
  readonly seconds: number;
  /** Wall-clock time of the complete run. */
  readonly wallSeconds: number;
  readonly stateTableRows: number;
  readonly parameters: StartEvent["parameters"];
}

export interface TimingResult {
  readonly kind: "timing";
  /** Median duration of the repeats. */
  readonly seconds: number;
  readonly repeats: readonly number[];
}

export type Result = TrainingResult | TimingResult;

export async function measure(measurement: Measurement): Promise<Result> {
  const task = await taskOf(measurement.problem);
  return measurement.kind === "training" ? trainOn(task, measurement) : timeOn(task, measurement);
}

/** The default settings for a task with the changes of a training case. */
export function settingsFor(
  { environment }: Pick<EnumerableTask, "environment">,
  {
    rewardExponent: exponent,
    stateTable,
    objective,
  }: Pick<Training, "rewardExponent" | "stateTable" | "objective">,
): Settings {
  return defaultSettings(environment, {
    rewardExponent: exponent,
    ...(!stateTable && { stateTableRows: 0 }),
    ...objective,
  });
}

/**
 * Distance from the target, in the noisy environment, of the policy that would sample exactly from the target without
 * noise. The environment must be a tree. The closed form of the limit with stick 0 gives that policy; its distribution
 * is then computed with the true kernel.
 */
export function noiselessPolicyUnderNoise(
  { environment }: Pick<EnumerableTask, "environment">,
  reward: Float64Array,
): { readonly tv: number; readonly kl: number } {
  const { tv, kl } = limitByWaterFilling(environment.enumerate(), normaliseRewards(reward).target, 0);
  return { tv, kl };
}

async function trainOn(
  task: EnumerableTask,
  measurement: Extract<Measurement, { kind: "training" }>,
): Promise<TrainingResult> {
  const { environment, scores } = task;
  const { seed, seconds } = measurement;
  const settings = settingsFor(task, measurement);
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
      settings.dynamics === "none" && environment.tree
        ? noiselessPolicyUnderNoise(task, rewardTable(scores, rewardOf(settings)))
        : null,
    iterations: end.iterations,
    seconds: end.seconds,
    wallSeconds,
    stateTableRows: settings.stateTableRows,
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
    throw new Error("quality: a run must report start, evaluation and end events");
  return { start, evaluation, end };
}

function rewardOf({ rewardExponent: exponent, rewardFloor: floor }: Settings) {
  return { exponent, floor };
}

const REPEATS = 7;

async function timeOn(task: EnumerableTask, { what }: Timing): Promise<TimingResult> {
  const { environment, scores } = task;
  const settings = settingsFor(task, { rewardExponent: 3, stateTable: true });
  const reward = rewardTable(scores, rewardOf(settings));
  if (what === "limit") {
    const { target } = normaliseRewards(reward);
    const enumeration = environment.enumerate();
    return timeRepeatedly(async () => limitByWaterFilling(enumeration, target, environment.stick));
  }
  const model = modelOf(environment, settings);
  const evaluator = await exactEvaluator({
    model,
    reward,
    balance: settings.balance,
    usesDynamics: true,
    engine: "native",
  });
  const stream = RandomStream.fromSeed(0);
  const policy = model.policyLayout.init(stream.split("policy"));
  const dynamics = model.dynamicsLayout.init(stream.split("dynamics"));
  try {
    return await timeRepeatedly(() => evaluator.evaluate({ policy, dynamics }));
  } finally {
    await evaluator.dispose();
  }
}

/** Times a computation several times, after one warm-up call. */
async function timeRepeatedly(compute: () => Promise<unknown>): Promise<TimingResult> {
  await compute();
  const repeats: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const started = performance.now();
    await compute();
    repeats.push((performance.now() - started) / 1000);
  }
  return { kind: "timing", seconds: median(repeats), repeats };
}

async function taskOf(problem: Problem): Promise<EnumerableTask> {
  switch (problem.task) {
    case "tfbind8":
      return tfbind8Task({ stick: problem.stick, table: await readBindingTable(bindingTablePath()) });
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
