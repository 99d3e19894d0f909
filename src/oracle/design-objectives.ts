// Design objectives: several values of one string, such as binding and toxicity, and the one score that they make.
//
// Each value y is scaled to u = (y − worst) / (best − worst), and u below 0 counts as 0. The score is the weighted mean S of
// the scaled values. If an objective has a constraint, a string that meets all of them scores 0.1 + 0.9·S, and any other
// one 0.05 / (1 + V), where V is the sum of what is missing to each bound, divided by |best − worst|. So every violation
// scores below every string that meets the constraints, a smaller violation scores higher, and no score is negative.

import { createHash } from "node:crypto";
import { show } from "../issues.ts";
import type { Answer } from "./oracle.ts";
import type { Goal } from "./reward-shaping.ts";

/** One of several values that an oracle gives to each string. */
export interface DesignObjective {
  readonly name: string;
  readonly goal: Goal;
  /** Share of the score, relative to the weights of the other objectives. */
  readonly weight: number;
  /** The value that is mapped to 0. */
  readonly worst: number;
  /** The value that is mapped to 1. */
  readonly best: number;
  /** Constraints on the value. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Scores of strings that meet the constraints begin at the first number; scores of the others end at the second. */
const [FEASIBLE, VIOLATING] = [0.1, 0.05];

/** (y − worst) / (best − worst): higher is better, and 0 to 1 between the two. */
export function scaledValue({ worst, best }: DesignObjective, value: number): number {
  return (value - worst) / (best - worst);
}

/** The scaled values of a string that count for its score: those below 0 are 0. */
export function countedValues(objectives: readonly DesignObjective[], values: ArrayLike<number>): number[] {
  return objectives.map((objective, i) => Math.max(0, scaledValue(objective, values[i])));
}

/** The sum of what is missing to each bound, in units of |best − worst|; 0 if all constraints are met. */
export function violation(objectives: readonly DesignObjective[], values: ArrayLike<number>): number {
  return objectives.reduce((sum, { worst, best, atLeast, atMost }, i) => {
    const missing =
      Math.max(0, (atLeast ?? values[i]) - values[i]) + Math.max(0, values[i] - (atMost ?? values[i]));
    return sum + missing / Math.abs(best - worst);
  }, 0);
}

/** Whether an objective has a constraint. */
export function hasConstraints(objectives: readonly DesignObjective[]): boolean {
  return objectives.some(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined);
}

/** The weights divided by their sum. */
export function normalisedWeights(objectives: readonly Pick<DesignObjective, "weight">[]): number[] {
  const total = objectives.reduce((sum, { weight }) => sum + weight, 0);
  return objectives.map(({ weight }) => weight / total);
}

/** The score of a string from its values, one per objective in their order. */
export function combinedScore(objectives: readonly DesignObjective[], values: ArrayLike<number>): number {
  const weights = normalisedWeights(objectives);
  const sum = countedValues(objectives, values).reduce((total, value, i) => total + weights[i] * value, 0);
  return constrainedScore(objectives, values, sum);
}

/** The score of a string whose weighted sum is known: constraints of the objectives change it. */
export function constrainedScore(
  objectives: readonly DesignObjective[],
  values: ArrayLike<number>,
  sum: number,
): number {
  if (!hasConstraints(objectives)) return sum;
  const missing = violation(objectives, values);
  return missing > 0 ? VIOLATING / (1 + missing) : FEASIBLE + (1 - FEASIBLE) * sum;
}

/** An answer from a value per objective, of any type. A value that is no finite number is a failure of the string. */
export function answerOfValues(objectives: readonly DesignObjective[], given: readonly unknown[]): Answer {
  const wrong = objectives.findIndex((_, i) => !Number.isFinite(given[i]));
  if (wrong >= 0) {
    const got = given[wrong] === undefined ? "none" : show(given[wrong]);
    return { failure: `its ${objectives[wrong].name} must be a finite number, got ${got}` };
  }
  // Adding 0 turns −0 into 0, which JSON can store.
  const values = (given as readonly number[]).map((value) => value + 0);
  return { score: combinedScore(objectives, values), values };
}

/** An answer from a record of values by the names of the objectives. */
export function answerOfRecord(objectives: readonly DesignObjective[], record: unknown): Answer {
  const names = objectives.map(({ name }) => name);
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    const got = record === undefined ? "none" : show(record);
    return { failure: `its scores must be a map of ${names.join(", ")}, got ${got}` };
  }
  const members = record as Readonly<Record<string, unknown>>;
  return answerOfValues(
    objectives,
    names.map((name) => (Object.hasOwn(members, name) ? members[name] : undefined)),
  );
}

/** The version of an oracle whose scores are made from the values of objectives: it changes with them. */
export function versionFor(objectives: readonly DesignObjective[] | undefined, version: string): string {
  if (!objectives) return version;
  const hash = createHash("sha256").update(JSON.stringify([version, objectives]));
  return hash.digest("hex").slice(0, 16);
}
