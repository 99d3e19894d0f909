// The entropy ratio in the behaviour policy: actions are sampled from π^(1/r), which is flatter the more the entropies of
// the policy differ. The loss and the evaluation still use π.

import { numpy as np } from "@jax-js/jax";
import type { BehaviourPolicy } from "../../sampling/rollout.ts";
import type { EntropyRatioOptions } from "./options.ts";
import { entropyRatio, normalisedEntropy } from "./ratio.ts";

export interface EntropyFlattening {
  /** The ratio r of the states at one step of the rollout. Quantiles are over these states. */
  readonly ratio: NonNullable<BehaviourPolicy["ratio"]>;
  /** Mean of r over all running steps so far, []. */
  meanRatio(): np.Array;
}

export function entropyFlattening(options: EntropyRatioOptions, gamma: np.Array): EntropyFlattening {
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
    meanRatio: () => np.divide(total(sums), total(counts)), // []
  };
}
