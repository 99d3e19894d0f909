// Checks the structure that an environment declares with `kind`: its sizes, and the features and indices along a few
// trajectories. Code that reads sequences or grids relies on it.

import { isGrid, isSequence } from "../capabilities.ts";
import { type Environment, isEnumerable } from "../environment.ts";
import type { HypergridEnvironment } from "../hypergrid.ts";
import type { SequenceEnvironment } from "../sequence.ts";
import type { Fail } from "./fail.ts";
import type { Observed, ObservedStep } from "./observe.ts";

export function checkStructure(environment: Environment, { steps }: Observed, fail: Fail): void {
  const kind: unknown = environment.kind;
  if (isSequence(environment)) checkSequence(environment, steps, fail);
  else if (isGrid(environment)) checkGrid(environment, steps, fail);
  else if (kind !== undefined) fail(`kind must be "sequence", "grid" or undefined, got ${kind}`);
}

function checkSequence(environment: SequenceEnvironment, steps: readonly ObservedStep[], fail: Fail): void {
  const { alphabet, length, variable, indexFactor } = environment;
  if (typeof alphabet !== "string" || typeof variable !== "boolean") {
    fail('kind is "sequence", so alphabet must be a string and variable true or false');
  }
  if (typeof indexFactor !== "number" && typeof environment.indexOf !== "function") {
    fail('kind is "sequence", so indexFactor must be a number, or indexOf a function');
  }
  checkPositive(environment, { length }, fail);
  const A = alphabet.length;
  checkSizes(
    environment,
    {
      outcomes: A,
      features: length * A,
      featureBlock: A,
      hasStop: variable,
      maxSteps: variable ? length + 1 : length,
    },
    fail,
  );
  checkSteps(environment, steps, fail, ({ t, before, outcome }) => ({
    features: before.features.map((x, i) => (i === t * A + outcome ? 1 : x)),
    index:
      indexFactor === undefined
        ? (environment.indexOf?.([...lettersIn(before.features, A), outcome]) as number)
        : (Math.imul(before.index, indexFactor) + 1 + outcome) | 0,
  }));
}

/** The letters of a prefix, from its one-hot features. */
function lettersIn(features: readonly number[], A: number): number[] {
  return features.flatMap((x, i) => (x === 1 ? [i % A] : []));
}

function checkGrid(environment: HypergridEnvironment, steps: readonly ObservedStep[], fail: Fail): void {
  const { dimensions, side } = environment;
  if (!isEnumerable(environment)) fail('kind is "grid", so enumerate must be a function');
  checkPositive(environment, { dimensions, side }, fail);
  checkSizes(
    environment,
    {
      outcomes: dimensions,
      features: dimensions * side,
      featureBlock: side,
      hasStop: true,
      states: side ** dimensions,
    },
    fail,
  );
  checkSteps(environment, steps, fail, ({ before, outcome: axis }) => ({
    // The outcome raises the one-hot coordinate of its axis by one.
    features: before.features.map((x, i) =>
      Math.floor(i / side) === axis ? (i % side > 0 ? before.features[i - 1] : 0) : x,
    ),
    index: before.index + side ** axis,
  }));
}

function checkPositive({ kind }: Environment, sizes: Readonly<Record<string, number>>, fail: Fail): void {
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || size < 1) {
      fail(`kind is "${kind}", so ${name} must be a positive whole number, got ${size}`);
    }
  }
}

function checkSizes(environment: Environment, expected: Partial<Environment>, fail: Fail): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = environment[name as keyof Environment];
    if (found !== value) fail(`kind is "${environment.kind}", so ${name} must be ${value}, got ${found}`);
  }
}

/** Checks the state after each step that has an outcome. */
function checkSteps(
  { kind }: Environment,
  steps: readonly ObservedStep[],
  fail: Fail,
  expectedAfter: (step: ObservedStep) => { readonly features: readonly number[]; readonly index: number },
): void {
  for (const step of steps) {
    const { t, before, after, outcome } = step;
    if (before.running === 0 || outcome < 0) continue;
    const where = `after outcome ${outcome} in state ${before.index} at step ${t}`;
    const { features, index } = expectedAfter(step);
    const wrong = features.findIndex((x, i) => x !== after.features[i]);
    if (wrong >= 0) {
      fail(
        `kind is "${kind}", so feature ${wrong} must be ${features[wrong]} ${where}, got ${after.features[wrong]}`,
      );
    }
    if (index !== after.index) {
      fail(`kind is "${kind}", so the index must be ${index} ${where}, got ${after.index}`);
    }
  }
}
