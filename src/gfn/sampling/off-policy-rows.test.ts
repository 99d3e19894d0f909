// Off-policy rows in the form in which the rollout takes them.

import { expect, test } from "vitest";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { OffPolicyRows } from "./off-policy-rows.ts";
import { ReplayBuffer } from "./replay-buffer.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });

/** Mask, actions and outcomes of a row, step by step. */
function rowOf({ mask, actions, outcomes }: OffPolicyRows, row: number, { maxSteps }: Environment) {
  const column = (indices: Int32Array) =>
    Array.from({ length: maxSteps }, (_, t) => indices[t * mask.length + row]);
  return { mask: mask[row], actions: column(actions), outcomes: column(outcomes) };
}

test("outcomes fill a row, and its actions are unknown", () => {
  const rows = new OffPolicyRows(strings, 3);
  rows.addOutcomes([0, 2, 1]);
  rows.addOutcomes([1, 1, 1]);
  expect(rowOf(rows, 0, strings)).toEqual({ mask: 1, actions: [-1, -1, -1], outcomes: [0, 2, 1] });
  expect(rowOf(rows, 1, strings)).toEqual({ mask: 1, actions: [-1, -1, -1], outcomes: [1, 1, 1] });
  expect([...rows.mask]).toEqual([1, 1, 0]);
});

test("in an environment with a stop, the stop is known and follows the outcomes", () => {
  const rows = new OffPolicyRows(stopping, 3);
  for (const outcomes of [[1, 0], [], [0, 0, 0]]) rows.addOutcomes(outcomes);
  expect(rowOf(rows, 0, stopping)).toMatchObject({ actions: [-1, -1, 2, 2], outcomes: [1, 0, -1, -1] });
  expect(rowOf(rows, 1, stopping)).toMatchObject({ actions: [2, 2, 2, 2], outcomes: [-1, -1, -1, -1] });
  expect(rowOf(rows, 2, stopping)).toMatchObject({ actions: [-1, -1, -1, 2], outcomes: [0, 0, 0, -1] });
  const cells = new OffPolicyRows(grid, 1);
  cells.addOutcomes([1, 0]);
  expect(rowOf(cells, 0, grid)).toMatchObject({ actions: [-1, -1, 2, 2, 2], outcomes: [1, 0, -1, -1, -1] });
});

test("a stored trajectory fills a row with its actions and outcomes", () => {
  const buffer = new ReplayBuffer(2, strings.maxSteps);
  buffer.add({ actions: Int32Array.of(0, 1, 2), outcomes: Int32Array.of(2, 1, 0) }, 0, 1);
  const rows = new OffPolicyRows(strings, 2);
  rows.addOutcomes([0, 0, 0]);
  rows.addTrajectory(buffer, 0);
  expect(rowOf(rows, 1, strings)).toEqual({ mask: 1, actions: [0, 1, 2], outcomes: [2, 1, 0] });
});

test("after clear, every row is on-policy, and the first row is filled first again", () => {
  const rows = new OffPolicyRows(strings, 2);
  rows.addOutcomes([0, 0, 0]);
  rows.addOutcomes([1, 1, 1]);
  rows.clear();
  expect([...rows.mask]).toEqual([0, 0]);
  rows.addOutcomes([2, 2, 2]);
  expect([...rows.mask]).toEqual([1, 0]);
  expect(rowOf(rows, 0, strings).outcomes).toEqual([2, 2, 2]);
});
