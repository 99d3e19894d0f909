// Training by likelihood: the path network learns to say the tokens of windows that were observed. What comes of it is
// both the likelihood model that rewards are made of and the policy that fine-tuning starts from.

import { RandomStream } from "../../engine/index.ts";
import type { Panel } from "../types.ts";
import { calibrated } from "./calibrate.ts";
import { type Features, fitFeatures, readSeries } from "./features.ts";
import { forecastNetwork } from "./network.ts";
import { panelChecksum } from "./panel-checksum.ts";
import { type Bins, fitBins, isTail, tokenOf } from "./quantiser.ts";
import { type CompleteSettings, completeSettings, type ForecastSettings } from "./settings.ts";
import { type BatchWriter, batchWriter, nearestSeasons, sampleDifferences } from "./training-batch.ts";
import { type TrainingPrograms, trainingPrograms } from "./training-programs.ts";
import { splitWindows, type WindowSet } from "./training-windows.ts";
import { type WindowPlace, type WindowShape, windowSizes } from "./windows.ts";

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
  const series = panel.series.map((one) => readSeries(features, one, horizon));
  const { training, validation } = splitWindows(series, { ...settings, season: features.season });
  if (training.count === 0)
    throw new RangeError("forecast: at least one series must have two rows or more, got none");
  const root = RandomStream.fromSeed(settings.seed);
  const usual = windowShape(settings, features);
  const seasons = settings.seasons ?? nearestSeasons(features, usual, training, () => root.split("seasons"));
  const shape = { ...usual, seasons };
  const sizes = windowSizes(features, shape);
  const residuals = sampleDifferences(features, shape, training, root.split("bins"));
  const bins = fitBins(residuals, { bins: settings.bins });
  const tails = residuals.reduce((count, x) => count + +isTail(bins, tokenOf(bins, x)), 0);

  const network = forecastNetwork(settings, shape, sizes, bins);
  const programs = await trainingPrograms(network, settings, sizes.steps);
  try {
    programs.train.write({ parameters: network.layout.init(root.split("parameters")) });
    const draws = root.split("windows");
    const judged = chosenWindows(validation, MOST_VALIDATION * B);
    const calibrating = chosenWindows(validation, MOST_CALIBRATION);
    const started = performance.now();
    const secondsSince = () => (performance.now() - started) / 1000;
    const writer = batchWriter({ features, shape, sizes }, bins, B, network);
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
    const windowsPerSecond = (done * B) / secondsSince();
    const model = { settings, features, shape, bins, parameters: best.parameters };
    return {
      ...model,
      parameters:
        judged.length > 0
          ? await calibrated(model, calibrating, root.split("calibration"), signal)
          : model.parameters,
      trained: {
        iterations: done,
        best: best.iteration,
        validation: judged.length > 0 ? best.validation : null,
        tailShare: tails / residuals.length,
        windows: training.count,
        windowsPerSecond,
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
/** Windows at most by which the temperature is found. */
const MOST_CALIBRATION = 128;

/** How much of the past is read: settings where they say so, else by horizon and season. */
export function windowShape(settings: CompleteSettings, { season }: Features): WindowShape {
  const { horizon, seasons = 1, drift } = settings;
  const context = settings.context ?? Math.max(8, Math.min(Math.max(2 * horizon, 2 * season), 64));
  return {
    context,
    recent: settings.tokenLags,
    horizon,
    scaleRows: Math.max(context, 8 * season),
    seasons,
    drift,
  };
}

/** Windows spread evenly over a set, at most so many. */
function chosenWindows(set: WindowSet, most: number): WindowPlace[] {
  const count = Math.min(most, set.count);
  return Array.from({ length: count }, (_, i) => set.at(Math.floor(((i + 0.5) * set.count) / count)));
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
