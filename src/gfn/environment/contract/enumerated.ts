// Checks an enumerable environment against its enumeration, along a few trajectories.

import { RandomStream } from "../../../engine/index.ts";
import { checkEnumeration, type Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { attempt, checkOutcomes, type Fail } from "./fail.ts";
import type { Observed, ObservedStep } from "./observe.ts";

/** Number of random objects whose trajectories are followed. */
const OBJECTS = 16;

/** Checks that the enumeration has the sizes of the environment, consistent arrays and valid transitions. */
export function checkEnumerated(
  environment: EnumerableEnvironment,
  enumeration: Enumeration,
  fail: Fail,
): void {
  for (const size of ["states", "actions", "outcomes"] as const) {
    if (enumeration[size] !== environment[size]) {
      fail(`enumerate has ${enumeration[size]} ${size}, but the environment has ${environment[size]}`);
    }
  }
  const { states, terminals, actions, outcomes, offsets, targets, outcome, probabilities } = enumeration;
  if (!Number.isSafeInteger(terminals) || terminals < 1) {
    fail(`enumerate must have a positive whole number of terminals, got ${terminals}`);
  }
  if (offsets.length !== states * actions + 1) {
    fail(`enumerate must have ${states * actions + 1} offsets, got ${offsets.length}`);
  }
  const count = offsets[states * actions];
  for (const [name, { length }] of Object.entries({ targets, outcome, probabilities })) {
    if (length !== count) fail(`enumerate must have ${count} ${name}, one per transition, got ${length}`);
  }
  const wrong = outcome.find((c) => c < -1 || c >= outcomes);
  if (wrong !== undefined) fail(`enumerate has outcome ${wrong}, but outcomes are 0 to ${outcomes - 1}`);
  checkEnumeration(environment.name, enumeration);
  checkStops(environment, enumeration, fail);
}

/** Checks that a stop has no outcome and leads from the i-th state that allows it to terminal i, and that no other action
 * of an environment with a stop ends a trajectory. */
function checkStops(
  { hasStop, stopsEverywhere = true }: EnumerableEnvironment,
  enumeration: Enumeration,
  fail: Fail,
): void {
  const { states, actions, offsets, targets, outcome } = enumeration;
  let stops = 0;
  for (let state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const isStop = hasStop && action === actions - 1;
      const row = state * actions + action;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const right = isStop
          ? outcome[i] === -1 && targets[i] === -1 - stops
          : outcome[i] >= 0 && !(hasStop && targets[i] < 0);
        if (!right) failAt(state, action, i);
      }
      if (isStop && offsets[row + 1] > offsets[row]) stops++;
    }
  }
  if (hasStop && stopsEverywhere && stops < states) {
    fail(`${states - stops} states forbid the stop in enumerate, so stopsEverywhere must be false`);
  }

  function failAt(state: number, action: number, i: number): never {
    const what = `action ${action} in state ${state}`;
    if (!hasStop || action < actions - 1) {
      if (outcome[i] < 0) fail(`enumerate has outcome -1 for ${what}, but only a stop has no outcome`);
      return fail(`enumerate ends at ${what}, but only a stop ends a trajectory`);
    }
    if (outcome[i] >= 0) {
      fail(`enumerate has outcome ${outcome[i]} for a stop in state ${state}, but it must be -1`);
    }
    const end = targets[i] < 0 ? `terminal ${-1 - targets[i]}` : `state ${targets[i]}`;
    return fail(`enumerate leads to ${end} by a stop in state ${state}, but it must be terminal ${stops}`);
  }
}

/** Checks that the legal actions are those with transitions in the enumeration, and that their outcomes are legal. */
export function checkMask(enumeration: Enumeration, step: ObservedStep, fail: Fail): void {
  const { states, actions, offsets, outcome } = enumeration;
  const { t, before, allowed, outcomeAllowed } = step;
  const state = before.index;
  if (t === 0 && state !== 0) fail(`start must return state 0, got ${state}`);
  if (state < 0 || state >= states) {
    fail(`a running trajectory is in state ${state} at step ${t}, but states are 0 to ${states - 1}`);
  }
  for (let action = 0; action < actions; action++) {
    const legal = offsets[state * actions + action + 1] > offsets[state * actions + action];
    if (legal === (allowed[action] === 1)) continue;
    const [verb, inEnumeration] = legal ? ["forbids", "has"] : ["permits", "does not have"];
    fail(
      `allowed ${verb} action ${action} in state ${state} at step ${t}, but enumerate ${inEnumeration} it`,
    );
  }
  for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
    if (outcome[i] < 0 || outcomeAllowed[outcome[i]] === 1) continue;
    fail(
      `outcome ${outcome[i]} is not legal in state ${state} at step ${t}, but enumerate has it; permit it by outcomeAllowed`,
    );
  }
}

/** Checks that a step leads to its target in the enumeration. */
export function checkTarget(enumeration: Enumeration, step: ObservedStep, fail: Fail): void {
  const { t, before, after, action, outcome } = step;
  const target = targetOf(enumeration, before.index, action, outcome);
  const what = `action ${action} with outcome ${outcome} in state ${before.index} at step ${t}`;
  if (target === undefined) fail(`enumerate does not have ${what}`);
  else if (target < 0) {
    if (after.running === 1) fail(`advance continues after ${what}, but enumerate ends there`);
    const index = outcome < 0 ? before.index : enumeration.states - 1 - target;
    if (after.index !== index) {
      fail(
        `advance returns index ${after.index} for the object in which ${what} ends, but it must be ${index}`,
      );
    }
  } else {
    if (after.running === 0) fail(`advance ends at ${what}, but enumerate continues to state ${target}`);
    if (after.index !== target) {
      fail(`advance leads to state ${after.index} by ${what}, but enumerate to state ${target}`);
    }
  }
}

/** Checks the terminal objects in which the trajectories ended. */
export function checkTerminals(enumeration: Enumeration, { steps }: Observed, fail: Fail): void {
  for (const { before, after, action, outcome, terminal } of steps) {
    if (before.running === after.running) continue;
    const expected = -1 - targetOf(enumeration, before.index, action, outcome)!;
    if (terminal === expected) continue;
    fail(
      `terminalIndex is ${terminal} after action ${action} with outcome ${outcome} in state ${before.index}, but enumerate has terminal ${expected}`,
    );
  }
}

/** Checks that `featuresOf` returns the features of the states along the trajectories. */
export function checkFeatures(environment: EnumerableEnvironment, { steps }: Observed, fail: Fail): void {
  const visited = new Map(
    steps.filter(({ before }) => before.running === 1).map(({ before }) => [before.index, before.features]),
  );
  const indices = [...visited.keys()];
  const { features: width } = environment;
  const found = environment.featuresOf(indices);
  if (found.length !== indices.length * width) {
    fail(
      `featuresOf must return ${width} features per state, got ${found.length} for ${indices.length} states`,
    );
  }
  for (const [row, index] of indices.entries()) {
    const wrong = visited.get(index)!.findIndex((x, i) => x !== found[row * width + i]);
    if (wrong < 0) continue;
    fail(
      `featuresOf returns ${found[row * width + wrong]} as feature ${wrong} of state ${index}, but trajectories have ${visited.get(index)![wrong]}`,
    );
  }
}

/** Checks that `sampleTrajectoryTo` and `trajectoryOf` return outcomes that lead to the object. */
export function checkTrajectories(
  environment: EnumerableEnvironment,
  enumeration: Enumeration,
  fail: Fail,
): void {
  const stream = RandomStream.fromSeed(0).split("check ways");
  const last = enumeration.terminals - 1;
  const drawn = Array.from({ length: OBJECTS }, () =>
    stream.integer(Math.min(enumeration.terminals, 2 ** 32)),
  );
  for (const terminal of new Set([0, last, ...drawn])) {
    const byIndex = `sampleTrajectoryTo(${terminal})`;
    const outcomes = attempt(fail, byIndex, () => environment.sampleTrajectoryTo(terminal, stream));
    checkEnd(byIndex, outcomes, terminal);
    const text = attempt(fail, `describe(${JSON.stringify(outcomes)})`, () => environment.describe(outcomes));
    const byText = `trajectoryOf(${JSON.stringify(text)})`;
    checkEnd(
      byText,
      attempt(fail, byText, () => environment.trajectoryOf(text, stream)),
      terminal,
    );
  }

  function checkEnd(call: string, outcomes: readonly number[], terminal: number): void {
    checkOutcomes(environment, call, outcomes, fail);
    let state = 0;
    for (const [i, outcome] of (environment.hasStop ? [...outcomes, -1] : outcomes).entries()) {
      const target = state < 0 ? undefined : targetOfOutcome(enumeration, state, outcome);
      if (target === undefined) {
        const place = state < 0 ? `terminal ${-1 - state}` : `state ${state}`;
        fail(`${call} does not lead to terminal ${terminal}: step ${i} is not possible in ${place}`);
      } else state = target;
    }
    if (state >= 0) fail(`${call} leads to state ${state} and not to terminal ${terminal}`);
    if (-1 - state !== terminal)
      fail(`${call} leads to terminal ${-1 - state} and not to terminal ${terminal}`);
  }
}

/** Target of the transition of a state, action and outcome; undefined if there is none. */
export function targetOf(
  { actions, offsets, targets, outcome }: Enumeration,
  state: number,
  action: number,
  sought: number,
): number | undefined {
  for (let i = offsets[state * actions + action]; i < offsets[state * actions + action + 1]; i++) {
    if (outcome[i] === sought) return targets[i];
  }
  return undefined;
}

/** Target of an outcome in a state, for any action that can have it. */
function targetOfOutcome(enumeration: Enumeration, state: number, outcome: number): number | undefined {
  for (let action = 0; action < enumeration.actions; action++) {
    const target = targetOf(enumeration, state, action, outcome);
    if (target !== undefined) return target;
  }
  return undefined;
}
