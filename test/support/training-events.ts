// Selects events of training runs.

import type { ExactEvaluationEvent, TrainEvent } from "../../src/gfn/training/events.ts";
import type { Snapshot } from "../../src/gfn/training/snapshot.ts";

export async function collect(run: AsyncIterable<TrainEvent>): Promise<TrainEvent[]> {
  const events: TrainEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The exact evaluations of a run, in order. The first evaluation is before training. */
export function evaluationsOf(events: readonly TrainEvent[]) {
  return events.filter((event): event is ExactEvaluationEvent & { reached: { logZError: number } } => {
    return event.kind === "evaluation" && event.exact;
  });
}

export function lastEvaluation(events: readonly TrainEvent[]) {
  const event = evaluationsOf(events).at(-1);
  if (!event) throw new Error("there is no exact evaluation");
  return event;
}

export function lossesOf(events: readonly TrainEvent[]): number[] {
  return events.flatMap((event) => (event.kind === "iteration" ? [event.loss] : []));
}

export function checkpointsOf(events: readonly TrainEvent[]): Snapshot[] {
  return events.flatMap((event) => (event.kind === "checkpoint" ? [event.snapshot] : []));
}

/** The objects without one field, such as times. */
export function without<T extends object>(items: readonly T[], field: string): T[] {
  return items.map(
    (item) => Object.fromEntries(Object.entries(item).filter(([name]) => name !== field)) as T,
  );
}
