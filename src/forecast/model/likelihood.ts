// Training by likelihood: the path network learns to say the tokens of windows that were observed. What comes of it is
// both the likelihood model that rewards are made of and the policy that fine-tuning starts from.

import { RandomStream } from "../../engine/index.ts";
import type { Panel } from "../types.ts";
import { calibrated } from "./calibrate.ts";
import { type Features, fitFeatures, readSeries } from "./features.ts";
import { forecastNetwork } from "./network.ts";
import { panelChecksum } from "./panel-checksum.ts";
import { type Bins, fitBins, isTail, laplaceNumbers, tokenOf } from "./quantiser.ts";
import { refineModel } from "./refine.ts";
import { type CompleteSettings, completeSettings, type ForecastSettings } from "./settings.ts";
import { nearestSeasons, sampleDifferences } from "./training-batch.ts";
import { type Ending, type Stage, trainStage } from "./training-stage.ts";
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
  /** Cross-entropy per token on windows that only validate, before they were learned from, too; null if there were none. */
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
  /** Iterations left at most, with those on all windows in the end. */
  readonly left: number;
}

/** Trains; gives an event at every validation and returns the model. The same seed gives the same model to the bit. */
export async function* trainLikelihood(
  panel: Panel,
  given: ForecastSettings,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<TrainingEvent, ForecastModel> {
  const told = completeSettings(given);
  const { horizon, iterations, refine } = told;
  const features = fitFeatures(panel, told);
  const series = panel.series.map((one) => readSeries(features, one, horizon));
  const { training, validation } = splitWindows(series, { ...told, season: features.season });
  if (training.count === 0)
    throw new RangeError("forecast: at least one series must have two rows or more, got none");
  const root = RandomStream.fromSeed(told.seed);
  const usual = windowShape(told, features);
  const seasons = told.seasons ?? nearestSeasons(features, usual, training, () => root.split("seasons"));
  const shape = { ...usual, seasons };
  const sizes = windowSizes(features, shape);
  const residuals = sampleDifferences(features, shape, training, root.split("bins"));
  const few = training.count < FEW_WINDOWS;
  const settings = few ? { ...told, smoothing: given.smoothing ?? DOUBT / (training.count + DOUBT) } : told;
  const bins = fitBins(few ? laplaceNumbers() : residuals, { bins: settings.bins });
  const tails = residuals.reduce((count, x) => count + +isTail(bins, tokenOf(bins, x)), 0);

  const judged = chosenWindows(validation, MOST_VALIDATION * settings.batch);
  const plan = { features, shape, sizes };
  const shared = { settings, plan, training, judged, draws: root.split("windows"), signal };
  const { layout } = forecastNetwork(settings, shape, sizes, bins);
  const parameters = layout.init(root.split("parameters"));
  let stage: Stage = { bins, parameters, done: 0, best: 0, validation: null, seconds: 0 };
  const calibrating = chosenWindows(validation, MOST_CALIBRATION);
  const ending: Ending = {
    all: splitWindows(series, { ...told, season: features.season, validation: 0 }).training,
    calibrated: ({ bins, parameters }) =>
      calibrated(
        { settings, features, shape, bins, parameters },
        calibrating,
        root.split("calibration"),
        signal,
      ),
  };
  for (let i = 0; i <= refine; i++) {
    const end = Math.round(((i + 1) * iterations) / (refine + 1));
    stage = yield* trainStage(shared, stage, end, i === refine ? ending : undefined);
    if (i < refine) {
      const finer = refineModel({
        settings,
        features,
        shape,
        bins: stage.bins,
        parameters: stage.parameters,
      });
      stage = { ...stage, bins: finer.bins, parameters: finer.parameters };
    }
  }
  const { done, best, seconds } = stage;
  return {
    ...{ settings, features, shape, bins: stage.bins, parameters: stage.parameters },
    trained: {
      iterations: done,
      best,
      validation: stage.validation,
      tailShare: tails / residuals.length,
      windows: training.count,
      windowsPerSecond: (done * settings.batch) / seconds,
      dataChecksum: panelChecksum(panel),
    },
  };
}

/** Differences in fewer windows say too little of how far others may be: bins are those of a law of the unit's size. */
const FEW_WINDOWS = 20;
/** That law counts as so many windows beside them. */
const DOUBT = 2;
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
