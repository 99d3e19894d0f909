// The logarithms that a balance compares, step by step, for each way in which the dynamics can enter.
//
// A stop is certain: log P̂ and the backward term are zero there, and what remains is log π(stop | s).

import { lax, numpy as np } from "@jax-js/jax";
import { FORBIDDEN, logSumExp, maskedLogSoftmax } from "../../nn/index.ts";
import type { Batch } from "../batch.ts";
import type { PolicyOutputs } from "../networks.ts";
import type { DynamicsForm } from "./choice.ts";

/** N = T·B steps of a batch, in its order. */
export interface Terms {
  /** log F of every state, terminal ones not yet replaced by their reward, [(T + 1)·B]. */
  readonly logFlow: np.Array;
  /** Forward: the policy, and with it the dynamics, [N]. */
  readonly forward: np.Array;
  /** Backward: the backward policy, or its marginal over parents, [N]. */
  readonly backward: np.Array;
  /** Whether the flow after a step is what the step learns from, and is not itself moved by it. */
  readonly bootstraps: boolean;
}

/** log P̂ of the true kernel or of the model, [N, intentions, outcomes]; unused without dynamics. */
export type LogDynamics = np.Array;

export function termsOf(
  form: DynamicsForm,
  batch: Batch,
  outputs: PolicyOutputs,
  logDynamics: LogDynamics | null,
): Terms {
  const { T, B, outcomes, stop } = batch;
  const N = T * B;
  const C = outcomes.shape[1];
  const stops = outputs.forward.shape[1] > C;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const [, laterLogits] = np.split(outputs.backward, [B], 0); // [N, classes], of the states after the steps
  const logPolicy = maskedLogSoftmax(stepLogits, batch.allowed); // [N, actions]
  const logBackward = maskedLogSoftmax(laterLogits, batch.backwardAllowed); // [N, classes]
  const picked = (logs: np.Array, oneHot: np.Array) => np.sum(np.multiply(logs, oneHot), 1); // [N]
  const moves = np.subtract(1, stop); // [N], 0 at a stop
  const logStop = stops
    ? np.multiply(np.split(logPolicy, [C], 1)[1].reshape([N]), stop) // [N], 0 unless stopping
    : np.zeros([N]); // [N]
  const [logMoves] = stops ? np.split(logPolicy, [C], 1) : [logPolicy]; // [N, C]

  /** log P_B of the parent: its classes together; nothing on a tree. */
  const parent = (logWays = logBackward) => {
    if (!batch.sameParent) return np.zeros([N]); // [N]
    const among = np.where(np.less(0.5, batch.sameParent), logWays, FORBIDDEN); // [N, classes]
    return np.multiply(logSumExp(among), moves); // [N]
  };
  /** log π(a | s) + log P̂(c | s, a) of what was intended and came out, [N]. */
  const intendedAndDone = () => {
    const byIntention = outcomeOf(required(logDynamics), outcomes); // [N, intentions]
    const [intended] = stops ? np.split(batch.actions, [C], 1) : [batch.actions]; // [N, C]
    return np.add(picked(logMoves, intended), picked(byIntention, intended)); // [N]
  };
  const forwardAndBackward = (): [np.Array, np.Array] => {
    switch (form) {
      case "none":
        return [picked(logMoves, outcomes), parent()];
      case "none-intended":
        return [
          np.multiply(picked(logPolicy, batch.actions), moves),
          picked(logBackward, batch.backwardClass),
        ];
      case "joint":
        return [intendedAndDone(), picked(logBackward, batch.backwardClass)];
      case "thought":
        // What else stands against it is the thought's share of the reward, at the end.
        return [intendedAndDone(), parent()];
      case "marginal": {
        const byIntention = outcomeOf(required(logDynamics), outcomes); // [N, intentions]
        return [np.multiply(logSumExp(np.add(logMoves, byIntention)), moves), parent()];
      }
      case "expected": {
        // Expectations are over outcomes, so nothing here may be fitted to single ones: all ways in count alike.
        const alike = maskedLogSoftmax(np.zeros(logBackward.shape), batch.backwardAllowed); // [N, classes]
        return [np.multiply(picked(logPolicy, batch.actions), moves), parent(alike)];
      }
      default:
        return form satisfies never;
    }
  };
  const [forward, backward] = forwardAndBackward();
  return {
    logFlow: outputs.logFlow,
    forward: np.add(forward, logStop),
    backward,
    bootstraps: form === "expected",
  };
}

/** log P̂(c | s, a) of the outcome that came, for every intention: [N, intentions]. No gradient flows into P̂. */
function outcomeOf(logDynamics: np.Array, outcomes: np.Array): np.Array {
  const [N, C] = outcomes.shape;
  return np.sum(np.multiply(lax.stopGradient(logDynamics), outcomes.reshape([N, 1, C])), 2); // [N, intentions]
}

function required(logDynamics: LogDynamics | null): LogDynamics {
  if (logDynamics === null) throw new TypeError("termsOf: this form of the dynamics needs a dynamics model");
  return logDynamics;
}
