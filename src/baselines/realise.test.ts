// What comes of plans: drawn, and exactly, one against the other and against the definition.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { slippingStrings, windyGrid } from "../../test/support/own-kernel.ts";
import { RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { realiser } from "./realise.ts";
import { realisedLaw } from "./realised-law.ts";

const fixed = (stick: number) => sequenceEnvironment({ alphabet: "ACG", length: 3, stick });
const variable = (stick: number) => sequenceEnvironment({ alphabet: "AC", length: 3, variable: true, stick });
const grid = (stick: number) => hypergridEnvironment({ dimensions: 2, side: 4, stick });

/** All intended in its own measure, so that nothing is symmetric by chance. */
function unevenLaw(environment: EnumerableEnvironment): Float64Array {
  const { terminals } = listingOf(environment);
  return Float64Array.from({ length: terminals }, (_, i) => (2 * (i + 1)) / (terminals * (terminals + 1)));
}

/** The law of one intended object by following every way of it, every outcome, one by one. */
function lawOfOne(environment: EnumerableEnvironment, intended: number): Float64Array {
  const { actions, offsets, targets, probabilities, terminals } = listingOf(environment);
  const law = new Float64Array(terminals);
  const orders = permutations(environment.wayTo(intended, RandomStream.fromSeed(0)));
  const ways = environment.tree ? orders.slice(0, 1) : orders;
  const follow = (at: number, plan: readonly number[], mass: number): void => {
    if (at < 0) {
      law[-1 - at] += mass;
      return;
    }
    const [intention = actions - 1, ...rest] = plan;
    const row = at * actions + intention;
    if (offsets[row] === offsets[row + 1]) follow(at, rest, mass);
    for (let i = offsets[row]; i < offsets[row + 1]; i++) follow(targets[i], rest, mass * probabilities[i]);
  };
  for (const way of ways) follow(0, way, 1 / ways.length);
  return law;
}

function permutations(list: readonly number[]): number[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

const environments = {
  "strings of fixed length": fixed(0.5),
  "strings of any length": variable(0.5),
  "a grid": grid(0.5),
  "strings whose noise depends on what stands": slippingStrings(4, 0.3, 0.7),
  "a windy grid": windyGrid(3, 0.4),
  "a small cube": hypergridEnvironment({ dimensions: 3, side: 2, stick: 0.75 }),
};

describe.each(Object.entries(environments))("%s", (_, environment) => {
  const { terminals } = listingOf(environment);
  const intended = unevenLaw(environment);
  const law = realisedLaw(environment, intended);

  test("end where following every outcome of every way says", () => {
    const expected = new Float64Array(terminals);
    for (let object = 0; object < terminals; object++) {
      const one = isNear(object) ? lawOfOne(environment, object) : null;
      const unit = new Float64Array(terminals);
      unit[object] = 1;
      const own = realisedLaw(environment, unit);
      own.forEach((p, i) => {
        expected[i] += intended[object] * p;
        if (one) expect(p).toBeCloseTo(one[i], 14);
      });
    }
    law.forEach((p, i) => {
      expect(p).toBeCloseTo(expected[i], 14);
    });
  });

  test("are drawn by their exact law", () => {
    const stream = RandomStream.fromSeed(1);
    const plans = 60_000;
    const drawn = Int32Array.from({ length: plans }, () => drawFrom(intended, stream));
    const counts = new Float64Array(terminals);
    for (const terminal of realiser(environment).drawAll(drawn, stream)) counts[terminal]++;
    expect(chiSquare(counts, law)).toBeLessThan(chiSquareLimit(law));
  });

  /** Ways to far cells are too many to be followed one by one. */
  function isNear(object: number): boolean {
    return environment.wayTo(object, RandomStream.fromSeed(0)).length <= 4;
  }
});

function drawFrom(law: Float64Array, stream: RandomStream): number {
  let rest = stream.uniform();
  for (let i = 0; i < law.length; i++) {
    rest -= law[i];
    if (rest < 0) return i;
  }
  return law.length - 1;
}

test.each([fixed(0), variable(0), grid(0)])(
  "without noise every object of $name comes as intended",
  (environment) => {
    const all = Int32Array.from({ length: listingOf(environment).terminals }, (_, i) => i);
    expect(realiser(environment).drawAll(all, RandomStream.fromSeed(1))).toEqual(all);
    const law = unevenLaw(environment);
    realisedLaw(environment, law).forEach((p, i) => {
      expect(p).toBeCloseTo(law[i], 15);
    });
  },
);

test("uniform strings of fixed length end as the uniform policy does", () => {
  const environment = fixed(0.5);
  const exact = visitation(listingOf(environment), uniformPolicy(listingOf(environment))).terminals;
  realisedLaw(environment, new Float64Array(27).fill(1 / 27)).forEach((p, i) => {
    expect(p).toBeCloseTo(exact[i], 14);
  });
});

test("a move that noise has made illegal is left out, and the plan goes on", () => {
  const { draw } = realiser(grid(0));
  // Four moves along the first axis of side 4: the fourth is not legal, the move along the second axis still comes.
  expect(draw([0, 0, 0, 0, 1], RandomStream.fromSeed(1))).toBe(3 + 4);
  expect(draw([], RandomStream.fromSeed(1))).toBe(0);
});

test("where there is no stop, a plan that is too short goes on with the first legal letter", () => {
  expect(realiser(fixed(0)).draw([2], RandomStream.fromSeed(1))).toBe(2 * 9);
});

test("intentions and laws that do not fit are named", () => {
  const stream = RandomStream.fromSeed(1);
  expect(() => realiser(fixed(0)).draw([0, 3], stream)).toThrow(
    "realiser: intention 2 of a plan must be a whole number from 0 to 2, got 3",
  );
  expect(() => realisedLaw(fixed(0), new Float64Array(3))).toThrow(
    "realisedLaw: strings of 3 letters out of ACG has 27 objects, but 3 probabilities were given",
  );
  const wide = hypergridEnvironment({ dimensions: 2, side: 65, stick: 0 });
  expect(() => realisedLaw(wide, new Float64Array(65 * 65))).toThrow(
    "has 4225 cells, more than the 4096 whose pairs are kept",
  );
});
