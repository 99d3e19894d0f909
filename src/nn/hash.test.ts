// Tests of integer hashing: buckets are valid, deterministic and evenly filled.

import { expect, test } from "vitest";
import { evaluate } from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { hashBucket, int32 } from "./hash.ts";

function bucketsOf(indices: readonly number[], buckets: number): Float64Array {
  return evaluate(({ index }) => ({ bucket: hashBucket(index, buckets) }), {
    index: { shape: [indices.length], dtype: "int32", data: indices },
  }).bucket;
}

test.each([1, 2, 64, 100, 1000, 1024])("random indices fill %i buckets evenly", (buckets) => {
  const stream = RandomStream.fromSeed(3);
  const indices = [...new Set(Array.from({ length: 8000 }, () => stream.bits() | 0))];
  const found = bucketsOf(indices, buckets);
  expect(bucketsOf(indices, buckets)).toEqual(found);
  const counts = new Float64Array(buckets);
  for (const bucket of found) {
    expect(Number.isInteger(bucket) && bucket >= 0 && bucket < buckets).toBe(true);
    counts[bucket]++;
  }
  // Pearson's statistic has mean buckets − 1 and variance 2 (buckets − 1).
  const expected = indices.length / buckets;
  const chiSquare = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  expect(Math.abs(chiSquare - (buckets - 1))).toBeLessThanOrEqual(4 * Math.sqrt(2 * (buckets - 1)));
});

test("consecutive indices fill buckets evenly", () => {
  const counts = new Float64Array(512);
  for (const bucket of bucketsOf(
    Array.from({ length: 4096 }, (_, i) => 4095 + i),
    512,
  ))
    counts[bucket]++;
  expect(Math.max(...counts)).toBeLessThan(24);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test("int32 keeps all bits of an integer", () => {
  const { value } = evaluate(({ x }) => ({ value: int32(0x7feb352d).add(x) }), {
    x: { shape: [], dtype: "int32", data: [0] },
  });
  expect(value[0]).toBe(0x7feb352d);
});
