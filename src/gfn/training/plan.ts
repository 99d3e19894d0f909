// The plan of a run: how many iterations it will have, decided at its start and revised on the way. Progress is a function
// of the plan and the iteration alone, so a run that follows a recorded plan is bit-identical on any machine.
//
// The module imports no networks, because `--help` loads it.

import { show } from "../../issues.ts";
import type { Kind } from "../../settings/kinds.ts";

/** One decision about the length of a run, in force from an iteration on. */
export interface PlanStep {
  /** Completed iterations when the decision was made. */
  readonly iteration: number;
  /** Planned number of iterations of the whole run. */
  readonly iterations: number;
  /** Progress rises linearly from `progress` at iteration `anchor` to 1 at the end. */
  readonly anchor: number;
  readonly progress: number;
  /** Iterations between evaluations. 0: only at the start and at the end. Null: only at the end. */
  readonly evaluateEvery: number | null;
}

/** The decisions about the number of iterations of a run, in the order in which they were made. */
export type Plan = readonly PlanStep[];

/** The plan of a run with a fixed number of iterations. */
export function fixedPlan(iterations: number, evaluateEvery: number): PlanStep {
  return { iteration: 0, iterations, anchor: 0, progress: 0, evaluateEvery };
}

/** The step in force at an iteration; undefined before the first one. */
export function stepAt(plan: Plan, iteration: number): PlanStep | undefined {
  return plan.findLast((step) => step.iteration <= iteration);
}

/** The completed fraction of a run after this many iterations, from 0 to 1. */
export function progressAt(plan: Plan, iteration: number): number {
  const step = stepAt(plan, iteration);
  if (!step) return 0;
  const { iterations, anchor, progress } = step;
  if (iteration >= iterations) return 1;
  return progress + ((1 - progress) * (iteration - anchor)) / (iterations - anchor);
}

/** The planned number of iterations; null if there is no plan yet. */
export function plannedIterations(plan: Plan): number | null {
  return plan.at(-1)?.iterations ?? null;
}

/** Whether the run was to end after this iteration. It may have continued with a longer plan. */
export function endsAt(plan: Plan, iteration: number): boolean {
  return plan.some(
    ({ iterations }, i) =>
      iterations <= iteration && (i + 1 === plan.length || plan[i + 1].iteration === iteration),
  );
}

/** Whether the evaluation after this iteration belongs to the plan. `evaluateEvery` applies before the first step. */
export function evaluatesAt(plan: Plan, iteration: number, evaluateEvery: number): boolean {
  if (endsAt(plan, iteration)) return true;
  const step = stepAt(plan, iteration);
  const every = step ? step.evaluateEvery : evaluateEvery;
  return every !== null && iteration % (every || Number.POSITIVE_INFINITY) === 0;
}

/** Adds the decision to end after this iteration, unless the plan ended there already. */
export function ended(plan: Plan, iteration: number): Plan {
  if (iteration === 0 || plannedIterations(plan) === iteration) return plan;
  const progress = progressAt(plan, iteration);
  return [...plan, { iteration, iterations: iteration, anchor: iteration, progress, evaluateEvery: null }];
}

/** Adds the decision to have this many iterations in total, as if the run had had this length from the start. */
export function stretched(plan: Plan, iteration: number, iterations: number, evaluateEvery: number): Plan {
  const kept = plan.filter((step) => step.iteration < iteration || step.iterations === iteration);
  return [...kept, { iteration, iterations, anchor: 0, progress: 0, evaluateEvery }];
}

/** The problem of a value that should be a plan, or null. */
export function planProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return `must be a list of steps, got ${show(value)}`;
  for (const [i, step] of value.entries()) {
    const problem = stepProblem(step, value[i - 1]);
    if (problem) return `must be a plan of a run: step ${i + 1} ${problem}, got ${show(step)}`;
  }
  return null;
}

function stepProblem(value: unknown, before: PlanStep | undefined): string | null {
  if (typeof value !== "object" || value === null) return "is not an object";
  const { iteration, iterations, anchor, progress, evaluateEvery } = value as Record<keyof PlanStep, unknown>;
  if (!isWhole(iteration)) return "has no valid iteration";
  if (!isWhole(iterations) || iterations < Math.max(iteration, 1)) return "has no valid iterations";
  if (!isWhole(anchor) || anchor > iteration) return "has no valid anchor";
  if (typeof progress !== "number" || !(progress >= 0 && progress <= 1)) return "has no valid progress";
  if (evaluateEvery !== null && !isWhole(evaluateEvery)) return "has no valid evaluateEvery";
  if (before && iteration < before.iteration) return "comes too late";
  return null;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The kind of a plan in a config; as a flag's text it is JSON. */
export const PLAN_KIND: Kind<Plan> = {
  rule: "the plan of a run",
  argument: "<json>",
  violation(value) {
    const isEmpty = Array.isArray(value) && value.length === 0;
    return isEmpty || planProblem(value) !== null
      ? { rule: "the plan of a run, as --repeat writes it" }
      : null;
  },
  fromText(text) {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  },
  toText: (plan) => JSON.stringify(plan),
};
