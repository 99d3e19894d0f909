// One stage of training, with fixed bins: iterations, validations, early stopping, and in the last stage a final pass
// over all windows.

import type { RandomStream } from "../../engine/index.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { learningRateAt } from "./learning-rate.ts";
import type { Bins } from "./quantiser.ts";
import type { CompleteForecastSettings } from "./settings.ts";
import type { ForecastTrainingEvent } from "./train.ts";
import { type BatchWriter, batchWriter } from "./training-batch.ts";
import { type TrainingPrograms, trainingPrograms } from "./training-programs.ts";
import type { WindowEncoding, WindowPosition } from "./window-arrays.ts";
import type { WindowSet } from "./window-split.ts";

/** State of training between stages. */
export interface TrainingState {
  readonly bins: Bins;
  /** Parameters of the best iteration. */
  readonly parameters: Float32Array;
  /** Completed iterations. */
  readonly iteration: number;
  /** The iteration with the best validation loss. */
  readonly bestIteration: number;
  /** Cross-entropy per token on the validation windows at that iteration; null without validation windows. */
  readonly validationLoss: number | null;
  readonly seconds: number;
}

/** Inputs that all stages share. */
export interface StageOptions {
  readonly settings: CompleteForecastSettings;
  readonly encoding: WindowEncoding;
  readonly training: WindowSet;
  readonly validationWindows: readonly WindowPosition[];
  /** Samples the training windows. */
  readonly stream: RandomStream;
  readonly signal?: AbortSignal;
  /** The time of `performance.now()` after which there is no further iteration but one in each stage. */
  readonly deadline?: number;
}

/** The end of training, in which the model also learns from the validation windows. */
export interface FinalPass {
  /** Training and validation windows. */
  readonly allWindows: WindowSet;
  /** Returns the parameters with temperatures that were calibrated on validation windows. */
  calibrate(state: TrainingState): Promise<Float32Array>;
}

/** Iterations of the final pass, relative to the best iteration. */
const FINAL_PASS_SHARE = 0.2;

/**
 * Trains until iteration `end`, the deadline, or until the validation loss stops improving, and keeps the best parameters. Runs the
 * final pass, if there is one, from these parameters.
 */
export async function* trainStage(
  {
    settings,
    encoding,
    training,
    validationWindows,
    stream,
    signal,
    deadline = Number.POSITIVE_INFINITY,
  }: StageOptions,
  initial: TrainingState,
  end: number,
  finalPass?: FinalPass,
): AsyncGenerator<ForecastTrainingEvent, TrainingState> {
  const { batch: B, validateEvery, patience } = settings;
  const network = forecastNetwork(settings, encoding.shape, encoding.sizes, initial.bins);
  const planned = Math.max(1, end - initial.iteration);
  const programs = await trainingPrograms(network, settings, encoding.sizes.steps);
  try {
    programs.train.write({ parameters: initial.parameters });
    const started = performance.now();
    const secondsSoFar = () => initial.seconds + (performance.now() - started) / 1000;
    const writeBatch = batchWriter(encoding, initial.bins, B, network);
    const hasValidation = validationWindows.length > 0;
    const validationLossOf = async (parameters: Float32Array) =>
      hasValidation
        ? await meanCrossEntropy(programs.evaluate, parameters, validationWindows, writeBatch, B)
        : null;
    // After a doubling of the bins, the initial parameters remain the best ones until an iteration of this stage
    // improves on their loss.
    let best =
      initial.iteration > 0
        ? { ...initial, validationLoss: await validationLossOf(initial.parameters) }
        : initial;
    const trainIteration = async (windows: WindowSet, step: number) => {
      signal?.throwIfAborted();
      const batch = Array.from({ length: B }, () => windows.sample(stream));
      const learningRate = learningRateAt({ ...settings, iterations: planned }, step);
      const { loss } = await programs.train.run({
        ...writeBatch(batch),
        learningRate: Float32Array.of(learningRate),
      });
      return loss[0];
    };
    let [lossSum, lossCount, iteration] = [0, 0, initial.iteration];
    while (iteration < end) {
      lossSum += await trainIteration(training, iteration - initial.iteration);
      lossCount++;
      iteration++;
      const isLate = performance.now() >= deadline;
      if (iteration % validateEvery !== 0 && iteration !== end && !isLate) continue;
      const parameters = (await programs.train.read("parameters")) as Float32Array;
      const validationLoss = await validationLossOf(parameters);
      // Without validation windows, the last parameters count as the best.
      if (validationLoss === null || validationLoss < (best.validationLoss ?? Number.POSITIVE_INFINITY)) {
        best = { ...best, bestIteration: iteration, validationLoss, parameters };
      }
      const { iterations } = settings;
      yield {
        iteration,
        iterations,
        loss: lossSum / lossCount,
        validationLoss,
        seconds: secondsSoFar(),
        iterationsLeft:
          iterations - iteration + (hasValidation ? Math.ceil(FINAL_PASS_SHARE * iterations) : 0),
      };
      [lossSum, lossCount] = [0, 0];
      const sinceBest = iteration - Math.max(best.bestIteration, initial.iteration);
      if (isLate || (validationLoss !== null && sinceBest >= patience * validateEvery)) break;
    }
    const state = { ...best, iteration, seconds: secondsSoFar() };
    if (!finalPass || !hasValidation) return state;
    // Repeats the last steps of the learning-rate schedule. The temperatures keep their calibrated values: no loss
    // depends on them.
    const count = Math.min(planned, Math.ceil(FINAL_PASS_SHARE * best.bestIteration));
    const firstStep = planned - count;
    programs.train.write({ parameters: await finalPass.calibrate(best), step: Int32Array.of(firstStep) });
    for (let step = firstStep; step < planned; step++) await trainIteration(finalPass.allWindows, step);
    return { ...state, parameters: (await programs.train.read("parameters")) as Float32Array };
  } finally {
    await programs.train.dispose();
    await programs.evaluate.dispose();
  }
}

/** Mean cross-entropy per token over windows, in batches of B. */
async function meanCrossEntropy(
  evaluate: TrainingPrograms["evaluate"],
  parameters: Float32Array,
  windows: readonly WindowPosition[],
  writeBatch: BatchWriter,
  B: number,
): Promise<number> {
  let [sum, count] = [0, 0];
  for (let start = 0; start < windows.length; start += B) {
    const inputs = writeBatch(windows.slice(start, start + B));
    const weight = (inputs.weights as Float32Array).reduce((total, w) => total + w, 0);
    const { crossEntropy } = await evaluate.run({ ...inputs, parameters });
    sum += crossEntropy[0] * weight;
    count += weight;
  }
  return sum / Math.max(count, 1);
}
