// What all searches keep: the same by seed, going on from what was saved to the bit, and one call for each object.

import { describe, expect, test } from "vitest";
import { listingOf } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { evolution } from "./evolution.ts";
import { metropolis } from "./metropolis.ts";
import { random } from "./random.ts";
import type { SearchOptions, StringSearch } from "./search.ts";

const environments = {
  "strings of fixed length": sequenceEnvironment({ alphabet: "ACGT", length: 4, stick: 0.25 }),
  "strings of any length": sequenceEnvironment({ alphabet: "AC", length: 5, variable: true, stick: 0.25 }),
  "a grid": hypergridEnvironment({ dimensions: 3, side: 4, stick: 0.25 }),
};

const stepsOf = (search: StringSearch, steps: number) => Array.from({ length: steps }, () => search.step());

describe.each(Object.entries({ random, metropolis, evolution }))("%s search", (name, make) => {
  describe.each(Object.entries(environments))("on %s", (_, environment) => {
    const { terminals: count } = listingOf(environment);
    const reward = Float64Array.from({ length: count }, (_, i) => ((i * 7) % 11) + 0.1);
    const options: SearchOptions = { environment, reward, seed: 3, batch: 6 };

    test("asks for a batch of objects in every step", () => {
      const search = make(options);
      expect(search.name).toBe(name);
      for (const { terminals, samples } of stepsOf(search, 20)) {
        expect(terminals).toHaveLength(6);
        for (const terminal of [...terminals, ...samples]) expect(terminal in reward).toBe(true);
      }
    });

    test("is the same for the same seed and another for another", () => {
      const first = stepsOf(make(options), 10);
      expect(stepsOf(make(options), 10)).toEqual(first);
      expect(stepsOf(make({ ...options, seed: 4 }), 10)).not.toEqual(first);
    });

    test.each([0, 7])("goes on from what was saved after %i steps as if it had never stopped", (steps) => {
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

  test("names what is wrong with its options", () => {
    const environment = environments["a grid"];
    const reward = new Float64Array(64).fill(1);
    const options = { environment, reward, seed: 1 };
    expect(() => make({ ...options, batch: 0 })).toThrow(
      `${name}: batch must be a positive whole number, got 0`,
    );
    expect(() => make({ ...options, reward: new Float64Array(3) })).toThrow(
      `${name}: a grid of 4 × 4 × 4 has 64 objects, but 3 rewards were given`,
    );
    expect(() => make({ ...options, reward: reward.with(5, Number.NaN) })).toThrow(
      `${name}: the reward of terminal 5 is NaN; rewards must be finite and not negative`,
    );
  });
});

test("what was saved by another search, or by one of another size, is refused", () => {
  const environment = environments["a grid"];
  const options = { environment, reward: new Float64Array(64).fill(1), seed: 1 };
  const search = metropolis({ ...options, batch: 4 });
  expect(() => search.restore(random(options).save())).toThrow(
    "metropolis: the saved search is random, not metropolis",
  );
  expect(() => search.restore(metropolis({ ...options, batch: 5 }).save())).toThrow(
    "metropolis: the saved search has 5 numbers in intended instead of 4",
  );
});
