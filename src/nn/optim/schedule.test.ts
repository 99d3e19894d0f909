import { describe, expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { constantSchedule, cosineSchedule, linearSchedule, type Schedule, warmUp } from "./schedule.ts";

const decay = { from: 0.1, to: 0.02, steps: 100 };

const cases: [name: string, schedule: Schedule, values: [step: number, value: number][]][] = [
  [
    "constant",
    constantSchedule(0.3),
    [
      [0, 0.3],
      [1000, 0.3],
    ],
  ],
  [
    "linear",
    linearSchedule(decay),
    [
      [0, 0.1],
      [25, 0.08],
      [50, 0.06],
      [100, 0.02],
      [5000, 0.02],
    ],
  ],
  [
    "cosine",
    cosineSchedule(decay),
    [
      [0, 0.1],
      [25, 0.06 + 0.04 * Math.SQRT1_2],
      [50, 0.06],
      [100, 0.02],
      [5000, 0.02],
    ],
  ],
  [
    "warm-up, then linear",
    warmUp(10, linearSchedule(decay)),
    [
      [0, 0.01],
      [4, 0.05],
      [9, 0.1],
      [10, 0.1],
      [60, 0.06],
      [110, 0.02],
      [999, 0.02],
    ],
  ],
  [
    "warm-up of one step",
    warmUp(1, constantSchedule(2)),
    [
      [0, 2],
      [1, 2],
    ],
  ],
];

describe.each(cases)("%s", (_, schedule, values) => {
  test.each(values)("step %i gives %f", (step, value) => {
    expect(schedule.value(step)).toBeCloseTo(value, 10);
  });

  test("traced, from an int32 step, it gives the same", () => {
    for (const [step, value] of values) {
      const { rate } = evaluate(
        ({ step }) => ({ rate: schedule.at(step) }),
        {
          step: { shape: [], dtype: "int32", data: [step] },
        },
        "float32",
      );
      expect(rate.length).toBe(1);
      expect(Math.abs(rate[0] - value)).toBeLessThan(1e-6 * value + 1e-8);
    }
  });
});

test("refuse bad numbers", () => {
  expect(() => constantSchedule(Number.NaN)).toThrow("constantSchedule: value must be finite, got NaN");
  expect(() => linearSchedule({ from: 1, to: 0, steps: 0 })).toThrow(
    "linearSchedule: steps must be a positive whole number, got 0",
  );
  expect(() => cosineSchedule({ from: 1, to: Infinity, steps: 5 })).toThrow(
    "cosineSchedule: to must be finite",
  );
  expect(() => warmUp(0.5, constantSchedule(1))).toThrow(
    "warmUp: steps must be a positive whole number, got 0.5",
  );
});
