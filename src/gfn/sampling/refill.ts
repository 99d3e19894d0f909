// Refills strings: some letters of each string are kept, and the policy writes the others. Each row of a batch has its own
// letters, so a mask of the actions at each step of each row is an input of the program.

import { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, type RandomStream, spec } from "../../engine/index.ts";
import type { Model } from "../policy/model.ts";
import { rollout, trajectoryIndices, uniformsPerStep } from "./rollout.ts";

/** For each row the actions that it may take at each step, [maxSteps · actions]. */
export type RowMask = Uint8Array;

/** Samples one object for each mask. */
export interface Refiller {
  /** The objects, in the order of the masks; null where the mask and the letters before left no legal action. */
  refill(policy: Float32Array, masks: readonly RowMask[], stream: RandomStream): Promise<(string | null)[]>;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

/** Objects per call of the compiled program. */
const BATCH = 256;

/** Compiles the program for a model. */
export async function refiller(
  model: Model,
  { engine, threads }: { readonly engine?: EngineName; readonly threads?: number } = {},
): Promise<Refiller> {
  const { environment } = model;
  const { maxSteps: T, actions: A } = environment;
  const shape = [T, BATCH, uniformsPerStep(environment)];
  const uniform = new Float32Array(shape.reduce((a, b) => a * b));
  const allowed = new Uint8Array(T * BATCH * A);
  const program = await compile(
    ({ policy, uniform, allowed }: Readonly<Record<string, np.Array>>) => {
      const restricted = { allowed: allowed.reshape([T * BATCH, A]) };
      const trajectories = rollout(environment, model.incrementalPolicy(policy, BATCH), uniform, restricted);
      const stuck = trajectories.allowed.map((mask, t) => {
        const isStuck = np.less(np.sum(mask.astype(np.float32), 1), 0.5).astype(np.float32); // [B]
        return np.multiply(isStuck, trajectories.states[t].running); // [B]
      });
      return {
        outcomes: trajectoryIndices(trajectories).outcomes, // [T, B]
        stuck: stuck.reduce((a, b) => np.maximum(a, b)), // [B]
      };
    },
    { policy: spec([model.policyLayout.size]), uniform: spec(shape), allowed: spec([T, BATCH, A], "bool") },
    { name: "refill", engine, threads },
  );
  return {
    async refill(policy, masks, stream) {
      const objects: (string | null)[] = [];
      for (let start = 0; start < masks.length; start += BATCH) {
        const rows = Math.min(BATCH, masks.length - start);
        for (let row = 0; row < BATCH; row++) {
          const mask = row < rows ? masks[start + row] : null;
          for (let t = 0; t < T; t++) {
            const first = (t * BATCH + row) * A;
            for (let action = 0; action < A; action++)
              allowed[first + action] = mask ? mask[t * A + action] : 1;
          }
        }
        const { outcomes, stuck } = await program.run({
          policy,
          uniform: stream.fillUniform(uniform),
          allowed,
        });
        for (let row = 0; row < rows; row++) {
          const letters: number[] = [];
          for (let t = 0; t < T; t++) {
            const letter = outcomes[t * BATCH + row];
            if (letter >= 0) letters.push(letter);
          }
          objects.push(stuck[row] > 0 ? null : environment.describe(letters));
        }
      }
      return objects;
    },
    dispose: () => program.dispose(),
  };
}
