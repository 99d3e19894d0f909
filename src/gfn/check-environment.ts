// Whether an environment, perhaps a user's own, keeps its contract: seen along a few short episodes, and, if it lists
// its states, held against the list. Meant to run before every training, so it samples and takes milliseconds.

import { RandomStream } from "../engine/index.ts";
import { attempt, checkWay, type Fail } from "./contract/fail.ts";
import { checkHistories } from "./contract/histories.ts";
import { checkNoise, checkStick } from "./contract/kernel.ts";
import {
  checkFeatures,
  checkList,
  checkMask,
  checkTarget,
  checkTerminals,
  checkWays,
} from "./contract/listed.ts";
import { type Observed, observe, type SeenStep } from "./contract/observe.ts";
import { checkWaysBack, twoWaysIn } from "./contract/ways-in.ts";
import type { Enumeration } from "./enumeration.ts";
import { type Environment, hasHistories, isEnumerable, listingOf } from "./environment.ts";

const SIZES = [
  "actions",
  "outcomes",
  "maxSteps",
  "states",
  "features",
  "featureBlock",
  "backwardClasses",
] as const;

const FUNCTIONS = [
  "start",
  "allowed",
  "realise",
  "advance",
  "terminalIndex",
  "backwardAllowed",
  "backwardClass",
  "sameParent",
  "describe",
  "wayOf",
] as const;

/** Functions that are there too if states are listed. */
const ENUMERABLE = ["enumerate", "wayTo", "featuresOf"] as const;

/** Throws a RangeError of one sentence that names the environment and the culprit unless the contract is kept, as far as
 * can be seen quickly. `listed` saves the time to list the states if that was done already. */
export function checkEnvironment(environment: Environment, listed?: Enumeration): void {
  const fail: Fail = (what) => {
    throw new RangeError(`${environment.name}: ${what}`);
  };
  checkMembers(environment, fail);
  const enumerable = isEnumerable(environment) ? environment : undefined;
  const list = enumerable && (listed ?? attempt(fail, "enumerate", () => listingOf(enumerable)));
  if (enumerable && list) checkList(enumerable, list, fail);
  const shared = list && twoWaysIn(list);
  if (enumerable?.tree && shared) fail(`tree is true, but ${shared}`);
  const seen = observe(environment, fail);
  for (const step of seen.steps) checkStep(environment, list, step, fail);
  const running = seen.ends.filter((end) => end.running > 0).length;
  if (running > 0) {
    fail(
      `maxSteps is ${environment.maxSteps}, but ${running} of ${seen.ends.length} episodes still run after it`,
    );
  }
  checkTexts(environment, seen, fail);
  if (hasHistories(environment)) checkHistories(environment, seen, fail);
  if (enumerable && list) {
    checkTerminals(list, seen, fail);
    checkFeatures(enumerable, seen, fail);
    checkWays(enumerable, list, fail);
    checkStick(enumerable, list, fail);
    checkNoise(enumerable, list, seen, fail);
    checkWaysBack(enumerable, list, seen, shared, fail);
  }
}

/** Everything is there, and sizes go together. */
function checkMembers(environment: Environment, fail: Fail): void {
  if (typeof environment.name !== "string" || environment.name === "") {
    throw new RangeError(`an environment must have a name, got ${JSON.stringify(environment.name)}`);
  }
  for (const member of SIZES) {
    const size = environment[member];
    if (!Number.isSafeInteger(size) || size < 1) {
      fail(`${member} must be a positive whole number, got ${size}`);
    }
  }
  for (const member of [...FUNCTIONS, ...(isEnumerable(environment) ? ENUMERABLE : [])]) {
    const found = (environment as unknown as Record<string, unknown>)[member];
    if (typeof found !== "function") fail(`${member} must be a function, got ${found}`);
  }
  const { actions, outcomes, stops, features, featureBlock, stick } = environment;
  if (typeof stops !== "boolean") fail(`stops must be true or false, got ${stops}`);
  if (outcomes > actions) {
    fail(`there are ${outcomes} outcomes and only ${actions} actions; each outcome must be an action too`);
  }
  if (stops && actions !== outcomes + 1) {
    fail(`stops is true, so actions must be outcomes + 1 = ${outcomes + 1}, got ${actions}`);
  }
  if (!stops && actions !== outcomes) {
    fail(`stops is false, so actions must be as many as outcomes, ${outcomes}, got ${actions}`);
  }
  if (features % featureBlock !== 0) {
    fail(`featureBlock must divide features, got ${featureBlock} and ${features}`);
  }
  if (!(stick >= 0 && stick < 1)) fail(`stick must be in [0, 1), got ${stick}`);
}

/** One step of one episode. */
function checkStep({ stick }: Environment, list: Enumeration | undefined, step: SeenStep, fail: Fail): void {
  const { t, before, after, allowed, action, realised, outcome } = step;
  const where = `in state ${before.index} at step ${t}`;
  if (t === 0 && before.running !== 1) fail(`start must give 1 for running, got ${before.running}`);
  if (after.running !== 0 && after.running !== 1) {
    fail(`advance must give 0 or 1 for running, got ${after.running} ${where}`);
  }
  if (after.running > before.running) {
    fail(`advance makes an episode run again that had ended, ${where}`);
  }
  if (before.running === 0) {
    const same = after.index === before.index && after.features.every((x, i) => x === before.features[i]);
    if (!same) fail(`advance changes an episode that has ended, ${where}`);
    return;
  }
  if (!allowed.includes(1)) fail(`allowed permits no action ${where}`);
  if (list) checkMask(list, step, fail);
  const moved = !step.stop;
  if (!isOneHot(realised, moved)) {
    const wanted = moved ? "one-hot" : "all 0 for a stop";
    fail(`realise must give rows that are ${wanted}, got ${row(realised)} ${where}`);
  }
  if (moved && allowed[outcome] !== 1) {
    fail(`realise makes outcome ${outcome} of action ${action}, which is not allowed ${where}`);
  }
  if (stick === 0 && moved && outcome !== action) {
    fail(`stick is 0, but realise makes outcome ${outcome} of action ${action} ${where}`);
  }
  if (!moved && after.running === 1) fail(`advance must end an episode at a stop, but goes on ${where}`);
  if (!after.features.every(Number.isFinite)) fail(`advance gives features that are not finite ${where}`);
  if (list) checkTarget(list, step, fail);
  if (step.backward) checkBackward(step.backward, moved, stick, where, fail);
}

/** The way back from a step. */
function checkBackward(
  backward: NonNullable<SeenStep["backward"]>,
  moved: boolean,
  stick: number,
  where: string,
  fail: Fail,
): void {
  if (!isOneHot(backward.taken, moved)) {
    const wanted = moved ? "one-hot" : "all 0 for a stop";
    fail(`backwardClass must give rows that are ${wanted}, got ${row(backward.taken)} ${where}`);
  }
  if (!moved) return;
  const way = backward.taken.indexOf(1);
  if (backward.allowed[way] !== 1) {
    fail(`backwardAllowed forbids class ${way}, by which a step was taken ${where}`);
  }
  if (backward.sameParent && backward.sameParent[way] !== 1) {
    fail(`sameParent leaves out class ${way}, by which a step was taken ${where}`);
  }
  // Without noise an outcome tells the intention, so that a parent has one class.
  if (stick > 0) return;
  const other = backward.allowed.findIndex((permitted, k) => {
    return k !== way && permitted === 1 && (backward.sameParent?.[k] ?? 1) === 1;
  });
  if (other >= 0) {
    fail(
      `stick is 0, but backwardAllowed permits class ${other} beside class ${way}, by which a step was taken ${where}`,
    );
  }
}

/** What episodes ended in is written, and found again by what is written. */
function checkTexts(environment: Environment, { ways }: Observed, fail: Fail): void {
  const stream = RandomStream.fromSeed(0).split("check texts");
  for (const way of ways) {
    const text = attempt(fail, `describe([${way.join(", ")}])`, () => environment.describe(way));
    if (typeof text !== "string") fail(`describe must give a string, got ${text}`);
    const what = `wayOf(${JSON.stringify(text)})`;
    const back = attempt(fail, what, () => environment.wayOf(text, stream));
    checkWay(environment, what, back, fail);
    const again = attempt(fail, `describe([${back.join(", ")}])`, () => environment.describe(back));
    if (again !== text) fail(`${what} gives a way that describe writes as ${JSON.stringify(again)}`);
  }
}

/** One 1 among zeros, or zeros only. */
function isOneHot(values: readonly number[], one: boolean): boolean {
  const ones = values.filter((x) => x === 1).length;
  return ones === (one ? 1 : 0) && values.every((x) => x === 0 || x === 1);
}

/** A row as text, cut if it is long. */
function row(values: readonly number[]): string {
  const most = 8;
  return `[${values.slice(0, most).join(", ")}${values.length > most ? ", …" : ""}]`;
}
