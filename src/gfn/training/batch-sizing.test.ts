// The size of the program of an iteration, from the sizes of earlier batches.

import { expect, test } from "vitest";
import { BatchSizing, fits, levelFor, REMEMBERED_BATCHES } from "./batch-sizing.ts";

const OPTIONS = { maxSteps: 61, batch: 16, rowsOf: (steps: number) => (steps - 1) * 16 };

test("levels are the whole, or halves and three quarters of it, and of these", () => {
  expect([61, 47, 46, 31, 24, 5, 1].map((needed) => levelFor(needed, 61, 4))).toEqual([
    61, 61, 46, 31, 24, 6, 4,
  ]);
  expect(levelFor(3, 3, 4)).toBe(3);
});

/** A sizing after some batches of one size. */
function after(count: number, batch: { steps: number; rows: number }, sizing = new BatchSizing(OPTIONS)) {
  for (let i = 0; i < count; i++) sizing.add(batch);
  return sizing;
}

test("a program has all steps until enough batches are known, and then just enough for them", () => {
  const sizing = after(REMEMBERED_BATCHES - 1, { steps: 9, rows: 70 });
  expect(sizing.size).toEqual({ steps: 61 });
  sizing.add({ steps: 11, rows: 90 });
  // 132 is three quarters of the 11 · 16 rows after the first step.
  expect(sizing.size).toEqual({ steps: 12, rows: 132 });
  expect(fits({ steps: 12, rows: 132 }, sizing.size)).toBe(true);
  expect(fits({ steps: 13, rows: 100 }, sizing.size)).toBe(false);
  expect(fits({ steps: 10, rows: 133 }, sizing.size)).toBe(false);
});

test("it grows after a second batch among the last ones for which it was too small", () => {
  const sizing = after(REMEMBERED_BATCHES, { steps: 10, rows: 80 });
  const { size } = sizing;
  sizing.add({ steps: 20, rows: 150 });
  expect(sizing.size).toEqual(size);
  after(REMEMBERED_BATCHES, { steps: 10, rows: 80 }, sizing).add({ steps: 20, rows: 150 });
  expect(sizing.size).toEqual(size); // the first one is forgotten
  sizing.add({ steps: 18, rows: 150 });
  expect(sizing.size.steps).toBe(24);
});

test("it shrinks rarely, and only where that saves much", () => {
  const sizing = after(REMEMBERED_BATCHES, { steps: 46, rows: 500 });
  expect(sizing.size.steps).toBe(46);
  after(3 * REMEMBERED_BATCHES - 1, { steps: 31, rows: 200 }, sizing);
  expect(sizing.size.steps).toBe(46);
  sizing.add({ steps: 31, rows: 200 });
  expect(sizing.size.steps).toBe(31); // after 128 iterations
  after(12 * REMEMBERED_BATCHES, { steps: 24, rows: 180 }, sizing);
  expect(sizing.size.steps).toBe(31); // after 512 iterations, which would not save enough
});

test("it goes on from a saved state, and begins anew without one", () => {
  const sizing = after(REMEMBERED_BATCHES + 5, { steps: 10, rows: 80 });
  const other = new BatchSizing(OPTIONS);
  other.restore(JSON.parse(JSON.stringify(sizing.save())));
  for (const each of [sizing, other]) after(2, { steps: 30, rows: 300 }, each);
  expect(other.save()).toEqual(sizing.save());
  other.restore();
  expect(other.size).toEqual({ steps: 61 });
});
