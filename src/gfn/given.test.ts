// Rows that follow what is known, as the rollout takes them.

import { expect, test } from "vitest";
import type { Environment } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { EpisodeBuffer } from "./episode-buffer.ts";
import { GivenRows } from "./given.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });

/** A row's intentions and outcomes, step by step. */
function rowOf({ rows, actions, outcomes }: GivenRows, row: number, { maxSteps }: Environment) {
  const column = (numbers: Int32Array) =>
    Array.from({ length: maxSteps }, (_, t) => numbers[t * rows.length + row]);
  return { given: rows[row], actions: column(actions), outcomes: column(outcomes) };
}

test("a way fills a row with its outcomes; what was intended is not known", () => {
  const given = new GivenRows(strings, 3);
  given.addWay([0, 2, 1]);
  given.addWay([1, 1, 1]);
  expect(rowOf(given, 0, strings)).toEqual({ given: 1, actions: [-1, -1, -1], outcomes: [0, 2, 1] });
  expect(rowOf(given, 1, strings)).toEqual({ given: 1, actions: [-1, -1, -1], outcomes: [1, 1, 1] });
  expect([...given.rows]).toEqual([1, 1, 0]);
});

test("where there is a stop, it follows the way: that much is known", () => {
  const given = new GivenRows(stopping, 3);
  for (const way of [[1, 0], [], [0, 0, 0]]) given.addWay(way);
  expect(rowOf(given, 0, stopping)).toMatchObject({ actions: [-1, -1, 2, 2], outcomes: [1, 0, -1, -1] });
  expect(rowOf(given, 1, stopping)).toMatchObject({ actions: [2, 2, 2, 2], outcomes: [-1, -1, -1, -1] });
  expect(rowOf(given, 2, stopping)).toMatchObject({ actions: [-1, -1, -1, 2], outcomes: [0, 0, 0, -1] });
  const cells = new GivenRows(grid, 1);
  cells.addWay([1, 0]);
  expect(rowOf(cells, 0, grid)).toMatchObject({ actions: [-1, -1, 2, 2, 2], outcomes: [1, 0, -1, -1, -1] });
});

test("an episode that was played fills a row with its intentions too", () => {
  const buffer = new EpisodeBuffer(2, strings.maxSteps);
  buffer.add({ actions: Int32Array.of(0, 1, 2), outcomes: Int32Array.of(2, 1, 0) }, 0, 1);
  const given = new GivenRows(strings, 2);
  given.addWay([0, 0, 0]);
  given.addEpisode(buffer, 0);
  expect(rowOf(given, 1, strings)).toEqual({ given: 1, actions: [0, 1, 2], outcomes: [2, 1, 0] });
});

test("cleared, no row is given, and the first is filled first again", () => {
  const given = new GivenRows(strings, 2);
  given.addWay([0, 0, 0]);
  given.addWay([1, 1, 1]);
  given.clear();
  expect([...given.rows]).toEqual([0, 0]);
  given.addWay([2, 2, 2]);
  expect([...given.rows]).toEqual([1, 0]);
  expect(rowOf(given, 0, strings).outcomes).toEqual([2, 2, 2]);
});
