import { describe, expect, test } from "vitest";
import { hypergridTask } from "./index.ts";

test("the usual grid has 64 cells, four modes of 2.501 and its label says the reward", () => {
  const task = hypergridTask({ stick: 0.25 });
  expect(task.scores).toHaveLength(64);
  expect(task.environment.stick).toBe(0.25);
  expect(task.label).toBe("hypergrid reward with R0 = 0.001, R1 = 0.5, R2 = 2, on a grid of 8 × 8");
  // |x/7 − ½| is in (0.3, 0.4) at x = 1 and x = 6.
  expect(task.modes!.map(task.decode)).toEqual(["1,1", "6,1", "1,6", "6,6"]);
  for (const mode of task.modes!) expect(task.scores[mode]).toBeCloseTo(2.501, 12);
});

test("rewards can be chosen one by one", () => {
  const task = hypergridTask({ stick: 0, r0: 0.1, r2: 5 });
  expect(task.scores[task.encode("0,0")]).toBeCloseTo(0.6, 12);
  expect(task.scores[task.encode("3,3")]).toBeCloseTo(0.1, 12);
  expect(task.scores[task.encode("1,6")]).toBeCloseTo(5.6, 12);
});

test("a grid too small for modes has none", () => {
  expect(hypergridTask({ stick: 0, side: 4 }).modes).toBeUndefined();
});

test("cells are written as coordinates and read back", () => {
  const task = hypergridTask({ stick: 0, dimensions: 3, side: 5 });
  expect(task.decode(1)).toBe("1,0,0");
  for (let cell = 0; cell < 125; cell++) expect(task.encode(task.decode(cell))).toBe(cell);
});

describe("bad options and texts are named:", () => {
  test.each([
    [{ stick: 1 }, "stick must be in [0, 1), got 1"],
    [{ stick: Number.NaN }, "stick must be in [0, 1), got NaN"],
    [{ stick: 0, dimensions: 0 }, "dimensions must be a positive whole number, got 0"],
    [{ stick: 0, side: -8 }, "side must be at least 2, got -8"],
    [{ stick: 0, r0: -1 }, "hypergrid: r0 must be a number that is not negative, got -1"],
    [{ stick: 0, r2: Number.NaN }, "hypergrid: r2 must be a number that is not negative, got NaN"],
    [
      { stick: 0, dimensions: 9 },
      "134217728 terminals are more than the 16777216 that fit a table; lower side",
    ],
  ])("%j", (options, message) => {
    expect(() => hypergridTask(options)).toThrow(message);
  });

  test.each([
    ["1", "1 coordinate instead of 2"],
    ["1,8", '"8" as coordinate 2'],
    ["1,-1", '"-1" as coordinate 2'],
    ["x,1", '"x" as coordinate 1'],
    ["1,2,3", "3 coordinates instead of 2"],
    ["", '"" as coordinate 1'],
  ])("the text %j", (text, fault) => {
    expect(() => hypergridTask({ stick: 0 }).encode(text)).toThrow(
      `hypergrid: ${JSON.stringify(text)} has ${fault}; write 2 numbers from 0 to 7 with commas between them`,
    );
  });

  test("a number that is no terminal", () => {
    expect(() => hypergridTask({ stick: 0 }).decode(64)).toThrow(
      "terminals are numbered from 0 to 63, got 64",
    );
  });
});
