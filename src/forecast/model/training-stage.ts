// A stage of training, on bins that stay as they are: iterations, validations, and what was best.

import type { RandomStream } from "../../engine/index.ts";
import type { TrainingEvent } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import type { Bins } from "./quantiser.ts";
import type { CompleteSettings } from "./settings.ts";
import { type BatchWriter, batchWriter } from "./training-batch.ts";
import { type TrainingPrograms, trainingPrograms } from "./training-programs.ts";
import type { WindowSet } from "./training-windows.ts";
import type { WindowPlace, WindowPlan } from "./windows.ts";

/** How far training has come. */
export interface Stage {
  readonly bins: Bins;
  readonly parameters: Float32Array;
  /** Iterations so far, and the one whose parameters these are. */
  readonly done: number;
  readonly best: number;
  /** Cross-entropy per token on windows that only validate; null if there are none. */
  readonly validation: number | null;
  readonly seconds: number;
}

/** What all stages share. */
export interface StageInputs {
  readonly settings: CompleteSettings;
  readonly plan: WindowPlan;
  readonly training: WindowSet;
  /** Windows that only validate. */
  readonly judged: readonly WindowPlace[];
  /** Says which windows are learned from. */
  readonly draws: RandomStream;
  readonly signal?: AbortSignal;
}

/** What comes after the last iteration, where windows only validated: these have taught nothing so far. */
export interface Ending {
  /** All windows, those that only validated among them. */
  readonly all: WindowSet;
  /** Parameters that say how sure paths may be, found on windows that only validate. */
  calibrated(kept: Stage): Promise<Float32Array>;
}

/** Share of the iterations that were kept which are run once more in the end, on all windows. */
const AGAIN = 0.2;

/** Trains on until iteration `end`, or until validation stops getting better; keeps the best, which may be ended. */
export async function* trainStage(
  { settings, plan, training, judged, draws, signal }: StageInputs,
  from: Stage,
  end: number,
  ending?: Ending,
): AsyncGenerator<TrainingEvent, Stage> {
  const { batch: B, every, patience } = settings;
  const network = forecastNetwork(settings, plan.shape, plan.sizes, from.bins);
  const planned = Math.max(1, end - from.done);
  const programs = await trainingPrograms(network, { ...settings, iterations: planned }, plan.sizes.steps);
  try {
    programs.train.write({ parameters: from.parameters });
    const started = performance.now();
    const secondsSoFar = () => from.seconds + (performance.now() - started) / 1000;
    const writer = batchWriter(plan, from.bins, B, network);
    const scoreOf = async (parameters: Float32Array) =>
      judged.length > 0 ? await validate(programs.evaluate, parameters, judged, writer, B) : null;
    // What was learned on coarser bins is to be beaten on these.
    let kept = from.done > 0 ? { ...from, validation: await scoreOf(from.parameters) } : from;
    const learnFrom = async (windows: WindowSet) => {
      signal?.throwIfAborted();
      const places = Array.from({ length: B }, () => windows.draw(draws));
      const { loss } = await programs.train.run(writer(places));
      return loss[0];
    };
    let [sum, since, done] = [0, 0, from.done];
    while (done < end) {
      sum += await learnFrom(training);
      since++;
      done++;
      if (done % every !== 0 && done !== end) continue;
      const parameters = (await programs.train.read("parameters")) as Float32Array;
      const validation = await scoreOf(parameters);
      // Without windows that validate, the last parameters are the best there are.
      if (validation === null || validation < (kept.validation ?? Number.POSITIVE_INFINITY)) {
        kept = { ...kept, best: done, validation, parameters };
      }
      const { iterations } = settings;
      const left = iterations - done + (judged.length > 0 ? Math.ceil(AGAIN * iterations) : 0);
      yield { iteration: done, iterations, loss: sum / since, validation, seconds: secondsSoFar(), left };
      [sum, since] = [0, 0];
      if (validation !== null && done - Math.max(kept.best, from.done) >= patience * every) break;
    }
    const reached = { ...kept, done, seconds: secondsSoFar() };
    if (!ending || judged.length === 0) return reached;
    // The end of the course again, at its low rates. Temperatures stay as they were found: they are not trained.
    const count = Math.min(planned, Math.ceil(AGAIN * kept.best));
    programs.train.write({ parameters: await ending.calibrated(kept), step: Int32Array.of(planned - count) });
    for (let i = 0; i < count; i++) await learnFrom(ending.all);
    return { ...reached, parameters: (await programs.train.read("parameters")) as Float32Array };
  } finally {
    await programs.train.dispose();
    await programs.evaluate.dispose();
  }
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
