// The chains' law: exactly, by their transition matrix on small spaces, and by what they draw.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { normalise, totalVariation } from "../gfn/evaluate/distances.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampled.ts";
import { acceptance, metropolis, metropolisLaw } from "./metropolis.ts";
import { objectSpace } from "./object-space.ts";
import { realisedLaw } from "./realised-law.ts";

const spaces = {
  "strings of fixed length": (stick: number) => sequenceEnvironment({ alphabet: "ACG", length: 2, stick }),
  "strings of any length": (stick: number) =>
    sequenceEnvironment({ alphabet: "AC", length: 2, variable: true, stick }),
  "a grid": (stick: number) => hypergridEnvironment({ dimensions: 2, side: 3, stick }),
};

/** Rewards that differ a lot, in no order. */
const rewardOf = (environment: EnumerableEnvironment) =>
  Float64Array.from({ length: listingOf(environment).terminals }, (_, i) =>
    Math.exp(2 * Math.sin(5 * i + 1)),
  );

/** K(z|x), a row for each x. */
function kernelOf(environment: EnumerableEnvironment): Float64Array[] {
  const { terminals: n } = listingOf(environment);
  return Array.from({ length: n }, (_, x) => realisedLaw(environment, new Float64Array(n).fill(1, x, x + 1)));
}

/** Probabilities from each pair (x, z), number x · n + z, to each other. */
function chainMatrix(environment: EnumerableEnvironment, reward: Float64Array): Float64Array[] {
  const space = objectSpace("test", environment);
  const kernel = kernelOf(environment);
  const n = space.objects;
  return Array.from({ length: n * n }, (_, from) => {
    const [x, z] = [Math.floor(from / n), from % n];
    const row = new Float64Array(n * n);
    const neighbours = space.neighbours(x);
    for (let i = 0; i < neighbours; i++) {
      const y = space.neighbour(x, i);
      for (let made = 0; made < n; made++) {
        const proposed = kernel[y][made] / neighbours;
        const accepted =
          proposed *
          acceptance(
            { reward: reward[z], neighbours },
            { reward: reward[made], neighbours: space.neighbours(y) },
          );
        row[y * n + made] += accepted;
        row[from] += proposed - accepted;
      }
    }
    return row;
  });
}

/** The law that stays, by going on until nothing moves: knows nothing of balance. */
function stationary(matrix: readonly Float64Array[], start: Float64Array): Float64Array {
  let law = start;
  for (let i = 0; i < 20_000; i++) {
    const next = new Float64Array(law.length);
    law.forEach((p, from) => {
      if (p > 0) for (let to = 0; to < next.length; to++) next[to] += p * matrix[from][to];
    });
    if (totalVariation(law, next) < 1e-16) return next;
    law = next;
  }
  return law;
}

describe.each(Object.entries(spaces))("on %s", (_, make) => {
  test("the long-run law without noise is the target", () => {
    const environment = make(0);
    const reward = rewardOf(environment);
    const { target } = normalise(reward);
    const n = target.length;
    // Without noise z is x: the other pairs are never entered.
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
    const law = stationary(matrix, new Float64Array(n).fill(1 / n));
    expect(totalVariation(law, target)).toBeLessThan(1e-12);
  });

  test("the long-run law with noise is K(z|x) R(z), in detailed balance", () => {
    const environment = make(0.5);
    const reward = rewardOf(environment);
    const n = reward.length;
    const kernel = kernelOf(environment);
    const matrix = chainMatrix(environment, reward);
    const pairs = Float64Array.from(
      { length: n * n },
      (_, i) => kernel[Math.floor(i / n)][i % n] * reward[i % n],
    );
    const { target } = normalise(pairs);
    let worst = 0;
    for (let i = 0; i < n * n; i++) {
      for (let j = 0; j < n * n; j++) {
        worst = Math.max(worst, Math.abs(target[i] * matrix[i][j] - target[j] * matrix[j][i]));
      }
    }
    expect(worst).toBeLessThan(1e-16);
    // From pairs that can be.
    const start = normalise(pairs.map((p) => (p > 0 ? 1 : 0))).target;
    const law = stationary(matrix, start);
    expect(totalVariation(law, target)).toBeLessThan(1e-12);
    const held = new Float64Array(n);
    law.forEach((p, i) => {
      held[i % n] += p;
    });
    expect(totalVariation(held, metropolisLaw(environment, reward))).toBeLessThan(1e-12);
  });

  test("the chains move by the matrix", () => {
    const environment = make(0.5);
    const reward = rewardOf(environment);
    const n = reward.length;
    const matrix = chainMatrix(environment, reward);
    const search = metropolis({ environment, reward, seed: 1, batch: 50 });
    search.step();
    const counts = matrix.map((row) => new Float64Array(row.length));
    const pairs = () => {
      const { intended, held } = search.save().arrays;
      return intended.map((x, chain) => x * n + held[chain]);
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

/** Samples of 32 chains after burn-in, so many steps apart that they are nearly independent. */
function thinned(environment: EnumerableEnvironment, reward: Float64Array): Int32Array {
  const search = metropolis({ environment, reward, seed: 2 });
  const samples: number[] = [];
  for (let step = 0; step < 20_000; step++) {
    const { samples: held } = search.step();
    if (step >= 1000 && step % 40 === 0) samples.push(...held);
  }
  return Int32Array.from(samples);
}

describe("samples of strings", () => {
  test.each([0, 0.5])("have the target's frequencies within the floor at stick %f", (stick) => {
    const environment = sequenceEnvironment({ alphabet: "ACGT", length: 3, stick });
    const reward = rewardOf(environment);
    const { target } = normalise(reward);
    expect(totalVariation(metropolisLaw(environment, reward), target)).toBeLessThan(1e-14);
    const { tv, floor, samples } = sampledTotalVariation(thinned(environment, reward), target);
    expect(samples).toBe(475 * 32);
    expect(tv / floor).toBeGreaterThan(0.7);
    expect(tv / floor).toBeLessThan(1.3);
  });

  test("would be off the target with noise if intended strings were realised anew", () => {
    const environment = sequenceEnvironment({ alphabet: "ACGT", length: 3, stick: 0.5 });
    const reward = rewardOf(environment);
    // K is symmetric here, so E[R|x] is the reward sent through it.
    const anew = realisedLaw(environment, normalise(realisedLaw(environment, reward)).target);
    expect(totalVariation(anew, normalise(reward).target)).toBeGreaterThan(0.2);
  });
});

test("from where nothing was rewarded every move is made, to there none", () => {
  const none = { reward: 0, neighbours: 3 };
  const some = { reward: 0.5, neighbours: 2 };
  expect(acceptance(none, some)).toBe(1);
  expect(acceptance(none, none)).toBe(1);
  expect(acceptance(some, none)).toBe(0);
  expect(acceptance(some, { reward: 0.25, neighbours: 2 })).toBe(0.5);
  expect(acceptance({ reward: 1, neighbours: 2 }, { reward: 1, neighbours: 4 })).toBe(0.5);
});
