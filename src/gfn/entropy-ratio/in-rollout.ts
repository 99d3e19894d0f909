// The entropy ratio in the rollout: episodes drawn from π^(1/r), flatter where the policy's entropies differ much.
//
// Only what is drawn changes. Episodes are scored under π, and evaluation knows nothing of it.

import { numpy as np } from "@jax-js/jax";
import type { Behaviour } from "../rollout.ts";
import type { EntropyRatioOptions } from "./options.ts";
import { entropyRatio, normalisedEntropy } from "./ratio.ts";

export interface Flattening {
  /** r of the states at one step of the rollout; quantiles are among them. */
  readonly ratio: NonNullable<Behaviour["ratio"]>;
  /** Mean of r over all running steps asked about so far, []. */
  mean(): np.Array;
}

export function flattening(options: EntropyRatioOptions, gamma: np.Array): Flattening {
  const sums: np.Array[] = [];
  const counts: np.Array[] = [];
  const total = (parts: readonly np.Array[]) => parts.reduce((a, b) => np.add(a, b)); // []
  return {
    ratio(logits, legal, running) {
      const entropy = normalisedEntropy(logits, legal); // [B], or [1] at the start
      const weight = entropy.shape[0] === running.shape[0] ? running : np.ones(entropy.shape); // [B] or [1]
      const ratio = np.exp(entropyRatio(options, entropy, weight, gamma).logRatio); // [B] or [1]
      sums.push(np.sum(np.multiply(ratio, running))); // []
      counts.push(np.sum(running)); // []
      return ratio; // [B] or [1]
    },
    mean: () => np.divide(total(sums), total(counts)), // []
  };
}
