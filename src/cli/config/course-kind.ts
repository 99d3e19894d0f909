// Settings that may change in the course of a run: a number, {from, to, shape, until} in a file, and
// `from:to[:shape[:until]]` as a flag.

import type { Change, Course } from "../../gfn/course.ts";
import { show } from "./error.ts";
import { isIn, type Kind, number, numberFrom, type Range, rangeText } from "./kinds.ts";

export const SHAPES = ["linear", "cosine", "exponential"] as const satisfies readonly Change["shape"][];
const FIELDS = ["from", "to", "shape", "until"];

export function course(range: Range): Kind<Course> {
  const end = number(range);
  const rule = `a number${rangeText(range)}, or a course from one such number to another`;
  return {
    rule,
    argument: "<x|from:to>",
    problem(value) {
      if (typeof value === "number") return end.problem(value) && `must be ${rule}, got ${value}`;
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return `must be ${rule}, got ${show(value)}`;
      }
      return changeProblem(value as Partial<Record<string, unknown>>, end);
    },
    fromText(text) {
      const [from, to, shape, until, ...rest] = text.split(":");
      if (to === undefined) return numberFrom(from);
      const change = {
        from: numberFrom(from),
        to: numberFrom(to),
        ...(shape !== undefined && { shape }),
        ...(until !== undefined && { until: numberFrom(until) }),
      };
      return rest.length > 0 || Object.values(change).includes(undefined) ? undefined : change;
    },
    toText(value) {
      if (typeof value === "number") return String(value);
      const { from, to, until, shape = until === undefined ? undefined : "linear" } = value;
      return [from, to, shape, until].filter((part) => part !== undefined).join(":");
    },
  };
}

function changeProblem(change: Partial<Record<string, unknown>>, end: Kind<number>): string | null {
  const surplus = Object.keys(change).find((field) => !FIELDS.includes(field));
  if (surplus !== undefined) return `must be a course of ${FIELDS.join(", ")}, got a ${show(surplus)} in it`;
  for (const name of ["from", "to"]) {
    if (change[name] === undefined) return `must be a course with from and to, got none for ${name}`;
    const problem = end.problem(change[name]);
    if (problem) return `must be a course whose ${name} ${problem.replace(/^must be/, "is")}`;
  }
  const { from, to, shape, until } = change;
  if (shape !== undefined && !(SHAPES as readonly unknown[]).includes(shape)) {
    return `must be a course of shape ${SHAPES.join(", ")}, got ${show(shape)}`;
  }
  if (until !== undefined && !(typeof until === "number" && isIn(until, { above: 0, to: 1 }))) {
    return `must be a course whose until is in (0, 1], got ${show(until)}`;
  }
  if (shape === "exponential" && !((from as number) > 0 && (to as number) > 0)) {
    return `must be a course between positive numbers if it is exponential, got ${from} and ${to}`;
  }
  return null;
}
