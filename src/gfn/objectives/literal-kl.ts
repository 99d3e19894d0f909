// A divergence that looks right and is not: KL of the policy from the backward policy, intention by intention.
//
// The two answer different questions, what to intend now and what was intended before. With a backward policy that
// tells the truth they agree only where nothing is left to chance, so minimising it makes the policy certain; and there
// is no reward in it. It is kept to show that.

import { lax, numpy as np } from "@jax-js/jax";
import { maskedLogSoftmax } from "../../nn/index.ts";
import type { Batch } from "../batch.ts";
import type { Environment } from "../environment.ts";
import type { PolicyOutputs } from "../networks.ts";
import type { Objective } from "./choice.ts";

/**
 * Σ_a π(a|s) (log π(a|s) − log π_B(a|s') − log r(s)) over the intentions that are no stop, with π_B held fixed, and
 * −log π_B of what was intended, from which π_B learns the truth; per step [N], 0 at a stop. Were π_B left free, it
 * would copy π, for a state tells its parent on a tree: then every policy has divergence zero.
 */
export function literalKl(batch: Batch, outputs: PolicyOutputs, logRatio: np.Array | null): np.Array {
  const { T, B } = batch;
  const N = T * B;
  const [, C] = batch.outcomes.shape;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const [, laterLogits] = np.split(outputs.backward, [B], 0); // [N, C], of the states after the steps
  const logPolicy = maskedLogSoftmax(stepLogits, batch.allowed); // [N, actions]
  const [logMoves] = logPolicy.shape[1] > C ? np.split(logPolicy, [C], 1) : [logPolicy]; // [N, C]
  const logBackward = maskedLogSoftmax(laterLogits, batch.backwardAllowed); // [N, C]
  const gap = np.subtract(logMoves, lax.stopGradient(logBackward)); // [N, C]
  const less = logRatio ? np.subtract(gap, logRatio.reshape([N, 1])) : gap; // [N, C]
  const divergence = np.sum(np.multiply(np.exp(logMoves), less), 1); // [N]
  const surprise = np.negative(np.sum(np.multiply(logBackward, batch.backwardClass), 1)); // [N]
  return np.multiply(np.add(divergence, surprise), np.subtract(1, batch.stop)); // [N]
}

/** Throws one sentence unless every intention of the environment has a backward probability to compare it with. */
export function checkLiteral({ loss }: Objective, environment: Environment): void {
  const { name, backwardClasses, outcomes, stick } = environment;
  if (loss !== "kl-literal") return;
  if (backwardClasses !== outcomes) {
    throw new RangeError(
      `kl-literal needs a tree, where ways into a state differ by intention only, and ${name} is none; use kl`,
    );
  }
  if (stick === 0) {
    throw new RangeError("kl-literal is infinite without noise, for what came was intended; use kl");
  }
}
