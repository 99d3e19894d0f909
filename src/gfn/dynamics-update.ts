// Training the model of the dynamics: cross-entropy on what the environment did to known intentions.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import type { Batch } from "./batch.ts";
import { forEachEpisode, type History, type Model } from "./model.ts";
import { stepsBefore } from "./policy-pass.ts";

/** What the dynamics model sees of the N steps of a batch. */
export interface DynamicsBatch {
  readonly features: np.Array;
  readonly index: np.Array;
  /** Outcomes that are legal, bool [N, C]. */
  readonly legal: np.Array;
  /** One-hot pairs of intention and outcome, [N, a, c]. */
  readonly pairs: np.Array;
  /** What came before each step, for a model that reads. */
  readonly history: History;
  /** 1 where a step teaches something: an environment's answer to a move, [N]. */
  readonly counts: np.Array;
}

/** `drawn` is 1 for episodes that the environment itself played, [B]. */
export function dynamicsBatch({ environment }: Model, batch: Batch, drawn: np.Array | null): DynamicsBatch {
  const { T, B } = batch;
  const { outcomes: C, stops } = environment;
  const N = T * B;
  const [legal] = stops ? np.split(batch.allowed, [C], 1) : [batch.allowed]; // [N, C]
  const [intended] = stops ? np.split(batch.actions, [C], 1) : [batch.actions]; // [N, C]
  const moves = stops ? np.multiply(batch.running, np.subtract(1, batch.stop)) : batch.running; // [N]
  return {
    features: np.split(batch.features, [N], 0)[0], // [N, features]
    index: np.split(batch.index, [N], 0)[0], // [N]
    legal,
    pairs: np.multiply(intended.reshape([N, C, 1]), batch.outcomes.reshape([N, 1, C])), // [N, a, c]
    history: stepsBefore(batch, T - 1),
    counts: drawn ? np.multiply(np.broadcastTo(drawn, [T, B]).reshape([N]), moves) : moves, // [N]
  };
}

/** log P̂ of every outcome under every intention, [N, a, c]. */
export function logModel(model: Model, dynamics: np.Array, batch: DynamicsBatch): np.Array {
  const { features, index, legal, history } = batch;
  if (!model.reads.dynamics) return model.dynamicsOf(dynamics, features, index, legal); // [N, a, c]
  const read = model.summaries("dynamics", dynamics, history); // [1 + (T − 1)·B, width]
  const summary = forEachEpisode(read, history.batch); // [N, width]
  return model.dynamicsOf(dynamics, features, index, legal, summary); // [N, a, c]
}

/** Mean of −log P̂ over the steps that count, and its gradient. */
export function crossEntropy(
  model: Model,
  dynamics: np.Array,
  batch: DynamicsBatch,
): { readonly loss: np.Array; readonly gradient: np.Array } {
  const mean = (flat: np.Array) => {
    const logs = np.sum(np.multiply(logModel(model, flat, batch), batch.pairs), [1, 2] as unknown as number); // [N]
    const sum = np.sum(np.multiply(logs, batch.counts)); // []
    return np.negative(np.divide(sum, np.maximum(np.sum(batch.counts), 1))); // []
  };
  const [loss, gradient] = valueAndGrad(mean)(dynamics);
  return { loss, gradient };
}
