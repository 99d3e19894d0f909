import { describe, expect, test } from "vitest";
import { UserError } from "../../issues.ts";
import { hypergridTask } from "./index.ts";

test("the default grid has 64 cells and four modes of score 2.501, and its label states the reward", () => {
  const task = hypergridTask({ stick: 0.25 });
  expect(task.scores).toHaveLength(64);
  expect(task.environment.stick).toBe(0.25);
  expect(task.label).toBe("hypergrid reward with R0 = 0.001, R1 = 0.5, R2 = 2, on a grid of 8 × 8");
  // Modes are where |x/7 − ½| is in (0.3, 0.4) along both axes: at 1 and 6.
  expect(task.modes!.map(task.decode)).toEqual(["1,1", "6,1", "1,6", "6,6"]);
  for (const mode of task.modes!) expect(task.scores[mode]).toBeCloseTo(2.501, 12);
});

test("each part of the reward can be set", () => {
  const task = hypergridTask({ stick: 0, r0: 0.1, r2: 5 });
  expect(task.scores[task.encode("0,0")]).toBeCloseTo(0.6, 12);
  expect(task.scores[task.encode("3,3")]).toBeCloseTo(0.1, 12);
  expect(task.scores[task.encode("1,6")]).toBeCloseTo(5.6, 12);
});

test("a small grid has no modes", () => {
  expect(hypergridTask({ stick: 0, side: 4 }).modes).toBeUndefined();
});

test("cells survive a round trip through text", () => {
  const task = hypergridTask({ stick: 0, dimensions: 3, side: 5 });
  expect(task.decode(1)).toBe("1,0,0");
  for (let cell = 0; cell < 125; cell++) expect(task.encode(task.decode(cell))).toBe(cell);
});

describe("invalid options and texts are refused:", () => {
  test.each([
    [{ stick: 1 }, "stick: must be a number in [0, 1), got 1"],
    [{ stick: Number.NaN }, "stick: must be a number in [0, 1), got NaN"],
    [{ stick: 0, dimensions: 0 }, "dimensions: must be a whole number from 1 to 24, got 0"],
    [{ stick: 0, side: -8 }, "side: must be a whole number from 2 to 16777216, got -8"],
    [{ stick: 0, r0: -1 }, "r0: must be a number of at least 0, got -1"],
    [{ stick: 0, r2: Number.NaN }, "r2: must be a number of at least 0, got NaN"],
    [{ stick: 0, dimensions: 9 }, "side: must give at most 2^24 cells, got 8^9; lower it or `dimensions`"],
  ])("%j", (options, message) => {
    expect(() => hypergridTask(options)).toThrow(UserError);
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

  test("an invalid terminal", () => {
    expect(() => hypergridTask({ stick: 0 }).decode(64)).toThrow(
      "a terminal must be a whole number from 0 to 63, got 64",
    );
  });
});
