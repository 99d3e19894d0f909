// Everything that a run may be told, one key each: the config file, the flags and `--help` are made of this table.
//
// It loads no networks and no tasks, so that help is immediate; a test holds it against what they know.

import { ENGINES } from "../../engine/engine-name.ts";
import { ESTIMATORS, RATIO_USES } from "../../gfn/entropy-ratio/choice.ts";
import type { EncoderOptions } from "../../gfn/history-encoder.ts";
import type { NetworkOptions } from "../../gfn/networks.ts";
import { BALANCES, DYNAMICS, LOSSES, OBJECTIVES, type ObjectiveName } from "../../gfn/objectives/choice.ts";
import type { ActivationName } from "../../nn/activations.ts";
import { course } from "./course-kind.ts";
import { choice, type Kind, number, path, truth, whole, widths } from "./kinds.ts";

export const TASKS = ["tfbind8", "hypergrid", "bit-sequence", "regime", "pricing"] as const;
export type TaskName = (typeof TASKS)[number];

/** Groups of keys, in the order of `--help`, with their headings there. */
export const GROUPS = {
  task: "Task",
  objective: "Objective",
  reward: "Reward",
  networks: "Networks",
  encoder: "Encoder",
  learning: "Learning",
  exploration: "Exploration",
  entropy: "Entropy",
  replay: "Replay",
  run: "Run",
} as const;
export type Group = keyof typeof GROUPS;

const ACTIVATIONS = [
  "relu",
  "gelu",
  "tanh",
  "sigmoid",
  "softplus",
  "silu",
  "logSigmoid",
  "identity",
] as const satisfies readonly ActivationName[];
const STATES = ["one-hot", "embedded", "none"] as const satisfies readonly NetworkOptions["state"][];
const READS = ["none", "thought", "realised", "both"] as const satisfies readonly (
  | EncoderOptions["reads"]
  | "none"
)[];
const MOST_LAYERS = 32;
/** What fits a table of all scores, see `checkTableSize`. */
export const MOST_BITS = 24;
/** As many as are listed in a moment, see `pricingEnvironment`. */
const MOST_MONTHS = 6;

/** The value if nothing is said, or in a few words what it depends on. */
type Default<T> = { readonly value: T } | { readonly depends: string };

export interface Key<T> {
  readonly kind: Kind<T>;
  readonly group: Group;
  readonly help: string;
  readonly default: Default<T>;
  /** The only task it is for; for all of them if not given. */
  readonly task?: TaskName;
  /** The one task it is not for. */
  readonly except?: TaskName;
}

function key<T>(
  kind: Kind<T>,
  group: Group,
  help: string,
  byDefault: Default<NoInfer<T>>,
  task?: TaskName,
): Key<T> {
  return { kind, group, help, default: byDefault, ...(task && { task }) };
}

const is = <const T>(value: T) => ({ value });
const depends = (text: string) => ({ depends: text });
const level = number({ from: 0, below: 1 });
const share = course({ from: 0, to: 1 });
const rate = course({ from: 0 });
const positive = number({ above: 0 });
const notNegative = number({ from: 0 });
const aliases = choice(Object.keys(OBJECTIVES) as ObjectiveName[]);
const asObjective = depends("as the objective has it");

// biome-ignore format: a table
export const KEYS = {
  task: key(choice(TASKS), "task", "what to solve", is("tfbind8")),
  stick: { ...key(level, "task", "probability that the environment replaces an action by one of its own", is(0.25)), except: "regime" },
  table: key(path("surrogate", "simplified"), "task", "where scores come from: a protein-binding-microarray file, or a built-in", is("surrogate"), "tfbind8"),
  dimensions: key(whole(1, MOST_BITS), "task", "axes of the grid", is(2), "hypergrid"),
  side: key(whole(2, 2 ** MOST_BITS), "task", "cells along each axis", is(8), "hypergrid"),
  r0: key(notNegative, "task", "reward everywhere", is(1e-3), "hypergrid"),
  r1: key(notNegative, "task", "reward added in the outer ring", is(0.5), "hypergrid"),
  r2: key(notNegative, "task", "reward added in the modes", is(2), "hypergrid"),
  bits: key(whole(1, MOST_BITS), "task", "bits of a string", is(16), "bit-sequence"),
  word: key(whole(1, 8), "task", "bits written at once", is(4), "bit-sequence"),
  modes: key(whole(1, 2 ** MOST_BITS), "task", "how many modes are drawn", is(8), "bit-sequence"),
  modeSeed: key(whole(0, Number.MAX_SAFE_INTEGER), "task", "which modes are drawn", is(0), "bit-sequence"),
  sharpness: key(positive, "task", "β in the score exp(−β · distance to a mode / bits)", is(8), "bit-sequence"),
  quietStick: key(level, "task", "noise of quiet episodes", is(0), "regime"),
  noisyStick: key(level, "task", "noise of all other episodes", is(0.7), "regime"),
  quietShare: key(number({ above: 0, below: 1 }), "task", "share of quiet episodes", is(0.4), "regime"),
  months: key(whole(1, MOST_MONTHS), "task", "months that a customer is followed", is(4), "pricing"),
  claimCost: key(notNegative, "task", "what a claim costs, where the standard premium is 100 a month", is(150), "pricing"),
  priceSensitivity: key(notNegative, "task", "log odds of leaving per unit above the competitor's price", is(0.05), "pricing"),
  profitScale: key(positive, "task", "profit that makes a path e times as good", is(60), "pricing"),

  objective: key(aliases, "objective", "balance, dynamics and loss by one name", depends("kl, or sdb for more than 64 letters")),
  balance: key(choice(BALANCES), "objective", "which balance must hold", asObjective),
  dynamics: key(choice(DYNAMICS), "objective", "how the environment's dynamics enter it", asObjective),
  loss: key(choice(LOSSES), "objective", "what is made of its residual", asObjective),
  lambda: key(notNegative, "objective", "in subtb, sub-trajectories of n steps count λⁿ", is(0.9)),
  ownLogZ: key(truth(), "objective", "log Z is a parameter of its own; with tb and subtb", depends("true with the dynamics thought, else false")),
  logZInitial: key(number(), "objective", "what log Z starts from, with ownLogZ", is(0)),
  logZRateScale: key(positive, "objective", "learning rate of log Z as a multiple of the policy's, with ownLogZ", is(10)),

  rewardExponent: key(positive, "reward", "reward is the score to this power", depends("3 for tfbind8, else 1")),
  rewardFloor: key(number({ from: 0, to: 1 }), "reward", "smallest reward as a share of the largest", is(1e-4)),
  rewardRamp: key(notNegative, "reward", "iterations after which the exponent is half-way from 1; 0 for none", is(0)),

  hidden: key(widths(MOST_LAYERS), "networks", "widths of the policy's hidden layers", is([128, 128])),
  activation: key(choice(ACTIVATIONS), "networks", "activation between the layers of both networks", is("relu")),
  memoryRows: key(whole(0), "networks", "rows of the policy's memory, one per state if they are enough; 0 for none", depends("one per state, if that is not too many")),
  memoryRateScale: key(positive, "networks", "learning rate of the memory as a multiple of the weights'", depends("7 where there is a memory by default, else 1")),
  state: key(choice(STATES), "networks", "how both networks see a state; with none, those with an encoder see only what it says", is("one-hot")),
  embeddingWidth: key(whole(1), "networks", "numbers per letter or coordinate of an embedded state", is(16)),
  dynamicsHidden: key(widths(MOST_LAYERS), "networks", "widths of the dynamics model's hidden layers", is([16])),
  dynamicsMemoryRows: key(whole(0), "networks", "rows of the dynamics model's memory; 0 for none", is(0)),

  encoder: key(choice(READS), "encoder", "what the policy reads of the episode so far: intentions, outcomes, or both", is("none")),
  dynamicsEncoder: key(choice(READS), "encoder", "what the dynamics model reads of the episode so far", depends("as encoder with the dynamics thought, else none")),
  encoderLayers: key(whole(1, MOST_LAYERS), "encoder", "layers of each transformer that reads", is(2)),
  encoderWidth: key(whole(2), "encoder", "numbers per step in it; even", is(64)),
  encoderHeads: key(whole(1), "encoder", "heads of its attention, which divide encoderWidth", is(4)),
  encoderFeedForward: key(whole(0), "encoder", "hidden width of its feed-forward parts; 0 for four times encoderWidth", is(0)),

  batch: key(whole(1), "learning", "episodes per iteration", is(128)),
  learningRate: key(rate, "learning", "learning rate of the policy", depends("3e-3:3e-5:cosine, or 1e-3:1e-5:cosine with the dynamics thought")),
  dynamicsLearningRate: key(rate, "learning", "learning rate of the dynamics model", is({ from: 3e-3, to: 3e-5, shape: "cosine" })),
  clip: key(notNegative, "learning", "largest norm of the policy's gradient; 0 for any", depends("0.5 with the dynamics thought, else 0")),
  dynamicsClip: key(notNegative, "learning", "largest norm of the dynamics model's gradient; 0 for any", is(0)),

  epsilon: key(share, "exploration", "share of steps at which a legal action is drawn uniformly", depends("0, or 0.5:0:linear:0.6 where uniformShare is 0 by default, but for the dynamics thought")),
  temperature: key(course({ from: 1e-3, to: 1e3 }), "exploration", "temperature of the policy when it draws; above 1 is flatter", is(1)),
  uniformShare: key(share, "exploration", "share of the batch on objects drawn uniformly", depends("0.5:0:linear:0.6, or 0 for regime, with the dynamics expected and where the thought is read")),
  offlineShare: key(share, "exploration", "share of the batch on known objects", is(0)),
  known: key(path(), "exploration", "text file of known objects, one per line", depends("none")),

  entropyRatio: key(choice(["none", ...RATIO_USES]), "entropy", "what the ratio of high to low entropies of the policy is used for", is("none")),
  entropyEstimator: key(choice(ESTIMATORS), "entropy", "which entropies it compares: of the batch, or of each state", is("quantile")),
  entropyGamma: key(course({ above: 0, to: 1 }), "entropy", "share of the high entropy in what it is compared with; 1 only at the end of a course", is(0.5)),
  entropyQuantile: key(number({ above: 0, below: 0.5 }), "entropy", "level of the batch's low quantile; the high one is at 1 − it", is(0.25)),
  entropyRegulariser: key(course({ from: 0 }), "entropy", "coefficient of the entropy regulariser; the target moves unless it ends at 0", is(0)),

  replayShare: key(share, "replay", "share of the batch on earlier episodes of this run", is(0)),
  replayCapacity: key(whole(1), "replay", "episodes kept for replayShare", is(10_000)),
  replayPriority: key(notNegative, "replay", "episodes are drawn by score to this power; 0 for all alike", is(0)),
  dynamicsReplayCapacity: key(whole(0), "replay", "episodes kept to train the dynamics model on; 0 trains it on the batch", is(0)),
  dynamicsReplayEpisodes: key(whole(1), "replay", "episodes per update of the dynamics model, out of those kept", is(128)),
  dynamicsReplayRounds: key(whole(1), "replay", "updates of the dynamics model per iteration, on those kept", is(1)),

  iterations: key(whole(1, Number.MAX_SAFE_INTEGER), "run", "iterations to make", is(5000)),
  evaluateEvery: key(whole(0), "run", "iterations between evaluations; 0 for the first and last only", is(500)),
  checkpointEvery: key(whole(0), "run", "iterations between checkpoints; 0 for the last only", is(500)),
  logEvery: key(whole(1), "run", "iterations between lines of metrics", is(10)),
  samples: key(whole(1), "run", "objects drawn where there is sampling", is(1000)),
  seed: key(whole(0, Number.MAX_SAFE_INTEGER), "run", "seed of every random number", is(0)),
  engine: key(choice(ENGINES), "run", "engine that runs it", depends("native where its library loads")),
  threads: key(whole(1), "run", "threads of the native engine", is(1)),
} as const;

export type KeyName = keyof typeof KEYS;
export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

type ValueOf<K extends KeyName> = (typeof KEYS)[K] extends Key<infer T> ? T : never;

/** The key with its types joined, for code that goes through all of them. */
export function keyOf(name: KeyName): Key<unknown> {
  return KEYS[name] as Key<unknown>;
}

/** Whether a run of the task may be told this. */
export function isFor(name: KeyName, task: TaskName): boolean {
  const { task: only, except } = keyOf(name);
  return (only === undefined || only === task) && except !== task;
}

/** Tasks with levels of noise, under which methods are compared. */
export const COMPARED_TASKS: readonly TaskName[] = TASKS.filter((task) => isFor("stick", task));

/** What was said about a run; the rest is left to defaults. */
export type Config = { readonly [K in KeyName]?: ValueOf<K> } & Fingerprints;

/** What files held when the config was completed, so that a changed one is noticed. */
export interface Fingerprints {
  readonly tableSha256?: string;
  readonly knownSha256?: string;
}

/** Keys that a complete config may lack: those of other tasks, and `known`. */
type OwnKeys = "table" | "dimensions" | "side" | "r0" | "r1" | "r2" | "bits" | "word" | "modes" | "modeSeed";
type MoreKeys = "sharpness" | "quietStick" | "noisyStick" | "quietShare";
type PricingKeys = "months" | "claimCost" | "priceSensitivity" | "profitScale";
type Optional = OwnKeys | MoreKeys | PricingKeys | "stick" | "known";

/** Everything about a run. */
export type CompleteConfig = Config & { readonly [K in Exclude<KeyName, Optional>]-?: ValueOf<K> };
