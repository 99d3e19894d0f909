// Paths drawn from a trained network: for a chunk of windows at a time, all steps in one program.

import { numpy as np } from "@jax-js/jax";
import { compile, type Program, type RandomStream, spec, type TypedArray } from "../../engine/index.ts";
import type { Centring } from "./centring.ts";
import type { ForecastModel } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { restored } from "./normalised.ts";
import { numberIn, tokensOf } from "./quantiser.ts";
import { type WindowArrays, type WindowPlace, windowArrays, windowSizes, writeWindow } from "./windows.ts";

/** Rows of one call at most: windows times paths, and fewer where paths are long. More are drawn in further calls. */
const MOST_ROWS = 2048;
/** Steps of all rows of one call at most, so that memory does not grow with the paths' length. */
const MOST_STEPS = 60_000;

/** A window, and what its paths are drawn by. */
export interface DrawnWindow extends WindowPlace {
  readonly stream: RandomStream;
}

/** What comes of one target of a window, as numbers of the series. */
export interface DrawnTarget {
  readonly paths: readonly Float64Array[]; // each [H]
  /** What the point head says, where there is one. */
  readonly point?: Float64Array; // [H]
}

/** Draws for windows, as often as asked; keeps its program. */
export interface WindowSampler {
  /** Window by window what comes of each target. */
  draw(request: {
    readonly count: number;
    window(index: number): DrawnWindow;
    readonly samples: number;
    /** Those of the model unless told. */
    readonly parameters?: Float32Array;
    readonly signal?: AbortSignal;
  }): AsyncGenerator<readonly DrawnTarget[], void>;
  dispose(): Promise<void>;
}

/** All of a model that drawing needs. */
export type DrawnModel = Omit<ForecastModel, "trained">;

export function windowSampler(model: DrawnModel): WindowSampler {
  const { settings, features, shape, bins } = model;
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const P = sizes.steps;
  const M = features.targets.length;
  const K = tokensOf(bins);
  let compiled: { readonly S: number; readonly N: number; readonly program: Program } | undefined;

  /** A program for S windows with N paths each; the last one is kept. */
  async function programFor(S: number, N: number): Promise<Program> {
    if (compiled?.S === S && compiled.N === N) return compiled.program;
    await compiled?.program.dispose();
    function draw(inputs: Readonly<Record<string, np.Array>>): Readonly<Record<string, np.Array>> {
      const params = network.layout.split(inputs.parameters);
      const { thought, known } = network.read(params, inputs); // [S, W], [S, P, D]
      const read = { thought: repeated(thought, N), known: repeated(known, N) }; // [S·N, …]
      const uniforms = np.split(inputs.uniforms, P, 0); // each [1, S·N]
      let before: np.Array | undefined; // [S·N, t, K]
      for (let t = 0; t < P; t++) {
        const law = network.next(params, t, read, before); // [S·N, K]
        const token = drawn(law, uniforms[t].reshape([S * N, 1])).reshape([S * N, 1, K]); // [S·N, 1, K]
        before = before ? np.concatenate([before, token], 1) : token; // [S·N, t + 1, K]
      }
      const slots = np.arange(K).astype(np.float32); // [K]
      return {
        tokens: np.matmul(before!, slots).astype(np.int32), // [S·N, P]
        ...(network.point && { point: network.point(params, thought) }), // [S, P]
      };
    }
    const program = (await compile(
      draw,
      {
        ...(network.specs(S) as Record<string, ReturnType<typeof spec>>),
        parameters: spec([network.layout.size]),
        uniforms: spec([P, S * N]),
      },
      { engine: settings.engine, threads: settings.threads },
    )) as Program;
    compiled = { S, N, program };
    return program;
  }

  return {
    async *draw({ count, window, samples, parameters = model.parameters, signal }) {
      const rows = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_STEPS / P)));
      const N = Math.min(samples, rows);
      const S = Math.max(1, Math.min(Math.floor(rows / N), count));
      const program = await programFor(S, N);
      const arrays = windowArrays(S, shape, sizes);
      const names = Object.keys(network.specs(S)) as (keyof WindowArrays)[];
      const inputs = Object.fromEntries(names.map((name) => [name, arrays[name]])) as Record<
        string,
        TypedArray
      >;
      const uniforms = new Float32Array(P * S * N);
      for (let first = 0; first < count; first += S) {
        const chunk = Array.from({ length: Math.min(S, count - first) }, (_, i) => window(first + i));
        const centrings = chunk.map((place, i) => writeWindow({ features, shape, sizes }, place, arrays, i));
        const paths = chunk.map(() => Array.from({ length: M }, () => [] as Float64Array[]));
        let points: readonly (readonly Float64Array[])[] | undefined;
        for (let have = 0; have < samples; have += N) {
          signal?.throwIfAborted();
          chunk.forEach(({ stream }, place) => {
            for (let t = 0; t < P; t++) {
              const start = (t * S + place) * N;
              stream.fillUniform(uniforms.subarray(start, start + N));
            }
          });
          const { tokens, point } = await program.run({ ...inputs, parameters, uniforms });
          // No path changes them, so those of the first call stand for all.
          if (point && !points) {
            points = chunk.map(({ series, origin }, place) =>
              valuesOf((t) => point[place * P + t], centrings[place]).map((values, j) =>
                restored(series, j, origin, values),
              ),
            );
          }
          chunk.forEach(({ stream, series, origin }, place) => {
            for (let n = 0; n < Math.min(N, samples - have); n++) {
              const differenceAt = (t: number) =>
                numberIn(bins, tokens[(place * N + n) * P + t], stream.uniform());
              const path = valuesOf(differenceAt, centrings[place]);
              for (const [j, values] of path.entries()) {
                paths[place][j].push(restored(series, j, origin, values));
              }
            }
          });
        }
        yield* paths.map((ofTargets, place) =>
          ofTargets.map((paths, j) => ({ paths, ...(points && { point: points[place][j] }) })),
        );
      }
    },
    async dispose() {
      await compiled?.program.dispose();
      compiled = undefined;
    },
  };
  /** The steps of each target, as numbers that the model reads; asks for differences in the order of tokens. */
  function valuesOf(differenceAt: (t: number) => number, centrings: readonly Centring[]): Float64Array[] {
    const values = centrings.map(() => new Float64Array(shape.horizon));
    for (let t = 0; t < P; t++) {
      const [h, j] = [Math.floor(t / M), t % M];
      const { centre, scale } = centrings[j];
      values[j][h] = centre[h] + scale * differenceAt(t);
    }
    return values;
  }
}

/** Each row N times, one under the other: [S, …] to [S·N, …]. */
function repeated(x: np.Array, N: number): np.Array {
  const [S, ...rest] = x.shape;
  return np.broadcastTo(x.reshape([S, 1, ...rest]), [S, N, ...rest]).reshape([S * N, ...rest]);
}

/** One-hot tokens [R, K] drawn from a law [R, K] by uniform numbers [R, 1]: the last whose lower share is not above. */
export function drawn(law: np.Array, uniform: np.Array): np.Array {
  const [R, K] = law.shape;
  const below = Float32Array.from({ length: K * K }, (_, i) => +(Math.floor(i / K) < i % K));
  const shares = np.matmul(law, np.array(below, { shape: [K, K] })); // [R, K], probability of smaller tokens
  const reached = np.lessEqual(shares, uniform).astype(np.float32); // [R, K]
  const next = np.concatenate([np.split(reached, [1], 1)[1], np.zeros([R, 1])], 1); // [R, K]
  return np.subtract(reached, next); // [R, K]
}
