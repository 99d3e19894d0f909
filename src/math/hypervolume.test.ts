// Hypervolumes: closed forms, and inclusion–exclusion over all subsets of a few points.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { hypervolume, MOST_RECURSIVE } from "./hypervolume.ts";

/** The volume of a union of boxes from the origin: Σ over subsets of (−1)^(size + 1) times the shared box. */
function inclusionExclusion(points: readonly (readonly number[])[]): number {
  let volume = 0;
  for (let subset = 1; subset < 2 ** points.length; subset++) {
    const chosen = points.filter((_, i) => (subset >> i) & 1);
    const box = chosen[0].map((_, j) => Math.max(0, Math.min(...chosen.map((point) => point[j]))));
    volume += (chosen.length % 2 === 1 ? 1 : -1) * box.reduce((product, value) => product * value, 1);
  }
  return volume;
}

function randomPoints(count: number, size: number, seed: number): number[][] {
  const stream = RandomStream.fromSeed(seed);
  return Array.from({ length: count }, () => Array.from({ length: size }, () => stream.uniform()));
}

describe("the hypervolume", () => {
  test.each([1, 2, 3, 4, 5, 6])("equals inclusion–exclusion with %i coordinates", (size) => {
    for (let seed = 0; seed < 20; seed++) {
      const points = randomPoints(10, size, seed);
      expect(hypervolume(points, new Array(size).fill(0))).toBeCloseTo(inclusionExclusion(points), 12);
    }
  });

  test("equals the sum of unit cubes for many equal coordinates", () => {
    for (let seed = 0; seed < 30; seed++) {
      const points = randomPoints(12, 3, seed).map((point) => point.map((value) => Math.floor(5 * value)));
      let cubes = 0;
      for (let x = 0; x < 5; x++)
        for (let y = 0; y < 5; y++)
          for (let z = 0; z < 5; z++) if (points.some(([a, b, c]) => a > x && b > y && c > z)) cubes++;
      expect(hypervolume(points, [0, 0, 0])).toBe(cubes);
    }
  });

  test("of one point is its box above the reference", () => {
    expect(hypervolume([[3, 4]], [1, 1])).toBe(6);
    expect(hypervolume([[3, 4, 5]], [1, 1, 1])).toBe(24);
    expect(hypervolume([[3, 4, 5, 6]], [1, 1, 1, 1])).toBe(120);
  });

  test("of the corners of a staircase is a triangular number", () => {
    const corners = Array.from({ length: 10 }, (_, i) => [i + 1, 10 - i]);
    expect(hypervolume(corners, [0, 0])).toBe(55);
  });

  test("of all points of a simplex grid is a tetrahedral number", () => {
    // Unit cubes (i, j, k) with i + j + k ≤ n − 1 are covered: n(n + 1)(n + 2)/6 of them.
    const n = 6;
    const points: number[][] = [];
    for (let i = 1; i <= n; i++) for (let j = 1; i + j <= n + 1; j++) points.push([i, j, n + 2 - i - j]);
    expect(hypervolume(points, [0, 0, 0])).toBe((n * (n + 1) * (n + 2)) / 6);
  });

  test("counts nothing for points that are not above the reference, and equal points once", () => {
    expect(
      hypervolume(
        [
          [2, 2],
          [2, 2],
          [5, 1],
          [0, 9],
        ],
        [1, 1],
      ),
    ).toBe(1);
    expect(hypervolume([], [0, 0])).toBe(0);
  });

  test("is unbounded in points for three coordinates, and refused above the limit for more", () => {
    const onSphere = (count: number, size: number) =>
      randomPoints(count, size, 1).map((point) => {
        const norm = Math.hypot(...point);
        return point.map((value) => value / norm);
      });
    // The points fill an eighth of a sphere of volume π/6.
    expect(hypervolume(onSphere(5000, 3), [0, 0, 0])).toBeCloseTo(Math.PI / 6, 1);
    expect(() => hypervolume(onSphere(MOST_RECURSIVE + 1, 4), [0, 0, 0, 0])).toThrow(
      "a front with 4 coordinates must have at most 100 points, got 101",
    );
  });
});
