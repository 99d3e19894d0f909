// Samples future paths of windows from a trained network. One compiled program samples all steps of a chunk of windows.

import { numpy as np } from "@jax-js/jax";
import { compile, type Program, type RandomStream, spec } from "../../engine/index.ts";
import { oneHotIndices, sampleByInversion } from "../../nn/index.ts";
import { forecastNetwork, networkInputs } from "./forecast-network.ts";
import type { LocationScale } from "./location-scale.ts";
import { tokenCount, valueInBin } from "./quantiser.ts";
import { denormaliseSteps } from "./target-normalisation.ts";
import type { ForecastModel } from "./train.ts";
import { allocateWindowArrays, type WindowPosition, windowSizes, writeWindow } from "./window-arrays.ts";

/** Largest number of rows (windows × paths) per call of the program. */
const MOST_ROWS = 2048;
/** Largest number of steps in all rows of a call, which bounds the memory for long paths. */
const MOST_STEPS = 60_000;

/** A window with the random stream of its paths. */
export interface WindowToSample extends WindowPosition {
  readonly stream: RandomStream;
}

/** Samples of one target of a window, in the units of the data. */
export interface TargetSamples {
  readonly paths: readonly Float64Array[]; // each [H]
  /** Output of the point head. Absent if the model has none. */
  readonly point?: Float64Array; // [H]
}

export interface SampleRequest {
  /** Number of windows. */
  readonly count: number;
  window(index: number): WindowToSample;
  /** Paths per window. */
  readonly samples: number;
  /** Default: the parameters of the model. */
  readonly parameters?: Float32Array;
  readonly signal?: AbortSignal;
}

/** Compiles its program at the first call and keeps it until `dispose`. */
export interface WindowSampler {
  /** Yields the samples of each target, window by window. */
  sample(request: SampleRequest): AsyncGenerator<readonly TargetSamples[], void>;
  dispose(): Promise<void>;
}

/** A model during training, before its report exists. */
export type ModelWithoutReport = Omit<ForecastModel, "trained">;

export function windowSampler(model: ModelWithoutReport): WindowSampler {
  const { settings, features, shape, bins } = model;
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const P = sizes.steps;
  const M = features.targets.length;
  const K = tokenCount(bins);
  let compiled: { readonly S: number; readonly N: number; readonly program: Program } | undefined;

  /** The program for S windows with N paths each. Only the last program is kept. */
  async function programFor(S: number, N: number): Promise<Program> {
    if (compiled?.S === S && compiled.N === N) return compiled.program;
    await compiled?.program.dispose();
    function samplePaths(inputs: Readonly<Record<string, np.Array>>): Readonly<Record<string, np.Array>> {
      const params = network.layout.split(inputs.parameters);
      const { embedding, future } = network.encode(params, inputs); // [S, W], [S, P, D′]
      const windows = { embedding: repeatRows(embedding, N), future: repeatRows(future, N) }; // [S·N, …]
      const uniforms = np.split(inputs.uniforms, P, 0); // each [1, S·N]
      let before: np.Array | undefined; // [S·N, t, K]
      for (let t = 0; t < P; t++) {
        const probabilities = network.stepProbabilities(params, t, windows, before); // [S·N, K]
        const token = sampleByInversion(probabilities, uniforms[t].reshape([S * N, 1])); // [S·N, K]
        const step = token.reshape([S * N, 1, K]); // [S·N, 1, K]
        before = before ? np.concatenate([before, step], 1) : step; // [S·N, t + 1, K]
      }
      return {
        tokens: oneHotIndices(before!).astype(np.int32), // [S·N, P]
        ...(network.pointForecast && { point: network.pointForecast(params, embedding) }), // [S, P]
      };
    }
    const program = (await compile(
      samplePaths,
      {
        ...(network.inputSpecs(S) as Record<string, ReturnType<typeof spec>>),
        parameters: spec([network.layout.size]),
        uniforms: spec([P, S * N]),
      },
      { engine: settings.engine, threads: settings.threads },
    )) as Program;
    compiled = { S, N, program };
    return program;
  }

  return {
    async *sample({ count, window, samples, parameters = model.parameters, signal }) {
      const rows = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_STEPS / P)));
      const N = Math.min(samples, rows);
      const S = Math.max(1, Math.min(Math.floor(rows / N), count));
      const program = await programFor(S, N);
      const arrays = allocateWindowArrays(S, shape, sizes);
      const inputs = networkInputs(network, arrays, S);
      const uniforms = new Float32Array(P * S * N);
      for (let first = 0; first < count; first += S) {
        const chunk = Array.from({ length: Math.min(S, count - first) }, (_, i) => window(first + i));
        const scalings = chunk.map((position, i) =>
          writeWindow({ features, shape, sizes }, position, arrays, i),
        );
        const paths = chunk.map(() => Array.from({ length: M }, () => [] as Float64Array[]));
        let points: readonly (readonly Float64Array[])[] | undefined;
        for (let done = 0; done < samples; done += N) {
          signal?.throwIfAborted();
          chunk.forEach(({ stream }, i) => {
            for (let t = 0; t < P; t++) {
              const start = (t * S + i) * N;
              stream.fillUniform(uniforms.subarray(start, start + N));
            }
          });
          const { tokens, point } = await program.run({ ...inputs, parameters, uniforms });
          // The point forecast does not depend on the paths, so the first call suffices.
          if (point && !points) {
            points = chunk.map(({ series, origin }, i) =>
              valuesOf((t) => point[i * P + t], scalings[i]).map((values, j) =>
                denormaliseSteps(series, j, origin, values),
              ),
            );
          }
          chunk.forEach(({ stream, series, origin }, i) => {
            for (let n = 0; n < Math.min(N, samples - done); n++) {
              const standardisedAt = (t: number) =>
                valueInBin(bins, tokens[(i * N + n) * P + t], stream.uniform());
              for (const [j, values] of valuesOf(standardisedAt, scalings[i]).entries()) {
                paths[i][j].push(denormaliseSteps(series, j, origin, values));
              }
            }
          });
        }
        yield* paths.map((byTarget, i) =>
          byTarget.map((paths, j) => ({ paths, ...(points && { point: points[i][j] }) })),
        );
      }
    },
    async dispose() {
      await compiled?.program.dispose();
      compiled = undefined;
    },
  };

  /** The values of each target, from standardised values that are requested in the order of the tokens. */
  function valuesOf(
    standardisedAt: (t: number) => number,
    scalings: readonly LocationScale[],
  ): Float64Array[] {
    const values = scalings.map(() => new Float64Array(shape.horizon));
    for (let t = 0; t < P; t++) {
      const [h, j] = [Math.floor(t / M), t % M];
      const { location, scale } = scalings[j];
      values[j][h] = location[h] + scale * standardisedAt(t);
    }
    return values;
  }
}

/** Repeats each row N times: [S, …] to [S·N, …]. */
function repeatRows(x: np.Array, N: number): np.Array {
  const [S, ...rest] = x.shape;
  return np.broadcastTo(x.reshape([S, 1, ...rest]), [S, N, ...rest]).reshape([S * N, ...rest]);
}
