// Tests that evolutionary search finds the best object within a given number of oracle calls.

import { describe, expect, test } from "vitest";
import { hypergridTask, tfbind8Task } from "../tasks/index.ts";
import { evolution } from "./evolution.ts";
import { randomSearch } from "./random-search.ts";
import type { ObjectSearch } from "./search.ts";

/** The best reward that the search finds within a number of oracle calls. */
function bestWithin(search: ObjectSearch, reward: Float64Array, calls: number): number {
  let best = 0;
  for (let used = 0; used < calls; ) {
    for (const terminal of search.step().terminals) {
      if (used++ < calls) best = Math.max(best, reward[terminal]);
    }
  }
  return best;
}

describe("evolution on the TFBind8 surrogate", () => {
  const { environment, scores: reward } = tfbind8Task({ stick: 0 });
  const noisy = tfbind8Task({ stick: 0.25 }).environment;
  const seeds = [0, 1, 2, 3, 4];

  test.each(seeds)("finds the best string within 8000 calls from seed %i", (seed) => {
    expect(bestWithin(evolution({ environment, reward, seed }), reward, 8000)).toBe(1);
  });

  test.each(seeds)("finds it within 8000 calls under noise from seed %i", (seed) => {
    expect(bestWithin(evolution({ environment: noisy, reward, seed }), reward, 8000)).toBe(1);
  });

  test("finds better objects than random search after 2000 calls, in the mean of five seeds", () => {
    const mean = (make: typeof randomSearch) =>
      seeds.reduce((sum, seed) => sum + bestWithin(make({ environment, reward, seed }), reward, 2000), 0) / 5;
    expect(mean(evolution)).toBeGreaterThan(mean(randomSearch) + 0.01);
  });
});

test("evolution climbs a grid whose reward increases towards a corner", () => {
  const { environment } = hypergridTask({ stick: 0, dimensions: 3, side: 10 });
  const reward = Float64Array.from({ length: 1000 }, (_, cell) => cell + 1);
  expect(bestWithin(evolution({ environment, reward, seed: 1, elite: 8 }), reward, 600)).toBe(1000);
});

test("the elite holds the best distinct objects so far, best first", () => {
  const { environment, scores: reward } = tfbind8Task({ stick: 0.25 });
  const search = evolution({ environment, reward, seed: 1, elite: 5 });
  const seen = new Set<number>();
  for (let i = 0; i < 20; i++) for (const terminal of search.step().terminals) seen.add(terminal);
  const best = [...seen].sort((a, b) => reward[b] - reward[a]).slice(0, 5);
  expect(Array.from(search.save().arrays.best, (terminal) => reward[terminal])).toEqual(
    best.map((terminal) => reward[terminal]),
  );
});

test("a mutation probability of 1 is refused, because the mutations of a child would never end", () => {
  const { environment, scores: reward } = hypergridTask({ stick: 0 });
  expect(() => evolution({ environment, reward, seed: 1, mutation: 1 })).toThrow(
    "evolution: mutation must be in [0, 1), got 1",
  );
});
