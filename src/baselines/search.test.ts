// Tests of every search method: results depend only on the seed, a restored search continues bit-identically, and each
// object costs one oracle call.

import { describe, expect, test } from "vitest";
import { enumerationOf } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { evolution } from "./evolution.ts";
import { metropolis } from "./metropolis.ts";
import { randomSearch } from "./random-search.ts";
import type { ObjectSearch, SearchOptions } from "./search.ts";

const environments = {
  "strings of fixed length": sequenceEnvironment({ alphabet: "ACGT", length: 4, stick: 0.25 }),
  "strings of any length": sequenceEnvironment({ alphabet: "AC", length: 5, variable: true, stick: 0.25 }),
  "a grid": hypergridEnvironment({ dimensions: 3, side: 4, stick: 0.25 }),
};

const stepsOf = (search: ObjectSearch, steps: number) => Array.from({ length: steps }, () => search.step());

describe.each(Object.entries({ random: randomSearch, metropolis, evolution }))("%s search", (name, make) => {
  describe.each(Object.entries(environments))("on %s", (_, environment) => {
    const { terminals: count } = enumerationOf(environment);
    const reward = Float64Array.from({ length: count }, (_, i) => ((i * 7) % 11) + 0.1);
    const options: SearchOptions = { environment, reward, seed: 3, batch: 6 };

    test("scores a batch of objects in every step", () => {
      const search = make(options);
      expect(search.name).toBe(name);
      for (const { terminals, samples } of stepsOf(search, 20)) {
        expect(terminals).toHaveLength(6);
        for (const terminal of [...terminals, ...samples]) expect(terminal in reward).toBe(true);
      }
    });

    test("is determined by its seed", () => {
      const first = stepsOf(make(options), 10);
      expect(stepsOf(make(options), 10)).toEqual(first);
      expect(stepsOf(make({ ...options, seed: 4 }), 10)).not.toEqual(first);
    });

    test.each([0, 7])("continues identically from a state saved after %i steps", (steps) => {
      const search = make(options);
      stepsOf(search, steps);
      const saved = search.save();
      const after = stepsOf(search, 10);
      const other = make({ ...options, seed: 99 });
      stepsOf(other, 3);
      other.restore(saved);
      expect(stepsOf(other, 10)).toEqual(after);
    });
  });

  test("rejects invalid options with an error that names them", () => {
    const environment = environments["a grid"];
    const reward = new Float64Array(64).fill(1);
    const options = { environment, reward, seed: 1 };
    expect(() => make({ ...options, batch: 0 })).toThrow(
      `${name}: batch must be a positive whole number, got 0`,
    );
    expect(() => make({ ...options, reward: new Float64Array(3) })).toThrow(
      `${name}: there must be one reward per object (64 in a grid of 4 × 4 × 4), got 3`,
    );
    expect(() => make({ ...options, reward: reward.with(5, Number.NaN) })).toThrow(
      `${name}: rewards must be finite and not negative, got NaN for terminal 5`,
    );
  });
});

test("a state of another search, or of another size, is refused", () => {
  const environment = environments["a grid"];
  const options = { environment, reward: new Float64Array(64).fill(1), seed: 1 };
  const search = metropolis({ ...options, batch: 4 });
  expect(() => search.restore(randomSearch(options).save())).toThrow(
    "metropolis: the saved search must be metropolis, got random",
  );
  expect(() => search.restore(metropolis({ ...options, batch: 5 }).save())).toThrow(
    "metropolis: intended of the saved search must have 4 numbers, got 5",
  );
});
