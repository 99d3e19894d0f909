// Forecasters by name.

import { expect, test } from "vitest";
import { ALL_FORECASTERS, forecasterByName, forecastersByName, isLearned } from "./forecaster-by-name.ts";

test("every name creates a forecaster, one of them learned", () => {
  const names = forecastersByName(ALL_FORECASTERS, { horizon: 2 }).map(({ name }) => name);
  expect(new Set(names).size).toBe(ALL_FORECASTERS.length);
  expect(ALL_FORECASTERS.filter(isLearned)).toHaveLength(1);
});

test("an unknown name and a duplicate are rejected with the option", () => {
  const issueAt = { issues: [expect.objectContaining({ path: "models" })] };
  expect(() => forecasterByName({ name: "prophet" }, { horizon: 2 })).toThrow(
    expect.objectContaining(issueAt),
  );
  expect(() => forecastersByName([{ name: "naive" }, { name: "naive" }], { horizon: 2 })).toThrow(
    expect.objectContaining(issueAt),
  );
});
