// The division of a budget into rounds.

import { expect, test } from "vitest";
import { planRounds } from "./rounds-plan.ts";

test.each([
  ["no rounds", {}, { budget: 10_000, rounds: null }],
  [
    "rounds and batch give the budget",
    { rounds: 4, batch: 96 },
    { budget: 384, rounds: { rounds: 4, batch: 96 } },
  ],
  ["rounds divide a budget", { budget: 100, rounds: 3 }, { budget: 100, rounds: { rounds: 3, batch: 34 } }],
  ["a batch fills a budget", { budget: 100, batch: 30 }, { budget: 100, rounds: { rounds: 4, batch: 30 } }],
  [
    "a given budget bounds rounds and batch",
    { budget: 50, rounds: 4, batch: 20 },
    { budget: 50, rounds: { rounds: 4, batch: 20 } },
  ],
])("%s", (_, asked, plan) => {
  expect(planRounds(asked, 10_000)).toEqual(plan);
});
