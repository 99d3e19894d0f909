// The format of the times of a file.

import { expect, test } from "vitest";
import type { Frequency } from "../types.ts";
import { timeFormat } from "./time-format.ts";

const NOON = 43_200_000;
const day: Frequency = { unit: "day", count: 1 };

test.each<[string, Frequency | null, number[], (string | number)[]]>([
  ["days are dates", day, [0, 2 * NOON], ["1970-01-01", "1970-01-02"]],
  ["step numbers stay numbers", { unit: "step", count: 1 }, [7, 8], [7, 8]],
  ["one time of day gives all times one", day, [0, NOON], ["1970-01-01T00:00:00Z", "1970-01-01T12:00:00Z"]],
  [
    "hours have a time of day even if all are midnight",
    { unit: "hour", count: 24 },
    [0],
    ["1970-01-01T00:00:00Z"],
  ],
  ["irregular days are dates", null, [0, 6 * NOON], ["1970-01-01", "1970-01-04"]],
  ["before 1970", null, [-NOON], ["1969-12-31T12:00:00Z"]],
  [
    "fractions of a second are kept",
    null,
    [0.5e3, 1e3],
    ["1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01Z"],
  ],
])("%s", (_, frequency, times, texts) => {
  expect(times.map(timeFormat(frequency, [times]))).toEqual(texts);
});
