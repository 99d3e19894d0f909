// The attention weights of a transformer history encoder along one trajectory.
//
// The encoder reads the trajectory step by step and passes the weights of each layer to a hook, as in a rollout. So the
// networks themselves do not know that somebody watches.

import { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, spec } from "../../engine/index.ts";
import { oneHot } from "../../nn/one-hot.ts";
import type { Model } from "./model.ts";

export interface AttentionOptions {
  readonly model: Model;
  /** The network whose encoder is watched. It must be history-conditioned. */
  readonly net: "policy" | "dynamics";
  /** The first steps of a trajectory: indices of actions and outcomes, −1 for a stop. */
  readonly actions: readonly number[];
  readonly outcomes: readonly number[];
  readonly engine?: EngineName;
  readonly threads?: number;
}

export interface AttentionWeights {
  readonly layers: number;
  readonly heads: number;
  /** The shared positions (context and start token), followed by one position per step. */
  readonly positions: number;
  /** [layers · heads · positions · positions], ordered by layer, head, query and key; 0 for keys after the query. */
  readonly weights: Float32Array;
}

/** The weights of all layers and heads; null for an encoder without attention. */
export async function attentionWeights(
  { model, net, actions, outcomes, engine, threads }: AttentionOptions,
  parameters: Float32Array,
): Promise<AttentionWeights | null> {
  const { environment } = model;
  const steps = actions.length;
  let sizes = { layers: 0, heads: 0, positions: 0 };
  const evaluate = (inputs: Readonly<Record<string, np.Array>>): Record<string, np.Array> => {
    const found: np.Array[] = []; // by step, then by layer
    const watch = (activation: np.Array) => {
      if (activation.shape.length === 4) found.push(activation); // weights are [L, S, B, H], all others have two axes
      return activation;
    };
    let state = model.startHistory(net, inputs.parameters, watch);
    const layers = found.length;
    if (layers === 0) return { weights: state.embedding };
    for (let step = 0; step < steps; step++) {
      const rowOf = (indices: readonly number[], width: number) =>
        oneHot(np.array([indices[step]], { dtype: np.int32 }), width); // [1, width]
      const action = rowOf(actions, environment.actions); // [1, actions]
      const outcome = rowOf(outcomes, environment.outcomes); // [1, outcomes]
      state = state.next({ action, outcome }, watch);
    }
    const [, shared, , heads] = found[0].shape;
    const positions = shared + steps;
    sizes = { layers, heads, positions };
    const perLayer = Array.from({ length: layers }, (_, layer) => {
      const rows = found.filter((_, i) => i % layers === layer).map((row) => padded(row, positions));
      return np.transpose(np.concatenate(rows, 0), [2, 0, 1]); // [H, S, S]
    });
    return { weights: np.concatenate(perLayer, 0) }; // [layers · H, S, S]
  };
  const program = await compile(
    evaluate,
    { parameters: spec([parameters.length]) },
    { name: "attention", engine, threads },
  );
  try {
    const { weights } = await program.run({ parameters });
    return sizes.layers === 0 ? null : { ...sizes, weights: weights as Float32Array };
  } finally {
    await program.dispose();
  }
}

/** Weights [L, s, 1, H] of queries with s keys, with zeros for later keys: [L, S, H]. */
function padded(weights: np.Array, positions: number): np.Array {
  const [queries, keys, , heads] = weights.shape;
  const rows = weights.reshape([queries, keys, heads]); // [L, s, H]
  if (keys === positions) return rows; // [L, S, H]
  return np.concatenate([rows, np.zeros([queries, positions - keys, heads])], 1); // [L, S, H]
}
