// Settings that change in the course of a run, against their closed forms.

import { describe, expect, test } from "vitest";
import { type Course, checkCourse, courseAt, isAlways } from "./course.ts";

const PROGRESS = [0, 0.1, 1 / 3, 0.5, 0.9, 1];

test("a number stays what it is", () => {
  for (const progress of PROGRESS) expect(courseAt(0.3, progress)).toBe(0.3);
});

describe.each<[Course, string, (done: number) => number]>([
  [{ from: 8, to: 2 }, "a straight line, unless told otherwise", (x) => 8 - 6 * x],
  [{ from: 8, to: 2, shape: "linear" }, "a straight line", (x) => 8 - 6 * x],
  [{ from: 0, to: 3, shape: "linear" }, "a straight line upwards", (x) => 3 * x],
  [{ from: 8, to: 2, shape: "cosine" }, "half a cosine wave", (x) => 5 + 3 * Math.cos(Math.PI * x)],
  [{ from: 8, to: 2, shape: "exponential" }, "a straight line of the logarithm", (x) => 8 * 4 ** -x],
])("%o is %s", (course, _, closedForm) => {
  test("from the start to the end of a run", () => {
    for (const progress of PROGRESS) expect(courseAt(course, progress)).toBeCloseTo(closedForm(progress), 12);
  });

  test("or until it is told to be there, and stays there", () => {
    const early = { ...(course as object), until: 0.4 } as Course;
    for (const done of PROGRESS) expect(courseAt(early, 0.4 * done)).toBeCloseTo(closedForm(done), 12);
    for (const progress of [0.4, 0.7, 1]) expect(courseAt(early, progress)).toBeCloseTo(closedForm(1), 12);
  });

  test("and is at its end exactly, also a little beyond the run", () => {
    expect(courseAt(course, 1)).toBeCloseTo(closedForm(1), 14);
    expect(courseAt(course, 1.2)).toBe(courseAt(course, 1));
  });
});

test("half-way a line is at the mean, a wave too, and an exponential at the geometric mean", () => {
  const at = (shape: "linear" | "cosine" | "exponential") => courseAt({ from: 4, to: 1, shape }, 0.5);
  expect(at("linear")).toBeCloseTo(2.5, 12);
  expect(at("cosine")).toBeCloseTo(2.5, 12);
  expect(at("exponential")).toBeCloseTo(2, 12);
});

test("a wave leaves slowly and arrives slowly: a quarter of the way it is above the line, later below", () => {
  const [wave, line] = (["cosine", "linear"] as const).map(
    (shape) => (progress: number) => courseAt({ from: 1, to: 0, shape }, progress),
  );
  expect(wave(0.25)).toBeGreaterThan(line(0.25) + 0.1);
  expect(wave(0.75)).toBeLessThan(line(0.75) - 0.1);
});

describe("what cannot be a course is refused and named:", () => {
  const range = { low: 0, high: 1 };
  test.each<[Course, string]>([
    [2, "share must be in [0, 1], got 2"],
    [Number.NaN, "share must be in [0, 1], got NaN"],
    [{ from: -1, to: 0 }, "share must be in [0, 1], got -1"],
    [{ from: 0, to: 1.5 }, "share must be in [0, 1], got 1.5"],
    [{ from: 1, to: 0, until: 0 }, "share: until must be in (0, 1], got 0"],
    [{ from: 1, to: 0, until: 1.1 }, "share: until must be in (0, 1], got 1.1"],
    [
      { from: 1, to: 0, shape: "exponential" },
      "share: an exponential course needs positive ends, got 1 and 0",
    ],
  ])("%o", (course, message) => {
    expect(() => checkCourse("share", course, range)).toThrow(new RangeError(message));
  });

  test("while those that lie within their range pass", () => {
    for (const course of [0, 1, { from: 1, to: 0 }, { from: 1, to: 0.1, shape: "exponential" }] as Course[]) {
      expect(() => checkCourse("share", course, range)).not.toThrow();
    }
  });
});

test("a course is always a value if it begins and ends there", () => {
  expect([0, { from: 0, to: 0 }].map((course) => isAlways(course, 0))).toEqual([true, true]);
  expect([0.1, { from: 0, to: 1 }, { from: 1, to: 0 }].map((course) => isAlways(course, 0))).toEqual([
    false,
    false,
    false,
  ]);
});
