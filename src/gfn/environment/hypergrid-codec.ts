// Conversions between a cell of a hypergrid, its text such as "3,0,7", and the moves that lead to it.

import type { RandomStream } from "../../engine/index.ts";
import type { GridSpace } from "./hypergrid-states.ts";

/** Parses the coordinates of a cell. Throws a RangeError that names the text and the mistake. */
export function parseCell(where: string, text: string, { dimensions, side }: GridSpace): number[] {
  const fields = text.split(",").map((field) => field.trim());
  const fail = (what: string): never => {
    throw new RangeError(
      `${where}: ${JSON.stringify(text)} has ${what}; write ${dimensions} numbers from 0 to ${side - 1} with commas between them`,
    );
  };
  const wrong = fields.findIndex((field) => !/^\d+$/.test(field) || Number(field) >= side);
  if (wrong >= 0) fail(`${JSON.stringify(fields[wrong])} as coordinate ${wrong + 1}`);
  if (fields.length !== dimensions) {
    fail(`${fields.length} ${fields.length === 1 ? "coordinate" : "coordinates"} instead of ${dimensions}`);
  }
  return fields.map(Number);
}

export function formatCell(coordinates: readonly number[]): string {
  return coordinates.join(",");
}

/** Coordinates of the cell that moves along these axes reach from the start. */
export function cellAfter(
  where: string,
  moves: readonly number[],
  { dimensions, side }: GridSpace,
): number[] {
  const coordinates = new Array<number>(dimensions).fill(0);
  moves.forEach((axis, i) => {
    if (!Number.isInteger(axis) || axis < 0 || axis >= dimensions) {
      throw new RangeError(
        `${where}: move ${i + 1} must be along an axis from 0 to ${dimensions - 1}, got ${axis}`,
      );
    }
    if (++coordinates[axis] >= side) {
      throw new RangeError(`${where}: move ${i + 1} leaves the grid of side ${side} along axis ${axis}`);
    }
  });
  return coordinates;
}

/** The moves to a cell in a uniformly random order. */
export function sampleMoves(coordinates: readonly number[], stream: RandomStream): number[] {
  const moves = coordinates.flatMap((count, axis) => new Array<number>(count).fill(axis));
  for (let i = moves.length - 1; i > 0; i--) {
    const j = stream.integer(i + 1);
    [moves[i], moves[j]] = [moves[j], moves[i]];
  }
  return moves;
}
