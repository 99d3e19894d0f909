// The plan of calls: it starts with the first calls, ends at the budget, and asks for whole rollouts in between.

import { expect, test } from "vitest";
import { firstCalls, iterationsForCalls, plannedCalls, rolloutsDue } from "./call-plan.ts";

const settings = { callsFirst: 0.1, callsUntil: 0.5, collectBatch: 10 };

test("planned calls rise linearly from the first calls to the budget", () => {
  const planned = [0, 0.125, 0.25, 0.375, 0.5, 0.8, 1].map((progress) =>
    plannedCalls(1000, settings, progress),
  );
  expect(planned).toEqual([100, 325, 550, 775, 1000, 1000, 1000]);
});

test("there is a first call even if the share of first calls is 0", () => {
  expect(firstCalls(1000, { callsFirst: 0 })).toBe(1);
  expect(plannedCalls(1000, { callsFirst: 0, callsUntil: 1 }, 0)).toBe(1);
});

test("the first calls come at once, and later ones by whole rollouts", () => {
  expect(rolloutsDue(1000, 0, settings, 0)).toBe(10);
  expect(rolloutsDue(1000, 100, settings, 0.004)).toBe(0); // 7 calls are due
  expect(rolloutsDue(1000, 100, settings, 0.014)).toBe(2); // 25 calls are due
});

test("the last calls of the budget are made even if they do not fill a rollout", () => {
  expect(rolloutsDue(1000, 997, settings, 0.5)).toBe(1);
  expect(rolloutsDue(1000, 1000, settings, 0.9)).toBe(0);
});

test("a run that follows the plan makes every call of the budget and no more", () => {
  let made = 0;
  for (let t = 0; t < 100; t++) {
    const rollouts = rolloutsDue(1003, made, settings, t / 100);
    made = Math.min(made + rollouts * settings.collectBatch, 1003);
    expect(made).toBeLessThanOrEqual(plannedCalls(1003, settings, t / 100) + settings.collectBatch);
  }
  expect(made).toBe(1003);
});

test("the default number of iterations never falls with the budget", () => {
  const counts = [1, 100, 1000, 10_000, 100_000, 1e9].map(iterationsForCalls);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
});
