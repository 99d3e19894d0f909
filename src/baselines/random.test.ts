import { expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { listingOf } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { random } from "./random.ts";
import { realisedLaw } from "./realised-law.ts";

function countsOf(environment: Parameters<typeof random>[0]["environment"], steps: number): Float64Array {
  const counts = new Float64Array(listingOf(environment).terminals);
  const search = random({ environment, reward: counts.map(() => 1), seed: 1, batch: 100 });
  for (let i = 0; i < steps; i++) for (const terminal of search.step().samples) counts[terminal]++;
  return counts;
}

test("random search on strings of fixed length ends where the uniform policy does", () => {
  const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  const listed = listingOf(environment);
  const { terminals } = visitation(listed, uniformPolicy(listed));
  expect(chiSquare(countsOf(environment, 400), terminals)).toBeLessThan(chiSquareLimit(terminals));
});

test("random search on a grid ends where uniform cells are realised, which is not where the uniform policy ends", () => {
  const environment = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.5 });
  const counts = countsOf(environment, 400);
  const law = realisedLaw(environment, new Float64Array(16).fill(1 / 16));
  expect(chiSquare(counts, law)).toBeLessThan(chiSquareLimit(law));
  const listed = listingOf(environment);
  const { terminals } = visitation(listed, uniformPolicy(listed));
  expect(chiSquare(counts, terminals)).toBeGreaterThan(10 * chiSquareLimit(terminals));
});
