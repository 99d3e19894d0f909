// Infers the actions of steps of which only the outcome is known, by sampling from the backward policy.
//
// Uniform and offline objects come without actions, and the `joint` and `none-intended` forms of the dynamics need one at
// every step. Any action that can have the outcome is valid, and the backward policy samples a likely one. The dynamics
// model is not trained on inferred actions.

import { lax, numpy as np } from "@jax-js/jax";
import { MASKED_LOGIT } from "../../nn/activations.ts";
import { sampleCategorical } from "../../nn/categorical.ts";
import { oneHotRows } from "../../nn/one-hot.ts";
import type { Environment } from "../environment/environment.ts";
import { logBackwardPolicy } from "../policy/backward-policy.ts";
import type { Batch } from "./batch.ts";

/**
 * The batch with every unknown action replaced by a sampled one. `backward` are the backward logits of all states,
 * [(T + 1)·B, backwardActions]; `uniform` is [N, at least outcomes].
 */
export function withInferredActions(
  environment: Environment,
  batch: Batch,
  backward: np.Array,
  uniform: np.Array,
): Batch {
  const { outcomes: C, actions: A } = environment;
  const [N] = batch.actions.shape;
  const logBackward = logBackwardPolicy(batch, lax.stopGradient(backward)); // [N, backwardActions]
  const logProbabilityOf = (action: number) => {
    const row = np.array(oneHotRows([action], A)); // [A]
    const backwardAction = environment.backwardAction(
      batch.sources,
      np.broadcastTo(row, [N, A]),
      batch.outcomes,
    ); // [N, backwardActions]
    const logProbability = np.sum(np.multiply(logBackward, backwardAction), 1, { keepdims: true }); // [N, 1]
    // An action that cannot have the outcome may have no backward action.
    const isPossible = np.less(0.5, np.sum(backwardAction, 1, { keepdims: true })); // [N, 1]
    return np.where(isPossible, logProbability, MASKED_LOGIT); // [N, 1]
  };
  const logits = np.concatenate(
    Array.from({ length: C }, (_, action) => logProbabilityOf(action)),
    1,
  ); // [N, C]
  const [forSample] = uniform.shape[1] > C ? np.split(uniform, [C], 1) : [uniform]; // [N, C]
  const sampled = sampleCategorical(logits, forSample); // [N, C]
  const hasNoAction = np.less(np.sum(batch.actions, 1, { keepdims: true }), 0.5); // [N, 1]
  const hasOutcome = np.less(0.5, np.sum(batch.outcomes, 1, { keepdims: true })); // [N, 1]
  const isUnknown = np.logicalAnd(hasNoAction, hasOutcome); // [N, 1]
  const padded =
    A > C
      ? np.pad(sampled, [
          [0, 0],
          [0, A - C],
        ])
      : sampled; // [N, A]
  const actions = np.where(isUnknown, padded, batch.actions); // [N, A]
  const backwardAction = environment.backwardAction(batch.sources, actions, batch.outcomes); // [N, backwardActions]
  return { ...batch, actions, backwardAction };
}
