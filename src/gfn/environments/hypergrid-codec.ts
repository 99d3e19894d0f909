// Cells of a hypergrid as text, "3,0,7", and as ways to them.

import type { RandomStream } from "../../engine/index.ts";
import type { GridSpace } from "./hypergrid-states.ts";

/** Coordinates of the cell that a text stands for. Throws, naming the text and what is wrong, if there is none. */
export function readCell(where: string, text: string, { dimensions, side }: GridSpace): number[] {
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

export function writeCell(coordinates: readonly number[]): string {
  return coordinates.join(",");
}

/** Where moves along axes lead from the start. */
export function cellAfter(where: string, way: readonly number[], { dimensions, side }: GridSpace): number[] {
  const coordinates = new Array<number>(dimensions).fill(0);
  way.forEach((axis, i) => {
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

/** All moves to a cell in a random order: every way is as likely as any other. */
export function drawWay(coordinates: readonly number[], stream: RandomStream): number[] {
  const moves = coordinates.flatMap((count, axis) => new Array<number>(count).fill(axis));
  for (let i = moves.length - 1; i > 0; i--) {
    const j = stream.integer(i + 1);
    [moves[i], moves[j]] = [moves[j], moves[i]];
  }
  return moves;
}
