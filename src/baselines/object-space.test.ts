import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import type { EnumerableEnvironment } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { editDistance } from "../gfn/evaluate/diversity.ts";
import { hammingDistance } from "../gfn/evaluate/modes.ts";
import { drawNeighbour, objectSpace } from "./object-space.ts";

const fixed = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0 });
const variable = sequenceEnvironment({ alphabet: "ACG", length: 3, variable: true, stick: 0 });
const unary = sequenceEnvironment({ alphabet: "A", length: 4, variable: true, stick: 0 });
const grid = hypergridEnvironment({ dimensions: 3, side: 3, stick: 0 });

/** Way to an object: for a cell sorted, since the order of moves says nothing. */
const wayTo = (environment: EnumerableEnvironment, object: number) =>
  environment.wayTo(object, RandomStream.fromSeed(0)).sort(environment.tree ? () => 0 : undefined);
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
  const space = objectSpace("test", environment);
  const all = Array.from({ length: space.objects }, (_, object) => object);
  const texts = all.map((object) => textOf(environment, object));

  test("has as neighbours all that are one change apart, each once", () => {
    for (const object of all) {
      const listed = Array.from({ length: space.neighbours(object) }, (_, i) => space.neighbour(object, i));
      const expected = all.filter((other) => apart[kind](texts[object], texts[other]));
      expect(listed.sort((a, b) => a - b)).toEqual(expected);
    }
  });

  test("crosses two objects at a cut of both", () => {
    const partsOf = (text: string) => (kind === "grid" ? text.split(",") : [...text]);
    for (const first of all) {
      for (const second of all) {
        const [a, b] = [partsOf(texts[first]), partsOf(texts[second])];
        expect(space.cuts(first, second)).toBe(Math.min(a.length, b.length) + 1);
        for (let cut = 0; cut < space.cuts(first, second); cut++) {
          const child = partsOf(texts[space.cross(first, second, cut)]);
          if (child.join() !== [...a.slice(0, cut), ...b.slice(cut)].join()) {
            expect.fail(`${texts[first]} and ${texts[second]} cut at ${cut} gave ${child.join()}`);
          }
        }
      }
    }
  });
});

test("an object without neighbours is its own", () => {
  const alone = objectSpace("test", sequenceEnvironment({ alphabet: "A", length: 2, stick: 0 }));
  expect(drawNeighbour(alone, 0, RandomStream.fromSeed(1))).toBe(0);
});

test("an environment of another kind is refused by name", () => {
  const { alphabet: _, ...other } = fixed;
  expect(() => objectSpace("metropolis", { ...other, name: "molecules" })).toThrow(
    "metropolis: molecules are neither strings nor a grid",
  );
});
