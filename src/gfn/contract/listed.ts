// Whether an environment that lists its states does what its list says, seen along a few episodes.

import { RandomStream } from "../../engine/index.ts";
import { checkEnumeration, type Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { attempt, checkWay, type Fail } from "./fail.ts";
import type { Observed, SeenStep } from "./observe.ts";

/** Objects whose ways are followed. */
const OBJECTS = 16;

/** The list has the sizes of the environment, its parts go together, and it keeps its own rules. */
export function checkList(environment: EnumerableEnvironment, listed: Enumeration, fail: Fail): void {
  for (const size of ["states", "actions", "outcomes"] as const) {
    if (listed[size] !== environment[size]) {
      fail(`enumerate lists ${listed[size]} ${size}, but the environment says ${environment[size]}`);
    }
  }
  const { states, terminals, actions, outcomes, offsets, targets, outcome, probabilities } = listed;
  if (!Number.isSafeInteger(terminals) || terminals < 1) {
    fail(`enumerate must list a positive whole number of terminals, got ${terminals}`);
  }
  if (offsets.length !== states * actions + 1) {
    fail(`enumerate must give ${states * actions + 1} offsets, got ${offsets.length}`);
  }
  const count = offsets[states * actions];
  for (const [name, { length }] of Object.entries({ targets, outcome, probabilities })) {
    if (length !== count) fail(`enumerate must give ${count} ${name}, one per transition, got ${length}`);
  }
  const wrong = outcome.find((c) => c < -1 || c >= outcomes);
  if (wrong !== undefined) fail(`enumerate lists outcome ${wrong}, and outcomes are 0 to ${outcomes - 1}`);
  checkEnumeration(environment.name, listed);
  checkStops(environment, listed, fail);
}

/** A stop is certain and has no outcome, and in state i it ends in object i; nothing else ends where there are stops. */
function checkStops({ stops }: EnumerableEnvironment, listed: Enumeration, fail: Fail): void {
  const { states, actions, offsets, targets, outcome } = listed;
  for (let state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const isStop = stops && action === actions - 1;
      const row = state * actions + action;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const right = isStop
          ? outcome[i] === -1 && targets[i] === -1 - state
          : outcome[i] >= 0 && !(stops && targets[i] < 0);
        if (!right) complain(state, action, i);
      }
    }
  }

  function complain(state: number, action: number, i: number): never {
    const what = `action ${action} in state ${state}`;
    if (!stops || action < actions - 1) {
      if (outcome[i] < 0) fail(`enumerate lists outcome -1 of ${what}, and only a stop has none`);
      return fail(`enumerate ends at ${what}, and only a stop ends an episode`);
    }
    if (outcome[i] >= 0) {
      fail(`enumerate lists outcome ${outcome[i]} of a stop in state ${state}, and it must be -1`);
    }
    const end = targets[i] < 0 ? `terminal ${-1 - targets[i]}` : `state ${targets[i]}`;
    return fail(`enumerate leads to ${end} by a stop in state ${state}, and it must be terminal ${state}`);
  }
}

/** What is allowed is what the list has. */
export function checkMask({ states, actions, offsets }: Enumeration, step: SeenStep, fail: Fail): void {
  const { t, before, allowed } = step;
  const state = before.index;
  if (t === 0 && state !== 0) fail(`start must give state 0, got ${state}`);
  if (state < 0 || state >= states) {
    fail(`an episode that goes on is in state ${state} at step ${t}, and states are 0 to ${states - 1}`);
  }
  for (let action = 0; action < actions; action++) {
    const has = offsets[state * actions + action + 1] > offsets[state * actions + action];
    if (has === (allowed[action] === 1)) continue;
    const [said, other] = has ? ["forbids", "has"] : ["permits", "does not have"];
    fail(`allowed ${said} action ${action} in state ${state} at step ${t}, and enumerate ${other} it`);
  }
}

/** A step leads where the list says. */
export function checkTarget(listed: Enumeration, step: SeenStep, fail: Fail): void {
  const { t, before, after, action, outcome } = step;
  const target = targetOf(listed, before.index, action, outcome);
  const what = `action ${action} with outcome ${outcome} in state ${before.index} at step ${t}`;
  if (target === undefined) fail(`enumerate does not have ${what}`);
  else if (target < 0) {
    if (after.running === 1) fail(`advance goes on after ${what}, and enumerate ends there`);
    const index = outcome < 0 ? before.index : listed.states - 1 - target;
    if (after.index !== index) {
      fail(`advance gives index ${after.index} to the object that ${what} ends in, and it must be ${index}`);
    }
  } else {
    if (after.running === 0) fail(`advance ends at ${what}, and enumerate leads on to state ${target}`);
    if (after.index !== target) {
      fail(`advance leads to state ${after.index} by ${what}, and enumerate to state ${target}`);
    }
  }
}

/** Episodes ended in the objects that the list says. */
export function checkTerminals(listed: Enumeration, { steps }: Observed, fail: Fail): void {
  for (const { before, after, action, outcome, terminal } of steps) {
    if (before.running === after.running) continue;
    const expected = -1 - targetOf(listed, before.index, action, outcome)!;
    if (terminal === expected) continue;
    fail(
      `terminalIndex is ${terminal} after action ${action} with outcome ${outcome} in state ${before.index}, and enumerate has terminal ${expected}`,
    );
  }
}

/** Features of the states that were passed are those by number. */
export function checkFeatures(environment: EnumerableEnvironment, { steps }: Observed, fail: Fail): void {
  const passed = new Map(
    steps.filter(({ before }) => before.running === 1).map(({ before }) => [before.index, before.features]),
  );
  const indices = [...passed.keys()];
  const { features: width } = environment;
  const given = environment.featuresOf(indices);
  if (given.length !== indices.length * width) {
    fail(
      `featuresOf must give ${width} features per state, got ${given.length} for ${indices.length} states`,
    );
  }
  for (const [row, index] of indices.entries()) {
    const wrong = passed.get(index)!.findIndex((x, i) => x !== given[row * width + i]);
    if (wrong < 0) continue;
    fail(
      `featuresOf gives ${given[row * width + wrong]} as feature ${wrong} of state ${index}, and episodes have ${passed.get(index)![wrong]}`,
    );
  }
}

/** Ways to objects end in them, whether the object is given by number or by its text. */
export function checkWays(environment: EnumerableEnvironment, listed: Enumeration, fail: Fail): void {
  const stream = RandomStream.fromSeed(0).split("check ways");
  const last = listed.terminals - 1;
  const drawn = Array.from({ length: OBJECTS }, () => stream.integer(Math.min(listed.terminals, 2 ** 32)));
  for (const terminal of new Set([0, last, ...drawn])) {
    const way = attempt(fail, `wayTo(${terminal})`, () => environment.wayTo(terminal, stream));
    checkEnd(`wayTo(${terminal})`, way, terminal);
    const text = attempt(fail, `describe(${JSON.stringify(way)})`, () => environment.describe(way));
    const what = `wayOf(${JSON.stringify(text)})`;
    checkEnd(
      what,
      attempt(fail, what, () => environment.wayOf(text, stream)),
      terminal,
    );
  }

  function checkEnd(what: string, way: readonly number[], terminal: number): void {
    checkWay(environment, what, way, fail);
    let state = 0;
    for (const [i, outcome] of (environment.stops ? [...way, -1] : way).entries()) {
      const target = state < 0 ? undefined : targetBy(listed, state, outcome);
      if (target === undefined) {
        const place = state < 0 ? `terminal ${-1 - state}` : `state ${state}`;
        fail(`${what} does not lead to terminal ${terminal}: step ${i} is not possible in ${place}`);
      } else state = target;
    }
    if (state >= 0) fail(`${what} leads to state ${state} and not to terminal ${terminal}`);
    if (-1 - state !== terminal)
      fail(`${what} leads to terminal ${-1 - state} and not to terminal ${terminal}`);
  }
}

/** Where (state, action) leads by an outcome; undefined if the list has no such transition. */
export function targetOf(
  { actions, offsets, targets, outcome }: Enumeration,
  state: number,
  action: number,
  wanted: number,
): number | undefined {
  for (let i = offsets[state * actions + action]; i < offsets[state * actions + action + 1]; i++) {
    if (outcome[i] === wanted) return targets[i];
  }
  return undefined;
}

/** Where a state leads by an outcome, whatever was intended. */
function targetBy(listed: Enumeration, state: number, wanted: number): number | undefined {
  for (let action = 0; action < listed.actions; action++) {
    const target = targetOf(listed, state, action, wanted);
    if (target !== undefined) return target;
  }
  return undefined;
}
