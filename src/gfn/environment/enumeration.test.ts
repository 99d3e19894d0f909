// Invalid enumerations are rejected in one sentence.

import { afterEach, describe, expect, test, vi } from "vitest";
import { checkEnumeration, enumerationFrom, terminalTarget } from "./enumeration.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("an enumeration that does not fit into memory is refused before its arrays grow", () => {
  vi.spyOn(process, "availableMemory").mockReturnValue(2000);
  const many = Array.from({ length: 10 }, () => ({
    target: terminalTarget(0),
    outcome: 0,
    probability: 0.1,
  }));
  const sizes = { states: 100, terminals: 1, actions: 2, outcomes: 10 };
  expect(() => enumerationFrom(sizes, () => many)).toThrow(
    /^enumerationFrom: the transitions of 100 states would take more than .* of memory \(\d+ of them are done\), but about .* are available; use an environment with fewer states or actions, or one without an enumeration$/,
  );
  vi.spyOn(process, "availableMemory").mockReturnValue(2 ** 30);
  expect(enumerationFrom(sizes, () => many).targets).toHaveLength(2000);
});

describe("checkEnumeration rejects", () => {
  const sizes = { states: 2, terminals: 1, actions: 1, outcomes: 1 };
  const step = (target: number, probability = 1) => [{ target, outcome: 0, probability }];
  test.each([
    [
      "probabilities that do not sum to one",
      (s: number) => (s === 0 ? step(1, 0.9) : step(terminalTarget(0))),
      "bad: state 0, action 0: probabilities sum to 0.9, not 1",
    ],
    [
      "a cycle",
      (s: number) => (s === 0 ? step(1) : step(0)),
      "bad: state 1 leads back to state 0; it must go forward",
    ],
    ["an unreachable state", () => step(terminalTarget(0)), "bad: state 1 cannot be reached"],
    [
      "a dead end",
      (s: number) => (s === 0 ? step(1) : []),
      "bad: state 1 allows no action and is not terminal",
    ],
    [
      "a target that does not exist",
      (s: number) => (s === 0 ? step(1) : step(terminalTarget(7))),
      "bad: state 1 leads to -8, which does not exist",
    ],
  ])("%s", (_, transitions, message) => {
    expect(() => checkEnumeration("bad", enumerationFrom(sizes, transitions))).toThrow(message);
  });
});
