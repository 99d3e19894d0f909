// The steps of sampled trajectories, with the outputs of the networks before each: for views of runs whose states cannot be
// enumerated, and for views of single trajectories.

import type { Sample } from "../gfn/sampling/sampler.ts";
import type { OpenedRun, PolicyTables } from "./opened-run.ts";

/** One step of a sampled trajectory. */
export interface SampledStep {
  /** Index of the sample. */
  readonly sample: number;
  /** Counted from 0. */
  readonly step: number;
  readonly action: number;
  /** −1 for a stop. */
  readonly outcome: number;
  /** Outcomes before the step. */
  readonly path: readonly number[];
  /** Actions before the step. */
  readonly thought: readonly number[];
  /** By action. */
  readonly logits: Float32Array | Float64Array;
  readonly isLegal: (action: number) => boolean;
  /** log P̂(c | s, a), [actions without the stop · outcomes]; null without a dynamics model. */
  readonly logDynamics: Float32Array | null;
}

/** Calls `visit` for every step of the samples, sample by sample. */
export async function followSamples(
  run: OpenedRun,
  samples: readonly Sample[],
  visit: (step: SampledStep) => void,
): Promise<void> {
  const tables = await run.tables();
  if (tables && (tables.logDynamics || !run.learnsDynamics)) followInTables(tables, samples, visit);
  else await followByProgram(run, samples, visit);
}

/** Reads the outputs of the networks from tables. */
function followInTables(
  { enumeration, policy, logDynamics }: PolicyTables,
  samples: readonly Sample[],
  visit: (step: SampledStep) => void,
): void {
  const { actions: A, outcomes: C, offsets, targets, outcome } = enumeration;
  samples.forEach(({ thought, outcomes: written }, sample) => {
    let state = 0;
    thought.forEach((action, step) => {
      const at = state;
      visit({
        ...{ sample, step, action, outcome: written[step] ?? -1 },
        path: written.slice(0, step),
        thought: thought.slice(0, step),
        logits: policy.subarray(at * A, (at + 1) * A).map(Math.log),
        isLegal: (each) => offsets[at * A + each + 1] > offsets[at * A + each],
        logDynamics: logDynamics?.subarray(at * C * C, (at + 1) * C * C) ?? null,
      });
      let i = offsets[at * A + action];
      while (outcome[i] !== (written[step] ?? -1)) i++;
      state = targets[i];
    });
  });
}

/** Evaluates the networks along the trajectories. */
async function followByProgram(
  run: OpenedRun,
  samples: readonly Sample[],
  visit: (step: SampledStep) => void,
): Promise<void> {
  const program = await run.trajectoryProgram();
  const { rows } = program;
  const { maxSteps: T, actions: A, outcomes: C } = run.task.environment;
  for (let first = 0; first < samples.length; first += rows) {
    const some = samples.slice(first, first + rows);
    const actions = new Int32Array(T * rows).fill(-1);
    const outcomes = new Int32Array(T * rows).fill(-1);
    some.forEach((sample, row) => {
      sample.thought.forEach((action, step) => {
        actions[step * rows + row] = action;
        outcomes[step * rows + row] = sample.outcomes[step] ?? -1;
      });
    });
    const { logits, allowed, logDynamics } = await program.run(run.parameters, { actions, outcomes });
    some.forEach(({ thought, outcomes: written }, row) => {
      thought.forEach((action, step) => {
        const place = step * rows + row;
        visit({
          sample: first + row,
          step,
          action,
          outcome: written[step] ?? -1,
          path: written.slice(0, step),
          thought: thought.slice(0, step),
          logits: logits.subarray(place * A, (place + 1) * A),
          isLegal: (each) => allowed[place * A + each] > 0,
          logDynamics: logDynamics?.subarray(place * C * C, (place + 1) * C * C) ?? null,
        });
      });
    });
  }
}
