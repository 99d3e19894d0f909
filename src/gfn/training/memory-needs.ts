// Estimates of the memory that training, evaluation and limits take, from sizes alone: nothing is enumerated.
//
// The factors were measured as the largest memory of a process on runs of 0.2 to 2 GB, and rounded up. They count
// arrays that were replaced and not yet collected.

import type { MemoryNeed } from "../../math/memory-budget.ts";
import { hasRegimes, isSequence } from "../environment/capabilities.ts";
import { type Environment, isEnumerable } from "../environment/environment.ts";
import { canEnumerateStates } from "../evaluate/enumerated-states.ts";
import { countHistories } from "../evaluate/history-enumeration.ts";
import { learnsDynamics } from "../objectives/objective.ts";
import { isThoughtConditioned } from "../policy/history-embedding.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import { prefixLayer } from "../policy/prefix-layer.ts";
import type { Settings } from "./settings.ts";

const FLOAT32 = 4;
const FLOAT64 = 8;
/** An enumeration grows by half, and its arrays are copied once more at the end. A transition has 14 bytes. */
const BYTES_PER_TRANSITION = 36;
/** Scores, rewards, targets, sorted copies, ranks, and the table inside the training program. */
const BYTES_PER_TERMINAL = 100;
/** Policies that are kept at the same time, by expectation maximisation and by water-filling on a tree. */
const POLICIES = { graph: 6, tree: 3 };
/** Copies of the parameters: moments, two sets of buffers, gradients, and checkpoints. */
const PARAMETER_COPIES = 36;
/** States per call of the program that tabulates the networks, and copies of its outputs. */
const [TABULATED_ROWS, OUTPUT_COPIES] = [4096, 6];
/** Numbers per unit of a network and row of a batch: values, gradients and intermediate results. */
const NUMBERS_PER_UNIT = 8;
/** The traced graph of one step of a trajectory, which programs unroll, with its simplified copies. */
const BYTES_PER_STEP = 1.5 * 2 ** 20;
/** A sampled object with its text, actions and row of the samples' file, and a number more for each step. */
const BYTES_PER_SAMPLE = 1500;
const BYTES_PER_SAMPLED_STEP = 40;
/** A mode: its index, its text, and the entries of both in lists and sets. */
const BYTES_PER_MODE = 300;
/** Copies of a replay buffer, of which a checkpoint makes three. */
const BUFFER_COPIES = 4;

/** More parameters than any machine has room for. */
const MOST_PARAMETERS = 2 ** 34;

/** Settings that decide the size of the networks. */
const NETWORK_OPTIONS: readonly (keyof Settings)[] = [
  ...(["hidden", "stateTableRows", "embeddingWidth", "dynamicsHidden", "dynamicsStateTableRows"] as const),
  ...(["objectMarginalHidden", "encoderWidth", "encoderFeedForward"] as const),
];

/** Sizes that decide the memory of a run besides its settings. */
export interface MemorySizes {
  readonly environment: Environment;
  /** Number of objects with a score. */
  readonly terminals: number;
  /** Number of known modes of the task. */
  readonly modes: number;
}

/** Scores and modes of a task. */
export function taskNeeds({ terminals, modes }: Pick<MemorySizes, "terminals" | "modes">): MemoryNeed[] {
  return [
    { what: "the scores of all objects", bytes: 3 * FLOAT64 * terminals },
    { what: "the modes", bytes: BYTES_PER_MODE * modes, heap: true },
  ];
}

/** A limit without training: the enumeration, and the policies of the search. */
export function limitNeeds(sizes: MemorySizes): MemoryNeed[] {
  const { environment, terminals } = sizes;
  return [...taskNeeds(sizes), ...tableNeeds(environment, terminals, !isEnumerable(environment))];
}

/** Training with its evaluations and the samples at the end. */
export function trainingNeeds(sizes: MemorySizes, settings: Settings, samples: number): MemoryNeed[] {
  const { environment, terminals } = sizes;
  // No machine has room for so many parameters, and not even the tables of the encoder could be made.
  const encoder = encoderParameters(settings);
  if (encoder > MOST_PARAMETERS) return [parameterNeed(encoder)];
  const model = modelOf(environment, settings);
  return [
    ...taskNeeds(sizes),
    ...(canEnumerateStates(model) ? evaluationNeeds(model, terminals, settings) : []),
    ...programNeeds(model, settings),
    ...bufferNeeds(environment, settings),
    {
      what: "the samples",
      bytes: samples * (BYTES_PER_SAMPLE + BYTES_PER_SAMPLED_STEP * environment.maxSteps),
      heap: true,
      options: ["samples"],
    },
  ];
}

/** Training of designs, which is not evaluated exactly unless its strings are few: programs and buffers. The policy is
 * sampled and its log-probabilities are computed by programs of their own. */
export function designNeeds(environment: Environment, settings: Settings): MemoryNeed[] {
  const encoder = encoderParameters(settings);
  if (encoder > MOST_PARAMETERS) return [parameterNeed(encoder)];
  return [
    ...programNeeds(modelOf(environment, settings), settings),
    ...bufferNeeds(environment, settings),
    { what: "the programs of samples and log-probabilities", bytes: BYTES_PER_STEP * environment.maxSteps },
  ];
}

/** Exact evaluation: the tables of a limit, and the inputs and outputs of the networks for every state. */
function evaluationNeeds(model: Model, terminals: number, settings: Settings): MemoryNeed[] {
  const { environment } = model;
  const histories = isThoughtConditioned(model) || !isEnumerable(environment);
  const states = countStates(environment, histories);
  const { features, outcomes } = environment;
  const rows = states + OUTPUT_COPIES * Math.min(states, TABULATED_ROWS);
  return [
    ...tableNeeds(environment, terminals, histories),
    { what: "the network inputs of all states", bytes: states * (FLOAT32 * (features + 1) + outcomes) },
    ...(learnsDynamics(settings)
      ? [{ what: "the learned dynamics of all states", bytes: FLOAT32 * rows * outcomes ** 2 }]
      : []),
  ];
}

/** The enumeration of states or histories, policies over it, and distributions over the objects. */
function tableNeeds(environment: Environment, terminals: number, histories: boolean): MemoryNeed[] {
  const states = countStates(environment, histories);
  const { actions } = environment;
  const isTree = isEnumerable(environment) && environment.tree;
  const policies = isTree && !histories ? POLICIES.tree : POLICIES.graph;
  return [
    {
      what: `the transitions of the ${histories ? "histories" : "states"}`,
      bytes: BYTES_PER_TRANSITION * countTransitions(environment, states) + FLOAT32 * states * actions,
    },
    { what: "the policies of the limit", bytes: policies * FLOAT64 * states * actions },
    { what: "distributions over all objects", bytes: BYTES_PER_TERMINAL * terminals },
  ];
}

function countStates(environment: Environment, histories: boolean): number {
  return histories && isSequence(environment) ? countHistories(environment) : environment.states;
}

/** Without noise every action has one outcome; with noise each has all legal ones. Of d axes of a grid with H cells each,
 * an axis is legal with probability (H − 1) / H. */
function countTransitions(environment: Environment, states: number): number {
  const { outcomes, stick, hasStop } = environment;
  const isNoisy = stick > 0 || hasRegimes(environment) || environment.noiseDescription !== undefined;
  if (environment.kind === "grid") {
    const legal = 1 - 1 / environment.featureBlock;
    const mean = outcomes * legal;
    // The second moment of a binomial count, because each legal action has each legal outcome.
    return states * (1 + (isNoisy ? mean ** 2 + mean * (1 - legal) : mean));
  }
  return states * ((isNoisy ? outcomes ** 2 : outcomes) + (hasStop ? 1 : 0));
}

/** Programs: parameters, rows of a batch with all steps, and the traced graph. */
function programNeeds(
  { environment, policyLayout, dynamicsLayout }: Model,
  settings: Settings,
): MemoryNeed[] {
  const { maxSteps, actions, outcomes, backwardActions } = environment;
  const sum = (widths: readonly number[]) => widths.reduce((a, b) => a + b, 0);
  const units =
    sum(settings.hidden) +
    encoderUnits(settings, maxSteps) +
    featureUnits(environment) +
    actions +
    backwardActions +
    (learnsDynamics(settings) ? sum(settings.dynamicsHidden) + actions * outcomes : 0);
  const { dynamicsReplayCapacity, dynamicsReplayBatch, dynamicsReplayRounds } = settings;
  const stored = dynamicsReplayCapacity > 0 ? dynamicsReplayBatch * dynamicsReplayRounds : 0;
  return [
    parameterNeed(policyLayout.size + dynamicsLayout.size),
    {
      what: "the trajectories of a batch",
      bytes: NUMBERS_PER_UNIT * FLOAT32 * settings.batch * maxSteps * units,
      options: ["batch", ...NETWORK_OPTIONS],
    },
    {
      what: "the stored trajectories of an update",
      bytes: NUMBERS_PER_UNIT * FLOAT32 * stored * maxSteps * units,
      options: ["dynamicsReplayBatch", "dynamicsReplayRounds"],
    },
    { what: "the program of all steps", bytes: BYTES_PER_STEP * maxSteps, heap: true },
  ];
}

/** Numbers per step of the policy's encoder. A transformer has weights of the attention to all earlier steps besides. */
function encoderUnits(settings: Settings, maxSteps: number): number {
  const { network, encoder, encoderLayers, encoderWidth, encoderHeads } = settings;
  if (network === "mlp" && encoder === "none") return 0;
  const attention = network === "recurrent" ? 0 : (encoderHeads * maxSteps) / 2;
  return encoderLayers * (8 * encoderWidth + attention);
}

/** Features of a state, unless the networks read a string letter by letter. */
function featureUnits(environment: Environment): number {
  return prefixLayer(environment) ? environment.featureBlock : environment.features;
}

function parameterNeed(parameters: number): MemoryNeed {
  const bytes = PARAMETER_COPIES * FLOAT32 * parameters;
  return { what: "the parameters of the networks", bytes, options: NETWORK_OPTIONS };
}

/** A lower bound on the parameters of the history encoders: the matrices of attention and feed-forward layers. */
function encoderParameters(settings: Settings): number {
  const { network, encoder, dynamicsEncoder, encoderLayers, encoderWidth } = settings;
  const inputs = [network === "mlp" ? encoder : "outcomes", dynamicsEncoder];
  const encoders = inputs.filter((input) => input !== "none").length;
  return encoders * encoderLayers * 4 * encoderWidth ** 2;
}

function bufferNeeds({ maxSteps }: Environment, settings: Settings): MemoryNeed[] {
  const { replayShare, replayCapacity, dynamicsReplayCapacity } = settings;
  const trajectories = (replayShare === 0 ? 0 : replayCapacity) + dynamicsReplayCapacity;
  const bytes = trajectories * (2 * FLOAT32 * maxSteps + FLOAT64);
  const options = ["replayCapacity", "dynamicsReplayCapacity"];
  return [{ what: "the replay buffers", bytes: BUFFER_COPIES * bytes, options }];
}
