// Tests of the modes of each kind of task.

import { expect, test } from "vitest";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { localMaximaOfTable } from "../gfn/evaluate/modes.ts";
import { bitSequenceTask, hypergridTask, tfbind8Task } from "../tasks/index.ts";
import { modeSetsOf } from "./mode-sets.ts";

test("a grid has 2^d modes: connected cells of the highest reward are one mode", () => {
  const task = hypergridTask({ stick: 0, dimensions: 2, side: 20 });
  const sets = modeSetsOf(task);
  expect(sets.map((set) => set.map(task.decode))).toEqual([
    ["2,2", "3,2", "2,3", "3,3"],
    ["16,2", "17,2", "16,3", "17,3"],
    ["2,16", "3,16", "2,17", "3,17"],
    ["16,16", "17,16", "16,17", "17,17"],
  ]);
  expect(modeSetsOf(hypergridTask({ stick: 0, dimensions: 3, side: 8 }))).toHaveLength(8);
  expect(sets.flat().sort((a, b) => a - b)).toEqual(task.modes);
});

test("each generated mode of the task bit-sequence is a set of one terminal", () => {
  const task = bitSequenceTask({ stick: 0, bits: 8, modes: 5 });
  expect(modeSetsOf(task)).toEqual(task.modes!.map((mode) => [mode]));
});

test("the modes of tfbind8 are the local maxima among the best 1 % of strings", () => {
  const task = tfbind8Task({ stick: 0 });
  const threshold = task.scores.slice().sort()[65_536 - 656];
  const maxima = localMaximaOfTable(task.scores, { letters: 4, length: 8, threshold });
  expect(modeSetsOf(task)).toEqual(maxima.map((terminal) => [terminal]));
  expect(maxima).toHaveLength(10);
});

test("a task with unknown modes is refused by name", () => {
  const environment = sequenceEnvironment({ alphabet: "AC", length: 2, variable: true, stick: 0 });
  const task = { name: "words", environment, scores: new Float64Array(7) };
  expect(() => modeSetsOf(task)).toThrow("modeSetsOf: the modes of words are unknown");
  expect(modeSetsOf({ ...task, modes: [3, 4] })).toEqual([[3], [4]]);
});
