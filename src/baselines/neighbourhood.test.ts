// Tests of the neighbours and the crossover of strings and grid cells, which are compared as texts.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import type { EnumerableEnvironment } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { hammingDistance } from "../math/bounded-distance.ts";
import { editDistance } from "../math/edit-distance.ts";
import { neighbourhoodOf, sampleNeighbour } from "./neighbourhood.ts";

const fixed = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0 });
const variable = sequenceEnvironment({ alphabet: "ACG", length: 3, variable: true, stick: 0 });
const unary = sequenceEnvironment({ alphabet: "A", length: 4, variable: true, stick: 0 });
const grid = hypergridEnvironment({ dimensions: 3, side: 3, stick: 0 });

/** The actions that build an object. Moves to a grid cell are sorted, because their order does not matter. */
const wayTo = (environment: EnumerableEnvironment, object: number) =>
  environment
    .sampleTrajectoryTo(object, RandomStream.fromSeed(0))
    .sort(environment.tree ? () => 0 : undefined);
const textOf = (environment: EnumerableEnvironment, object: number) =>
  environment.describe(wayTo(environment, object));

/** Whether two objects are one change apart, read from their texts. */
const apart: Record<string, (a: string, b: string) => boolean> = {
  fixed: (a, b) => hammingDistance(a, b) === 1,
  variable: (a, b) =>
    a.length === b.length
      ? hammingDistance(a, b) === 1
      : Math.abs(a.length - b.length) === 1 && (a.startsWith(b) || b.startsWith(a)),
  unary: (a, b) => editDistance(a, b) === 1,
  grid: (a, b) => {
    const [x, y] = [a, b].map((text) => text.split(",").map(Number));
    return x.reduce((sum, value, axis) => sum + Math.abs(value - y[axis]), 0) === 1;
  },
};

describe.each(Object.entries({ fixed, variable, unary, grid }))("%s", (kind, environment) => {
  const neighbourhood = neighbourhoodOf("test", environment);
  const all = Array.from({ length: neighbourhood.objectCount }, (_, object) => object);
  const texts = all.map((object) => textOf(environment, object));

  test("has as neighbours all objects that are one change apart, each once", () => {
    for (const object of all) {
      const neighbours = Array.from({ length: neighbourhood.neighbourCount(object) }, (_, i) =>
        neighbourhood.neighbour(object, i),
      );
      const expected = all.filter((other) => apart[kind](texts[object], texts[other]));
      expect(neighbours.sort((a, b) => a - b)).toEqual(expected);
    }
  });

  test("crosses two objects at every common cut", () => {
    const partsOf = (text: string) => (kind === "grid" ? text.split(",") : [...text]);
    for (const first of all) {
      for (const second of all) {
        const [a, b] = [partsOf(texts[first]), partsOf(texts[second])];
        expect(neighbourhood.cutCount(first, second)).toBe(Math.min(a.length, b.length) + 1);
        for (let cut = 0; cut < neighbourhood.cutCount(first, second); cut++) {
          const child = partsOf(texts[neighbourhood.crossover(first, second, cut)]);
          if (child.join() !== [...a.slice(0, cut), ...b.slice(cut)].join()) {
            expect.fail(`${texts[first]} and ${texts[second]} cut at ${cut} gave ${child.join()}`);
          }
        }
      }
    }
  });
});

test("sampling a neighbour of an object without neighbours gives the object itself", () => {
  const alone = neighbourhoodOf("test", sequenceEnvironment({ alphabet: "A", length: 2, stick: 0 }));
  expect(sampleNeighbour(alone, 0, RandomStream.fromSeed(1))).toBe(0);
});

test("an environment of another kind is refused by name", () => {
  const { kind: _, ...other } = fixed;
  expect(() => neighbourhoodOf("metropolis", { ...other, name: "molecules" })).toThrow(
    "metropolis: molecules are neither strings without constraints nor a grid",
  );
});
