// The computations of a run, without its files: training as a stream of events, and the assessment at the end. They can
// take place in this thread, or in one of their own (training-thread.ts), which keeps a command responsive.

import { model as createModel } from "../gfn/policy/model.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { type TrainOptions, train } from "../gfn/training/train.ts";
import { type Assessment, assessor } from "./assessment.ts";
import type { ConfiguredRun } from "./trained-run.ts";

/** How much longer a run goes on: until it has this many iterations, or for this many more seconds. */
export type RunLength = { readonly iterations: number } | { readonly seconds: number };

/** What to train, as plain data. */
export interface TrainingRequest {
  /** The state to continue from; omitted for a new run. */
  readonly resume?: Snapshot;
  /** A new length for a run that continues. Default: as it was planned. */
  readonly length?: RunLength;
  /** When the time of the run began, in milliseconds since 1970. Default: now. */
  readonly origin?: number;
}

export interface RunComputation {
  /** Iteration events may be left out between those that the run logs. */
  train(request: TrainingRequest, signal?: AbortSignal): AsyncGenerator<TrainEvent, void>;
  assess(snapshot: Snapshot): Promise<Assessment>;
  close(): Promise<void>;
}

/** Computes in this thread. */
export function computationHere({ config, task, options }: ConfiguredRun): RunComputation {
  const assessments = assessor({ model: createModel(task.environment, options), task, options });
  return {
    async *train(request, signal) {
      const settings = trainingOptions(options, request);
      if (settings.seconds === undefined) {
        yield* train({ ...settings, checkpointEvery: config.checkpointEvery, signal });
        return;
      }
      // Compiled before training, so that nothing of unknown length remains for the end.
      const reserve = await assessments.prepare();
      yield* train({ ...settings, checkpointEvery: config.checkpointEvery, signal, reserve });
    },
    assess: assessments.assess,
    close: assessments.dispose,
  };
}

/** The options of `train`: a new run has the length of its config, a resumed one its recorded plan or a new length. */
function trainingOptions(options: TrainOptions, { resume, length, origin }: TrainingRequest): TrainOptions {
  const { iterations, seconds, plan, ...rest } = options;
  const isPlanned = resume?.plan !== undefined && resume.plan.length > 0;
  const start = origin ?? now();
  return {
    ...rest,
    ...(length ?? (isPlanned ? {} : { iterations, seconds, plan })),
    ...(resume && { resume }),
    clock: () => (now() - start) / 1000,
  };
}

/** Milliseconds since 1970, the same in all threads. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
