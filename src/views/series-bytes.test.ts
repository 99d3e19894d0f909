// Tests that curves as bytes are the curves.

import { expect, test } from "vitest";
import type { SeriesAnswer } from "./page-data.ts";
import { decodeSeries, encodeSeries } from "./series-bytes.ts";

const ANSWER: SeriesAnswer = {
  metric: "tv",
  x: "seconds",
  series: [
    {
      ...{ entry: "runs/é", x: [0, 0.1], low: [1 / 3, -0], high: [1e300, 5e-324], mean: [1, 2] },
      ...{ points: 2, limit: 0.1, uniform: null },
    },
    { entry: "runs/b", x: [], low: [], high: [], mean: [], points: 0, limit: null, uniform: null },
  ],
  groups: [
    {
      ...{ group: "g", label: "stick 0.5", entries: ["runs/é", "runs/b"], x: [7, 8, 9], mean: [1, 2, 3] },
      ...{ deviation: [0, 0.5, 0.25], count: [1, 2, 2], limit: null, uniform: 0.9 },
    },
  ],
  cursor: "abc.1.2",
};

test("an answer that was encoded and decoded is the same, bit for bit", () => {
  expect(decodeSeries(encodeSeries(ANSWER).buffer)).toStrictEqual(ANSWER);
});

test("heads of every length keep the numbers aligned", () => {
  for (let length = 0; length < 9; length++) {
    const answer = { ...ANSWER, cursor: "x".repeat(length) };
    expect(decodeSeries(encodeSeries(answer).buffer)).toStrictEqual(answer);
  }
});

test("an answer without curves has no numbers", () => {
  const answer: SeriesAnswer = { metric: "tv", x: "calls", series: [], groups: [] };
  const bytes = encodeSeries(answer);
  expect(decodeSeries(bytes.buffer)).toStrictEqual(answer);
  expect(bytes.length).toBeLessThan(80);
});
