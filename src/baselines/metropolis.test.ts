// Tests of the stationary distribution of Metropolis–Hastings chains: exactly, from the transition matrix of small
// environments, and from samples.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import { normaliseRewards, totalVariation } from "../math/distances.ts";
import { acceptanceProbability, metropolis } from "./metropolis.ts";
import { neighbourhoodOf } from "./neighbourhood.ts";
import { realisedDistribution } from "./realised-distribution.ts";

const environments = {
  "strings of fixed length": (stick: number) => sequenceEnvironment({ alphabet: "ACG", length: 2, stick }),
  "strings of any length": (stick: number) =>
    sequenceEnvironment({ alphabet: "AC", length: 2, variable: true, stick }),
  "a grid": (stick: number) => hypergridEnvironment({ dimensions: 2, side: 3, stick }),
};

/** Rewards that differ by large factors and do not increase or decrease with the index. */
const rewardOf = (environment: EnumerableEnvironment) =>
  Float64Array.from({ length: enumerationOf(environment).terminals }, (_, i) =>
    Math.exp(2 * Math.sin(5 * i + 1)),
  );

/** K(z|x), one row per x. */
function kernelOf(environment: EnumerableEnvironment): Float64Array[] {
  const { terminals: n } = enumerationOf(environment);
  return Array.from({ length: n }, (_, x) =>
    realisedDistribution(environment, new Float64Array(n).fill(1, x, x + 1)),
  );
}

/** The exact stationary distribution of the samples: ∝ R(z) Σₓ K(z|x), where the sum is proportional to the realised
 * distribution of uniform objects. */
function stationaryDistribution(environment: EnumerableEnvironment, reward: Float64Array): Float64Array {
  const uniform = new Float64Array(reward.length).fill(1 / reward.length);
  const realised = realisedDistribution(environment, uniform);
  return normaliseRewards(reward.map((value, z) => value * realised[z])).target;
}

/** The transition matrix between pairs (x, z), with index x · n + z. */
function chainMatrix(environment: EnumerableEnvironment, reward: Float64Array): Float64Array[] {
  const neighbourhood = neighbourhoodOf("test", environment);
  const kernel = kernelOf(environment);
  const n = neighbourhood.objectCount;
  return Array.from({ length: n * n }, (_, from) => {
    const [x, z] = [Math.floor(from / n), from % n];
    const row = new Float64Array(n * n);
    const neighbours = neighbourhood.neighbourCount(x);
    for (let i = 0; i < neighbours; i++) {
      const y = neighbourhood.neighbour(x, i);
      for (let realised = 0; realised < n; realised++) {
        const proposed = kernel[y][realised] / neighbours;
        const accepted =
          proposed *
          acceptanceProbability(
            { reward: reward[z], neighbours },
            { reward: reward[realised], neighbours: neighbourhood.neighbourCount(y) },
          );
        row[y * n + realised] += accepted;
        row[from] += proposed - accepted;
      }
    }
    return row;
  });
}

/** The stationary distribution by power iteration, without use of detailed balance. */
function stationary(matrix: readonly Float64Array[], start: Float64Array): Float64Array {
  let distribution = start;
  for (let i = 0; i < 20_000; i++) {
    const next = new Float64Array(distribution.length);
    distribution.forEach((p, from) => {
      if (p > 0) for (let to = 0; to < next.length; to++) next[to] += p * matrix[from][to];
    });
    if (totalVariation(distribution, next) < 1e-16) return next;
    distribution = next;
  }
  return distribution;
}

describe.each(Object.entries(environments))("on %s", (_, make) => {
  test("the stationary distribution without noise is the target", () => {
    const environment = make(0);
    const reward = rewardOf(environment);
    const { target } = normaliseRewards(reward);
    const n = target.length;
    // Without noise z equals x, and other pairs are never reached.
    const full = chainMatrix(environment, reward);
    const matrix = Array.from({ length: n }, (_, x) =>
      Float64Array.from({ length: n }, (_, y) => full[x * n + x][y * n + y]),
    );
    for (let x = 0; x < n; x++) {
      expect(matrix[x].reduce((a, b) => a + b)).toBeCloseTo(1, 14);
      for (let y = 0; y < n; y++) {
        expect(Math.abs(target[x] * matrix[x][y] - target[y] * matrix[y][x])).toBeLessThan(1e-16);
      }
    }
    const distribution = stationary(matrix, new Float64Array(n).fill(1 / n));
    expect(totalVariation(distribution, target)).toBeLessThan(1e-12);
  });

  test("the stationary distribution with noise is K(z|x) R(z), in detailed balance", () => {
    const environment = make(0.5);
    const reward = rewardOf(environment);
    const n = reward.length;
    const kernel = kernelOf(environment);
    const matrix = chainMatrix(environment, reward);
    const pairs = Float64Array.from(
      { length: n * n },
      (_, i) => kernel[Math.floor(i / n)][i % n] * reward[i % n],
    );
    const { target } = normaliseRewards(pairs);
    let largest = 0;
    for (let i = 0; i < n * n; i++) {
      for (let j = 0; j < n * n; j++) {
        largest = Math.max(largest, Math.abs(target[i] * matrix[i][j] - target[j] * matrix[j][i]));
      }
    }
    expect(largest).toBeLessThan(1e-16);
    // Start from the reachable pairs.
    const start = normaliseRewards(pairs.map((p) => (p > 0 ? 1 : 0))).target;
    const distribution = stationary(matrix, start);
    expect(totalVariation(distribution, target)).toBeLessThan(1e-12);
    const realised = new Float64Array(n);
    distribution.forEach((p, i) => {
      realised[i % n] += p;
    });
    expect(totalVariation(realised, stationaryDistribution(environment, reward))).toBeLessThan(1e-12);
  });

  test("the chains follow the transition matrix", () => {
    const environment = make(0.5);
    const reward = rewardOf(environment);
    const n = reward.length;
    const matrix = chainMatrix(environment, reward);
    const search = metropolis({ environment, reward, seed: 1, batch: 50 });
    search.step();
    const counts = matrix.map((row) => new Float64Array(row.length));
    const pairs = () => {
      const { intended, realised } = search.save().arrays;
      return intended.map((x, chain) => x * n + realised[chain]);
    };
    for (let step = 0, before = pairs(); step < 2000; step++) {
      search.step();
      const after = pairs();
      before.forEach((pair, chain) => {
        counts[pair][after[chain]]++;
      });
      before = after;
    }
    for (let pair = 0; pair < n * n; pair++) {
      expect(chiSquare(counts[pair], matrix[pair])).toBeLessThan(chiSquareLimit(matrix[pair]));
    }
  });
});

/** Samples of 32 chains after burn-in, far enough apart to be nearly independent. */
function thinnedSamples(environment: EnumerableEnvironment, reward: Float64Array): Int32Array {
  const search = metropolis({ environment, reward, seed: 2 });
  const samples: number[] = [];
  for (let step = 0; step < 20_000; step++) {
    const { samples: realised } = search.step();
    if (step >= 1000 && step % 40 === 0) samples.push(...realised);
  }
  return Int32Array.from(samples);
}

describe("samples of strings", () => {
  test.each([0, 0.5])("have the frequencies of the target up to the sampling floor at stick %f", (stick) => {
    const environment = sequenceEnvironment({ alphabet: "ACGT", length: 3, stick });
    const reward = rewardOf(environment);
    const { target } = normaliseRewards(reward);
    expect(totalVariation(stationaryDistribution(environment, reward), target)).toBeLessThan(1e-14);
    const { tv, floor, samples } = sampledTotalVariation(thinnedSamples(environment, reward), target);
    expect(samples).toBe(475 * 32);
    expect(tv / floor).toBeGreaterThan(0.7);
    expect(tv / floor).toBeLessThan(1.3);
  });

  test("would differ from the target under noise if each intended string were realised once more", () => {
    const environment = sequenceEnvironment({ alphabet: "ACGT", length: 3, stick: 0.5 });
    const reward = rewardOf(environment);
    // K is symmetric here, so E[R|x] is K applied to the reward.
    const again = realisedDistribution(
      environment,
      normaliseRewards(realisedDistribution(environment, reward)).target,
    );
    expect(totalVariation(again, normaliseRewards(reward).target)).toBeGreaterThan(0.2);
  });
});

test("every move from reward 0 is accepted, and no move from a positive reward to 0", () => {
  const none = { reward: 0, neighbours: 3 };
  const some = { reward: 0.5, neighbours: 2 };
  expect(acceptanceProbability(none, some)).toBe(1);
  expect(acceptanceProbability(none, none)).toBe(1);
  expect(acceptanceProbability(some, none)).toBe(0);
  expect(acceptanceProbability(some, { reward: 0.25, neighbours: 2 })).toBe(0.5);
  expect(acceptanceProbability({ reward: 1, neighbours: 2 }, { reward: 1, neighbours: 4 })).toBe(0.5);
});
