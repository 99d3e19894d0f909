import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { RandomStream } from "../../engine/index.ts";
import { cellAfter, formatCell, parseCell, sampleMoves } from "./hypergrid-codec.ts";

const space = { dimensions: 3, side: 12 };

test("the text of a cell is its coordinates with commas, with or without spaces around them", () => {
  expect(parseCell("grid", "3,0,11", space)).toEqual([3, 0, 11]);
  expect(parseCell("grid", " 3, 0 ,11", space)).toEqual([3, 0, 11]);
  expect(formatCell([3, 0, 11])).toBe("3,0,11");
});

test("the moves to a cell lead to it", () => {
  const stream = RandomStream.fromSeed(3);
  for (const text of ["0,0,0", "1,2,3", "11,0,11"]) {
    const moves = sampleMoves(parseCell("grid", text, space), stream);
    expect(formatCell(cellAfter("grid", moves, space))).toBe(text);
  }
});

test("every order of the moves to a cell is equally likely", () => {
  const stream = RandomStream.fromSeed(4);
  const counts = new Map<string, number>();
  for (let k = 0; k < 6000; k++) {
    const moves = sampleMoves([2, 2, 0], stream).join("");
    counts.set(moves, (counts.get(moves) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(["0011", "0101", "0110", "1001", "1010", "1100"]);
  const uniform = new Array<number>(6).fill(1 / 6);
  expect(chiSquare([...counts.values()], uniform)).toBeLessThan(chiSquareLimit(uniform));
});

describe("invalid texts and moves are rejected in one sentence:", () => {
  const remedy = "write 3 numbers from 0 to 11 with commas between them";
  test.each([
    ["1,2", `grid: "1,2" has 2 coordinates instead of 3; ${remedy}`],
    ["5", `grid: "5" has 1 coordinate instead of 3; ${remedy}`],
    ["1,12,0", `grid: "1,12,0" has "12" as coordinate 2; ${remedy}`],
    ["1,2,-3", `grid: "1,2,-3" has "-3" as coordinate 3; ${remedy}`],
    ["1,,3", `grid: "1,,3" has "" as coordinate 2; ${remedy}`],
    ["1e1,0,0", `grid: "1e1,0,0" has "1e1" as coordinate 1; ${remedy}`],
  ])("%j", (text, message) => {
    expect(() => parseCell("grid", text, space)).toThrow(new RangeError(message));
  });

  test.each([
    [[0, 3], "grid: move 2 must be along an axis from 0 to 2, got 3"],
    [[-1], "grid: move 1 must be along an axis from 0 to 2, got -1"],
    [new Array<number>(12).fill(1), "grid: move 12 leaves the grid of side 12 along axis 1"],
  ])("the moves %j", (moves, message) => {
    expect(() => cellAfter("grid", moves, space)).toThrow(new RangeError(message));
  });
});
