// Conditions: their syntax, their checks, and which paths meet them.

import { expect, test } from "vitest";
import { conditionIssues, joinConditions, meetsCondition, parseCondition } from "./condition.ts";

test("a condition consists of clauses joined by and; case and spaces do not matter", () => {
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
])("for the path 3, 2, 4, 1, %s is %s", (text, expected) => {
  expect(meetsCondition(parseCondition(text), [3, 2, 4, 1])).toBe(expected);
});

test.each([
  [
    "",
    'condition "": one of sum, mean, min, max, last, first, value, crosses is expected at character 1, got the end',
  ],
  ["sum 5", 'condition "sum 5": one of <=, >=, <, > is expected at character 5, got "5"'],
  ["sum <= x", 'condition "sum <= x": a number is expected at character 8, got "x"'],
  ["sum <= 5 or max > 2", 'condition "sum <= 5 or max > 2": and is expected at character 10, got "or"'],
  ["value > 1", 'condition "value > 1": [ with a step, as in value[3], is expected at character 7, got ">"'],
  ["value[0] > 1", 'condition "value[0] > 1": a step, counted from 1, is expected at character 7, got "0"'],
  ["crosses", 'condition "crosses": a number is expected at character 8, got the end'],
])("%j is rejected with the position and the expectation", (text, sentence) => {
  expect(() => parseCondition(text)).toThrow(sentence);
});

test("steps beyond the horizon are rejected, and a crossing within one step", () => {
  const messages = (text: string, horizon: number) =>
    conditionIssues(parseCondition(text), horizon).map(({ message }) => message);
  expect(messages("value[4] > 1", 3)).toEqual([
    'condition "value[4] > 1": a step must be at most 3, the horizon, got 4',
  ]);
  expect(messages("crosses 1", 1)).toEqual([
    'condition "crosses 1": a crossing needs at least two steps, got a horizon of 1',
  ]);
  expect(messages("value[3] > 1 and crosses 2", 3)).toEqual([]);
});

test("the conjunction of two conditions has all their clauses", () => {
  const both = joinConditions(parseCondition("sum <= 10"), parseCondition("max > 3"));
  expect(both.text).toBe("sum <= 10 and max > 3");
  expect(meetsCondition(both, [3, 2, 4, 1])).toBe(true);
  expect(meetsCondition(both, [3, 2, 3, 2])).toBe(false);
  expect(joinConditions(null, both)).toBe(both);
});
