// Gaps in series: where they are, which cannot be filled, and how the others are divided into segments.

import { describe, expect, test } from "vitest";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { findEdgeGaps, findGaps, gapSpans, segmentsOf } from "./gaps.ts";

/** A series of ten rows. Each text describes a target: "x" for a value, "-" for a missing one. */
function seriesOf(...targets: readonly string[]) {
  return {
    ...syntheticPanel({ rows: 10 }).series[0],
    targets: targets.map((text) => Float64Array.from(text, (sign) => (sign === "x" ? 1 : Number.NaN))),
  };
}

describe("gaps", () => {
  test("of a single target have values on both sides", () => {
    expect(findGaps(seriesOf("--xx--x-x-"), ["y"])).toEqual([
      { id: "series 0", target: "y", from: 4, rows: 2 },
      { id: "series 0", target: "y", from: 7, rows: 1 },
    ]);
  });

  test("of several targets end where any target has a value", () => {
    expect(findGaps(seriesOf("xx--xx----", "-xx--xxx--"), ["a", "b"])).toEqual([
      { id: "series 0", target: "a", from: 2, rows: 2 },
      { id: "series 0", target: "a", from: 6, rows: 2 },
      { id: "series 0", target: "b", from: 3, rows: 2 },
    ]);
  });

  test("at the start and the end of a series cannot be filled", () => {
    expect(
      findEdgeGaps(seriesOf("--xx--x-x-"), ["y"], null).map(({ from, rows, reason }) => [from, rows, reason]),
    ).toEqual([
      [0, 2, "A gap must have a value of y before it, got none before the gap of 2 rows at 2020-01-01."],
      [
        9,
        1,
        "A gap must have a value after it, got none after the gap of 1 row at 2020-01-10; forecast these rows instead.",
      ],
    ]);
    expect(findEdgeGaps(seriesOf("xxxxxxxxxx", "xx-xxxx---"), ["a", "b"], null)).toEqual([]);
    expect(findEdgeGaps(seriesOf("----------", "xxxxxxxxxx"), ["a", "b"], null)).toMatchObject([
      { from: 0, rows: 10 },
    ]);
    expect(findEdgeGaps(seriesOf("----------"), ["y"], null)).toMatchObject([{ from: 0, rows: 10 }]);
  });

  test("that overlap or touch form one span", () => {
    const gaps = findGaps(seriesOf("x--xxx--xx", "xx--xxxxxx", "xxxx-xxxxx"), ["a", "b", "c"]);
    expect(gapSpans(gaps).map(({ from, rows, gaps: all }) => [from, rows, all.length])).toEqual([
      [1, 4, 3],
      [6, 2, 1],
    ]);
  });
});

describe("segments", () => {
  test("are one if the span is shorter than the horizon", () => {
    expect(segmentsOf(27, 28)).toEqual([{ offset: 0, rows: 27 }]);
  });

  test.each([
    [28, 28, [14, 14]],
    [60, 28, [23, 23, 14]],
    [3, 2, [2, 1]],
    [7, 3, [3, 2, 2]],
  ])("of %s rows with a horizon of %s have lengths %j", (rows, horizon, lengths) => {
    const segments = segmentsOf(rows, horizon);
    expect(segments.map((segment) => segment.rows)).toEqual(lengths);
    segments.reduce((end, segment) => {
      expect(segment.offset).toBe(end);
      return end + segment.rows;
    }, 0);
  });
});
