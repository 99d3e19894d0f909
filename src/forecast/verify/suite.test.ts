// The exact suite: its exact values compared with independent computations, its floors, and quick runs of some cases.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { blindFloor } from "./blind-floor.ts";
import type { SuiteContext } from "./contexts.ts";
import { excessCrps } from "./excess-crps.ts";
import { filterRegimes } from "./hidden-regimes.ts";
import { discretisedAutoregression, tablePower } from "./processes.ts";
import { runCase } from "./run-case.ts";
import { suiteCases, verify } from "./suite.ts";
import type { SuiteCase } from "./suite-case.ts";

const cases = await suiteCases();
const caseOf = (id: string) => cases.find((one) => one.id === id) as SuiteCase;
const totalOf = (one: SuiteCase, c = 0) =>
  one.logRewards(one.evaluationContexts[c]).reduce((sum, log) => sum + Math.exp(log), 0);

describe("processes", () => {
  test("observed every n steps have a power of their transition table", () => {
    const table = Float64Array.of(0.9, 0.1, 0.4, 0.6);
    expect(Array.from(tablePower(table, 2, 2), (share) => Number(share.toFixed(12)))).toEqual([
      0.85, 0.15, 0.6, 0.4,
    ]);
    // The stationary distribution: 0.8 and 0.2.
    tablePower(table, 2, 60).forEach((share, i) => {
      expect(share).toBeCloseTo([0.8, 0.2][i % 2], 9);
    });
  });

  test("in bins have normal probabilities", () => {
    const table = discretisedAutoregression(4, 0, 1, 2);
    // P(e < −1) and P(−1 < e < 0).
    [0.158655253931, 0.341344746069, 0.341344746069, 0.158655253931].forEach((share, x) => {
      expect(table[x]).toBeCloseTo(share, 9);
    });
  });

  test("in fine bins have the mean and deviation of the autoregression two steps ahead", () => {
    const [K, phi, sigma, bound] = [80, 0.8, 0.6, 5];
    const table = tablePower(discretisedAutoregression(K, phi, sigma, bound), K, 2);
    const centre = (bin: number) => -bound + ((bin + 0.5) * 2 * bound) / K;
    const from = 50;
    const row = table.subarray(from * K, (from + 1) * K);
    const mean = row.reduce((sum, share, x) => sum + share * centre(x), 0);
    const square = row.reduce((sum, share, x) => sum + share * centre(x) ** 2, 0);
    expect(mean).toBeCloseTo(phi ** 2 * centre(from), 3);
    expect(Math.sqrt(square - mean ** 2)).toBeCloseTo(sigma * Math.sqrt(1 + phi ** 2), 2);
  });

  test("with hidden regimes are filtered correctly, compared with a sum over all regimes", () => {
    const [transitions, emissions] = [
      [0.9, 0.1, 0.15, 0.85],
      [0.55, 0.3, 0.1, 0.05, 0.05, 0.1, 0.25, 0.6],
    ];
    const tokens = [0, 3, 2];
    const sums = [0, 0];
    for (let n = 0; n < 8; n++) {
      const regimes = [n >> 2, (n >> 1) & 1, n & 1];
      const probability = regimes.reduce(
        (product, regime, t) =>
          product *
          emissions[regime * 4 + tokens[t]] *
          (t === 0 ? 0.5 : transitions[regimes[t - 1] * 2 + regime]),
        1,
      );
      sums[regimes[2]] += probability;
    }
    expect(filterRegimes(tokens)[1]).toBeCloseTo(sums[1] / (sums[0] + sums[1]), 12);
  });
});

describe("cases", () => {
  test("are V1 to V12, in order", () => {
    const numbers = cases.map(({ id }) => Number.parseInt(id.slice(1), 10));
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 12 }, (_, i) => i + 1)));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    for (const { evaluationContexts: heldOut, problem } of cases) {
      expect(heldOut.length).toBeGreaterThan(2);
      expect(problem.tokens ** problem.horizon).toBeLessThanOrEqual(16_384);
    }
  });

  test.each(["V1", "V2", "V3", "V4", "V5", "V6", "V7", "V9", "V11"])("%s has rewards that sum to 1", (id) => {
    expect(totalOf(caseOf(id))).toBeCloseTo(1, 9);
    expect(totalOf(caseOf(id), 2)).toBeCloseTo(1, 9);
  });

  test.each(["V5", "V6", "V11"])(
    "%s is evaluated on at least 256 contexts that training never samples",
    (id) => {
      const { evaluationContexts: heldOut, sampleContext } = caseOf(id);
      const keyOf = ({ past, future, context }: SuiteContext) => JSON.stringify([past, future, context]);
      const keys = new Set(heldOut.map(keyOf));
      expect(heldOut.length).toBeGreaterThanOrEqual(256);
      const stream = RandomStream.fromSeed(7);
      for (let i = 0; i < 5000; i++) expect(keys.has(keyOf(sampleContext(stream)))).toBe(false);
    },
  );

  test("of infilling and constraints have Z below 1", () => {
    expect(totalOf(caseOf("V8"))).toBeLessThan(0.9);
    expect(totalOf(caseOf("V10b"))).toBeLessThan(0.9);
  });
});

test("the excess CRPS is the difference of two scores, compared by hand on two bins", () => {
  // One step with one inner edge: the score is (F − 1[x ≤ 0])², averaged over the exact distribution of x.
  const [distribution, exact] = [Float64Array.of(0.5, 0.5), Float64Array.of(0.8, 0.2)];
  const score = (share: number) => 0.8 * (share - 1) ** 2 + 0.2 * share ** 2;
  expect(excessCrps(distribution, exact, 2, 1)).toBeCloseTo(score(0.5) - score(0.8), 12);
  expect(excessCrps(exact, exact, 2, 1)).toBe(0);
  // Two steps of which only the second differs.
  const [paths, others] = [Float64Array.of(0.4, 0.1, 0.4, 0.1), Float64Array.of(0.25, 0.25, 0.25, 0.25)];
  expect(excessCrps(others, paths, 2, 3)).toBeCloseTo((3 * (score(0.5) - score(0.8))) / 2, 12);
});

test("squared error to one observed future leads to a bell curve where the process has almost no probability", () => {
  const { logRewards, trueDistribution: truth, evaluationContexts: heldOut } = caseOf("V12");
  const context = heldOut[1]; // modes −1 and 1
  const distribution = truth!(context); // [K²]
  const K = Math.sqrt(distribution.length);
  const tokenValue = (token: number) => -2 + token / 2;
  // The mean of log R over all futures, by enumeration.
  const errors = Float64Array.from(distribution, (_, x) =>
    distribution.reduce((sum, share, y) => {
      const squares = [Math.floor(x / K) - Math.floor(y / K), (x % K) - (y % K)].map((d) => (d / 2) ** 2);
      return sum - (share * (squares[0] + squares[1])) / 2;
    }, 0),
  );
  const logs = logRewards(context);
  logs.forEach((log, path) => {
    expect(log).toBeCloseTo(errors[path], 10);
  });
  const total = logs.reduce((sum, log) => sum + Math.exp(log), 0);
  const bell = Float64Array.from(logs, (log) => Math.exp(log) / total);
  const likeliest = bell.indexOf(Math.max(...bell));
  expect([Math.floor(likeliest / K), likeliest % K].map(tokenValue)).toEqual([0, 0]);
  expect(distribution[likeliest]).toBeLessThan(1e-5);
  expect(totalVariation(bell, distribution)).toBeGreaterThan(0.7);
});

describe("the floor of a network that lacks an input", () => {
  const distributions = [
    [0.8, 0.2],
    [0.2, 0.8],
    [0.5, 0.5],
  ];
  const contexts = distributions.map((_, i) => ({ past: [i] }));
  const rewards = ({ past }: { readonly past: readonly number[] }) =>
    Float64Array.from(distributions[past[0]], (share) => Math.log(3 * share));

  test("is zero if the network distinguishes all contexts", () => {
    expect(blindFloor(contexts, ({ past }) => String(past), rewards)).toBeCloseTo(0, 12);
  });

  test("is the distance from the medians, and no distribution is nearer", () => {
    const floor = blindFloor(contexts, () => "all", rewards);
    expect(floor).toBeCloseTo(0.2, 12);
    for (let q = 0; q <= 1; q += 0.05) {
      const mean =
        distributions.reduce(
          (sum, distribution) =>
            sum + totalVariation(Float64Array.from(distribution), Float64Array.of(q, 1 - q)),
          0,
        ) / 3;
      expect(mean).toBeGreaterThanOrEqual(floor - 1e-12);
    }
  });
});

describe("a quick run", () => {
  test.each(["V3", "V9b"])("passes %s", async (id) => {
    const [row] = await rows([id]);
    expect(row).toMatchObject({ id, passed: true });
    expect(row.tv).toBeLessThan(0.06);
  });

  test("reports the error of a network without the calendar", async () => {
    const [row] = await rows(["V3-blind"]);
    expect(row.passed).toBe(true);
    expect(row.tv).toBeGreaterThan(row.limit);
    expect(row.limit).toBeGreaterThan(0.2);
  });

  test("does not pass without training", async () => {
    const row = await runCase(caseOf("V3"), { effort: 0.002, bound: 0.06 });
    expect(row.passed).toBe(false);
  });

  test("lists the cases if an unknown one is requested", async () => {
    await expect(rows(["V99"])).rejects.toThrow(/^only: must name cases of V1, V1b, .*V12, got V99$/);
  });
});

async function rows(only: readonly string[]) {
  const all = [];
  for await (const row of verify({ only, quick: true })) all.push(row);
  return all;
}
