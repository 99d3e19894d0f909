// Estimates the size of the run that a config describes, so that the benchmark trains only small runs.

import type { CompleteConfig } from "../../src/config/index.ts";
import { isEnumerable } from "../../src/gfn/environment/environment.ts";
import { canEnumerateHistories } from "../../src/gfn/evaluate/history-enumeration.ts";
import { readsBackwardPolicy } from "../../src/gfn/policy/backward-policy.ts";
import type { Task } from "../../src/tasks/task.ts";

/** Maximum number of objects of a task. */
const MAX_OBJECTS = 2 ** 18;

/** Whether the scores of all objects can be computed quickly. */
export function hasSmallTask({ task, dimensions, side, bits }: CompleteConfig): boolean {
  if (task === "hypergrid") return (side as number) ** (dimensions as number) <= MAX_OBJECTS;
  return task !== "bit-sequence" || 2 ** (bits as number) <= MAX_OBJECTS;
}

const MAX_STEPS = 40;
const MAX_LAYERS = 8;
/** Maximum number of stored values: weights, state tables, buffers. */
const MAX_NUMBERS = 2 ** 21;
/** Maximum number of multiplications in one iteration, or in one evaluation. */
const MAX_WORK = 2 ** 27;

/** A number of values that exceeds the memory of any machine. Training must refuse such a config at once. */
const IMPOSSIBLE = 2 ** 37;

/**
 * `small`: a few iterations are fast. `large`: a few iterations need much memory or time. `impossible`: the run exceeds
 * the memory of any machine.
 */
export function sizeOf(config: CompleteConfig, { environment }: Task): "small" | "large" | "impossible" {
  const { features, actions, backwardActions, outcomes, maxSteps, states, featureBlock } = environment;
  const { hidden, dynamicsHidden, batch, embeddingWidth } = config;
  const inputs = config.state === "embedded" ? (features / featureBlock) * embeddingWidth : features;
  const weights = (widths: readonly number[], outputs: number) =>
    [...widths, outputs].reduce(({ sum, before }, width) => ({ sum: sum + before * width, before: width }), {
      sum: config.state === "embedded" ? features * embeddingWidth : 0,
      before: inputs,
    }).sum;
  const backward = readsBackwardPolicy(environment, config) ? backwardActions : 0;
  const outputs = { policy: actions + backward + 1, dynamics: outcomes ** 2 };
  const { encoderWidth: width } = config;
  const perLayer = 4 * width ** 2 + 2 * width * (config.encoderFeedForward || 4 * width);
  const encoders = [config.encoder, config.dynamicsEncoder].filter((kind) => kind !== "none");
  const encoderWeights = encoders.length * config.encoderLayers * perLayer;
  const perState =
    encoderWeights + weights(hidden, outputs.policy) + weights(dynamicsHidden, outputs.dynamics);
  const usesHistories =
    canEnumerateHistories(environment) && (encoderWeights > 0 || !isEnumerable(environment));
  const enumerated = usesHistories ? outcomes ** (2 * (maxSteps - 1)) : states;
  const rows = (setting: number) => Math.min(setting, states);
  const stateTables =
    rows(config.stateTableRows) * outputs.policy + rows(config.dynamicsStateTableRows) * outputs.dynamics;
  const trajectories =
    config.replayCapacity +
    config.dynamicsReplayCapacity +
    config.dynamicsReplayBatch * config.dynamicsReplayRounds +
    batch;
  const numbers =
    perState +
    stateTables +
    maxSteps * (2 * trajectories + batch * Math.max(...hidden, ...dynamicsHidden, 1));
  if (perState > IMPOSSIBLE || 2 * batch * maxSteps > IMPOSSIBLE) return "impossible";
  const small =
    maxSteps <= MAX_STEPS &&
    hidden.length <= MAX_LAYERS &&
    dynamicsHidden.length <= MAX_LAYERS &&
    config.dynamicsReplayRounds <= 8 &&
    numbers <= MAX_NUMBERS &&
    maxSteps * trajectories * (perState + outputs.policy) <= MAX_WORK &&
    enumerated * (perState + maxSteps * encoderWeights) <= MAX_WORK;
  return small ? "small" : "large";
}
