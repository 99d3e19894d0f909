// The residuals of a batch by step, and the terms that they consist of, as means: they show which part of a balance does
// not hold.
//
// A residual is a sum of logarithms, each with its sign: those of the forward side are added, those of the backward side
// subtracted. The mean residual is therefore the sum of the means of its terms.

import { numpy as np } from "@jax-js/jax";
import { repeatAtSteps } from "../sampling/batch.ts";
import type { ForwardPart, SplitBalanceTerms } from "./balance-terms.ts";
import { flowsAround, withPartialRewards } from "./detailed-balance.ts";
import type { Balance } from "./objective.ts";
import type { BalanceOptions, Residuals, TrajectorySpan } from "./residuals.ts";
import { oneStepResiduals } from "./sub-trajectory-balance.ts";
import { logFlowOfStart, vargradScore } from "./trajectory-balance.ts";

/** The logarithms in a residual: the parts of the forward term, log Z, the flow before a step, minus the backward term,
 * minus the flow after the step, minus the reward, and minus the posterior of the thought. */
export type ResidualTerm =
  | ForwardPart
  | "logZ"
  | "flow"
  | "backward"
  | "nextFlow"
  | "reward"
  | "thoughtPosterior";

/** Residuals of one batch. A number is null if no trajectory of the batch runs at the step. */
export interface ResidualSummary {
  /** Number of steps with a residual: those of a trajectory, or 1 if the balance has one residual per trajectory. */
  readonly steps: number;
  /** Mean residual, by step. */
  readonly mean: readonly (number | null)[];
  /** Root mean square of the residual, by step. */
  readonly rootMeanSquare: readonly (number | null)[];
  /** Mean of each term with its sign in the residual, by name, at each step of a trajectory. The mean residual is the sum
   * of the terms of its step; if there is one residual per trajectory, the sum over all steps. */
  readonly terms: Readonly<Partial<Record<ResidualTerm, readonly (number | null)[]>>>;
}

/** Names of the outputs of a program. */
export type SummaryOutput = "residual.mean" | "residual.rms" | `residual.term.${ResidualTerm}`;

/** The objects at the ends of trajectories, [B] each. */
export interface TrajectoryEnds {
  readonly logReward: np.Array;
  /** log of the posterior of the thought, in the dynamics form `thought`. */
  readonly logThoughtPosterior?: np.Array;
}

type Terms = Partial<Record<ResidualTerm, np.Array>>;

/** Whether a balance has one residual per trajectory, and not one per step. */
const isOfTrajectories = (balance: Balance) => balance === "tb" || balance === "vargrad";

/** The summary as arrays: a number for each step with a residual, and for each term a number per step, [T]. `residuals` are
 * those that the loss is computed from. */
export function summariseResiduals(
  balance: Balance,
  span: TrajectorySpan,
  terms: SplitBalanceTerms,
  ends: TrajectoryEnds,
  residuals: Residuals,
  options: BalanceOptions,
): Readonly<Partial<Record<SummaryOutput, np.Array>>> {
  const { T, B } = span;
  const ofTrajectories = isOfTrajectories(balance);
  const steps = ofTrajectories ? 1 : T;
  const { residual } = balance === "subtb" ? { residual: oneStepResiduals(residuals, span) } : residuals;
  // A trajectory that has ended adds 0 to the terms of later steps. If it has one residual, it counts there nonetheless.
  const rows = ofTrajectories ? np.full([1], B) : np.sum(span.running.reshape([T, B]), 1); // [1] or [T]
  const meanOver = (values: np.Array, count: number) =>
    np.divide(np.sum(values.reshape([count, B]), 1), rows); // [count]
  const means = Object.entries(signedTerms(balance, span, terms, ends, options)).map(([name, term]) => [
    `residual.term.${name}`,
    meanOver(term, T), // [T]
  ]);
  return {
    "residual.mean": meanOver(residual, steps), // [steps]
    "residual.rms": np.sqrt(meanOver(np.multiply(residual, residual), steps)), // [steps]
    ...Object.fromEntries(means),
  };
}

/** The terms of the residuals with their signs, [N] each; 0 after the end of a trajectory. What a trajectory has only once
 * stands at its first or last step. */
function signedTerms(
  balance: Balance,
  span: TrajectorySpan,
  terms: SplitBalanceTerms,
  { logReward, logThoughtPosterior }: TrajectoryEnds,
  options: BalanceOptions,
): Terms {
  const { T, B, running, ends } = span;
  const whileRunning = (values: np.Array) => np.multiply(values, running); // [N]
  const minusAtEnd = (values: np.Array) => np.negative(np.multiply(repeatAtSteps(values, span), ends)); // [N]
  const first = np.array(
    Float32Array.from({ length: T }, (_, t) => +(t === 0)),
    { shape: [T, 1] },
  ); // [T, 1]
  const atStart = (values: np.Array) => np.broadcastTo(np.multiply(values, first), [T, B]).reshape([T * B]); // [N]
  const forward = Object.entries(terms.forwardParts).map(([name, part]) => [name, whileRunning(part)]);
  const shared: Terms = {
    ...Object.fromEntries(forward),
    backward: np.negative(whileRunning(terms.backward)), // [N]
    reward: minusAtEnd(logReward), // [N]
    ...(logThoughtPosterior && { thoughtPosterior: minusAtEnd(logThoughtPosterior) }), // [N]
  };
  const logZ = (values: np.Array): Terms => ({ logZ: atStart(values) }); // [N]
  const flows = ({ logFlow, bootstraps }: SplitBalanceTerms): Terms => {
    const { before, after } = flowsAround(span, { logFlow, bootstraps }, options.maxLogFlow); // [N] each
    return {
      flow: whileRunning(before), // [N]
      nextFlow: np.negative(np.multiply(after, np.subtract(running, ends))), // [N]
    };
  };
  switch (balance) {
    case "db":
      return { ...flows(terms), ...shared };
    case "fl-db":
      return { ...flows(withPartialRewards(terms, options.partialLogReward)), ...shared };
    case "tb":
      return { ...logZ(options.logZ ?? logFlowOfStart(span, terms)), ...shared };
    case "vargrad":
      return { ...logZ(np.negative(np.mean(vargradScore(span, terms, logReward)))), ...shared };
    case "subtb": {
      const { flow, nextFlow } = flows(terms);
      if (!options.logZ) return { flow, nextFlow, ...shared };
      // A learned log Z stands in place of the flow of the start.
      const afterStart = np.multiply((flow as np.Array).reshape([T, B]), np.subtract(1, first)); // [T, B]
      return { ...logZ(options.logZ), flow: afterStart.reshape([T * B]), nextFlow, ...shared };
    }
    default:
      return balance satisfies never;
  }
}

/** The summary from the outputs of a program. */
export function residualSummary(outputs: Readonly<Record<string, ArrayLike<number>>>): ResidualSummary {
  const numbers = (values: ArrayLike<number>) =>
    Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  const prefix = "residual.term.";
  const terms = Object.entries(outputs)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, values]) => [name.slice(prefix.length), numbers(values)]);
  const mean = numbers(outputs["residual.mean"]);
  return {
    steps: mean.length,
    mean,
    rootMeanSquare: numbers(outputs["residual.rms"]),
    terms: Object.fromEntries(terms),
  };
}
