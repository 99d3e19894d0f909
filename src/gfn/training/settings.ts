// All training settings, as one flat object of plain data. Config files and flags use the same names.
//
// `settings-table.ts` has the rule, help and default of each setting, `check-settings.ts` the rules between settings, and
// `defaults.ts` the defaults that depend on the environment.

import type { Schedule } from "../../nn/optim/schedule.ts";
import type { EntropyRatioEstimator, EntropyRatioUse } from "../objectives/entropy-ratio/choices.ts";
import { learnsDynamics, type Objective, type ObjectiveName } from "../objectives/objective.ts";
import type { EncoderInput } from "../policy/input-names.ts";
import type { ModelSettings } from "../policy/model-settings.ts";

/** All settings of training, as one flat object. `defaultSettings` fills them in. */
export interface Settings extends Objective, ModelSettings {
  /** Weight λⁿ of sub-trajectories of n steps in the balance `subtb`. */
  readonly lambda: number;

  /** The reward is the score raised to this power. */
  readonly rewardExponent: number;
  /** Smallest reward, as a fraction of the largest. */
  readonly rewardFloor: number;
  /** Iterations until the exponent has moved half-way from 1 to `rewardExponent`; 0 trains with the full exponent. */
  readonly rewardRamp: number;

  /** Trajectories per iteration. */
  readonly batch: number;
  /** Learning rate of the policy. */
  readonly learningRate: Schedule;
  /** Learning rate of the dynamics model. */
  readonly dynamicsLearningRate: Schedule;
  /** Largest norm of the policy's gradient; 0 for no clipping. */
  readonly clip: number;
  /** Largest norm of the dynamics model's gradient; 0 for no clipping. */
  readonly dynamicsClip: number;

  /** Probability of drawing a uniform legal action at a step of a training rollout. */
  readonly epsilon: Schedule;
  /** Training rollouts divide the policy's logits by this temperature. */
  readonly temperature: Schedule;
  /** Share of the batch that follows objects drawn uniformly from all objects. */
  readonly uniformShare: Schedule;
  /** Share of the batch that follows offline objects. */
  readonly offlineShare: Schedule;

  /** Use of the entropy ratio. */
  readonly entropyRatio: EntropyRatioUse | "none";
  /** Estimator of the entropy ratio. */
  readonly entropyEstimator: EntropyRatioEstimator;
  /** Weight γ of the high entropy in the mixture in the denominator of the entropy ratio. */
  readonly entropyGamma: Schedule;
  /** Level of the low quantile of the batch's entropies; the high quantile is at 1 minus this. */
  readonly entropyQuantile: number;
  /** Coefficient of the entropy regulariser in the loss; 0 for none. */
  readonly entropyRegulariser: Schedule;

  /** Share of the batch that repeats trajectories from the replay buffer. */
  readonly replayShare: Schedule;
  /** Trajectories in the replay buffer; the oldest is replaced first. */
  readonly replayCapacity: number;
  /** Stored trajectories are drawn in proportion to score to this power; 0 draws uniformly. */
  readonly replayPriority: number;
  /** Trajectories stored for training the dynamics model; 0 trains it on the batch. */
  readonly dynamicsReplayCapacity: number;
  /** Stored trajectories per update of the dynamics model. */
  readonly dynamicsReplayBatch: number;
  /** Updates of the dynamics model per iteration, on stored trajectories. */
  readonly dynamicsReplayRounds: number;
}

/** Settings as a user gives them: any of them, and an objective by name. */
export type SettingsInput = Partial<Settings> & { readonly objective?: ObjectiveName };

/** Whether a network is conditioned on the thought, that is, on the actions before a state. */
export function conditionsOnThought({
  dynamics,
  encoder,
  dynamicsEncoder,
}: Pick<Settings, "dynamics" | "encoder" | "dynamicsEncoder">): boolean {
  const used = learnsDynamics({ dynamics }) ? [encoder, dynamicsEncoder] : [encoder];
  return used.some(includesThought);
}

/** Whether this input of an encoder contains the actions. */
export function includesThought(input: EncoderInput): boolean {
  return input === "thought" || input === "both";
}
