import { describe, expect, test } from "vitest";
import { hypergridTask, tfbind8Task } from "../tasks/index.ts";
import { evolution } from "./evolution.ts";
import { random } from "./random.ts";
import type { StringSearch } from "./search.ts";

/** Best reward within that many calls of the oracle. */
function bestWithin(search: StringSearch, reward: Float64Array, calls: number): number {
  let best = 0;
  for (let asked = 0; asked < calls; ) {
    for (const terminal of search.step().terminals) {
      if (asked++ < calls) best = Math.max(best, reward[terminal]);
    }
  }
  return best;
}

describe("on the surrogate of TFBind8, evolution", () => {
  const { environment, scores: reward } = tfbind8Task({ stick: 0 });
  const noisy = tfbind8Task({ stick: 0.25 }).environment;
  const seeds = [0, 1, 2, 3, 4];

  test.each(seeds)("finds the best string within 8000 calls from seed %i", (seed) => {
    expect(bestWithin(evolution({ environment, reward, seed }), reward, 8000)).toBe(1);
  });

  test.each(seeds)("finds it within 8000 calls under noise from seed %i", (seed) => {
    expect(bestWithin(evolution({ environment: noisy, reward, seed }), reward, 8000)).toBe(1);
  });

  test("has a better best than random search after 2000 calls, on the mean of five seeds", () => {
    const mean = (make: typeof random) =>
      seeds.reduce((sum, seed) => sum + bestWithin(make({ environment, reward, seed }), reward, 2000), 0) / 5;
    expect(mean(evolution)).toBeGreaterThan(mean(random) + 0.01);
  });
});

test("evolution climbs a grid whose reward rises towards a corner", () => {
  const { environment } = hypergridTask({ stick: 0, dimensions: 3, side: 10 });
  const reward = Float64Array.from({ length: 1000 }, (_, cell) => cell + 1);
  expect(bestWithin(evolution({ environment, reward, seed: 1, elite: 8 }), reward, 600)).toBe(1000);
});

test("the elite are the best distinct objects made so far, best first", () => {
  const { environment, scores: reward } = tfbind8Task({ stick: 0.25 });
  const search = evolution({ environment, reward, seed: 1, elite: 5 });
  const made = new Set<number>();
  for (let i = 0; i < 20; i++) for (const terminal of search.step().terminals) made.add(terminal);
  const best = [...made].sort((a, b) => reward[b] - reward[a]).slice(0, 5);
  expect(Array.from(search.save().arrays.best, (terminal) => reward[terminal])).toEqual(
    best.map((terminal) => reward[terminal]),
  );
});

test("a mutation rate that would never end is refused", () => {
  const { environment, scores: reward } = hypergridTask({ stick: 0 });
  expect(() => evolution({ environment, reward, seed: 1, mutation: 1 })).toThrow(
    "evolution: mutation must be in [0, 1), got 1",
  );
});
