// Plain environments: their states, outcomes and objects against worlds computed by hand.

import { describe, expect, expectTypeOf, test } from "vitest";
import { randomPlainEnvironment } from "../../../test/support/random-plain-environment.ts";
import { stepsOf } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { uniformPolicy, visitation } from "../evaluate/exact.ts";
import { limitByWaterFilling, limitOf } from "../evaluate/limit.ts";
import { formatThought } from "../sampling/sampler.ts";
import { checkEnvironment } from "./check-environment.ts";
import { environment } from "./plain-environment.ts";
import { sequenceEnvironment } from "./sequence.ts";
import { tabularEnvironment } from "./tabular-environment.ts";

/** A walk of some steps on a line with a wall at 0, where a step to the left stays. */
function walkAtWall(steps: number, slip = 0) {
  return environment({
    name: "a walk",
    start: 0,
    actions: () => ["left", "right"],
    step(place, action) {
      const ahead = action === "left" ? Math.max(0, place - 1) : place + 1;
      return slip === 0
        ? [{ state: ahead }]
        : [
            { state: ahead, probability: 1 - slip },
            { state: place, probability: slip },
          ];
    },
    reward: (place) => 1 + place,
    steps,
  });
}

/** Probability of each object under the uniform policy, by its text. */
function uniformEnds({ tables }: { readonly tables: ReturnType<typeof walkAtWall>["tables"] }) {
  const { terminals } = visitation(tables.enumeration, uniformPolicy(tables.enumeration));
  return Object.fromEntries(tables.objects.map((text, i) => [text, terminals[i]]));
}

describe("a world with cycles and a wall", () => {
  const walk = walkAtWall(3);

  test("has a state for every pair of step and place, and an object for every last place", () => {
    // Places after 0, 1 and 2 steps: 0; 0, 1; 0, 1, 2.
    expect(walk).toMatchObject({ states: 6, maxSteps: 3, actions: 2, outcomes: 2, stick: 0, tree: false });
    expect(walk.objects).toEqual([0, 1, 2, 3]);
    expect(Array.from(walk.scores)).toEqual([1, 2, 3, 4]);
  });

  test("sums the probabilities of all steps that end in an object", () => {
    expect(uniformEnds(walk)).toEqual({ 0: 3 / 8, 1: 3 / 8, 2: 1 / 8, 3: 1 / 8 });
  });

  test("without noise has outcomes that are the actions, also if two actions lead to the same state", () => {
    for (const { action, outcome, probability } of stepsOf(walk.enumerate())) {
      expect([outcome, probability]).toEqual([action, 1]);
    }
    expect(walk.outcomeAllowed).toBeUndefined();
    const fork = environment({
      start: "start",
      actions: (place) => (place === "start" ? [1, 2, 3] : []),
      step: (_, number) => [{ state: number === 3 ? "odd one" : "same" }],
      reward: () => 1,
      steps: 1,
    });
    expect(fork).toMatchObject({ stick: 0, backwardActions: 2 });
    expect(() => checkEnvironment(fork)).not.toThrow();
  });

  test("with noise has one outcome for each state that can follow", () => {
    const slippery = walkAtWall(2, 0.25);
    const steps = [...stepsOf(slippery.enumerate())];
    // At the wall "left" always stays, and "right" moves with probability ¾.
    expect(steps.filter(({ state }) => state === 0)).toEqual([
      { state: 0, action: 0, outcome: 0, target: 1, probability: 1 },
      { state: 0, action: 1, outcome: 1, target: 2, probability: 0.75 },
      { state: 0, action: 1, outcome: 0, target: 1, probability: 0.25 },
    ]);
    // Away from the wall there are three outcomes and two actions, so a third action is never legal.
    expect(slippery).toMatchObject({
      actions: 3,
      outcomes: 3,
      stick: 0.25,
      actionNames: ["left", "right", "none"],
    });
    expect(slippery.outcomeAllowed).toBeDefined();
  });

  test("ends where nothing can be done, at any step", () => {
    const stopping = environment({
      start: { at: 0, done: false },
      actions: ({ done }) => (done ? [] : ["go", "stop"]),
      step: ({ at }, action) => [
        { state: action === "go" ? { at: at + 1, done: false } : { at, done: true } },
      ],
      objectOf: ({ at }) => at,
      reward: (at) => at,
      steps: 3,
    });
    expect(stopping).toMatchObject({ states: 3, maxSteps: 3 });
    expect(uniformEnds(stopping)).toEqual({ 0: 1 / 2, 1: 1 / 4, 2: 1 / 8, 3: 1 / 8 });
  });

  test("that ends by itself has no more steps than it needs", () => {
    const short = environment({
      start: 0,
      actions: (n) => (n < 2 ? ["on"] : []),
      step: (n) => [{ state: n + 1 }],
      reward: () => 1,
      steps: 1_000_000,
    });
    expect(short).toMatchObject({ maxSteps: 2, states: 2 });
  });
});

test("chance, a state with one action and several outcomes, is no stick noise beside choices without noise", () => {
  const world = environment({
    start: "choose",
    actions: (place) => (place === "choose" ? ["a", "b"] : ["wait"]),
    step: (place, action) =>
      place === "choose"
        ? [{ state: action }]
        : [1, 2, 3].map((n) => ({ state: `${place}${n}`, probability: 1 / 3 })),
    reward: () => 1,
    steps: 2,
  });
  expect(world.stick).toBeCloseTo(2 / 3, 12);
  expect(() => checkEnvironment(world)).not.toThrow();
});

test("states of one outcome list are added up, and impossible ones are left out", () => {
  const dice = environment({
    start: "start",
    actions: () => ["roll"],
    step: () => [
      { state: "six", probability: 0.25 },
      { state: "other", probability: 0.5 },
      { state: "six", probability: 0.25 },
      { state: "seven", probability: 0 },
    ],
    reward: () => 1,
    steps: 1,
  });
  expect(uniformEnds(dice)).toEqual({ six: 0.5, other: 0.5 });
});

test("strings under stick noise are the same tree as the built-in sequences, with the same limit", () => {
  const letters = ["A", "B", "C"];
  const strings = environment({
    start: "",
    actions: (text) => (text.length < 3 ? letters : []),
    step: (text, letter) =>
      letters.map((c) => ({ state: text + c, probability: (c === letter ? 0.7 : 0) + 0.1 })),
    reward: (text) => 1 + 5 * text.split("A").length ** 2,
    steps: 3,
  });
  expect(strings).toMatchObject({ tree: true, backwardActions: 3 });
  expect(strings.stick).toBeCloseTo(0.3, 12);
  expect(strings.outcomeAllowed).toBeUndefined();
  const built = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.3 });
  const stream = RandomStream.fromSeed(1);
  const targetOf = (terminals: number, textOf: (terminal: number) => string) => {
    const scores = Float64Array.from(
      { length: terminals },
      (_, i) => strings.scores[strings.objects.indexOf(textOf(i))],
    );
    const sum = scores.reduce((a, b) => a + b);
    return scores.map((score) => score / sum);
  };
  const expected = limitByWaterFilling(
    built.enumerate(),
    targetOf(27, (i) => built.describe(built.sampleTrajectoryTo(i, stream))),
    0.3,
  );
  const found = limitOf(
    strings,
    strings.enumerate(),
    targetOf(27, (i) => strings.objects[i]),
  );
  expect(found.gap).toBe(0);
  expect(found.kl).toBeCloseTo(expected.kl, 12);
});

describe("objects", () => {
  test("have texts: themselves, or JSON if one is not a text", () => {
    const walk = walkAtWall(2);
    expect(walk.textOf(2)).toBe("2");
    expect(walk.objectFromText("2")).toBe(2);
    expect(() => walk.textOf(7)).toThrow('a walk: 7 is not one of its 3 objects, such as "0"');
    expect(() => walk.objectFromText("7")).toThrow(
      'a walk: the text "7" is not one of its 3 objects, such as "0"',
    );
    const words = randomPlainEnvironment({ seed: 1, noise: true });
    expect(words.textOf(words.objects[0])).toBe(words.objects[0]);
  });

  test("are compared by value", () => {
    const pair = environment({
      start: { a: 0, b: 0 },
      actions: () => ["a", "b"],
      step: ({ a, b }, field) => [{ state: field === "a" ? { b, a: a + 1 } : { a, b: b + 1 } }],
      reward: ({ a }) => a,
      steps: 2,
    });
    expect(pair.objects).toHaveLength(3);
    expect(pair.textOf({ b: 1, a: 1 })).toBe('{"a":1,"b":1}');
  });

  test("are reached from all their steps by sampled trajectories", () => {
    const walk = walkAtWall(3);
    const stream = RandomStream.fromSeed(2);
    const found = Array.from({ length: 100 }, () => walk.trajectoryOf("0", stream).join(""));
    expect([...new Set(found)].sort()).toEqual(["000", "010", "100"]);
  });

  test("and thoughts are written with the names of the actions", () => {
    expect(formatThought(walkAtWall(3), [1, 0, 1])).toBe("right left right");
  });
});

test("the environment of stored tables is the same one", () => {
  const original = randomPlainEnvironment({ seed: 3, noise: true });
  const restored = tabularEnvironment(structuredClone(original.tables));
  for (const member of [
    "states",
    "outcomes",
    "features",
    "stick",
    "backwardActions",
    "maxSteps",
    "tree",
  ] as const) {
    expect(restored[member]).toBe(original[member]);
  }
  const stream = () => RandomStream.fromSeed(4);
  expect(restored.trajectoryOf("object 1", stream())).toEqual(original.trajectoryOf("object 1", stream()));
});

test("types of states, actions and objects are inferred", () => {
  const typed = environment({
    start: [0, "x"],
    actions(state) {
      expectTypeOf(state).toEqualTypeOf<[number, string]>();
      return ["a", "b"];
    },
    step([n, text], action) {
      expectTypeOf(action).toEqualTypeOf<"a" | "b">();
      return [{ state: [n + 1, text + action] }];
    },
    objectOf: ([, text]) => ({ text }),
    reward(object) {
      expectTypeOf(object).toEqualTypeOf<{ text: string }>();
      return object.text.length;
    },
    steps: 1,
  });
  expectTypeOf(typed.objects).toEqualTypeOf<readonly { text: string }[]>();
  expect(typed.objects).toEqual([{ text: "xa" }, { text: "xb" }]);
});
