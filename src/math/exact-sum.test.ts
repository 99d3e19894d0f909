// Exact sums: against sums of whole numbers without rounding, in any order and grouping.

import { expect, test } from "vitest";
import { ExactSum } from "./exact-sum.ts";

function exactSum(terms: readonly number[]): ExactSum {
  const sum = new ExactSum();
  for (const term of terms) sum.add(term);
  return sum;
}

/** The nearest number to a sum of multiples of 2⁻¹⁰⁷⁴, by whole numbers of any size. */
function reference(terms: readonly number[]): number {
  const total = terms.reduce((sum, term) => sum + multiple(term), 0n);
  const size = total < 0n ? -total : total;
  const extra = Math.max(0, size.toString(2).length - 53);
  const half = extra === 0 ? 0n : 1n << BigInt(extra - 1);
  const low = size & ((1n << BigInt(extra)) - 1n);
  let high = size >> BigInt(extra);
  if (low > half || (low === half && extra > 0 && (high & 1n) === 1n)) high += 1n;
  // Multiplied in two steps, because 2⁻¹⁰⁷⁴ times a power of two may leave the range of exponents on the way.
  const value = Number(high) * 2 ** (extra - 537) * 2 ** -537;
  return total < 0n ? -value : value;
}

function multiple(term: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(term));
  const bits = view.getBigUint64(0);
  const exponent = bits >> 52n;
  const mantissa = bits & ((1n << 52n) - 1n);
  const size = exponent === 0n ? mantissa : (mantissa | (1n << 52n)) << (exponent - 1n);
  return term < 0 ? -size : size;
}

/** Numbers from 0 to 1 of a linear congruential generator. */
function uniforms(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

test("the value is the number nearest to the exact sum", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = uniforms(60, seed);
    const terms = Array.from(
      { length: 20 },
      (_, i) => (random[3 * i] - 0.5) * 2 ** Math.round(160 * random[3 * i + 1] - 80),
    );
    expect(exactSum(terms).value).toBe(reference(terms));
  }
  expect(exactSum([1, 1e100, 1, -1e100]).value).toBe(2);
  expect(exactSum([]).value).toBe(0);
});

test("a tie is rounded to even unless a smaller term decides", () => {
  expect(exactSum([1, 2 ** -53]).value).toBe(1);
  expect(exactSum([1, 2 ** -53, 2 ** -110]).value).toBe(1 + 2 ** -52);
  expect(exactSum([1, 2 ** -53, -(2 ** -110)]).value).toBe(1);
});

test("the order and the grouping of the terms do not matter", () => {
  const random = uniforms(3000, 7);
  const terms = Array.from({ length: 1000 }, (_, i) => random[i] * 2 ** Math.round(40 * random[1000 + i]));
  const whole = exactSum(terms).value;
  expect(exactSum(terms.toReversed()).value).toBe(whole);
  expect(exactSum(terms.toSorted((a, b) => a - b)).value).toBe(whole);
  for (const size of [1, 3, 17, 400]) {
    const sum = new ExactSum();
    for (let at = 0; at < terms.length; at += size) {
      sum.addSum(new ExactSum(exactSum(terms.slice(at, at + size)).parts));
    }
    expect(sum.value).toBe(whole);
  }
});

test("a term that is not finite makes the sum not finite", () => {
  expect(exactSum([1, Number.POSITIVE_INFINITY, 2]).value).toBe(Number.POSITIVE_INFINITY);
  expect(exactSum([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]).value).toBeNaN();
  expect(new ExactSum(exactSum([1, Number.NaN]).parts).value).toBeNaN();
});
