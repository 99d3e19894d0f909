// The kind of a setting that may change over a run: a number, `{ from, to, shape, until }` in a config file, and
// `from:to[:shape[:until]]` as a flag.

import { numberFrom } from "../formats/decimal.ts";
import { show } from "../issues.ts";
import { SCHEDULE_SHAPES, type Schedule } from "../nn/optim/schedule.ts";
import { isIn, type Kind, number, type Range, rangeText, type Violation } from "./kinds.ts";

const FIELDS = ["from", "to", "shape", "until"];

export function schedule(range: Range): Kind<Schedule> {
  const end = number(range);
  const rule = `a number${rangeText(range)}, or a schedule from one such number to another`;
  return {
    rule,
    argument: "<x|from:to>",
    violation(value) {
      if (typeof value === "number") return end.violation(value) && { rule };
      if (typeof value !== "object" || value === null || Array.isArray(value)) return { rule };
      return changeViolation(value as Partial<Record<string, unknown>>, end);
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
    schema: {
      anyOf: [
        end.schema,
        {
          type: "object",
          properties: {
            from: end.schema,
            to: end.schema,
            shape: { enum: SCHEDULE_SHAPES },
            until: { type: "number", exclusiveMinimum: 0, maximum: 1 },
          },
          required: ["from", "to"],
          additionalProperties: false,
        },
      ],
    },
  };
}

function changeViolation(change: Partial<Record<string, unknown>>, end: Kind<number>): Violation | null {
  const surplus = Object.keys(change).find((field) => !FIELDS.includes(field));
  if (surplus !== undefined) {
    return { rule: `a schedule of ${FIELDS.join(", ")}`, got: `the field ${show(surplus)}` };
  }
  for (const name of ["from", "to"]) {
    if (change[name] === undefined) return { rule: "a schedule with from and to", got: `no ${name}` };
    const violation = end.violation(change[name]);
    if (violation) return { rule: `a schedule whose ${name} is ${violation.rule}`, got: show(change[name]) };
  }
  const { from, to, shape, until } = change;
  if (shape !== undefined && !(SCHEDULE_SHAPES as readonly unknown[]).includes(shape)) {
    return { rule: `a schedule of the shape ${SCHEDULE_SHAPES.join(", ")}`, got: show(shape) };
  }
  if (until !== undefined && !(typeof until === "number" && isIn(until, { above: 0, to: 1 }))) {
    return { rule: "a schedule whose until is in (0, 1]", got: show(until) };
  }
  if (shape === "exponential" && !((from as number) > 0 && (to as number) > 0)) {
    return { rule: "a schedule between positive numbers if it is exponential", got: `${from} and ${to}` };
  }
  return null;
}
