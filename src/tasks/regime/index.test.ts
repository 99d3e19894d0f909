import { describe, expect, test } from "vitest";
import { checkEnumeration } from "../../gfn/environment/enumeration.ts";
import { isEnumerable } from "../../gfn/environment/environment.ts";
import { visitation } from "../../gfn/evaluate/exact.ts";
import { broadcastToHistories, enumerateHistories } from "../../gfn/evaluate/history-enumeration.ts";
import { UserError } from "../../issues.ts";
import { regimeTask } from "./index.ts";
import { enumerateWithKnownRegime, regimeLimits } from "./limits.ts";

const task = regimeTask();

test("strings that end with AAA have half of the total score, and the label states the scores", () => {
  expect(task.scores).toHaveLength(1024);
  const sum = task.scores.reduce((a, b) => a + b);
  const successes = task.scores.filter((score) => score === 48);
  expect(successes).toHaveLength(16);
  expect((48 * 16) / sum).toBeCloseTo(0.5, 1);
  expect(task.scores[task.encode("GTAAA")]).toBe(48);
  expect(task.scores[task.encode("GTAAC")]).toBe(0.5);
  expect(task.scores[task.encode("AACAA")]).toBe(1);
  expect(task.label).toBe(
    "48 if the last three letters are AAA, 0.5 if they begin with A otherwise, 1 for all other strings",
  );
});

test("the environment has no enumeration of states, and the same terminal indices as the task", () => {
  expect(isEnumerable(task.environment)).toBe(false);
  const { environment } = regimeTask({ noisyStick: 0 });
  const enumeration = enumerateHistories(environment);
  // Without noise, a policy that always chooses G writes GGGGG.
  const always = new Float64Array(enumeration.states * 4).map((_, row) => +(row % 4 === 2));
  expect(visitation(enumeration, always).terminals[task.encode("GGGGG")]).toBe(1);
});

test("strings survive a round trip through text", () => {
  expect(task.decode(0)).toBe("AAAAA");
  expect(task.decode(6)).toBe("AAACG");
  for (let string = 0; string < 1024; string++) expect(task.encode(task.decode(string))).toBe(string);
});

test("the thought lowers the limit by 0.05 in total variation, and a known regime lowers its KL further", () => {
  const limits = regimeLimits(task, { tolerance: 1e-3, starts: 1 });
  expect(limits.withoutThought.tv - limits.withThought.tv).toBeGreaterThan(0.05);
  expect(limits.withoutThought.kl - limits.withThought.kl).toBeGreaterThan(0.03);
  expect(limits.knownRegime.kl).toBeLessThan(limits.withThought.kl);
  expect(limits.uniform.tv).toBeGreaterThan(limits.withoutThought.tv + 0.2);
  expect(limits.withThought.tv).toBeCloseTo(0.042, 2);
  expect(limits.withoutThought.tv).toBeCloseTo(0.118, 2);
});

test("a policy that ignores the regime has the same terminal distribution in both enumerations", () => {
  const known = enumerateWithKnownRegime(task.environment);
  expect(() => checkEnumeration("known regime", known)).not.toThrow();
  const enumeration = enumerateHistories(task.environment);
  // The action probabilities in each state are a permutation of the same four numbers, which depends on the prefix.
  const plain = new Float64Array((known.states - 1) * 2).map(
    (_, row) => [0.4, 0.3, 0.2, 0.1][((row >> 2) + row) % 4],
  );
  const policy = new Float64Array(known.states * 4);
  policy[0] = 1;
  for (let state = 1; state < known.states; state++) {
    const prefix = Math.floor((state - 1) / 2);
    policy.set(plain.subarray(prefix * 4, prefix * 4 + 4), state * 4);
  }
  const one = visitation(known, policy).terminals;
  visitation(enumeration, broadcastToHistories(enumeration, plain)).terminals.forEach((p, t) => {
    expect(one[t]).toBeCloseTo(p, 12);
  });
});

describe("invalid options and texts are refused:", () => {
  test.each([
    [{ quietShare: 0 }, "quietShare: must be a number in (0, 1), got 0"],
    [{ noisyStick: 2 }, "noisyStick: must be a number in [0, 1), got 2"],
    [{ quietStick: Number.NaN }, "quietStick: must be a number in [0, 1), got NaN"],
  ])("%j", (options, message) => {
    expect(() => regimeTask(options)).toThrow(UserError);
    expect(() => regimeTask(options)).toThrow(message);
  });

  test.each([
    ["AAAA", "has 4 letters instead of 5"],
    ["AAAAX", 'has "X" at position 5'],
    ["aaaaa", 'has "a" at position 1'],
  ])("the text %j", (text, problem) => {
    expect(() => task.encode(text)).toThrow(`regime: ${JSON.stringify(text)} ${problem}`);
  });

  test("an invalid terminal", () => {
    expect(() => task.decode(1024)).toThrow("a terminal must be a whole number from 0 to 1023, got 1024");
  });

  test("a regime that changes during a trajectory", () => {
    expect(() => enumerateWithKnownRegime({ ...task.environment, switching: 0.5 })).toThrow(
      "enumerateWithKnownRegime: the regime must not change during a trajectory, got switching 0.5",
    );
  });
});
