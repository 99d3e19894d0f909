// The table of training settings: the rule, help and default of each. Config checks, flags and `--help` derive from it.
//
// The module imports no networks, because `--help` loads it.

import { ACTIVATION_NAMES } from "../../nn/activation-names.ts";
import { depends, is, type Keys, key } from "../../settings/keys.ts";
import { boolean, choice, number, whole, widths } from "../../settings/kinds.ts";
import { schedule } from "../../settings/schedule-kind.ts";
import { ENTROPY_RATIO_ESTIMATORS, ENTROPY_RATIO_USES } from "../objectives/entropy-ratio/choices.ts";
import { BALANCES, DYNAMICS_FORMS, LOSSES, OBJECTIVES, type ObjectiveName } from "../objectives/objective.ts";
import { HISTORY_INPUTS, NETWORKS, OUTPUT_INITS, STATE_INPUTS } from "../policy/input-names.ts";
import type { Settings, SettingsInput } from "./settings.ts";

const ENCODER_INPUTS = ["none", ...HISTORY_INPUTS] as const;
const MOST_LAYERS = 32;

const share = schedule({ from: 0, to: 1 });
const rate = schedule({ from: 0 });
const positive = number({ above: 0 });
const notNegative = number({ from: 0 });
const fromObjective = depends("set by `objective`");

// biome-ignore format: a table
/** The rule, help text and default of every setting. */
export const SETTING_KEYS: Keys<Settings> = {
  balance: key(choice(BALANCES), "objective", "balance condition: detailed (db), trajectory (tb), sub-trajectory (subtb) or forward-looking detailed balance (fl-db), or VarGrad", fromObjective),
  dynamics: key(choice(DYNAMICS_FORMS), "objective", "how the environment's dynamics enter the balance", fromObjective),
  loss: key(choice(LOSSES), "objective", "loss on the residual of the balance", fromObjective),
  lambda: key(notNegative, "objective", "λ of the balance subtb, where sub-trajectories of n steps have the weight λⁿ", is(0.9)),
  learnLogZ: key(boolean(), "objective", "learn log Z as a separate parameter, instead of using the log flow of the start state; for tb and subtb", depends("true with `dynamics` thought, else false")),
  logZInitial: key(number(), "objective", "initial value of a learned log Z", is(0)),
  logZRateScale: key(positive, "objective", "learning rate of a learned log Z as a multiple of the policy's", is(10)),

  rewardExponent: key(positive, "reward", "the reward is the score to this power", depends("as the task defines, else 1")),
  rewardFloor: key(number({ from: 0, to: 1 }), "reward", "smallest reward as a fraction of the largest", is(1e-4)),
  rewardRamp: key(notNegative, "reward", "iterations until the exponent has risen half-way from 1 to `rewardExponent`; 0 for no ramp", is(0)),

  network: key(choice(NETWORKS), "networks", "what reads a state for the policy: a perceptron on its features (mlp), or for strings a GRU (recurrent) or a transformer over the letters so far", is("mlp")),
  hidden: key(widths(MOST_LAYERS), "networks", "widths of the policy's hidden layers", is([128, 128])),
  activation: key(choice(ACTIVATION_NAMES), "networks", "activation function of both networks", is("relu")),
  stateTableRows: key(whole(0), "networks", "rows of the policy's state table (learned logits per state, added to the output of the network); 0 for none", depends("one per state; 0 if that exceeds 2^20 numbers or states cannot be enumerated")),
  stateTableRateScale: key(positive, "networks", "learning rate of the state table as a multiple of the weights'", depends("7 with the default state table, else 1")),
  state: key(choice(STATE_INPUTS), "networks", "input of both networks for a state; none: only the embedding of the history", is("one-hot")),
  embeddingWidth: key(whole(1), "networks", "width of the embedding of a letter or coordinate, with `state` embedded", is(16)),
  outputInit: key(choice(OUTPUT_INITS), "networks", "initial weights of the policy's last layer; with zeros, the policy starts uniform", is("glorot")),
  dynamicsHidden: key(widths(MOST_LAYERS), "networks", "widths of the dynamics model's hidden layers", is([16])),
  dynamicsStateTableRows: key(whole(0), "networks", "rows of the dynamics model's state table; 0 for none", is(0)),
  dynamicsStateTableRateScale: key(positive, "networks", "learning rate of the dynamics model's state table as a multiple of its weights'", is(1)),
  objectMarginalHidden: key(widths(MOST_LAYERS), "networks", "widths of the object marginal's hidden layers, with `dynamics` thought", depends("as `hidden`")),

  encoder: key(choice(ENCODER_INPUTS), "encoder", "condition the policy on the history: its actions (thought), its outcomes, or both", is("none")),
  dynamicsEncoder: key(choice(ENCODER_INPUTS), "encoder", "condition the dynamics model on the history", depends("as `encoder` with `dynamics` thought, else none")),
  encoderLayers: key(whole(1, MOST_LAYERS), "encoder", "layers of each history encoder, and of a recurrent or transformer `network`", is(2)),
  encoderWidth: key(whole(2), "encoder", "width of each history encoder, and of a recurrent or transformer `network`; must be even", is(64)),
  encoderHeads: key(whole(1), "encoder", "attention heads of each transformer; must divide `encoderWidth`", is(4)),
  encoderFeedForward: key(whole(0), "encoder", "hidden width of the feed-forward layers of each transformer; 0 for four times `encoderWidth`", is(0)),

  batch: key(whole(1), "learning", "trajectories per iteration", depends("128, but fewer for transformers over more than 181 steps, whose attention takes memory in proportion to the square of the steps")),
  learningRate: key(rate, "learning", "learning rate of the policy", depends("3e-3:3e-5:cosine, or 1e-3:1e-5:cosine with `dynamics` thought")),
  dynamicsLearningRate: key(rate, "learning", "learning rate of the dynamics model", is({ from: 3e-3, to: 3e-5, shape: "cosine" })),
  clip: key(notNegative, "learning", "largest norm of the policy's gradient; 0 for no clipping", depends("0.5 with `dynamics` thought, else 0")),
  dynamicsClip: key(notNegative, "learning", "largest norm of the dynamics model's gradient; 0 for no clipping", is(0)),

  epsilon: key(share, "exploration", "probability of a uniformly drawn legal action at each step of a training rollout", depends("0.5:0:linear:0.6 if the default of `uniformShare` is 0, else 0; always 0 with `dynamics` thought")),
  temperature: key(schedule({ from: 1e-3, to: 1e3 }), "exploration", "divisor of the policy's logits in training rollouts; above 1 explores more", is(1)),
  uniformShare: key(share, "exploration", "share of the batch that consists of trajectories to uniformly drawn objects", depends("0.5:0:linear:0.6, but 0 for environments without an enumeration, with `dynamics` expected, and for networks conditioned on the thought")),
  offlineShare: key(share, "exploration", "share of the batch that consists of trajectories to objects of `offlineFile`", is(0)),

  entropyRatio: key(choice(["none", ...ENTROPY_RATIO_USES]), "entropy", "use of the entropy ratio, which compares high and low entropies of the policy", is("none")),
  entropyEstimator: key(choice(ENTROPY_RATIO_ESTIMATORS), "entropy", "entropies in the ratio: two quantiles of the batch (quantile), or the entropy of each state with a fixed low level (clamp) or a low quantile (state)", is("quantile")),
  entropyGamma: key(schedule({ above: 0, to: 1 }), "entropy", "weight of the high entropy in the denominator of the ratio; below 1, except at the end of a schedule", is(0.5)),
  entropyQuantile: key(number({ above: 0, below: 0.5 }), "entropy", "level of the low quantile; the high quantile is at 1 minus this level", is(0.25)),
  entropyRegulariser: key(schedule({ from: 0 }), "entropy", "coefficient of the entropy regulariser; a value above 0 at the end changes the target", is(0)),

  replayShare: key(share, "replay", "share of the batch that repeats trajectories from the replay buffer", is(0)),
  replayCapacity: key(whole(1), "replay", "largest number of trajectories in the replay buffer", is(10_000)),
  replayPriority: key(notNegative, "replay", "stored trajectories are drawn in proportion to their score to this power; 0 draws uniformly", is(0)),
  dynamicsReplayCapacity: key(whole(0), "replay", "largest number of trajectories stored for training the dynamics model; 0 trains it on the batch", is(0)),
  dynamicsReplayBatch: key(whole(1), "replay", "stored trajectories per update of the dynamics model", is(128)),
  dynamicsReplayRounds: key(whole(1), "replay", "updates of the dynamics model per iteration, on stored trajectories", is(1)),
};

/** The key of an objective by name, which sets balance, dynamics and loss together. */
const OBJECTIVE_KEY = key<ObjectiveName>(
  choice(Object.keys(OBJECTIVES) as ObjectiveName[]),
  "objective",
  "sets balance, dynamics and loss together",
  depends("kl, or sdb for environments with more than 64 outcomes"),
);

export const INPUT_KEYS: Keys<SettingsInput> = { objective: OBJECTIVE_KEY, ...SETTING_KEYS };
