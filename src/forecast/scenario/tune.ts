// Tunes a steered policy for some contexts: subtrajectory balance on its own paths, while the condition grows hard.

import { type EngineName, RandomStream, type TypedArray } from "../../engine/index.ts";
import type { FlowModel } from "../flow/model.ts";
import { trainerOf } from "../flow/trainer.ts";
import { HARDNESS } from "./watch.ts";

export interface TuningOptions {
  /** Time to tune for, in seconds; 20 unless told. None leaves the policy as the law is. */
  readonly seconds?: number;
  /** Iterations instead of time: then the same seed gives the same policy. */
  readonly iterations?: number;
  readonly seed?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

export interface Tuned {
  readonly params: Float32Array;
  readonly iterations: number;
  readonly seconds: number;
  /** Mean over the last tenth of the iterations; NaN where there were none. */
  readonly loss: number;
}

const SECONDS = 20;
/** Paths of an iteration, and contexts that share them at most. */
const [PATHS, CONTEXTS] = [64, 8];
const LEARNING_RATE = 5e-3;
/** Nats per unit by which a condition is missed, in the end; from `SOFT` on over the first `RISE` of the time. */
const [SOFT, HARD, RISE] = [1, 20, 0.6];

/** Arrays of the contexts by name, without hardness; all have one length per context. */
export async function tune(
  model: FlowModel,
  contexts: readonly Readonly<Record<string, TypedArray>>[],
  options: TuningOptions = {},
): Promise<Tuned> {
  const { seconds = SECONDS, iterations, seed = 0, engine, threads, signal } = options;
  const root = RandomStream.fromSeed(seed).split("tuning");
  if (iterations === 0 || (iterations === undefined && seconds === 0)) {
    return { params: model.layout.init(root.split("init")), iterations: 0, seconds: 0, loss: Number.NaN };
  }
  const count = Math.min(contexts.length, CONTEXTS);
  const trainer = await trainerOf(model, {
    objective: { balance: "subtb", forwardLooking: true, loss: "huber", lambda: 0.9 },
    contexts: count,
    paths: Math.round(PATHS / count),
    behaviour: { tempered: 0.25, temperature: 1.5, fade: true },
    learningRate: LEARNING_RATE,
    clip: 1,
    seed,
    engine,
    threads,
  });
  try {
    const chosen = root.split("contexts");
    const hardness = HARDNESS in model.problem.inputs;
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const progress = () => (iterations ? losses.length / iterations : elapsed() / seconds);
    const losses: number[] = [];
    while (progress() < 1) {
      signal?.throwIfAborted();
      const places = Array.from({ length: count }, (_, i) =>
        contexts.length <= count ? i : chosen.integer(contexts.length),
      );
      const now = progress();
      const inputs = {
        ...packed(places.map((place) => contexts[place])),
        ...(hardness && { [HARDNESS]: new Float32Array(count).fill(hardnessAt(now)) }),
      };
      losses.push((await trainer.step({ inputs }, now)).loss);
    }
    const last = losses.slice(-Math.ceil(losses.length / 10));
    return {
      params: await trainer.parameters(),
      iterations: losses.length,
      seconds: elapsed(),
      loss: last.reduce((sum, loss) => sum + loss, 0) / last.length,
    };
  } finally {
    await trainer.dispose();
  }
}

/** Hardness by the share of the tuning that is done. */
export function hardnessAt(progress: number): number {
  return SOFT * (HARD / SOFT) ** Math.min(1, progress / RISE);
}

/** Arrays of contexts one after the other. */
function packed(contexts: readonly Readonly<Record<string, TypedArray>>[]): Record<string, TypedArray> {
  const names = Object.keys(contexts[0]);
  return Object.fromEntries(
    names.map((name) => {
      const size = contexts[0][name].length;
      const all = new Float32Array(size * contexts.length);
      contexts.forEach((context, i) => {
        all.set(context[name], i * size);
      });
      return [name, all];
    }),
  );
}
