import { expect, test } from "vitest";
import { ratiosOf } from "./watched-training.ts";

test("the ratio is that of the sums, so that a machine that slows down evenly does not change it", () => {
  const times = [10, 12, 14, 16].map((seconds) => ({ seconds, processorSeconds: 5 }));
  expect(ratiosOf(times, [false, true, true, false])).toEqual({ seconds: 1, processorSeconds: 1 });
});

test("wall time and processor time have ratios of their own", () => {
  const times = [
    { seconds: 10, processorSeconds: 8 },
    { seconds: 11, processorSeconds: 10 },
  ];
  expect(ratiosOf(times, [false, true])).toEqual({ seconds: 1.1, processorSeconds: 1.25 });
});
