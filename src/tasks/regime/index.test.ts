import { describe, expect, test } from "vitest";
import { checkEnumeration } from "../../gfn/enumeration.ts";
import { isEnumerable } from "../../gfn/environment.ts";
import { visitation } from "../../gfn/evaluate/exact.ts";
import { historyListing, withoutThought } from "../../gfn/evaluate/histories.ts";
import { regimeTask } from "./index.ts";
import { regimeLimits, toldListing } from "./limits.ts";

const task = regimeTask();

test("half of all score is for strings without a fault, and the label says the scores", () => {
  expect(task.scores).toHaveLength(1024);
  const sum = task.scores.reduce((a, b) => a + b);
  const faultless = task.scores.filter((score) => score === 48);
  expect(faultless).toHaveLength(16);
  expect((48 * 16) / sum).toBeCloseTo(0.5, 1);
  expect(task.scores[task.encode("GTAAA")]).toBe(48);
  expect(task.scores[task.encode("GTAAC")]).toBe(0.5);
  expect(task.scores[task.encode("AACAA")]).toBe(1);
  expect(task.label).toBe(
    "48 for AAA after two free letters, 0.5 for other ends that begin with A, 1 for all others",
  );
});

test("the environment lists no states, and numbers its strings as the task does", () => {
  expect(isEnumerable(task.environment)).toBe(false);
  const { environment } = regimeTask({ noisy: 0 });
  const listed = historyListing(environment);
  // Without noise, who always intends G writes GGGGG.
  const always = new Float64Array(listed.states * 4).map((_, row) => +(row % 4 === 2));
  expect(visitation(listed, always).terminals[task.encode("GGGGG")]).toBe(1);
});

test("strings are written as letters and read back", () => {
  expect(task.decode(0)).toBe("AAAAA");
  expect(task.decode(6)).toBe("AAACG");
  for (let string = 0; string < 1024; string++) expect(task.encode(task.decode(string))).toBe(string);
});

test("who reads the thought comes nearer by .05 in total variation, and who is told the regime in divergence", () => {
  const limits = regimeLimits(task, { tolerance: 1e-3, starts: 1 });
  expect(limits.withoutThought.tv - limits.withThought.tv).toBeGreaterThan(0.05);
  expect(limits.withoutThought.kl - limits.withThought.kl).toBeGreaterThan(0.03);
  expect(limits.told.kl).toBeLessThan(limits.withThought.kl);
  expect(limits.uniform.tv).toBeGreaterThan(limits.withoutThought.tv + 0.2);
  expect(limits.withThought.tv).toBeCloseTo(0.042, 2);
  expect(limits.withoutThought.tv).toBeCloseTo(0.118, 2);
});

test("being told the regime makes no difference to who does not use it", () => {
  const told = toldListing(task.environment);
  expect(() => checkEnumeration("told", told)).not.toThrow();
  const listed = historyListing(task.environment);
  // A different order of the same four probabilities after different prefixes.
  const plain = new Float64Array((told.states - 1) * 2).map(
    (_, row) => [0.4, 0.3, 0.2, 0.1][((row >> 2) + row) % 4],
  );
  const policy = new Float64Array(told.states * 4);
  policy[0] = 1;
  for (let state = 1; state < told.states; state++) {
    const prefix = Math.floor((state - 1) / 2);
    policy.set(plain.subarray(prefix * 4, prefix * 4 + 4), state * 4);
  }
  const one = visitation(told, policy).terminals;
  visitation(listed, withoutThought(listed, plain)).terminals.forEach((p, t) => {
    expect(one[t]).toBeCloseTo(p, 12);
  });
});

describe("bad options and texts are named:", () => {
  test.each([
    [{ share: 0 }, "regime: share must be above 0 and below 1, got 0"],
    [{ noisy: 2 }, "the stick of a regime must be in [0, 1], got 2"],
    [{ quiet: Number.NaN }, "the stick of a regime must be in [0, 1], got NaN"],
  ])("%j", (options, message) => {
    expect(() => regimeTask(options)).toThrow(message);
  });

  test.each(["AAAA", "AAAAX", "aaaaa"])("the text %j", (text) => {
    expect(() => task.encode(text)).toThrow(
      `regime: ${JSON.stringify(text)} is not a string of 5 letters, each A, C, G or T`,
    );
  });

  test("a number that is no terminal", () => {
    expect(() => task.decode(1024)).toThrow("terminals are numbered from 0 to 1023, got 1024");
  });

  test("regimes that change cannot be told at the start", () => {
    expect(() => toldListing({ ...task.environment, switching: 0.5 })).toThrow(
      "toldListing: a regime must last for the whole episode, got switching 0.5",
    );
  });
});
