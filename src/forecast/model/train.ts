// Training of a forecasting model by maximum likelihood: the network learns to predict the tokens of observed windows.
// Scenarios use the model as their reward, and as the initial policy of fine-tuning.

import { RandomStream } from "../../engine/index.ts";
import { TooLittleData } from "../too-little-data.ts";
import type { ForecasterFitOptions, Panel } from "../types.ts";
import { doubleBins } from "./double-bins.ts";
import { encodeSeries, type Features, fitFeatures } from "./features.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { panelChecksum } from "./panel-checksum.ts";
import { type Bins, fitBins, isTail, laplaceQuantiles, tokenOf } from "./quantiser.ts";
import {
  type CompleteForecastSettings,
  checkForecastSettings,
  completeForecastSettings,
  type ForecastSettings,
} from "./settings.ts";
import { chooseAveragedSeasons, sampleStandardisedValues } from "./standardised-values.ts";
import { calibrateTemperatures } from "./temperature-calibration.ts";
import { type FinalPass, type TrainingState, trainStage } from "./training-stage.ts";
import { type WindowPosition, type WindowShape, windowSizes } from "./window-arrays.ts";
import { splitWindows, type WindowSet } from "./window-split.ts";

/** A trained model, as plain data. */
export interface ForecastModel {
  readonly settings: CompleteForecastSettings;
  readonly features: Features;
  readonly shape: WindowShape;
  readonly bins: Bins;
  readonly parameters: Float32Array;
  readonly trained: ForecastTrainingReport;
}

/** Summary of a finished training. */
export interface ForecastTrainingReport {
  readonly iterations: number;
  /** The iteration with the best validation loss. */
  readonly bestIteration: number;
  /** Cross-entropy per token on the validation windows at that iteration; null without validation windows. */
  readonly validationLoss: number | null;
  /** Share of the training values in the two tails. */
  readonly tailShare: number;
  readonly trainingWindows: number;
  readonly windowsPerSecond: number;
  /** CRC-32 of the times and targets. */
  readonly dataChecksum: number;
}

/** Progress, reported at every validation. */
export interface ForecastTrainingEvent {
  readonly iteration: number;
  /** Largest number of iterations. */
  readonly iterations: number;
  /** Mean training loss since the last event. */
  readonly loss: number;
  /** Cross-entropy per token on the validation windows; null without validation windows. */
  readonly validationLoss: number | null;
  readonly seconds: number;
  /** Largest number of remaining iterations, including the final pass over all windows. */
  readonly iterationsLeft: number;
}

/**
 * Trains a model. Yields an event at every validation and returns the model. Equal seeds give bit-identical models, unless a
 * deadline ends training.
 */
export async function* trainForecastModel(
  panel: Panel,
  input: ForecastSettings,
  { signal, deadline }: ForecasterFitOptions = {},
): AsyncGenerator<ForecastTrainingEvent, ForecastModel> {
  await checkForecastSettings(input);
  const complete = completeForecastSettings(input);
  const { horizon, iterations, binDoublings } = complete;
  const features = fitFeatures(panel, complete);
  const series = panel.series.map((one) => encodeSeries(features, one, horizon));
  const splitOptions = { ...complete, season: features.season };
  const { training, validation } = splitWindows(series, splitOptions);
  if (training.count === 0)
    throw new TooLittleData("at least one series must have two or more rows, got none");
  const root = RandomStream.fromSeed(complete.seed);
  const initialShape = windowShape(complete, features);
  const averagedSeasons =
    complete.averagedSeasons ??
    chooseAveragedSeasons(features, initialShape, training, () => root.split("seasons"));
  const shape = { ...initialShape, averagedSeasons };
  const sizes = windowSizes(features, shape);
  const values = sampleStandardisedValues(features, shape, training, root.split("bins"));
  const isSmall = training.count < SMALL_TRAINING_SET;
  const priorShare = PRIOR_WINDOWS / (training.count + PRIOR_WINDOWS);
  const settings = isSmall ? { ...complete, smoothing: input.smoothing ?? priorShare } : complete;
  const initialBins = fitBins(isSmall ? laplaceQuantiles() : values, { bins: settings.bins });
  const inTails = values.reduce((count, x) => count + +isTail(initialBins, tokenOf(initialBins, x)), 0);

  const stageOptions = {
    settings,
    encoding: { features, shape, sizes },
    training,
    validationWindows: evenlySpaced(validation, VALIDATION_BATCHES * settings.batch),
    stream: root.split("windows"),
    ...{ signal, deadline },
  };
  const calibrationWindows = evenlySpaced(validation, CALIBRATION_WINDOWS);
  const finalPass: FinalPass = {
    allWindows: splitWindows(series, { ...splitOptions, validationShare: 0 }).training,
    calibrate: ({ bins, parameters }) =>
      calibrateTemperatures(
        { settings, features, shape, bins, parameters },
        calibrationWindows,
        root.split("calibration"),
        signal,
      ),
  };
  let state: TrainingState = {
    bins: initialBins,
    parameters: forecastNetwork(settings, shape, sizes, initialBins).layout.init(root.split("parameters")),
    iteration: 0,
    bestIteration: 0,
    validationLoss: null,
    seconds: 0,
  };
  for (let i = 0; i <= binDoublings; i++) {
    const isLast = i === binDoublings;
    const end = Math.round(((i + 1) * iterations) / (binDoublings + 1));
    state = yield* trainStage(stageOptions, state, end, isLast ? finalPass : undefined);
    if (isLast) break;
    const { bins, parameters } = doubleBins({ settings, features, shape, ...state });
    state = { ...state, bins, parameters };
  }
  const { bins, parameters, iteration, bestIteration, validationLoss, seconds } = state;
  return {
    ...{ settings, features, shape, bins, parameters },
    trained: {
      iterations: iteration,
      bestIteration,
      validationLoss,
      tailShare: inTails / values.length,
      trainingWindows: training.count,
      windowsPerSecond: (iteration * settings.batch) / seconds,
      dataChecksum: panelChecksum(panel),
    },
  };
}

/**
 * Fewer training windows than this are too few to fit bins to their standardised values. The bins are then those of a
 * Laplace distribution with mean absolute value 1.
 */
const SMALL_TRAINING_SET = 20;
/** Weight of the uniform prior over the bins of a small training set, as a number of windows. */
const PRIOR_WINDOWS = 2;
/** Largest number of validation batches, so that validation stays a small part of training. */
const VALIDATION_BATCHES = 8;
/** Largest number of windows for the calibration of the temperatures. */
const CALIBRATION_WINDOWS = 128;

/** The shape of windows, from the settings or, if they omit it, from horizon and season. */
export function windowShape(settings: CompleteForecastSettings, { season }: Features): WindowShape {
  const { horizon, averagedSeasons = 1, drift } = settings;
  const context = settings.context ?? Math.max(8, Math.min(Math.max(2 * horizon, 2 * season), 64));
  return {
    context,
    recent: settings.tokenLags,
    horizon,
    scaleRows: Math.max(context, 8 * season),
    averagedSeasons,
    drift,
  };
}

/** Selects at most `most` windows, spread evenly over the set. */
function evenlySpaced(set: WindowSet, most: number): WindowPosition[] {
  const count = Math.min(most, set.count);
  return Array.from({ length: count }, (_, i) => set.at(Math.floor(((i + 0.5) * set.count) / count)));
}

export interface TrainingOptions extends ForecasterFitOptions {
  /** Called at every validation. */
  readonly onEvent?: (event: ForecastTrainingEvent) => void;
}

/** Trains a model to the end. */
export async function fitForecastModel(
  panel: Panel,
  settings: ForecastSettings,
  { onEvent, ...options }: TrainingOptions = {},
): Promise<ForecastModel> {
  const events = trainForecastModel(panel, settings, options);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
    onEvent?.(value);
  }
}
