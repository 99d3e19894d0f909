// Tests of schedules against closed forms.

import { describe, expect, test } from "vitest";
import { isConstant, type Schedule, scheduleAt } from "./schedule.ts";

const PROGRESS = [0, 0.1, 1 / 3, 0.5, 0.9, 1];

test("a number is constant", () => {
  for (const progress of PROGRESS) expect(scheduleAt(0.3, progress)).toBe(0.3);
});

describe.each<[Schedule, string, (done: number) => number]>([
  [{ from: 8, to: 2 }, "linear by default", (x) => 8 - 6 * x],
  [{ from: 8, to: 2, shape: "linear" }, "linear", (x) => 8 - 6 * x],
  [{ from: 0, to: 3, shape: "linear" }, "linear and increasing", (x) => 3 * x],
  [{ from: 8, to: 2, shape: "cosine" }, "half a cosine wave", (x) => 5 + 3 * Math.cos(Math.PI * x)],
  [{ from: 8, to: 2, shape: "exponential" }, "linear in the logarithm", (x) => 8 * 4 ** -x],
])("%o is %s", (schedule, _, closedForm) => {
  test("over the whole run", () => {
    for (const progress of PROGRESS)
      expect(scheduleAt(schedule, progress)).toBeCloseTo(closedForm(progress), 12);
  });

  test("until a progress below 1, and constant afterwards", () => {
    const early = { ...(schedule as object), until: 0.4 } as Schedule;
    for (const done of PROGRESS) expect(scheduleAt(early, 0.4 * done)).toBeCloseTo(closedForm(done), 12);
    for (const progress of [0.4, 0.7, 1]) expect(scheduleAt(early, progress)).toBeCloseTo(closedForm(1), 12);
  });

  test("and keeps its last value if progress exceeds 1", () => {
    expect(scheduleAt(schedule, 1.2)).toBe(scheduleAt(schedule, 1));
  });
});

test("isConstant is true only if both ends of the schedule equal the value", () => {
  expect([0, { from: 0, to: 0 }].map((schedule) => isConstant(schedule, 0))).toEqual([true, true]);
  expect([0.1, { from: 0, to: 1 }, { from: 1, to: 0 }].map((schedule) => isConstant(schedule, 0))).toEqual([
    false,
    false,
    false,
  ]);
});
