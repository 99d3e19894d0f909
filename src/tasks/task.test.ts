import { expect, test } from "vitest";
import { modesOf } from "../gfn/evaluate/run-metrics.ts";
import { hypergridTask } from "./hypergrid/index.ts";
import { modesTaskOf, type Task } from "./task.ts";
import { tfbind8Task } from "./tfbind8/index.ts";

/** The modes that are found if these terminals are drawn. */
function found(task: Task, terminals: readonly number[]) {
  return modesOf({
    samples: terminals.map(task.decode),
    scores: terminals.map((terminal) => task.scores[terminal]),
    task: modesTaskOf(task),
  });
}

test("modes of a grid that are more than two steps apart are counted, and cells of low reward are not", () => {
  const task = hypergridTask({ stick: 0 });
  const all = Array.from({ length: 64 }, (_, cell) => cell);
  expect(task.modes?.map(task.decode)).toEqual(["1,1", "6,1", "1,6", "6,6"]);
  expect(found(task, all)).toEqual({ greedy: 4, recall: 1, localMaxima: null });
  expect(found(task, [task.encode("1,1"), task.encode("6,6")])).toMatchObject({ greedy: 2, recall: 0.5 });
  expect(task.distance?.("1,1", "6,0")).toBe(6);
  // Corners that are all alike, and no known modes.
  const small = hypergridTask({ stick: 0, side: 4 });
  expect(found(small, [...small.scores.keys()])).toEqual({ greedy: 4, recall: null, localMaxima: null });
});

test("strings of one length have local maxima to find", () => {
  expect(found(tfbind8Task({ stick: 0 }), [0]).localMaxima).toEqual({ found: 0, of: 10 });
});
