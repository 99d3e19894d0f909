// Tests of NK landscapes: which positions a contribution depends on, the range of the scores, and reproducibility.

import { describe, expect, test } from "vitest";
import { mean } from "../math/statistics.ts";
import { landscapeTable } from "./landscape.ts";
import { landscapeOracle } from "./landscape-oracle.ts";
import { type NkOptions, nkLandscape } from "./nk.ts";

const options: NkOptions = { letters: 3, length: 6, neighbours: 2, seed: 5 };

/** The positions whose contribution changes if the letter at `changed` does: differences of differences show them. */
function interacts(landscape: ReturnType<typeof nkLandscape>, a: number, b: number): boolean {
  const { length, letters } = landscape;
  const base = Array.from({ length }, () => 0);
  const score = (x: number, y: number) => {
    const string = [...base];
    string[a] = x;
    string[b] = y;
    return landscape.score(string)!;
  };
  for (let x = 1; x < letters; x++) {
    for (let y = 1; y < letters; y++) {
      // Without a common contribution the effects of two letters add up exactly, but for rounding.
      if (Math.abs(score(x, y) - score(x, 0) - score(0, y) + score(0, 0)) > 1e-12) return true;
    }
  }
  return false;
}

describe("adjacent positions", () => {
  test("interact if a contribution covers both, around the end too", () => {
    const landscape = nkLandscape(options);
    for (let a = 0; a < 6; a++) {
      for (let b = 0; b < 6; b++) {
        const apart = Math.min((a - b + 6) % 6, (b - a + 6) % 6);
        if (a !== b) expect([a, b, interacts(landscape, a, b)]).toEqual([a, b, apart <= 2]);
      }
    }
  });
});

test("without neighbours the best letters of each position give the best string", () => {
  const landscape = nkLandscape({ ...options, neighbours: 0 });
  const table = landscapeTable(landscape);
  const best = Array.from({ length: 6 }, (_, i) => {
    const scores = [0, 1, 2].map((letter) =>
      landscape.score(Array.from({ length: 6 }, (_, j) => (j === i ? letter : 0))),
    );
    return scores.indexOf(Math.max(...(scores as number[])));
  });
  expect(landscape.score(best)).toBe(table.reduce((a, b) => Math.max(a, b)));
});

test("with all positions as neighbours, every contribution depends on the whole string", () => {
  const landscape = nkLandscape({ letters: 4, length: 5, neighbours: 4, interaction: "random", seed: 1 });
  const table = landscapeTable(landscape);
  // 1,024 independent means of five uniform numbers: variance 1 / 60.
  expect(mean(table)).toBeCloseTo(0.5, 1);
  expect(mean(table.map((value) => (value - 0.5) ** 2))).toBeCloseTo(1 / 60, 2);
  expect(new Set(table).size).toBe(1024);
});

test("scores are from 0 to 1 and depend on all options", () => {
  const table = landscapeTable(nkLandscape(options));
  expect(table.every((value) => value > 0 && value < 1)).toBe(true);
  expect(landscapeTable(nkLandscape(options))).toEqual(table);
  const others: Partial<NkOptions>[] = [{ seed: 6 }, { neighbours: 3 }, { interaction: "random" }];
  for (const change of others)
    expect(landscapeTable(nkLandscape({ ...options, ...change }))).not.toEqual(table);
  expect(nkLandscape(options).version).not.toBe(nkLandscape({ ...options, seed: 6 }).version);
});

test("bad options are reported in one sentence each", () => {
  expect(() => nkLandscape({ ...options, letters: 1, length: 0 })).toThrow(
    /letters: must be .*\n {2}length: must be/,
  );
  expect(() => nkLandscape({ ...options, neighbours: 6 })).toThrow(
    "neighbours: must be a whole number from 0 to 5, got 6",
  );
  expect(() => nkLandscape({ letters: 20, length: 50, neighbours: 8, seed: 0 })).toThrow(
    "neighbours: must give at most 2^26 contributions, got 50 · 20^9; take fewer",
  );
});

describe("a landscape as an oracle", () => {
  const landscape = nkLandscape({ letters: 3, length: 2, neighbours: 1, seed: 0 });

  test("answers in order, with a reason where there is no score", async () => {
    const oracle = landscapeOracle(landscape, ["A", "Me", "Et"]);
    expect(await oracle.score(["AA", "MeEt", "A", "AX"])).toEqual([
      { score: landscape.score([0, 0]) },
      { score: landscape.score([1, 2]) },
      { failure: '"A" has 1 letters instead of 2' },
      { failure: '"AX" has a letter outside the alphabet' },
    ]);
  });

  test("refuses an alphabet of another size", () => {
    expect(() => landscapeOracle(landscape, ["A", "B"])).toThrow("the alphabet must have 3 letters");
  });
});
