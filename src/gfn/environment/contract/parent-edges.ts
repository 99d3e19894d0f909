// Checks the backward functions of an environment against the parent edges in the enumeration.
//
// A parent edge of a state is a transition into it: a parent, an action there, and the outcome. Each parent edge must have
// its own backward action, exactly these must be allowed, and `sameParent` must group those with the same parent and
// outcome.

import { oneHotRows } from "../../../nn/one-hot.ts";
import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment, State } from "../environment.ts";
import { checkArray, traceAndRun } from "./arrays.ts";
import { targetOf } from "./enumerated.ts";
import { attempt, type Fail } from "./fail.ts";
import type { Observed, ObservedStep } from "./observe.ts";

/** Backward actions that are computed for parent edges, at most, as numbers of one-hot rows. */
const BUDGET = 2 ** 20;

/** A transition into a node. The nodes are the states, followed by the terminal objects. */
interface ParentEdge {
  readonly parent: number;
  readonly action: number;
  readonly outcome: number;
}

function nodeName({ states }: Enumeration, node: number): string {
  return node < states ? `state ${node}` : `terminal ${node - states}`;
}

/** Describes the first state or object that is reached from two parents, or from one parent by two outcomes. Undefined if
 * there is none, as on a tree. */
export function findMultipleParents(enumeration: Enumeration): string | undefined {
  const { states, terminals, actions, outcomes, offsets, targets, outcome, probabilities } = enumeration;
  // The parent and outcome of each node, as parent · outcomes + outcome, which may exceed int32.
  const edgeOf = new Float64Array(states + terminals).fill(-1);
  for (let state = 0; state < states; state++) {
    const end = offsets[(state + 1) * actions];
    for (let i = offsets[state * actions]; i < end; i++) {
      if (outcome[i] < 0 || probabilities[i] === 0) continue;
      const node = targets[i] >= 0 ? targets[i] : states - 1 - targets[i];
      const edge = state * outcomes + outcome[i];
      if (edgeOf[node] >= 0 && edgeOf[node] !== edge) return describeEdges(node, edgeOf[node], edge);
      edgeOf[node] = edge;
    }
  }
  return undefined;

  function describeEdges(node: number, ...edges: [number, number]): string {
    const [one, two] = edges.map((edge) => Math.floor(edge / outcomes));
    const from =
      one === two
        ? `state ${one} by outcomes ${edges.map((edge) => edge % outcomes).join(" and ")}`
        : `states ${one} and ${two}`;
    return `${nodeName(enumeration, node)} can be reached from ${from}`;
  }
}

/** Checks the backward functions at the observed steps. `multipleParents` is the result of `findMultipleParents`. */
export function checkParentEdges(
  environment: EnumerableEnvironment,
  enumeration: Enumeration,
  { steps }: Observed,
  multipleParents: string | undefined,
  fail: Fail,
): void {
  const visible = steps.filter(({ before, stop, backward }) => before.running === 1 && !stop && backward);
  if (environment.tree && visible.some(({ backward }) => backward?.sameParent)) {
    fail("tree is true, so sameParent must be null: every state has a single parent");
  }
  if (multipleParents && visible.some(({ backward }) => backward?.sameParent === null)) {
    fail(`sameParent is null, but ${multipleParents}`);
  }
  const edges = withinBudget(
    edgesInto(enumeration, new Set(visible.map((step) => nodeAfter(enumeration, step)))),
    environment.backwardActions,
  );
  const observed = visible.filter((step) => edges.has(nodeAfter(enumeration, step)));
  const nodes = observed.map((step) => nodeAfter(enumeration, step));
  const backwardActionOf = backwardActionsOf(environment, [...edges.values()].flat(), fail);
  observed.forEach((step, i) => {
    const node = nodes[i];
    checkObserved(step, nodeName(enumeration, node), edgesByBackwardAction(node), fail);
  });

  /** The parent edges of a node by their backward action. */
  function edgesByBackwardAction(node: number): ReadonlyMap<number, ParentEdge> {
    const found = new Map<number, ParentEdge>();
    for (const edge of edges.get(node) ?? []) {
      const backwardAction = backwardActionOf(edge);
      const other = found.get(backwardAction);
      if (other) {
        const [one, two] = [other, edge].map(({ parent, action }) => `action ${action} in state ${parent}`);
        fail(
          `backwardAction returns ${backwardAction} for both ${one} and ${two}, which lead to ${nodeName(enumeration, node)}`,
        );
      }
      found.set(backwardAction, edge);
    }
    return found;
  }
}

/** The node that a step leads to. */
function nodeAfter(enumeration: Enumeration, { before, action, outcome }: ObservedStep): number {
  const target = targetOf(enumeration, before.index, action, outcome) as number;
  return target >= 0 ? target : enumeration.states - 1 - target;
}

/** Checks the backward functions after one step, given all parent edges of the node that it leads to. */
function checkObserved(
  { before, outcome, backward }: ObservedStep,
  node: string,
  edges: ReadonlyMap<number, ParentEdge>,
  fail: Fail,
): void {
  const { allowed, sameParent } = backward as NonNullable<ObservedStep["backward"]>;
  allowed.forEach((permitted, backwardAction) => {
    const edge = edges.get(backwardAction);
    if (permitted === 1 && !edge) {
      fail(
        `backwardAllowed permits backward action ${backwardAction} into ${node}, but enumerate has no such parent edge`,
      );
    }
    if (!edge) return;
    const what = `action ${edge.action} with outcome ${edge.outcome} in state ${edge.parent}`;
    if (permitted !== 1) {
      fail(
        `backwardAllowed forbids backward action ${backwardAction} into ${node}, but enumerate leads there by ${what}`,
      );
    }
    if (!sameParent) return;
    const same = edge.parent === before.index && edge.outcome === outcome;
    if (same === (sameParent[backwardAction] === 1)) return;
    const verb = same ? "omits" : "includes";
    fail(
      `sameParent ${verb} backward action ${backwardAction} for outcome ${outcome} from state ${before.index} into ${node}, but that backward action is ${what}`,
    );
  });
}

/** The parent edges of these nodes. */
function edgesInto(
  enumeration: Enumeration,
  nodes: ReadonlySet<number>,
): ReadonlyMap<number, readonly ParentEdge[]> {
  const { states, terminals, actions, offsets, targets, outcome, probabilities } = enumeration;
  const isWanted = new Uint8Array(states + terminals);
  for (const node of nodes) isWanted[node] = 1;
  const found = new Map<number, ParentEdge[]>([...nodes].map((node) => [node, []]));
  for (let row = 0; row < states * actions; row++) {
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      const node = targets[i] >= 0 ? targets[i] : states - 1 - targets[i];
      if (isWanted[node] === 0 || outcome[i] < 0 || probabilities[i] === 0) continue;
      const [parent, action] = [Math.floor(row / actions), row % actions];
      found.get(node)?.push({ parent, action, outcome: outcome[i] });
    }
  }
  return found;
}

/** The first nodes, as many as can be checked within the budget, but at least one. */
function withinBudget(
  edges: ReadonlyMap<number, readonly ParentEdge[]>,
  backwardActions: number,
): ReadonlyMap<number, readonly ParentEdge[]> {
  let numbers = 0;
  return new Map(
    [...edges].filter(([, { length }], i) => {
      numbers += length * backwardActions;
      return i === 0 || numbers <= BUDGET;
    }),
  );
}

/** A function from parent edges to their backward actions, computed by the environment. */
function backwardActionsOf(
  environment: EnumerableEnvironment,
  edges: readonly ParentEdge[],
  fail: Fail,
): (edge: ParentEdge) => number {
  const { actions: A, outcomes: C, backwardActions: K, features: F } = environment;
  if (edges.length === 0) return () => -1;
  const parents = edges.map(({ parent }) => parent);
  const P = edges.length;
  const results = traceAndRun(
    fail,
    ({ action, outcome, ...state }, failing) => {
      const taken = attempt(failing, "backwardAction", () =>
        environment.backwardAction(state as unknown as State, action, outcome),
      ); // [P, K]
      return { taken: checkArray(failing, "backwardAction", taken, { shape: [P, K], dtype: "float32" }) };
    },
    {
      index: { shape: [P], dtype: "int32", data: parents },
      features: { shape: [P, F], data: environment.featuresOf(parents) },
      running: { shape: [P], data: new Float32Array(P).fill(1) },
      action: {
        shape: [P, A],
        data: oneHotRows(
          edges.map(({ action }) => action),
          A,
        ),
      },
      outcome: {
        shape: [P, C],
        data: oneHotRows(
          edges.map(({ outcome }) => outcome),
          C,
        ),
      },
    },
  );
  const byEdge = new Map(
    edges.map((edge, row) => [edge, results.taken.subarray(row * K, (row + 1) * K).indexOf(1)]),
  );
  return (edge) => byEdge.get(edge) as number;
}
