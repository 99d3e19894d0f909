// Schedules: settings that change over a run, as plain data that a config file can hold.
//
// A schedule is a function of progress, the completed fraction of the run from 0 to 1, so that it fits runs of any length.
// It is evaluated on the host; its value is an input of the program, such as the learning rate of Adam.

/** A value that changes over the run. */
export interface ScheduleChange {
  readonly from: number;
  readonly to: number;
  /** Progress at which `to` is reached, in (0, 1]; after that, the value stays at `to`. Default: 1. */
  readonly until?: number;
  /** Linear, half a cosine wave, or linear in the logarithm. Default: linear. */
  readonly shape?: (typeof SCHEDULE_SHAPES)[number];
}

/** Names of the shapes of a schedule. */
export const SCHEDULE_SHAPES = ["linear", "cosine", "exponential"] as const;

/** A constant, or a change from one value to another. */
export type Schedule = number | ScheduleChange;

/**
 * Value of a schedule at a progress from 0 to 1.
 *
 * @example
 * ```ts
 * import { scheduleAt } from "gflownet/nn";
 *
 * console.log(scheduleAt({ from: 1, to: 0, until: 0.5 }, 0.25), scheduleAt(3, 0.25)); // 0.5 3
 * ```
 */
export function scheduleAt(schedule: Schedule, progress: number): number {
  if (typeof schedule === "number") return schedule;
  const { from, to, until = 1, shape = "linear" } = schedule;
  const done = Math.min(progress / until, 1);
  switch (shape) {
    case "linear":
      return from + (to - from) * done;
    case "cosine":
      return to + ((from - to) * (1 + Math.cos(Math.PI * done))) / 2;
    case "exponential":
      return from * (to / from) ** done;
    default:
      return shape satisfies never;
  }
}

/** Whether a schedule has this value during the whole run. */
export function isConstant(schedule: Schedule, value: number): boolean {
  const { from, to } = typeof schedule === "number" ? constant(schedule) : schedule;
  return from === value && to === value;
}

function constant(value: number): ScheduleChange {
  return { from: value, to: value };
}
