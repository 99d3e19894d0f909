// Whether the way back goes with the list: which steps lead into a state, and which of them share a parent.
//
// A state may have several ways in. A way is a parent and an outcome there; on top of it, several intentions may have had
// that outcome. The backward policy tells all of them apart by their class, and is right only if it may name each of
// them and nothing else, and if the classes of one way are known to belong together.

import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { checkArray, oneHotRows, runOnce } from "./arrays.ts";
import { attempt, type Fail } from "./fail.ts";
import { targetOf } from "./listed.ts";
import type { Observed, SeenStep } from "./observe.ts";

/** A step into a place. Places are states and, after them, finished objects. */
interface Step {
  readonly parent: number;
  readonly action: number;
  readonly outcome: number;
}

function nameOf({ states }: Enumeration, node: number): string {
  return node < states ? `state ${node}` : `terminal ${node - states}`;
}

/** The first state or object that has two ways in, as a sentence; nothing if all have one, as on a tree. */
export function twoWaysIn(listed: Enumeration): string | undefined {
  const { states, terminals, actions, outcomes, offsets, targets, outcome, probabilities } = listed;
  // parent · outcomes + outcome, which may be beyond int32
  const known = new Float64Array(states + terminals).fill(-1);
  for (let state = 0; state < states; state++) {
    const end = offsets[(state + 1) * actions];
    for (let i = offsets[state * actions]; i < end; i++) {
      if (outcome[i] < 0 || probabilities[i] === 0) continue;
      const node = targets[i] >= 0 ? targets[i] : states - 1 - targets[i];
      const way = state * outcomes + outcome[i];
      if (known[node] >= 0 && known[node] !== way) return shared(node, known[node], way);
      known[node] = way;
    }
  }
  return undefined;

  function shared(node: number, ...ways: [number, number]): string {
    const [one, two] = ways.map((way) => Math.floor(way / outcomes));
    const from =
      one === two
        ? `state ${one} by outcomes ${ways.map((way) => way % outcomes).join(" and ")}`
        : `states ${one} and ${two}`;
    return `${nameOf(listed, node)} can be reached from ${from}`;
  }
}

/** The way back of the steps that were looked at is that of the list. `shared` is what `twoWaysIn` found. */
export function checkWaysBack(
  environment: EnumerableEnvironment,
  listed: Enumeration,
  { steps }: Observed,
  shared: string | undefined,
  fail: Fail,
): void {
  const looked = steps.filter(({ before, stop, backward }) => before.running === 1 && !stop && backward);
  if (environment.tree && looked.some(({ backward }) => backward?.sameParent)) {
    fail("tree is true, so sameParent must be null: there is one parent");
  }
  if (shared && looked.some(({ backward }) => backward?.sameParent === null)) {
    fail(`sameParent is null, but ${shared}`);
  }
  const nodes = looked.map((step) => nodeAfter(listed, step));
  const into = stepsInto(listed, new Set(nodes));
  const classes = classesOf(environment, [...into.values()].flat(), fail);
  looked.forEach((step, i) => {
    const node = nodes[i];
    checkLook(step, nameOf(listed, node), byClass(node), fail);
  });

  /** The step that each class stands for. */
  function byClass(node: number): ReadonlyMap<number, Step> {
    const found = new Map<number, Step>();
    for (const step of into.get(node) ?? []) {
      const number = classes(step);
      const other = found.get(number);
      if (other) {
        const [one, two] = [other, step].map(({ parent, action }) => `action ${action} in state ${parent}`);
        fail(
          `backwardClass gives ${one} and ${two}, which both lead to ${nameOf(listed, node)}, class ${number}`,
        );
      }
      found.set(number, step);
    }
    return found;
  }
}

/** The place that a step leads to. */
function nodeAfter(listed: Enumeration, { before, action, outcome }: SeenStep): number {
  const target = targetOf(listed, before.index, action, outcome) as number;
  return target >= 0 ? target : listed.states - 1 - target;
}

/** What is said of one step, against the steps that lead to the same place. */
function checkLook(
  { before, outcome, backward }: SeenStep,
  where: string,
  steps: ReadonlyMap<number, Step>,
  fail: Fail,
): void {
  const { allowed, sameParent } = backward as NonNullable<SeenStep["backward"]>;
  allowed.forEach((permitted, number) => {
    const step = steps.get(number);
    if (permitted === 1 && !step) {
      fail(
        `backwardAllowed permits class ${number} into ${where}, and enumerate has no step of that class into it`,
      );
    }
    if (!step) return;
    const what = `action ${step.action} with outcome ${step.outcome} in state ${step.parent}`;
    if (permitted !== 1) {
      fail(`backwardAllowed forbids class ${number} into ${where}, and enumerate leads there by ${what}`);
    }
    if (!sameParent) return;
    const same = step.parent === before.index && step.outcome === outcome;
    if (same === (sameParent[number] === 1)) return;
    const said = same ? "leaves out" : "has";
    fail(
      `sameParent ${said} class ${number} for outcome ${outcome} from state ${before.index} into ${where}, and that class is ${what}`,
    );
  });
}

/** All steps into some states and objects. */
function stepsInto(listed: Enumeration, nodes: ReadonlySet<number>): ReadonlyMap<number, readonly Step[]> {
  const { states, terminals, actions, offsets, targets, outcome, probabilities } = listed;
  const wanted = new Uint8Array(states + terminals);
  for (const node of nodes) wanted[node] = 1;
  const found = new Map<number, Step[]>([...nodes].map((node) => [node, []]));
  for (let row = 0; row < states * actions; row++) {
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      const node = targets[i] >= 0 ? targets[i] : states - 1 - targets[i];
      if (wanted[node] === 0 || outcome[i] < 0 || probabilities[i] === 0) continue;
      const [parent, action] = [Math.floor(row / actions), row % actions];
      found.get(node)?.push({ parent, action, outcome: outcome[i] });
    }
  }
  return found;
}

/** The class of every step, as the environment says. */
function classesOf(
  environment: EnumerableEnvironment,
  steps: readonly Step[],
  fail: Fail,
): (step: Step) => number {
  const { actions: A, outcomes: C, backwardClasses: K } = environment;
  const pairs = [...new Set(steps.map(({ action, outcome }) => action * C + outcome))];
  if (pairs.length === 0) return () => -1;
  const intended = pairs.map((pair) => Math.floor(pair / C));
  const happened = pairs.map((pair) => pair % C);
  const P = pairs.length;
  const said = runOnce(
    fail,
    ({ action, outcome }, failing) => {
      const given = attempt(failing, "backwardClass", () => environment.backwardClass(action, outcome)); // [P, K]
      return { classes: checkArray(failing, "backwardClass", given, { shape: [P, K], dtype: "float32" }) };
    },
    {
      action: { shape: [P, A], data: oneHotRows(intended, A) },
      outcome: { shape: [P, C], data: oneHotRows(happened, C) },
    },
  );
  const numbers = new Map(
    pairs.map((pair, row) => [pair, said.classes.subarray(row * K, (row + 1) * K).indexOf(1)]),
  );
  return ({ action, outcome }) => numbers.get(action * C + outcome) as number;
}
