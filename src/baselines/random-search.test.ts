// Tests of random search against the exact distribution of its samples.

import { expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { enumerationOf } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { randomSearch } from "./random-search.ts";
import { realisedDistribution } from "./realised-distribution.ts";

function countsOf(
  environment: Parameters<typeof randomSearch>[0]["environment"],
  steps: number,
): Float64Array {
  const counts = new Float64Array(enumerationOf(environment).terminals);
  const search = randomSearch({ environment, reward: counts.map(() => 1), seed: 1, batch: 100 });
  for (let i = 0; i < steps; i++) for (const terminal of search.step().samples) counts[terminal]++;
  return counts;
}

test("random search on strings of fixed length has the distribution of the uniform policy", () => {
  const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  const enumeration = enumerationOf(environment);
  const { terminals } = visitation(enumeration, uniformPolicy(enumeration));
  expect(chiSquare(countsOf(environment, 400), terminals)).toBeLessThan(chiSquareLimit(terminals));
});

test("random search on a grid has the realised distribution of uniform cells, not that of the uniform policy", () => {
  const environment = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.5 });
  const counts = countsOf(environment, 400);
  const distribution = realisedDistribution(environment, new Float64Array(16).fill(1 / 16));
  expect(chiSquare(counts, distribution)).toBeLessThan(chiSquareLimit(distribution));
  const enumeration = enumerationOf(environment);
  const { terminals } = visitation(enumeration, uniformPolicy(enumeration));
  expect(chiSquare(counts, terminals)).toBeGreaterThan(10 * chiSquareLimit(terminals));
});
