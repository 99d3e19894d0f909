// Training by likelihood: the path network learns to say the tokens of windows that were observed. What comes of it is
// both the likelihood model that rewards are made of and the policy that fine-tuning starts from.

import { type numpy as np, valueAndGrad } from "@jax-js/jax";
import {
  type ArraySpec,
  compile,
  type Program,
  RandomStream,
  spec,
  type TypedArray,
} from "../../engine/index.ts";
import { adamW, clipByGlobalNorm, cosineSchedule, warmUp } from "../../nn/index.ts";
import type { Panel } from "../types.ts";
import { centring } from "./centring.ts";
import { type Features, fitFeatures, readSeries } from "./features.ts";
import { type ForecastNetwork, forecastNetwork } from "./network.ts";
import { panelChecksum } from "./panel-checksum.ts";
import { type Bins, fitBins, isTail, tokenOf } from "./quantiser.ts";
import { type CompleteSettings, completeSettings, type ForecastSettings } from "./settings.ts";
import { splitWindows, type WindowPlace, type WindowSet } from "./training-windows.ts";
import {
  type WindowArrays,
  type WindowShape,
  type WindowSizes,
  windowArrays,
  windowSizes,
  writeWindow,
} from "./windows.ts";

/** All that a trained model is, as data. */
export interface ForecastModel {
  readonly settings: CompleteSettings;
  readonly features: Features;
  readonly shape: WindowShape;
  readonly bins: Bins;
  readonly parameters: Float32Array;
  readonly trained: TrainingReport;
}

/** What is known of the training after it. */
export interface TrainingReport {
  readonly iterations: number;
  /** The iteration whose parameters were kept. */
  readonly best: number;
  /** Cross-entropy per token on windows that only validate; null if there were none. */
  readonly validation: number | null;
  /** Share of the training tokens that lie in the two open bins. */
  readonly tailShare: number;
  readonly windows: number;
  readonly windowsPerSecond: number;
  /** CRC-32 of the times and targets. */
  readonly dataChecksum: number;
}

export interface TrainingEvent {
  readonly iteration: number;
  readonly iterations: number;
  /** Mean since the last event: cross-entropy per token, and what else was asked for. */
  readonly loss: number;
  /** Cross-entropy per token on windows that only validate; null if there are none. */
  readonly validation: number | null;
  readonly seconds: number;
}

/** Trains; gives an event at every validation and returns the model. The same seed gives the same model to the bit. */
export async function* trainLikelihood(
  panel: Panel,
  given: ForecastSettings,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<TrainingEvent, ForecastModel> {
  const settings = completeSettings(given);
  const { horizon, batch: B, iterations, every, patience } = settings;
  const features = fitFeatures(panel, settings);
  const shape = windowShape(settings, features);
  const sizes = windowSizes(features, shape);
  const series = panel.series.map((one) => readSeries(features, one, horizon));
  const { training, validation } = splitWindows(series, { ...settings, season: features.season });
  if (training.count === 0)
    throw new RangeError("forecast: at least one series must have two rows or more, got none");
  const root = RandomStream.fromSeed(settings.seed);
  const residuals = sampleDifferences(features, shape, training, root.split("bins"));
  const bins = fitBins(residuals, { bins: settings.bins });
  const tails = residuals.reduce((count, x) => count + +isTail(bins, tokenOf(bins, x)), 0);

  const network = forecastNetwork(settings, shape, sizes, bins);
  const programs = await trainingPrograms(network, settings, sizes.steps);
  try {
    programs.train.write({ parameters: network.layout.init(root.split("parameters")) });
    const draws = root.split("windows");
    const judged = chosenWindows(validation, MOST_VALIDATION * B);
    const started = performance.now();
    const secondsSince = () => (performance.now() - started) / 1000;
    const writer = batchWriter(features, shape, sizes, bins, B, network);
    let best: Best = { iteration: 0, validation: Number.POSITIVE_INFINITY, parameters: new Float32Array() };
    let [sum, since, done] = [0, 0, 0];
    while (done < iterations) {
      signal?.throwIfAborted();
      const places = Array.from({ length: B }, () => training.draw(draws));
      const { loss } = await programs.train.run(writer(places));
      sum += loss[0];
      since++;
      done++;
      if (done % every !== 0 && done !== iterations) continue;
      const parameters = (await programs.train.read("parameters")) as Float32Array;
      const score =
        judged.length > 0 ? await validate(programs.evaluate, parameters, judged, writer, B) : null;
      // Without windows that validate, the last parameters are the best there are.
      if (score === null || score < best.validation) {
        best = { iteration: done, validation: score ?? Number.POSITIVE_INFINITY, parameters };
      }
      yield {
        iteration: done,
        iterations,
        loss: sum / since,
        validation: score,
        seconds: secondsSince(),
      };
      [sum, since] = [0, 0];
      if (score !== null && done - best.iteration >= patience * every) break;
    }
    return {
      settings,
      features,
      shape,
      bins,
      parameters: best.parameters,
      trained: {
        iterations: done,
        best: best.iteration,
        validation: judged.length > 0 ? best.validation : null,
        tailShare: tails / residuals.length,
        windows: training.count,
        windowsPerSecond: (done * B) / secondsSince(),
        dataChecksum: panelChecksum(panel),
      },
    };
  } finally {
    await programs.train.dispose();
    await programs.evaluate.dispose();
  }
}

interface Best {
  readonly iteration: number;
  readonly validation: number;
  readonly parameters: Float32Array;
}

/** Validation batches at most, so that validating stays a small part of training. */
const MOST_VALIDATION = 8;
/** Differences by which bins are fitted, at most. */
const MOST_DIFFERENCES = 50_000;
/** Norm of the gradient at most. */
const CLIP = 1;

/** How much of the past is read: settings where they say so, else by horizon and season. */
export function windowShape(settings: CompleteSettings, { season }: Features): WindowShape {
  const { horizon, seasons, drift } = settings;
  const context = settings.context ?? Math.max(8, Math.min(Math.max(2 * horizon, 2 * season), 64));
  return { context, horizon, scaleRows: Math.max(context, 8 * season), seasons, drift };
}

type TrainName = keyof WindowArrays | "tokens" | "weights" | "differences";
type HostBatch = Readonly<Record<string, TypedArray>>;
type BatchWriter = (places: readonly WindowPlace[]) => HostBatch;

/** Writes windows with their truth; places beyond those given count for nothing. */
function batchWriter(
  features: Features,
  shape: WindowShape,
  sizes: WindowSizes,
  bins: Bins,
  batch: number,
  network: ForecastNetwork,
): BatchWriter {
  const P = sizes.steps;
  const M = features.targets.length;
  const arrays = windowArrays(batch, shape, sizes);
  const tokens = new Int32Array(batch * P);
  const weights = new Float32Array(batch * P);
  const differences = new Float32Array(batch * P);
  const read = Object.keys(network.specs(batch)) as (keyof WindowArrays)[];
  const inputs = {
    ...Object.fromEntries(read.map((name) => [name, arrays[name]])),
    tokens,
    weights,
    ...(network.point && { differences }),
  };
  return (places) => {
    weights.fill(0);
    places.forEach(({ series, origin }, place) => {
      const centrings = writeWindow(features, shape, sizes, series, origin, arrays, place);
      for (let step = 0; step < P; step++) {
        const [h, j] = [Math.floor(step / M), step % M];
        const { centre, scale } = centrings[j];
        const row = origin + h;
        const x = row < series.rows ? (series.targets[j][row] - centre[h]) / scale : Number.NaN;
        const at = place * P + step;
        const known = Number.isFinite(x);
        tokens[at] = known ? tokenOf(bins, x) : UNKNOWN;
        weights[at] = known ? 1 : 0;
        differences[at] = known ? Math.max(-POINT_LIMIT, Math.min(POINT_LIMIT, x)) : 0;
      }
    });
    return inputs;
  };
}

/** No token: a row of zeros where it is one-hot. */
const UNKNOWN = -1;
/** Beyond this, one odd value would move the point head more than all others. */
const POINT_LIMIT = 20;

/** (truth − centre) / scale of random training windows. */
function sampleDifferences(
  features: Features,
  shape: WindowShape,
  training: WindowSet,
  stream: RandomStream,
): Float64Array {
  const { season, targets } = features;
  const found: number[] = [];
  const tries = Math.ceil((2 * MOST_DIFFERENCES) / (shape.horizon * targets.length));
  const listed = training.count <= tries;
  for (let i = 0; i < (listed ? training.count : tries) && found.length < MOST_DIFFERENCES; i++) {
    const { series, origin } = listed ? training.at(i) : training.draw(stream);
    for (const values of series.targets) {
      const { centre, scale } = centring(values, origin, { ...shape, season, rows: shape.scaleRows });
      for (let h = 0; h < shape.horizon && origin + h < series.rows; h++) {
        const x = (values[origin + h] - centre[h]) / scale;
        if (Number.isFinite(x)) found.push(x);
      }
    }
  }
  if (found.length === 0)
    throw new RangeError("forecast: the targets must have values to learn from, got none");
  return Float64Array.from(found);
}

/** Windows spread evenly over a set, at most so many. */
function chosenWindows(set: WindowSet, most: number): WindowPlace[] {
  const count = Math.min(most, set.count);
  return Array.from({ length: count }, (_, i) => set.at(Math.floor(((i + 0.5) * set.count) / count)));
}

interface TrainingPrograms {
  readonly train: Program<string, string, "parameters" | "m" | "v" | "step">;
  readonly evaluate: Program<string, string>;
}

async function trainingPrograms(
  network: ForecastNetwork,
  settings: CompleteSettings,
  P: number,
): Promise<TrainingPrograms> {
  const { batch: B, engine, threads } = settings;
  const { size } = network.layout;
  const optimiser = optimiserOf(settings, network);
  const example = {
    ...network.specs(B),
    tokens: spec([B, P], "int32"),
    weights: spec([B, P]),
    ...(network.point && { differences: spec([B, P]) }),
  } as Record<TrainName, ArraySpec>;
  const lossesAt = (flat: np.Array, inputs: Readonly<Record<string, np.Array>>) =>
    network.losses(network.layout.split(flat), inputs);

  function train(inputs: Readonly<Record<TrainName | "parameters" | "m" | "v" | "step", np.Array>>) {
    const { parameters, m, v, step } = inputs; // [N], [N], [N], []
    const [loss, raw] = valueAndGrad((flat: np.Array) => lossesAt(flat, inputs).loss)(parameters); // [], [N]
    const { gradient } = clipByGlobalNorm(raw, CLIP); // [N]
    const moved = optimiser.update(parameters, gradient, { m, v, step });
    return { parameters: moved.params, ...moved.state, loss };
  }

  const moments = { parameters: spec([size]), m: spec([size]), v: spec([size]), step: spec([], "int32") };
  return {
    train: (await compile(
      train,
      { ...example, ...moments },
      { state: ["parameters", "m", "v", "step"], finite: ["loss"], engine, threads },
    )) as TrainingPrograms["train"],
    evaluate: (await compile(
      function evaluate(inputs: Readonly<Record<TrainName | "parameters", np.Array>>) {
        return { crossEntropy: lossesAt(inputs.parameters, inputs).crossEntropy };
      },
      { ...example, parameters: spec([size]) },
      { engine, threads },
    )) as TrainingPrograms["evaluate"],
  };
}

/** Adam with weights that decay, biases that do not, a short rise and a half-cosine down to a tenth. */
function optimiserOf(
  { learningRate, weightDecay, iterations }: CompleteSettings,
  { layout }: ForecastNetwork,
) {
  const rise = Math.min(50, Math.ceil(iterations / 10));
  const fall = cosineSchedule({
    from: learningRate,
    to: learningRate / 20,
    steps: Math.max(1, iterations - rise),
  });
  return adamW({
    learningRate: warmUp(rise, fall),
    weightDecay,
    decayMask: layout.fill(({ shape }) => (shape.length > 1 ? 1 : 0)),
  });
}

/** Mean cross-entropy per token over windows, batch by batch. */
async function validate(
  evaluate: TrainingPrograms["evaluate"],
  parameters: Float32Array,
  windows: readonly WindowPlace[],
  writer: BatchWriter,
  B: number,
): Promise<number> {
  let [sum, count] = [0, 0];
  for (let start = 0; start < windows.length; start += B) {
    const inputs = writer(windows.slice(start, start + B));
    const weight = (inputs.weights as Float32Array).reduce((total, w) => total + w, 0);
    const { crossEntropy } = await evaluate.run({ ...inputs, parameters });
    sum += crossEntropy[0] * weight;
    count += weight;
  }
  return sum / Math.max(count, 1);
}

/** Trains to the end, in silence. */
export async function fitLikelihood(
  panel: Panel,
  settings: ForecastSettings,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ForecastModel> {
  const events = trainLikelihood(panel, settings, options);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
  }
}
