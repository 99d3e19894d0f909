import { expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { is, key } from "../settings/keys.ts";
import { whole } from "../settings/kinds.ts";
import { checkTaskOptions } from "./check-task-options.ts";

const keys = {
  low: key(whole(0), "task", "smallest", is(0)),
  high: key(whole(0), "task", "largest", is(1)),
};

function issuesOf(options: { readonly low: number; readonly high: number }) {
  try {
    checkTaskOptions(
      keys,
      ({ low, high }) =>
        low > high
          ? [{ path: "low", code: "conflict", message: `must be at most \`high\`, got ${low}` }]
          : [],
      options,
    );
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).issues;
  }
}

test("all invalid options are reported at once, and rules between options only for valid ones", () => {
  expect(issuesOf({ low: 0, high: 1 })).toEqual([]);
  expect(issuesOf({ low: 1.5, high: -1 })).toEqual([
    { path: "low", code: "range", message: "must be a whole number from 0 to 2^31 - 1, got 1.5" },
    { path: "high", code: "range", message: "must be a whole number from 0 to 2^31 - 1, got -1" },
  ]);
  expect(issuesOf({ low: 2, high: 1 })).toEqual([
    { path: "low", code: "conflict", message: "must be at most `high`, got 2" },
  ]);
});

test("a definition without rules between options needs only the keys", () => {
  expect(() => checkTaskOptions(keys, undefined, { low: 2, high: 1 })).not.toThrow();
});
