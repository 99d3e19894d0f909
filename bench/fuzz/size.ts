// How large the run of a config would be, so that a benchmark trains what is small and leaves the rest.

import type { CompleteConfig } from "../../src/cli/config/keys.ts";
import { isEnumerable } from "../../src/gfn/environment.ts";
import { canListHistories } from "../../src/gfn/evaluate/histories.ts";
import type { Task } from "../../src/tasks/task.ts";

/** Objects up to which a task is made at all. */
const MOST_OBJECTS = 2 ** 18;

/** Whether all scores can be had in a moment. */
export function hasSmallTask({ task, dimensions = 1, side = 1, bits = 1 }: CompleteConfig): boolean {
  switch (task) {
    case "tfbind8":
    case "regime":
    case "pricing":
      return true;
    case "hypergrid":
      return side ** dimensions <= MOST_OBJECTS;
    case "bit-sequence":
      return 2 ** bits <= MOST_OBJECTS;
    default:
      return task satisfies never;
  }
}

const MOST_STEPS = 40;
const MOST_LAYERS = 8;
/** Numbers that are kept: weights, memories, buffers. */
const MOST_NUMBERS = 2 ** 21;
/** Multiplications of one iteration, or of one evaluation. */
const MOST_WORK = 2 ** 27;

/** More numbers than any machine has room for; training must refuse them, and at once. */
const IMPOSSIBLE = 2 ** 37;

/** Whether a few iterations take a moment, much memory or time, or cannot be. */
export function sizeOf(config: CompleteConfig, { environment }: Task): "small" | "large" | "impossible" {
  const { features, actions, backwardClasses, outcomes, maxSteps, states, featureBlock } = environment;
  const { hidden, dynamicsHidden, batch, embeddingWidth } = config;
  const inputs = config.state === "embedded" ? (features / featureBlock) * embeddingWidth : features;
  const weights = (widths: readonly number[], outputs: number) =>
    [...widths, outputs].reduce(({ sum, before }, width) => ({ sum: sum + before * width, before: width }), {
      sum: config.state === "embedded" ? features * embeddingWidth : 0,
      before: inputs,
    }).sum;
  const outputs = { policy: actions + backwardClasses + 1, dynamics: outcomes ** 2 };
  const { encoderWidth: width } = config;
  const perLayer = 4 * width ** 2 + 2 * width * (config.encoderFeedForward || 4 * width);
  const readers = [config.encoder, config.dynamicsEncoder].filter((reads) => reads !== "none");
  const reading = readers.length * config.encoderLayers * perLayer;
  const perState = reading + weights(hidden, outputs.policy) + weights(dynamicsHidden, outputs.dynamics);
  const thoughtful = canListHistories(environment) && (reading > 0 || !isEnumerable(environment));
  const listed = thoughtful ? outcomes ** (2 * (maxSteps - 1)) : states;
  const rows = (asked: number) => Math.min(asked, states);
  const memories =
    rows(config.memoryRows) * outputs.policy + rows(config.dynamicsMemoryRows) * outputs.dynamics;
  const episodes =
    config.replayCapacity +
    config.dynamicsReplayCapacity +
    config.dynamicsReplayEpisodes * config.dynamicsReplayRounds +
    batch;
  const numbers =
    perState + memories + maxSteps * (2 * episodes + batch * Math.max(...hidden, ...dynamicsHidden, 1));
  if (perState > IMPOSSIBLE || 2 * batch * maxSteps > IMPOSSIBLE) return "impossible";
  const small =
    maxSteps <= MOST_STEPS &&
    hidden.length <= MOST_LAYERS &&
    dynamicsHidden.length <= MOST_LAYERS &&
    config.dynamicsReplayRounds <= 8 &&
    numbers <= MOST_NUMBERS &&
    maxSteps * episodes * (perState + outputs.policy) <= MOST_WORK &&
    listed * (perState + maxSteps * reading) <= MOST_WORK;
  return small ? "small" : "large";
}
