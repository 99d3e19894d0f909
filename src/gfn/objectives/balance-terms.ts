// The logarithms that a balance compares at each step: the forward term of the policy and the dynamics, and the backward
// term of the backward policy. The form of the dynamics decides the formulas of both terms.
//
// Notation: action a, outcome c, state s, next state s', policy π, backward policy π_B over pairs (parent, action), P_B
// its marginal over parents, dynamics model P̂. A stop has no noise: log P̂ and the backward term are 0 there, and the
// forward term is log π(stop | s).

import { lax, numpy as np } from "@jax-js/jax";
import { logSumExp, markedEntries, maskedLogSoftmax } from "../../nn/index.ts";
import { logBackwardPolicy, logParentProbability } from "../policy/backward-policy.ts";
import type { PolicyOutputs } from "../policy/networks.ts";
import type { Batch } from "../sampling/batch.ts";
import type { DynamicsForm } from "./objective.ts";

/** Terms of the N = T·B steps of a batch, in its order. */
export interface BalanceTerms {
  /** log F of every state, [(T + 1)·B]. The balance replaces the flow of terminal states by the reward. */
  readonly logFlow: np.Array;
  /** Forward term, [N]. */
  readonly forward: np.Array;
  /** Backward term, [N]. */
  readonly backward: np.Array;
  /** Whether the flow after a step is a fixed target, through which no gradient flows, as in Q-learning. */
  readonly bootstraps: boolean;
}

/** What a forward term consists of: the policy, the dynamics, both in one logarithm of a sum (`outcome`), and the margin of
 * the entropy ratio. */
export type ForwardPart = "policy" | "dynamics" | "outcome" | "margin";

/** Terms of a balance with the parts of the forward term, [N] each, which sum to it. */
export interface SplitBalanceTerms extends BalanceTerms {
  readonly forwardParts: Readonly<Partial<Record<ForwardPart, np.Array>>>;
}

/** `logDynamics` is log P̂ or the logarithm of the true kernel, [N, actions without the stop, outcomes]; null if the form
 * does not use it. No gradient flows into it. */
export function balanceTerms(
  form: DynamicsForm,
  batch: Batch,
  outputs: PolicyOutputs,
  logDynamics: np.Array | null,
): SplitBalanceTerms {
  const { T, B, outcomes, stop } = batch;
  const N = T * B;
  const C = outcomes.shape[1];
  const hasStop = outputs.forward.shape[1] > C;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const logPolicy = maskedLogSoftmax(stepLogits, batch.allowed); // [N, actions]
  const logBackward = logBackwardPolicy(batch, outputs.backward); // [N, backwardActions]
  const isMove = np.subtract(1, stop); // [N], 0 at a stop
  const logStop = hasStop
    ? np.multiply(np.split(logPolicy, [C], 1)[1].reshape([N]), stop) // [N], 0 except at a stop
    : np.zeros([N]); // [N]
  const [logMoves] = hasStop ? np.split(logPolicy, [C], 1) : [logPolicy]; // [N, C]

  /** log π(a | s) + log P̂(c | s, a), [N]. */
  const actionAndOutcome = (): Move => {
    const logOutcome = outcomeLogProbability(lax.stopGradient(required(logDynamics)), outcomes); // [N, actions without the stop]
    const [action] = hasStop ? np.split(batch.actions, [C], 1) : [batch.actions]; // [N, C]
    const parts = { policy: markedEntries(logMoves, action), dynamics: markedEntries(logOutcome, action) };
    return { forward: np.add(parts.policy, parts.dynamics), parts }; // [N]
  };
  const moveAndBackward = (): [Move, np.Array] => {
    switch (form) {
      // Treats the outcome as the action: log π(c | s), and log P_B.
      case "none":
        return [only("policy", markedEntries(logMoves, outcomes)), logParentProbability(batch, logBackward)];
      // Ignores the outcome: log π(a | s), and log π_B.
      case "none-intended":
        return [
          only("policy", np.multiply(markedEntries(logPolicy, batch.actions), isMove)),
          markedEntries(logBackward, batch.backwardAction),
        ];
      // log π(a | s) P̂(c | s, a), and log π_B.
      case "joint":
        return [actionAndOutcome(), markedEntries(logBackward, batch.backwardAction)];
      // log π(a | s) P̂(c | s, a), and log P_B. The residual also contains the posterior of the thought
      // (object-marginal.ts).
      case "thought":
        return [actionAndOutcome(), logParentProbability(batch, logBackward)];
      // log Σ_a π(a | s) P̂(c | s, a), and log P_B.
      case "marginal": {
        const logOutcome = outcomeLogProbability(lax.stopGradient(required(logDynamics)), outcomes); // [N, actions without the stop]
        return [
          only("outcome", np.multiply(logSumExp(np.add(logMoves, logOutcome)), isMove)),
          logParentProbability(batch, logBackward),
        ];
      }
      // log π(a | s), with an expectation over outcomes. A learned backward policy could fit single outcomes, so P_B is
      // uniform over the parent edges.
      case "expected": {
        const uniform = maskedLogSoftmax(np.zeros(logBackward.shape), batch.backwardAllowed); // [N, backwardActions]
        return [
          only("policy", np.multiply(markedEntries(logPolicy, batch.actions), isMove)),
          logParentProbability(batch, uniform),
        ];
      }
      default:
        return form satisfies never;
    }
  };
  const [{ forward, parts }, backward] = moveAndBackward();
  const [[first, part]] = Object.entries(parts);
  return {
    logFlow: outputs.logFlow,
    forward: np.add(forward, logStop), // [N]
    forwardParts: { ...parts, [first]: np.add(part, logStop) },
    backward,
    bootstraps: form === "expected",
  };
}

/** The forward term of moves, [N], and its parts. The first part is the one that a stop has, too. */
interface Move {
  readonly forward: np.Array;
  readonly parts: SplitBalanceTerms["forwardParts"];
}

function only(name: ForwardPart, forward: np.Array): Move {
  return { forward, parts: { [name]: forward } };
}

/** Forward minus backward term of each step, [N]; 0 after the end. */
export function forwardMinusBackward(
  { running }: Pick<Batch, "running">,
  { forward, backward }: Pick<BalanceTerms, "forward" | "backward">,
): np.Array {
  return np.multiply(np.subtract(forward, backward), running); // [N]
}

/** log P̂(c | s, a) of the observed outcome for every action, [N, actions without the stop]. */
export function outcomeLogProbability(logDynamics: np.Array, outcomes: np.Array): np.Array {
  const [N, C] = outcomes.shape;
  return np.sum(np.multiply(logDynamics, outcomes.reshape([N, 1, C])), 2); // [N, actions without the stop]
}

function required(logDynamics: np.Array | null): np.Array {
  if (logDynamics === null) {
    throw new TypeError("balanceTerms: this form of the dynamics needs a dynamics model");
  }
  return logDynamics;
}
