// Tunes a steered policy for some contexts, in stages that lead from the law to the target.
//
// At a stage, paths are drawn from the policy as it is, and what they are worth beyond their likelihood counts to the
// largest power at which their weights still make good samples. The policy then learns by subtrajectory balance on its own
// paths and on such samples, of which it learns the likelihood, too. Rare events are so reached in steps, each of them common.

import { type EngineName, RandomStream, type TypedArray } from "../../engine/index.ts";
import type { FlowModel } from "../flow/model.ts";
import { trainerOf } from "../flow/trainer.ts";
import type { DrawnPaths, PathDrawer } from "./draw.ts";
import { POWER } from "./steered.ts";
import { effectiveSize, resampled } from "./weights.ts";

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
  /** The power that was reached: 1 is the target. */
  readonly power: number;
  /** Mean loss of the last stage; NaN where there was none. */
  readonly loss: number;
}

const SECONDS = 20;
/** Paths of an iteration; the share of them that are weighted samples; and contexts of a stage at most. */
const [PATHS, GIVEN, CONTEXTS] = [64, 0.5, 8];
const LEARNING_RATE = 5e-3;
/** Weight of the likelihood of the samples beside the balance. */
const ANCHOR = 0.1;
/** Stages of a run, paths drawn for each, and the share of them that they must be worth. */
const [STAGES, POOL, WORTH] = [16, 1024, 0.2];
/** Share of a stage's paths that come from the law. */
const PLAIN_SHARE = 0.1;

/** The arrays of each context by name, without the power. With noise, own paths go astray as often as plans will. */
export async function tune(
  model: FlowModel,
  drawer: PathDrawer,
  contexts: readonly Readonly<Record<string, TypedArray>>[],
  options: TuningOptions & { readonly noise?: number } = {},
): Promise<Tuned> {
  const { seconds = SECONDS, iterations, noise = 0, seed = 0, engine, threads, signal } = options;
  const root = RandomStream.fromSeed(seed).split("tuning");
  if (iterations === 0 || (iterations === undefined && seconds === 0)) return untuned(model, seed);
  const { horizon: n } = model.problem;
  const trainer = await trainerOf(model, {
    objective: { balance: "subtb", forwardLooking: true, loss: "huber", lambda: 0.9 },
    contexts: PATHS,
    behaviour: { given: GIVEN, noise },
    anchor: ANCHOR,
    learningRate: LEARNING_RATE,
    clip: 10,
    seed,
    engine,
    threads,
  });
  try {
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const progress = () => (iterations ? done / iterations : elapsed() / seconds);
    const stream = root.split("stages");
    let [done, stage, power, loss] = [0, 0, 0, Number.NaN];
    while (progress() < 1) {
      const params = stage === 0 ? untuned(model, seed).params : await trainer.parameters();
      const places = chosen(contexts.length, stream);
      const drawn: DrawnPaths[] = [];
      for (const place of places) {
        const count = Math.round(POOL / places.length);
        drawn.push(await drawer.draw(params, contexts[place], count, stage === 0 ? 1 : PLAIN_SHARE, stream));
      }
      power = Math.max(
        power,
        drawn.reduce((least, pool) => Math.min(least, powerOf(pool)), 1),
      );
      // Every row is a context of its own, so that each follows a sample of its own.
      const rows = Array.from({ length: PATHS }, (_, row) => row % places.length);
      const inputs = {
        ...packed(rows.map((row) => contexts[places[row]])),
        ...(POWER in model.problem.inputs && { [POWER]: new Float32Array(PATHS).fill(power) }),
      };
      let [sum, count] = [0, 0];
      const end = (stage + 1) / STAGES;
      do {
        signal?.throwIfAborted();
        const samples = drawn.map((pool) =>
          resampled(atPower(pool, power), null, Math.ceil(PATHS / places.length), stream),
        );
        const paths = new Int32Array(PATHS * n);
        rows.forEach((context, row) => {
          const sample = samples[context][Math.floor(row / places.length)];
          paths.set(drawn[context].tokens[sample], row * n);
        });
        sum += (await trainer.step({ inputs, paths }, progress())).loss;
        count++;
        done++;
      } while (progress() < end);
      loss = sum / count;
      stage++;
    }
    return { params: await trainer.parameters(), iterations: done, seconds: elapsed(), power, loss };
  } finally {
    await trainer.dispose();
  }
}

/** The policy that is the law itself. */
export function untuned(model: FlowModel, seed = 0): Tuned {
  const params = model.layout.init(RandomStream.fromSeed(seed).split("init"));
  return { params, iterations: 0, seconds: 0, power: 0, loss: Number.NaN };
}

/** The largest power up to 1 at which the paths are worth enough; found by halving. */
function powerOf(pool: DrawnPaths): number {
  const worth = (power: number) => effectiveSize(atPower(pool, power)) / pool.tokens.length;
  let [low, high] = [0, 1];
  if (worth(1) >= WORTH) return 1;
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (worth(middle) >= WORTH) low = middle;
    else high = middle;
  }
  return low;
}

/** log weights where what paths are worth beyond their likelihood counts to a power. */
function atPower({ logWeights, logAfter, logMet }: DrawnPaths, power: number): Float64Array {
  return logWeights.map((log, i) => log + power * (logAfter[i] + logMet[i]));
}

/** Places of contexts: all, or some that differ. */
function chosen(count: number, stream: RandomStream): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  for (let i = 0; count > CONTEXTS && i < CONTEXTS; i++) {
    const other = i + stream.integer(count - i);
    [all[i], all[other]] = [all[other], all[i]];
  }
  return all.slice(0, CONTEXTS);
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
