// A common interface of GFlowNets and other policy learners, so that they can be compared on one environment.

import type { ModelParameters } from "../gfn/evaluate/network-tables.ts";
import type { Model } from "../gfn/policy/model.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import { modelTrainer, type TrainerOptions } from "../gfn/training/trainer.ts";

/** The result of one iteration of a learner. */
export interface LearnerReport {
  readonly loss: number;
  /** Cross-entropy of the dynamics model. Null without one. */
  readonly dynamicsLoss: number | null;
  /** Mean entropy ratio over the steps of the batch. Null if the learner does not use the entropy ratio. */
  readonly entropyRatio: number | null;
  /** Terminals of the trajectories of the batch. */
  readonly terminals: Int32Array;
  /** 1 for each row that the policy did not sample. Null if it sampled all. */
  readonly offPolicy: Uint8Array | null;
}

/** A method that learns a policy for an environment, iteration by iteration. */
export interface Learner {
  readonly model: Model;
  /** Names of the programs that the learner has compiled. */
  readonly programs: readonly string[];
  /** Runs iteration t, counted from 0, at the given progress of the run. Await each call before the next one. */
  step(t: number, progress: number): Promise<LearnerReport>;
  /** Copies the current parameters. */
  parameters(): Promise<ModelParameters>;
  /** The complete state between two steps, as bytes. */
  save(): Promise<Uint8Array>;
  /** Continues bit-identically from a state that a learner with the same options saved. Throws if it does not fit. */
  restore(saved: Uint8Array): void;
  /** Frees the compiled programs. */
  dispose(): Promise<void>;
}

/** A checkpoint has the position in a run, too; whoever runs a learner counts its steps. */
const NO_RUN = { iteration: 0, iterations: null, plan: [], seconds: 0, evaluated: false } as const;

/** A GFlowNet as a learner. `options.scores` must be a table, not a function. */
export async function gflownetLearner(options: TrainerOptions): Promise<Learner> {
  const trainer = await modelTrainer({ ...options, reportObjects: true });
  return {
    model: trainer.model,
    programs: trainer.programs,
    async step(t, progress) {
      const { terminals, offPolicy, entropyRatio = null, ...losses } = await trainer.step(t, progress);
      const { loss, dynamicsLoss } = losses;
      return {
        ...{ loss, dynamicsLoss, entropyRatio },
        terminals: terminals as Int32Array,
        offPolicy: offPolicy ?? null,
      };
    },
    parameters: () => trainer.parameters(),
    async save() {
      return encodeCheckpoint({ ...(await trainer.save()), ...NO_RUN });
    },
    restore: (saved) => trainer.restore(decodeCheckpoint(saved, "the saved learner")),
    dispose: () => trainer.dispose(),
  };
}
