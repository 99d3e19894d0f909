// How a setting changes in the course of a run, as plain data: it can stand in a config file.
//
// Progress runs from 0 to 1, so that a course fits a run of any length.

export interface Change {
  readonly from: number;
  readonly to: number;
  /** The part of the run after which `to` is reached, in (0, 1]; it stays there. All of the run if not given. */
  readonly until?: number;
  /** A straight line, half a cosine wave, or a straight line of the logarithm. */
  readonly shape?: (typeof SHAPES)[number];
}

export const SHAPES = ["linear", "cosine", "exponential"] as const;

/** A number for the whole run, or a change of it. */
export type Course = number | Change;

export function courseAt(course: Course, progress: number): number {
  if (typeof course === "number") return course;
  const { from, to, until = 1, shape = "linear" } = course;
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

/** Throws, naming the setting, unless all of its values lie in [low, high]. */
export function checkCourse(
  name: string,
  course: Course,
  { low, high }: { readonly low: number; readonly high: number },
): void {
  if (typeof course !== "number" && (typeof course !== "object" || course === null)) {
    throw new TypeError(`${name} must be a number or a change of it, { from, to }, got ${course}`);
  }
  const { from, to, until = 1, shape } = typeof course === "number" ? constant(course) : course;
  for (const value of [from, to]) {
    if (!(value >= low && value <= high)) {
      throw new RangeError(`${name} must be in [${low}, ${high}], got ${value}`);
    }
  }
  if (shape !== undefined && !SHAPES.includes(shape)) {
    throw new RangeError(`${name}: shape must be one of ${SHAPES.join(", ")}, got ${shape}`);
  }
  if (!(until > 0 && until <= 1)) throw new RangeError(`${name}: until must be in (0, 1], got ${until}`);
  if (shape === "exponential" && !(from > 0 && to > 0)) {
    throw new RangeError(`${name}: an exponential course needs positive ends, got ${from} and ${to}`);
  }
}

/** Whether a course is this value throughout. */
export function isAlways(course: Course, value: number): boolean {
  const { from, to } = typeof course === "number" ? constant(course) : course;
  return from === value && to === value;
}

function constant(value: number): Change {
  return { from: value, to: value };
}
