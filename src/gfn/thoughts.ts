// Intentions for steps of which only the outcome is known: drawn from the backward policy.
//
// Objects known from elsewhere come without a thought. The joint form needs one; any will do that could have led to the
// outcome, and the backward policy says which are likely. None of it is told to the dynamics model.

import { lax, numpy as np } from "@jax-js/jax";
import { maskedLogSoftmax } from "../nn/index.ts";
import type { Batch } from "./batch.ts";
import { gumbel, largest } from "./draw.ts";
import type { Environment } from "./environment.ts";

/**
 * The batch with every intention filled in. `backward` are the logits of the ways into all states,
 * [(T + 1)·B, classes]; `uniform` is [N, at least outcomes].
 */
export function withThoughts(
  environment: Environment,
  batch: Batch,
  backward: np.Array,
  uniform: np.Array,
): Batch {
  const { B } = batch;
  const { outcomes: C, actions: A } = environment;
  const [N] = batch.actions.shape;
  const [, later] = np.split(backward, [B], 0); // [N, classes]
  const logBackward = maskedLogSoftmax(lax.stopGradient(later), batch.backwardAllowed); // [N, classes]
  const logOf = (intention: number) => {
    const oneHot = np.equal(np.arange(A), intention).astype(np.float32); // [A]
    const way = environment.backwardClass(np.broadcastTo(oneHot, [N, A]), batch.outcomes); // [N, classes]
    return np.sum(np.multiply(logBackward, way), 1, { keepdims: true }); // [N, 1]
  };
  const logs = np.concatenate(
    Array.from({ length: C }, (_, intention) => logOf(intention)),
    1,
  ); // [N, C]
  const [forDraw] = uniform.shape[1] > C ? np.split(uniform, [C], 1) : [uniform]; // [N, C]
  const drawn = largest(np.add(logs, gumbel(forDraw))); // [N, C]
  const unknown = np.less(np.sum(batch.actions, 1, { keepdims: true }), 0.5); // [N, 1]
  const happened = np.less(0.5, np.sum(batch.outcomes, 1, { keepdims: true })); // [N, 1]
  const missing = np.logicalAnd(unknown, happened); // [N, 1]
  const whole =
    A > C
      ? np.pad(drawn, [
          [0, 0],
          [0, A - C],
        ])
      : drawn; // [N, A]
  const actions = np.where(missing, whole, batch.actions); // [N, A]
  return { ...batch, actions, backwardClass: environment.backwardClass(actions, batch.outcomes) };
}
