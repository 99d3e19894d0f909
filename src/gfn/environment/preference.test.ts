// Environments with preferences: the contract of environments, features, scores of a preference, and mistakes.

import { expect, test } from "vitest";
import { checkEnvironment } from "./check-environment.ts";
import { constrainedSequenceEnvironment } from "./constrained-sequence.ts";
import { type EnumerableEnvironment, enumerationOf, isEnumerable } from "./environment.ts";
import { hypergridEnvironment } from "./hypergrid.ts";
import { isPreference, preferenceEnvironment } from "./preference.ts";
import { sequenceEnvironment } from "./sequence.ts";

const strings = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
const [first, second] = [Float64Array.of(4, 2, 0, 1), Float64Array.of(0, 2, 8, 1)];
const objectives = [first, second];

function objectivesOf(environment: EnumerableEnvironment): Float64Array[] {
  const { terminals } = enumerationOf(environment);
  return [0, 1, 2].map((i) => Float64Array.from({ length: terminals }, (_, terminal) => terminal + i));
}

test("it keeps the contract of environments, whatever the environment below", () => {
  const constrained = constrainedSequenceEnvironment({
    space: { tokens: ["A", "C", "G"], length: { min: 2, max: 3 } },
    constraints: [{ kind: "homopolymer", longest: 1 }],
    noise: { kind: "stick", stick: 0.1, mode: "within" },
  } as Parameters<typeof constrainedSequenceEnvironment>[0]);
  if (!isEnumerable(constrained)) throw new Error("short strings are enumerable");
  const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
  for (const environment of [strings, grid, constrained]) {
    const preferred = preferenceEnvironment({ environment, objectives: objectivesOf(environment) });
    expect(isPreference(preferred)).toBe(true);
    checkEnvironment(preferred);
  }
});

test("features are those of the state, followed by the preference", () => {
  const environment = preferenceEnvironment({ environment: strings, objectives, preference: [0.25, 0.75] });
  const states = [0, 1, 2];
  const below = strings.featuresOf(states);
  const width = strings.features;
  expect([...environment.featuresOf(states)]).toEqual(
    states.flatMap((i) => [...below.subarray(i * width, (i + 1) * width), 0.25, 0.75]),
  );
});

test("scores are the weighted sum of the objectives, and weights are equal by default", () => {
  const environment = preferenceEnvironment({ environment: strings, objectives });
  expect([...environment.scores]).toEqual([2, 2, 4, 1]);
  expect([...environment.at([0.25, 0.75]).scores]).toEqual([1, 2, 6, 1]);
  expect([...environment.at([1, 0]).scores]).toEqual([...first]);
});

test("a wrong preference, too few objectives and wrong tables are one sentence each", () => {
  const environment = preferenceEnvironment({ environment: strings, objectives });
  for (const wrong of [[1], [0.5, 0.6], [-0.5, 1.5], [Number.NaN, 1], [0.2, 0.3, 0.5]]) {
    expect(() => environment.at(wrong)).toThrow(/must be 2 weights from 0 on that sum to 1, got \[/);
  }
  expect(() => preferenceEnvironment({ environment: strings, objectives: [first] })).toThrow(
    "there must be at least 2 objectives, got 1",
  );
  expect(() => preferenceEnvironment({ environment: strings, objectives: [first, first.slice(1)] })).toThrow(
    /objective 1 must have a score for each of the 4 objects of .*, got 3$/,
  );
  expect(() =>
    preferenceEnvironment({ environment: strings, objectives: [first, Float64Array.of(0, 0, -1, 0)] }),
  ).toThrow("scores must be finite and not negative, got -1 for objective 1");
});
