// The view `flow`: a node of the tree (or graph) of states, and how the flow through it goes on.

import { isTree } from "../gfn/environment/capabilities.ts";
import type { Enumeration } from "../gfn/environment/enumeration.ts";
import { type PolicyTable, visitation } from "../gfn/evaluate/exact.ts";
import type { Sample } from "../gfn/sampling/sampler.ts";
import { UserError } from "../issues.ts";
import { massBelow, massOf, nodesAfter, type Place, placesAfter } from "./enumerated-flows.ts";
import { STOP } from "./labels.ts";
import { short } from "./numbers.ts";
import type { EnumeratedRun } from "./opened-run.ts";
import { SAMPLES } from "./sampled-frequencies.ts";
import type { FlowChild, FlowView, ViewOptions } from "./view-data.ts";

const [DEFAULT_LEVELS, MOST_LEVELS] = [2, 3];
/** Nodes of an answer, and children of a node. */
const [MOST_NODES, MOST_CHILDREN] = [400, 40];

/** A flow that can be followed outcome by outcome. `C` stands for a node. */
interface Flow<C = unknown> {
  readonly start: C;
  /** The nodes after each outcome. */
  after(node: C): ReadonlyMap<number, C>;
  mass(node: C): number;
  /** Whether no step follows. */
  isEnd(node: C): boolean;
  /** The node that a request asks for, with everything that flows through it. */
  arrived(node: C): C;
  /** Number of the state, if it has one. */
  stateOf(node: C): number | undefined;
}

export async function flowView(
  run: EnumeratedRun,
  { path = [], levels = DEFAULT_LEVELS }: Pick<ViewOptions, "path" | "levels">,
): Promise<FlowView> {
  const tables = await run.tables();
  const hasOnePath = isTree(run.task.environment);
  const limit = run.limit();
  const learned: Flow = tables
    ? policyFlow(tables.enumeration, tables.policy, hasOnePath)
    : sampleFlow(await run.samples(SAMPLES), run.task.environment.hasStop);
  const limitFlow: Flow | null = limit && policyFlow(limit.enumeration, limit.policy, hasOnePath);
  const flows = [learned, hasOnePath ? targetFlow(run) : limitFlow, hasOnePath ? limitFlow : null];
  const root = nodeAt(run, flows, path);
  const leftOut = unfold(run, flows, root, Math.min(MOST_LEVELS, Math.max(1, Math.floor(levels))));
  const { learned: mass, target, limit: best, state, children = [] } = childOf(root);
  return {
    view: "flow",
    exact: tables !== null,
    notes: notesOf(run, { isTree: hasOnePath, isExact: tables !== null, hasLimit: limit !== null, leftOut }),
    path,
    labels: path.map((outcome, i) => run.labels.outcomeAfter(path.slice(0, i), outcome)),
    ...{ state, learned: mass, target, limit: best, children },
  };
}

/** The flow of a policy. On a graph, several paths meet in a state. */
function policyFlow(enumeration: Enumeration, policy: PolicyTable, isTree: boolean): Flow<Place> {
  let visits: Float64Array | null = null;
  const onlyOf = (place: Place): number => place.keys().next().value as number;
  return {
    start: new Map([[0, 1]]),
    after: (place) => placesAfter(enumeration, policy, place),
    mass: massOf,
    isEnd: (place) => onlyOf(place) < 0,
    arrived(place) {
      const state = onlyOf(place);
      if (isTree || state < 0) return place;
      visits ??= visitation(enumeration, policy).states;
      return new Map([[state, visits[state]]]);
    },
    stateOf: (place) => (place.size === 1 ? onlyOf(place) : undefined),
  };
}

/** The target's mass below the nodes of a tree; null if the target or the tree is not known. */
function targetFlow(run: EnumeratedRun): Flow<number> | null {
  const enumeration = run.objectEnumeration();
  if (!run.known || !enumeration) return null;
  const { target } = run.known;
  const below = massBelow(enumeration, target);
  return {
    start: 0,
    after: (node) => new Map(node >= 0 ? nodesAfter(enumeration, node) : []),
    mass: (node) => (node >= 0 ? below[node] : target[-1 - node]),
    isEnd: (node) => node < 0,
    arrived: (node) => node,
    stateOf: (node) => node,
  };
}

/** Samples that have begun with the same outcomes. */
interface SamplePlace {
  readonly samples: readonly Sample[];
  readonly step: number;
  readonly isEnd: boolean;
}

function sampleFlow(samples: readonly Sample[], hasStop: boolean): Flow<SamplePlace> {
  return {
    start: { samples, step: 0, isEnd: false },
    after({ samples: here, step, isEnd }) {
      const places = new Map<number, Sample[]>();
      if (isEnd) return new Map();
      for (const sample of here) {
        const outcome = sample.outcomes[step] ?? STOP;
        if (outcome === STOP && !hasStop) continue;
        const found = places.get(outcome);
        if (found) found.push(sample);
        else places.set(outcome, [sample]);
      }
      return new Map(
        Array.from(places, ([outcome, some]) => {
          const ends = outcome === STOP || (!hasStop && some[0].outcomes.length === step + 1);
          return [outcome, { samples: some, step: step + 1, isEnd: ends }];
        }),
      );
    },
    mass: ({ samples: here }) => here.length / samples.length,
    isEnd: ({ isEnd }) => isEnd,
    arrived: (place) => place,
    stateOf: () => undefined,
  };
}

/** A node while it is unfolded. */
interface FlowNode {
  readonly path: readonly number[];
  readonly outcome: number;
  /** The node in each flow; undefined in a flow that never gets there. */
  readonly places: readonly unknown[];
  readonly masses: readonly (number | null)[];
  readonly depth: number;
  readonly label: string;
  readonly state: string;
  readonly isObject: boolean;
  children?: FlowNode[];
}

type Flows = readonly (Flow | null)[];

/** The node that a path leads to. Throws a UserError if there is none. */
function nodeAt(run: EnumeratedRun, flows: Flows, path: readonly number[]): FlowNode {
  let places: readonly unknown[] = flows.map((flow) => flow?.start);
  path.forEach((outcome, step) => {
    const next = flows.map((flow, i) =>
      flow && places[i] !== undefined ? flow.after(places[i]).get(outcome) : undefined,
    );
    if (next.every((place) => place === undefined)) {
      throw new UserError(
        `path: outcome ${outcome} does not occur at step ${step + 1}${flows[0]?.stateOf(places[0]) === undefined ? " in the samples" : ""}`,
      );
    }
    places = next;
  });
  const arrived = places.map((place, i) => (place === undefined ? place : flows[i]?.arrived(place)));
  return nodeOf(run, flows, arrived, path, 0);
}

function nodeOf(
  run: EnumeratedRun,
  flows: Flows,
  places: readonly unknown[],
  path: readonly number[],
  depth: number,
): FlowNode {
  const { environment } = run.task;
  const outcome = path.at(-1) ?? STOP;
  const written = path.filter((each) => each !== STOP);
  const at = places.findIndex((place) => place !== undefined);
  const isObject = flows[at]?.isEnd(places[at]) === true;
  return {
    path,
    outcome,
    places,
    masses: flows.map((flow, i) => flow && short(places[i] === undefined ? 0 : flow.mass(places[i]))),
    depth,
    label: run.labels.outcomeAfter(path.slice(0, -1), outcome),
    state: isObject
      ? environment.describe(written)
      : run.labels.state(written, flows[at]?.stateOf(places[at])),
    isObject,
  };
}

/** Adds children, heavy nodes first, until the answer is large enough. Returns a sentence for each node with too many. */
function unfold(run: EnumeratedRun, flows: Flows, root: FlowNode, levels: number): string[] {
  const notes: string[] = [];
  const waiting = [root];
  let nodes = 1;
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.depth - b.depth || weightOf(b) - weightOf(a));
    const node = waiting.shift() as FlowNode;
    const children = childrenOf(run, flows, node);
    const shown = children.slice(0, Math.min(MOST_CHILDREN, MOST_NODES - nodes));
    if (node.depth > 0 && shown.length < children.length && shown.length < MOST_CHILDREN) {
      notes.push("Lighter nodes are not unfolded; open them to see their children.");
      break;
    }
    if (shown.length < children.length) {
      const rest = children.slice(shown.length).reduce((sum, child) => sum + (child.masses[0] ?? 0), 0);
      notes.push(
        `After ${node.state}, ${children.length - shown.length} lighter children with a learned flow of ${short(rest, 3)} in all are left out.`,
      );
    }
    node.children = shown;
    nodes += shown.length;
    if (node.depth + 1 < levels) waiting.push(...shown.filter(({ isObject }) => !isObject));
  }
  return notes;
}

function childrenOf(run: EnumeratedRun, flows: Flows, node: FlowNode): FlowNode[] {
  if (node.isObject) return [];
  const after = flows.map((flow, i) =>
    flow && node.places[i] !== undefined ? flow.after(node.places[i]) : new Map<number, unknown>(),
  );
  const outcomes = [...new Set(after.flatMap((places) => [...places.keys()]))].sort((a, b) => a - b);
  return outcomes
    .map((outcome) => {
      const places = after.map((each) => each.get(outcome));
      return nodeOf(run, flows, places, [...node.path, outcome], node.depth + 1);
    })
    .sort((a, b) => weightOf(b) - weightOf(a));
}

function weightOf({ masses }: FlowNode): number {
  return Math.max(...masses.map((mass) => mass ?? 0));
}

function childOf({ masses, outcome, label, state, isObject, children }: FlowNode): FlowChild {
  const [learned, target, limit] = masses;
  return {
    ...{ outcome, label, state, isObject, learned: learned ?? 0, target, limit },
    ...(children && { children: children.map(childOf) }),
  };
}

function notesOf(
  run: EnumeratedRun,
  {
    isTree,
    isExact,
    hasLimit,
    leftOut,
  }: {
    readonly isTree: boolean;
    readonly isExact: boolean;
    readonly hasLimit: boolean;
    readonly leftOut: readonly string[];
  },
): string[] {
  return [
    isExact
      ? "The learned flow is the probability that a trajectory of the policy visits a node, with the true kernel."
      : `The learned flow is the share of ${SAMPLES} samples that visit a node.`,
    ...(isTree && run.known
      ? ["The target flow is the share of the target that lies below a node."]
      : !isTree && hasLimit
        ? [
            "Several paths lead to one state, so the target does not determine the flow; the target flow is that of the best reachable policy.",
            "Children have the part of the flow that comes from the node above them.",
          ]
        : []),
    ...(run.known || hasLimit ? [] : ["The target flow is not known, because not all objects have a score."]),
    ...(run.known && !isTree && !hasLimit
      ? ["The target flow is not shown, because there are too many states for the best reachable policy."]
      : []),
    ...new Set(leftOut),
  ];
}
