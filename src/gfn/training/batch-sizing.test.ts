// The sizes of the programs of an iteration, from the sizes of earlier batches.

import { expect, test } from "vitest";
import { BatchSizing, fits, levels, REMEMBERED_BATCHES } from "./batch-sizing.ts";

const OPTIONS = { maxSteps: 61, batch: 16, rowsOf: (steps: number) => (steps - 1) * 16 };
const LARGEST = { steps: 61 };

test("levels are the whole, then halves and three quarters of it, and of these", () => {
  expect(levels(61, 4)).toEqual([61, 46, 31, 24, 16, 12, 8, 6, 4]);
  expect(levels(3, 4)).toEqual([3]);
});

/** A sizing after some batches of one size. */
function after(count: number, batch: { steps: number; rows: number }, sizing = new BatchSizing(OPTIONS)) {
  for (let i = 0; i < count; i++) sizing.add(batch);
  return sizing;
}

test("programs have all steps until enough batches are known, and then just enough for them", () => {
  const sizing = after(REMEMBERED_BATCHES - 1, { steps: 9, rows: 70 });
  expect(sizing.sizes).toEqual([LARGEST]);
  sizing.add({ steps: 11, rows: 90 });
  // 88 is a half of the 11 · 16 rows after the first step. One batch in 32 is repeated, with three eighths of 15 · 16 rows, which
  // take less time than 12 steps with three quarters of their rows.
  expect(sizing.sizes).toEqual([{ steps: 12, rows: 88 }, { steps: 16, rows: 90 }, LARGEST]);
  const [, second] = sizing.sizes;
  expect(fits({ steps: 16, rows: 90 }, second)).toBe(true);
  expect(fits({ steps: 17, rows: 80 }, second)).toBe(false);
  expect(fits({ steps: 10, rows: 91 }, second)).toBe(false);
});

test("a few long trajectories have a program of their own", () => {
  const sizing = after(REMEMBERED_BATCHES - 2, { steps: 12, rows: 80 });
  after(2, { steps: 40, rows: 200 }, sizing);
  const [first, second] = sizing.sizes;
  expect([first.steps, second.steps]).toEqual([12, 46]);
});

test("sizes grow after a second batch among the last ones that fits into neither, and after many repeated ones", () => {
  const sizing = after(REMEMBERED_BATCHES, { steps: 10, rows: 80 });
  const before = sizing.sizes;
  sizing.add({ steps: 20, rows: 150 });
  expect(sizing.sizes).toEqual(before);
  after(REMEMBERED_BATCHES, { steps: 10, rows: 80 }, sizing).add({ steps: 20, rows: 150 });
  expect(sizing.sizes).toEqual(before); // the first one is forgotten
  sizing.add({ steps: 18, rows: 150 });
  expect(sizing.sizes[1].steps).toBe(24);
  expect(sizing.sizes[0].steps).toBe(12);
  after(20, { steps: 20, rows: 150 }, sizing);
  expect(sizing.sizes[0].steps).toBe(24);
});

test("sizes shrink rarely, and only where that saves much", () => {
  const sizing = after(REMEMBERED_BATCHES, { steps: 46, rows: 500 });
  expect(sizing.sizes[0].steps).toBe(46);
  after(3 * REMEMBERED_BATCHES - 1, { steps: 31, rows: 240 }, sizing);
  expect(sizing.sizes[0].steps).toBe(46);
  sizing.add({ steps: 31, rows: 240 });
  expect(sizing.sizes[0]).toEqual({ steps: 31, rows: 240 }); // after 128 iterations
  after(12 * REMEMBERED_BATCHES, { steps: 31, rows: 180 }, sizing);
  expect(sizing.sizes[0]).toEqual({ steps: 31, rows: 240 }); // after 512 iterations, which would not save enough
});

test("it goes on from a saved state, and begins anew without one", () => {
  const sizing = after(REMEMBERED_BATCHES + 5, { steps: 10, rows: 80 });
  const other = new BatchSizing(OPTIONS);
  other.restore(JSON.parse(JSON.stringify(sizing.save())));
  for (const each of [sizing, other]) after(2, { steps: 30, rows: 300 }, each);
  expect(other.save()).toEqual(sizing.save());
  other.restore();
  expect(other.sizes).toEqual([LARGEST]);
});
