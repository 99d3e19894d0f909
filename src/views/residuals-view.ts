// The view `residuals`: the residuals of the balance by step, and the terms that they consist of, over training.
//
// They come from the events of a run that logged them. Events may be from another version, so their fields are checked.

import { join } from "node:path";
import type { IterationEvent, TrainEvent } from "../gfn/training/events.ts";
import { UserError } from "../issues.ts";
import { mean } from "../math/statistics.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { rounded } from "./numbers.ts";
import { scanEvents } from "./scan-events.ts";
import type { ResidualView } from "./view-data.ts";

/** Iterations, steps, and numbers of an answer. */
const [MOST_ITERATIONS, MOST_STEPS, MOST_NUMBERS] = [256, 64, 40_000];

/** Residuals as an event has them: arrays by step. */
interface LoggedResiduals {
  readonly steps: number;
  readonly mean: readonly number[];
  readonly rootMeanSquare: readonly number[];
  readonly terms: Readonly<Record<string, readonly number[]>>;
}

type ResidualEvent = IterationEvent & { readonly residuals: LoggedResiduals };

export async function residualsView(folder: string): Promise<ResidualView> {
  const path = join(folder, RUN_FILES.metrics);
  const events = await scanEvents(path, '"residuals"', hasResiduals, 2 * MOST_ITERATIONS);
  if (events.length === 0) {
    throw new UserError(`${folder} has logged no residuals; train it with the option \`residuals\``);
  }
  const steps = Math.max(...events.map(({ residuals }) => residuals.steps));
  const names = [...new Set(events.flatMap(({ residuals }) => Object.keys(residuals.terms)))];
  const termSteps = Math.max(
    ...events.flatMap(({ residuals }) => Object.values(residuals.terms).map(({ length }) => length)),
    steps,
  );
  // Neighbouring steps of long trajectories share a column.
  const group = Math.ceil(termSteps / MOST_STEPS);
  const columns = Math.ceil(steps / group);
  const termColumns = Math.ceil(termSteps / group);
  const perEvent = 2 * columns + names.length * termColumns;
  const most = Math.max(2, Math.min(MOST_ITERATIONS, Math.floor(MOST_NUMBERS / perEvent)));
  const shown = events.filter(
    (_, i) =>
      i === events.length - 1 ||
      Math.floor((i * most) / events.length) !== Math.floor(((i - 1) * most) / events.length),
  );
  // If a trajectory has one residual, the terms of all steps together are its terms.
  const combined = termSteps === steps ? mean : sum;
  return {
    view: "residuals",
    exact: false,
    notes: [
      "Means over the steps of each training batch that was logged.",
      ...(shown.length < events.length ? [`${shown.length} of the logged iterations are shown.`] : []),
      ...(group > 1 ? [`A column stands for ${group} steps.`] : []),
    ],
    iterations: shown.map(({ iteration }) => iteration),
    steps: columns,
    rootMeanSquare: shown.map(({ residuals }) =>
      grouped(residuals.rootMeanSquare, columns, group, (values) =>
        Math.sqrt(mean(values.map((value) => value ** 2))),
      ),
    ),
    mean: shown.map(({ residuals }) => grouped(residuals.mean, columns, group, mean)),
    terms: names.map((name) => ({
      name,
      mean: shown.map(({ residuals }) => grouped(residuals.terms[name], termColumns, group, combined)),
    })),
  };
}

function hasResiduals(event: TrainEvent): event is ResidualEvent {
  const { residuals } = event as Partial<ResidualEvent>;
  if (event.kind !== "iteration" || typeof residuals !== "object" || residuals === null) return false;
  const { steps, mean: means, rootMeanSquare, terms } = residuals as Partial<LoggedResiduals>;
  return (
    Number.isSafeInteger(steps) &&
    (steps as number) > 0 &&
    [means, rootMeanSquare].every(Array.isArray) &&
    typeof terms === "object" &&
    terms !== null &&
    Object.values(terms).every(Array.isArray)
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** One number for each group of steps; null where there is none. */
function grouped(
  values: readonly number[] | undefined,
  columns: number,
  group: number,
  combine: (values: readonly number[]) => number,
): (number | null)[] {
  return Array.from({ length: columns }, (_, column) => {
    const some = (values ?? []).slice(column * group, (column + 1) * group).filter(Number.isFinite);
    return some.length === 0 ? null : rounded(combine(some), 5);
  });
}
