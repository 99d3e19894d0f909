// Checks that an environment, such as one that a user wrote, keeps the contract of the interface. The check runs a few short
// trajectories and compares them with the enumeration, if there is one. It runs before the first training in an
// environment and must be fast, so it samples instead of testing every state.

import { RandomStream } from "../../engine/index.ts";
import {
  checkEnumerated,
  checkFeatures,
  checkMask,
  checkTarget,
  checkTerminals,
  checkTrajectories,
} from "./contract/enumerated.ts";
import { attempt, checkOutcomes, type Fail } from "./contract/fail.ts";
import { checkHistoryKernel } from "./contract/history-kernel.ts";
import { checkSampledOutcomes, checkStickLevel } from "./contract/kernel.ts";
import { type Observed, type ObservedStep, observe } from "./contract/observe.ts";
import { checkParentEdges, findMultipleParents } from "./contract/parent-edges.ts";
import { checkStructure } from "./contract/structure.ts";
import type { Enumeration } from "./enumeration.ts";
import { type Environment, enumerationOf, isEnumerable, isHistoryDependent } from "./environment.ts";

const SIZES = [
  "actions",
  "outcomes",
  "maxSteps",
  "states",
  "features",
  "featureBlock",
  "backwardActions",
] as const satisfies readonly (keyof Environment)[];

const FUNCTIONS = [
  "start",
  "allowed",
  "sampleOutcome",
  "advance",
  "terminalIndex",
  "backwardAllowed",
  "backwardAction",
  "sameParent",
  "describe",
  "trajectoryOf",
] as const satisfies readonly (keyof Environment)[];

/** Functions that an environment may have. */
const OPTIONAL_FUNCTIONS = ["outcomeAllowed"] as const satisfies readonly (keyof Environment)[];

/** Additional functions of an enumerable environment. */
const ENUMERABLE_FUNCTIONS = ["enumerate", "sampleTrajectoryTo", "featuresOf"] as const;

/**
 * Checks that an environment keeps the contract of the interface. Throws a RangeError of one sentence that names the
 * environment and the first violation that it finds. Pass an `enumeration` that was computed before to avoid computing
 * it again.
 *
 * @example
 * ```ts
 * import { checkEnvironment, sequenceEnvironment } from "gflownet";
 *
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
 * checkEnvironment(environment);
 * try {
 *   checkEnvironment({ ...environment, maxSteps: 2 });
 * } catch (error) {
 *   console.log((error as RangeError).message);
 * }
 * ```
 */
export function checkEnvironment(environment: Environment, enumeration?: Enumeration): void {
  const fail: Fail = (what) => {
    throw new RangeError(`${environment.name}: ${what}`);
  };
  checkMembers(environment, fail);
  const enumerable = isEnumerable(environment) ? environment : undefined;
  const enumerated =
    enumerable && (enumeration ?? attempt(fail, "enumerate", () => enumerationOf(enumerable)));
  if (enumerable && enumerated) checkEnumerated(enumerable, enumerated, fail);
  const multipleParents = enumerated && findMultipleParents(enumerated);
  if (enumerable?.tree && multipleParents) fail(`tree is true, but ${multipleParents}`);
  const observed = observe(environment, fail);
  for (const step of observed.steps) checkStep(environment, enumerated, step, fail);
  const running = observed.ends.filter((end) => end.running > 0).length;
  if (running > 0) {
    fail(
      `maxSteps is ${environment.maxSteps}, but ${running} of ${observed.ends.length} trajectories still run after that many steps`,
    );
  }
  checkTexts(environment, observed, fail);
  if (isHistoryDependent(environment)) checkHistoryKernel(environment, observed, fail);
  if (enumerable && enumerated) {
    checkTerminals(enumerated, observed, fail);
    checkFeatures(enumerable, observed, fail);
    checkTrajectories(enumerable, enumerated, fail);
    checkStickLevel(enumerable, enumerated, fail);
    checkSampledOutcomes(enumerable, enumerated, observed, fail);
    checkParentEdges(enumerable, enumerated, observed, multipleParents, fail);
  }
  checkStructure(environment, observed, fail);
}

const checked = new WeakSet<Environment>();

/** Checks an environment, unless it was checked here before: its members never change. */
export function checkEnvironmentOnce(environment: Environment): void {
  if (checked.has(environment)) return;
  checkEnvironment(environment);
  checked.add(environment);
}

/** Checks that all members exist and that the sizes agree with each other. */
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
  const members = environment as unknown as Record<string, unknown>;
  const optional = OPTIONAL_FUNCTIONS.filter((member) => members[member] !== undefined);
  for (const member of [
    ...FUNCTIONS,
    ...optional,
    ...(isEnumerable(environment) ? ENUMERABLE_FUNCTIONS : []),
  ]) {
    const found = members[member];
    if (typeof found !== "function") fail(`${member} must be a function, got ${found}`);
  }
  const { actions, outcomes, hasStop, features, featureBlock, stick } = environment;
  if (typeof hasStop !== "boolean") fail(`hasStop must be true or false, got ${hasStop}`);
  if (outcomes > actions) {
    fail(`there are ${outcomes} outcomes and only ${actions} actions; each outcome must be an action too`);
  }
  if (hasStop && actions !== outcomes + 1) {
    fail(`hasStop is true, so actions must be outcomes + 1 = ${outcomes + 1}, got ${actions}`);
  }
  if (!hasStop && actions !== outcomes) {
    fail(`hasStop is false, so actions must equal outcomes = ${outcomes}, got ${actions}`);
  }
  if (features % featureBlock !== 0) {
    fail(`featureBlock must divide features, got ${featureBlock} and ${features}`);
  }
  const { actionNames } = environment;
  if (actionNames && actionNames.length !== actions) {
    fail(`actionNames must have one name for each of the ${actions} actions, got ${actionNames.length}`);
  }
  if (!(stick >= 0 && stick < 1)) fail(`stick must be in [0, 1), got ${stick}`);
}

/** Checks one step of one trajectory. */
function checkStep(
  { stick }: Environment,
  enumeration: Enumeration | undefined,
  step: ObservedStep,
  fail: Fail,
): void {
  const { t, before, after, allowed, outcomeAllowed, action, outcomeRow, outcome } = step;
  const where = `in state ${before.index} at step ${t}`;
  if (t === 0 && before.running !== 1) fail(`start must return 1 for running, got ${before.running}`);
  if (after.running !== 0 && after.running !== 1) {
    fail(`advance must return 0 or 1 for running, got ${after.running} ${where}`);
  }
  if (after.running > before.running) fail(`advance restarts a trajectory that has ended, ${where}`);
  if (before.running === 0) {
    const same = after.index === before.index && after.features.every((x, i) => x === before.features[i]);
    if (!same) fail(`advance changes a trajectory that has ended, ${where}`);
    return;
  }
  if (!allowed.includes(1)) fail(`allowed permits no action ${where}`);
  if (enumeration) checkMask(enumeration, step, fail);
  const moved = !step.stop;
  if (!isOneHot(outcomeRow, moved)) {
    const expected = moved ? "one-hot" : "all 0 for a stop";
    fail(`sampleOutcome must return rows that are ${expected}, got ${rowText(outcomeRow)} ${where}`);
  }
  if (moved && outcomeAllowed[outcome] !== 1) {
    fail(`sampleOutcome returns outcome ${outcome} for action ${action}, which is not allowed ${where}`);
  }
  if (stick === 0 && moved && outcome !== action) {
    fail(`stick is 0, but sampleOutcome returns outcome ${outcome} for action ${action} ${where}`);
  }
  if (!moved && after.running === 1)
    fail(`advance must end a trajectory at a stop, but continues it ${where}`);
  if (!after.features.every(Number.isFinite)) fail(`advance returns features that are not finite ${where}`);
  if (enumeration) checkTarget(enumeration, step, fail);
  if (step.backward) checkBackward(step.backward, moved, stick, where, fail);
}

/** Checks the backward action of one step. */
function checkBackward(
  backward: NonNullable<ObservedStep["backward"]>,
  moved: boolean,
  stick: number,
  where: string,
  fail: Fail,
): void {
  if (!isOneHot(backward.taken, moved)) {
    const expected = moved ? "one-hot" : "all 0 for a stop";
    fail(`backwardAction must return rows that are ${expected}, got ${rowText(backward.taken)} ${where}`);
  }
  if (!moved) return;
  const taken = backward.taken.indexOf(1);
  if (backward.allowed[taken] !== 1) {
    fail(`backwardAllowed forbids backward action ${taken}, which belongs to a step that was taken ${where}`);
  }
  if (backward.sameParent && backward.sameParent[taken] !== 1) {
    fail(`sameParent omits backward action ${taken}, which belongs to a step that was taken ${where}`);
  }
  // Without noise, the outcome determines the action, so a parent has a single backward action.
  if (stick > 0) return;
  const other = backward.allowed.findIndex((permitted, k) => {
    return k !== taken && permitted === 1 && (backward.sameParent?.[k] ?? 1) === 1;
  });
  if (other >= 0) {
    fail(
      `stick is 0, but backwardAllowed permits backward action ${other} beside ${taken}, which belongs to a step that was taken ${where}`,
    );
  }
}

/** Checks that `describe` and `trajectoryOf` are inverse to each other on the objects of the trajectories. */
function checkTexts(environment: Environment, { outcomes: trajectories }: Observed, fail: Fail): void {
  const stream = RandomStream.fromSeed(0).split("check texts");
  for (const outcomes of trajectories) {
    const text = attempt(fail, `describe([${outcomes.join(", ")}])`, () => environment.describe(outcomes));
    if (typeof text !== "string") fail(`describe must return a string, got ${text}`);
    const call = `trajectoryOf(${JSON.stringify(text)})`;
    const found = attempt(fail, call, () => environment.trajectoryOf(text, stream));
    checkOutcomes(environment, call, found, fail);
    const foundText = attempt(fail, `describe([${found.join(", ")}])`, () => environment.describe(found));
    if (foundText !== text) {
      fail(`${call} returns outcomes that describe writes as ${JSON.stringify(foundText)}`);
    }
  }
}

/** Whether a row is one-hot, or all 0 if `one` is false. */
function isOneHot(values: readonly number[], one: boolean): boolean {
  const ones = values.filter((x) => x === 1).length;
  return ones === (one ? 1 : 0) && values.every((x) => x === 0 || x === 1);
}

/** A row as text, shortened to its first values. */
function rowText(values: readonly number[]): string {
  const most = 8;
  return `[${values.slice(0, most).join(", ")}${values.length > most ? ", …" : ""}]`;
}
