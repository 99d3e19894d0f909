// Conditions as people write them, and what they say of paths.

import { expect, test } from "vitest";
import { bothConditions, checkSteps, holds, parseCondition } from "./condition.ts";

test("a condition is clauses joined by and, in any case and spacing", () => {
  expect(parseCondition("sum<=1e3 AND value[ 2 ] > -.5 and crosses 0").clauses).toEqual([
    { quantity: "sum", operator: "<=", bound: 1000 },
    { quantity: "value", step: 2, operator: ">", bound: -0.5 },
    { quantity: "crosses", bound: 0 },
  ]);
});

test.each([
  ["sum <= 10", true],
  ["sum < 10", false],
  ["sum >= 10", true],
  ["sum > 10", false],
  ["mean >= 2.5", true],
  ["min < 1", false],
  ["max > 3.9", true],
  ["first <= 3", true],
  ["last == 1".replace("==", "<="), true],
  ["value[2] >= 2", true],
  ["value[3] <= 3.9", false],
  ["crosses 1", false],
  ["crosses 1.5", true],
  ["crosses 4", true],
  ["crosses 4.1", false],
  ["sum <= 10 and max < 4", false],
])("of the path 3, 2, 4, 1 %s is %s", (text, expected) => {
  expect(holds(parseCondition(text), [3, 2, 4, 1])).toBe(expected);
});

test.each([
  [
    "",
    'condition "": one of sum, mean, min, max, last, first, value, crosses must stand at character 1, got its end',
  ],
  ["sum 5", 'condition "sum 5": one of <=, >=, <, > must stand at character 5, got "5"'],
  ["sum <= x", 'condition "sum <= x": a number must stand at character 8, got "x"'],
  ["sum <= 5 or max > 2", 'condition "sum <= 5 or max > 2": and must stand at character 10, got "or"'],
  ["value > 1", 'condition "value > 1": [ with a step, as in value[3], must stand at character 7, got ">"'],
  ["value[0] > 1", 'condition "value[0] > 1": a step, counted from 1, must stand at character 7, got "0"'],
  ["crosses", 'condition "crosses": a number must stand at character 8, got its end'],
])("%j is refused with what was expected where", (text, sentence) => {
  expect(() => parseCondition(text)).toThrow(sentence);
});

test("steps beyond the horizon are refused, and crossing within one step", () => {
  expect(() => checkSteps(parseCondition("value[4] > 1"), 3)).toThrow(
    'condition "value[4] > 1": a step must be at most 3, the horizon, got 4',
  );
  expect(() => checkSteps(parseCondition("crosses 1"), 1)).toThrow("must have two steps, got a horizon of 1");
  expect(() => checkSteps(parseCondition("value[3] > 1 and crosses 2"), 3)).not.toThrow();
});

test("two conditions at once are all their clauses", () => {
  const both = bothConditions(parseCondition("sum <= 10"), parseCondition("max > 3"));
  expect(both.text).toBe("sum <= 10 and max > 3");
  expect(holds(both, [3, 2, 4, 1])).toBe(true);
  expect(holds(both, [3, 2, 3, 2])).toBe(false);
  expect(bothConditions(null, both)).toBe(both);
});
