// Where gaps are, which of them are left, and in what pieces the others are drawn.

import { describe, expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { edgesOf, gapsOf, piecesOf, stretchesOf } from "./gaps.ts";

/** A series of ten rows, with values where there is an "x", one text per target. */
function seriesOf(...targets: readonly string[]) {
  return {
    ...madePanel({ rows: 10 }).series[0],
    targets: targets.map((text) => Float64Array.from(text, (sign) => (sign === "x" ? 1 : Number.NaN))),
  };
}

describe("gaps", () => {
  test("of one target have values of it on both sides", () => {
    expect(gapsOf(seriesOf("--xx--x-x-"), ["y"])).toEqual([
      { id: "series 0", target: "y", from: 4, rows: 2 },
      { id: "series 0", target: "y", from: 7, rows: 1 },
    ]);
  });

  test("of several targets may end where any target has a value", () => {
    expect(gapsOf(seriesOf("xx--xx----", "-xx--xxx--"), ["a", "b"])).toEqual([
      { id: "series 0", target: "a", from: 2, rows: 2 },
      { id: "series 0", target: "a", from: 6, rows: 2 },
      { id: "series 0", target: "b", from: 3, rows: 2 },
    ]);
  });

  test("at the start have nothing before them, and at the end they are a forecast", () => {
    expect(
      edgesOf(seriesOf("--xx--x-x-"), ["y"], null).map(({ from, rows, reason }) => [from, rows, reason]),
    ).toEqual([
      [0, 2, "A gap must have a value of y before it, got none before 2 rows from 2020-01-01 on."],
      [
        9,
        1,
        "A gap must have a value after it, got none after 1 row from 2020-01-10 on: there it is a forecast.",
      ],
    ]);
    expect(edgesOf(seriesOf("xxxxxxxxxx", "xx-xxxx---"), ["a", "b"], null)).toEqual([]);
    expect(edgesOf(seriesOf("----------", "xxxxxxxxxx"), ["a", "b"], null)).toMatchObject([
      { from: 0, rows: 10 },
    ]);
    expect(edgesOf(seriesOf("----------"), ["y"], null)).toMatchObject([{ from: 0, rows: 10 }]);
  });

  test("that overlap or touch are filled together", () => {
    const gaps = gapsOf(seriesOf("x--xxx--xx", "xx--xxxxxx", "xxxx-xxxxx"), ["a", "b", "c"]);
    expect(stretchesOf(gaps).map(({ from, rows, gaps: all }) => [from, rows, all.length])).toEqual([
      [1, 4, 3],
      [6, 2, 1],
    ]);
  });
});

describe("pieces", () => {
  test("are one where the horizon reaches beyond", () => {
    expect(piecesOf(27, 28)).toEqual([{ offset: 0, rows: 27 }]);
  });

  test.each([
    [28, 28, [14, 14]],
    [60, 28, [23, 23, 14]],
    [3, 2, [2, 1]],
    [7, 3, [3, 2, 2]],
  ])("of %s rows with a horizon of %s are %j", (rows, horizon, lengths) => {
    const pieces = piecesOf(rows, horizon);
    expect(pieces.map((piece) => piece.rows)).toEqual(lengths);
    pieces.reduce((end, piece) => {
      expect(piece.offset).toBe(end);
      return end + piece.rows;
    }, 0);
  });
});
