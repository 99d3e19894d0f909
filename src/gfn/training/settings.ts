// All training settings, as one flat object of plain data. Config files and flags use the same names.
//
// `settings-table.ts` has the rule, help and default of each setting, `check-settings.ts` the rules between settings, and
// `defaults.ts` the defaults that depend on the environment.

import type { ActivationName } from "../../nn/activation-names.ts";
import type { Schedule } from "../../nn/optim/schedule.ts";
import type { EntropyRatioEstimator, EntropyRatioUse } from "../objectives/entropy-ratio/choices.ts";
import type { Objective, ObjectiveName } from "../objectives/objective.ts";
import type { HistoryInput, StateInput } from "../policy/input-names.ts";

/** Input of a history encoder at each step; "none" for a network that depends on the state alone. */
export type EncoderInput = HistoryInput | "none";

export interface Settings extends Objective {
  /** Weight λⁿ of sub-trajectories of n steps in the balance `subtb`. */
  readonly lambda: number;
  /** Whether log Z is a learned parameter, instead of the log flow of the start. For `tb` and `subtb`. */
  readonly learnLogZ: boolean;
  readonly logZInitial: number;
  /** Learning rate of log Z as a multiple of the policy's. */
  readonly logZRateScale: number;

  /** The reward is the score raised to this power. */
  readonly rewardExponent: number;
  /** Smallest reward, as a fraction of the largest. */
  readonly rewardFloor: number;
  /** Iterations until the exponent has moved half-way from 1 to `rewardExponent`; 0 trains with the full exponent. */
  readonly rewardRamp: number;

  /** Widths of the policy's hidden layers. */
  readonly hidden: readonly number[];
  readonly activation: ActivationName;
  /** Rows of the policy's state table; 0 for none. */
  readonly stateTableRows: number;
  /** Learning rate of the state table as a multiple of the weights'. */
  readonly stateTableRateScale: number;
  /** How both networks receive a state. */
  readonly state: StateInput;
  readonly embeddingWidth: number;
  readonly dynamicsHidden: readonly number[];
  readonly dynamicsStateTableRows: number;
  readonly dynamicsStateTableRateScale: number;
  /** Widths of the hidden layers of the object marginal, which the dynamics form `thought` learns. */
  readonly objectMarginalHidden: readonly number[];

  /** History that the policy is conditioned on. */
  readonly encoder: EncoderInput;
  /** History that the dynamics model is conditioned on. */
  readonly dynamicsEncoder: EncoderInput;
  readonly encoderLayers: number;
  readonly encoderWidth: number;
  readonly encoderHeads: number;
  /** Hidden width of the feed-forward layers; 0 for four times `encoderWidth`. */
  readonly encoderFeedForward: number;

  /** Trajectories per iteration. */
  readonly batch: number;
  readonly learningRate: Schedule;
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

/** Whether the objective needs a model of the dynamics. */
export function learnsDynamics({ dynamics }: Pick<Objective, "dynamics">): boolean {
  return dynamics === "joint" || dynamics === "marginal" || dynamics === "thought";
}

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
