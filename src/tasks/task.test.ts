import { expect, test } from "vitest";
import { countModes } from "../gfn/evaluate/mode-counts.ts";
import { bitSequenceTask } from "./bit-sequence/index.ts";
import { hypergridTask } from "./hypergrid/index.ts";
import { regimeTask } from "./regime/index.ts";
import type { Task } from "./task.ts";
import { tfbind8Task } from "./tfbind8/index.ts";

/** Counts the modes in a sample that consists of these terminals. */
function modesAmong(task: Task, terminals: readonly number[]) {
  return countModes({
    samples: terminals.map(task.decode),
    scores: terminals.map((terminal) => task.scores[terminal]),
    task,
  });
}

test("cells of a grid count as modes if they are more than two steps apart and have a high score", () => {
  const task = hypergridTask({ stick: 0 });
  const all = Array.from({ length: 64 }, (_, cell) => cell);
  expect(task.modes?.map(task.decode)).toEqual(["1,1", "6,1", "1,6", "6,6"]);
  expect(modesAmong(task, all)).toMatchObject({ samples: 64, circles: 4, recall: 1, localMaxima: null });
  expect(modesAmong(task, [task.encode("1,1"), task.encode("6,6")])).toMatchObject({
    circles: 2,
    recall: 0.5,
  });
  expect(task.distance?.("1,1", "6,0")).toBe(6);
  // This grid has no modes, and its corners have equal scores.
  const small = hypergridTask({ stick: 0, side: 4 });
  expect(modesAmong(small, [...small.scores.keys()])).toMatchObject({
    circles: 4,
    recall: null,
    localMaxima: null,
  });
});

test.each([
  tfbind8Task({ stick: 0 }),
  bitSequenceTask({ stick: 0, bits: 6, word: 3, modes: 2 }),
  regimeTask(),
])("$name declares the letters and the length of its strings", ({ strings, scores, decode }) => {
  const texts = Array.from(scores, (_, terminal) => decode(terminal));
  expect(strings).toEqual({ letters: new Set(texts.join("")).size, length: texts[0].length });
  expect(texts).toEqual([...texts].sort());
});

test("tasks with strings of one length count local maxima", () => {
  expect(modesAmong(tfbind8Task({ stick: 0 }), [0]).localMaxima).toMatchObject({ found: 0, of: 10 });
});
