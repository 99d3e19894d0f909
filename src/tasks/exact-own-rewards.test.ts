// The distances from targets of a user's own, against values computed by hand.

import { expect, test } from "vitest";
import { defaultSettings } from "../gfn/training/defaults.ts";
import { train } from "../gfn/training/train.ts";
import { hypergridTask } from "./hypergrid/index.ts";
import { tableTask } from "./table/index.ts";
import type { Task } from "./task.ts";

/** The distances of the uniform policy and of the best reachable one. */
async function distances({ environment, scores }: Task): Promise<{ uniform: number; limit: number }> {
  const settings = defaultSettings(environment, { hidden: [4], batch: 4 });
  for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 1 })) {
    if (event.kind === "evaluation" && event.exact) {
      return { uniform: event.uniform.tv, limit: event.limit.tv };
    }
  }
  throw new Error("there was no exact evaluation");
}

test("of a formula: uniform actions end in the cells 0,0 and 1,1 with 1/3 and in the others with 1/6", async () => {
  // The target is 1/10, 2/10, 3/10 and 4/10.
  const { uniform, limit } = await distances(hypergridTask({ stick: 0, side: 2, reward: "1 + i1 + 2 * i2" }));
  expect(uniform).toBeCloseTo((1 / 3 - 0.1 + (0.2 - 1 / 6) + (0.3 - 1 / 6) + (0.4 - 1 / 3)) / 2, 12);
  expect(limit).toBeLessThan(1e-6);
});

test("of a picture: the same, if its pixels have these proportions", async () => {
  const picture = { width: 2, height: 2, brightness: Float64Array.of(0.75, 1, 0.25, 0.5) };
  const { uniform, limit } = await distances(hypergridTask({ stick: 0, side: 2, picture }));
  expect(uniform).toBeCloseTo(7 / 30, 12);
  expect(limit).toBeLessThan(1e-6);
});

test("of a table: uniform actions write each of four strings with 1/4", async () => {
  const { uniform, limit } = await distances(tableTask({ stick: 0, table: "AA 1\nAB 3\nBA 2\nBB 4" }));
  expect(uniform).toBeCloseTo(0.2, 12);
  expect(limit).toBeLessThan(1e-6);
});

test("of a table with strings of several lengths: uniform actions write A and B alike", async () => {
  // The empty string has 1/3 of all trajectories, A and B 1/3 each; the target is 1/10, 6/10 and 3/10.
  const table = tableTask({ stick: 0, table: "A,6\nB,3\n", variable: true, missing: 1 });
  const { uniform, limit } = await distances(table);
  expect(uniform).toBeCloseTo((1 / 3 - 0.1 + (0.6 - 1 / 3) + (1 / 3 - 0.3)) / 2, 12);
  expect(limit).toBeLessThan(1e-6);
});
