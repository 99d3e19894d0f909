// Anything that learns a policy step by step, so that different kinds of learning can be compared on one environment.

import type { ModelParameters } from "../gfn/evaluate/network-tables.ts";
import type { Model } from "../gfn/model.ts";
import { createTrainer, type TrainerOptions } from "../gfn/trainer.ts";

export interface LearnerReport {
  readonly loss: number;
  /** Cross-entropy of the dynamics model; null if there is none. */
  readonly dynamicsLoss: number | null;
  /** Mean of the entropy ratio over the steps of the batch; null if it is not used. */
  readonly entropyRatio: number | null;
  /** Numbers of the objects that the step's episodes ended in. */
  readonly terminals: Int32Array;
}

export interface Learner {
  readonly model: Model;
  /** Names of what was compiled. */
  readonly programs: readonly string[];
  /** Iteration t, counted from 0, at this progress of the run. Calls must be awaited one after the other. */
  step(t: number, progress: number): Promise<LearnerReport>;
  parameters(): Promise<ModelParameters>;
  dispose(): Promise<void>;
}

/** A GFlowNet in training. Its scores must stand in a table. */
export async function createGflownet(options: TrainerOptions): Promise<Learner> {
  const trainer = await createTrainer({ ...options, reportObjects: true });
  return {
    model: trainer.model,
    programs: trainer.programs,
    async step(t, progress) {
      const { loss, dynamicsLoss, entropyRatio = null, terminals } = await trainer.step(t, progress);
      return { loss, dynamicsLoss, entropyRatio, terminals: terminals as Int32Array };
    },
    parameters: () => trainer.parameters(),
    dispose: () => trainer.dispose(),
  };
}
