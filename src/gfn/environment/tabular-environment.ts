// An environment that consists of tables: an enumeration, features and texts, without functions of a user. Tables can be
// stored, and the environment of stored tables is the same one.
//
// The array functions look everything up by the index of a node. The nodes are the states, followed by the objects.

import { numpy as np } from "@jax-js/jax";
import type { RandomStream } from "../../engine/index.ts";
import { int32 } from "../../nn/hash.ts";
import { oneHot, oneHotIndices } from "../../nn/one-hot.ts";
import { constantTable as table } from "./constant-table.ts";
import { findMultipleParents } from "./contract/parent-edges.ts";
import type { Enumeration } from "./enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import type { FeatureTable } from "./feature-table.ts";
import { nodeOf, parentEdgeTable } from "./parent-edge-table.ts";
import {
  featureColumns,
  kernelTable,
  longestTrajectory,
  masksOf,
  nextNodes,
  noiseOf,
} from "./tabular-arrays.ts";

/** Everything that defines a tabular environment, as plain data. */
export interface EnvironmentTables {
  readonly name: string;
  /** Without stops, and with as many actions as outcomes. Either every action i has the single outcome i, or the outcomes
   * of a state lead to different nodes. */
  readonly enumeration: Enumeration;
  readonly features: FeatureTable;
  /** Text of each object, all different. */
  readonly objects: readonly string[];
  /** Name of each action. */
  readonly actions: readonly string[];
}

export interface TabularEnvironment extends EnumerableEnvironment {
  readonly actionNames: readonly string[];
  readonly tables: EnvironmentTables;
}

export function isTabular(environment: Environment): environment is TabularEnvironment {
  return "tables" in environment;
}

export function tabularEnvironment(tables: EnvironmentTables): TabularEnvironment {
  const { name, enumeration, objects, actions: actionNames } = tables;
  const { states, terminals, actions: A, outcomes: C } = enumeration;
  const { widths, values } = tables.features;
  const F = widths.reduce((sum, width) => sum + width, 0);
  const nodes = states + terminals;
  const tree = findMultipleParents(enumeration) === undefined;
  const noise = noiseOf(enumeration);
  const { backwardActions: K, edges } = parentEdgeTable(enumeration, tree);
  const next = nextNodes(enumeration);
  const kernel = noise.stick > 0 ? kernelTable(enumeration) : undefined;
  const masks = masksOf(enumeration);
  const columns = featureColumns(tables.features);
  const terminalOf = new Map(objects.map((text, terminal) => [text, terminal]));
  const arrays = {
    next: table(next, [nodes * C]),
    allowed: table(masks.allowed, [nodes, A]),
    possible: table(masks.possible, [nodes, C]),
    edges: table(edges, [nodes, K]),
    features: table(values, [nodes, widths.length]),
    blocks: table(columns.blocks, [F]),
    places: table(columns.places, [F]),
    ...(kernel && {
      slotOutcomes: table(kernel.outcomes, [states * A * kernel.slots]),
      cumulative: table(kernel.cumulative, [states * A, kernel.slots]),
    }),
  };
  const rowsOf = (rows: () => np.Array, index: np.Array) => np.take(rows(), index, 0); // [B, …]

  const stateAt = (index: np.Array): State => {
    const ofBlocks = rowsOf(arrays.features, index); // [B, blocks]
    const ofColumns = np.take(ofBlocks, arrays.blocks(), 1); // [B, F]
    return {
      index,
      features: np.equal(ofColumns, arrays.places()).astype(np.float32), // [B, F]
      running: np.less(index, int32(states)).astype(np.float32), // [B]
    };
  };
  const nodeAfter = (index: np.Array, outcome: np.Array) => {
    const place = np.add(np.multiply(index, int32(C)), indexOfOne(outcome)); // [B]
    const hasOutcome = np.less(0.5, np.sum(outcome, 1)); // [B]
    return np.where(hasOutcome, rowsOf(arrays.next, place), index); // [B]
  };
  /** The parent edges of the nodes after steps, as parent · A + action, [B, K]. */
  const edgesAfter = ({ index }: State, outcome: np.Array) => rowsOf(arrays.edges, nodeAfter(index, outcome));
  /** The edge of a step, [B, 1]. */
  const edgeOf = ({ index }: State, action: np.Array) =>
    np.add(np.multiply(index, int32(A)), indexOfOne(action)).reshape([-1, 1]);

  const environment: TabularEnvironment = {
    name,
    tables,
    actionNames,
    actions: A,
    hasStop: false,
    outcomes: C,
    maxSteps: longestTrajectory(enumeration),
    states,
    features: F,
    featureBlock: widths.every((width) => width === widths[0]) ? widths[0] : 1,
    stick: noise.stick,
    ...(!noise.isStickNoise && { noiseDescription: "its own noise" }),
    backwardActions: K,
    tree,

    start: (batch) => stateAt(np.zeros([batch], { dtype: np.int32 })),
    allowed: ({ index }) => np.less(0.5, rowsOf(arrays.allowed, index)), // [B, A]
    ...(!noise.hasIntendedOutcomes && {
      outcomeAllowed: ({ index }: State) => np.less(0.5, rowsOf(arrays.possible, index)), // [B, C]
    }),
    sampleOutcome({ index, running }, _t, action, uniform) {
      const runs = running.reshape([-1, 1]); // [B, 1]
      if (!kernel || !arrays.cumulative || !arrays.slotOutcomes) return np.multiply(action, runs); // [B, C]
      const state = np.minimum(index, int32(states - 1)); // [B]
      const row = np.add(np.multiply(state, int32(A)), indexOfOne(action)); // [B]
      const [chance] = np.split(uniform, [1], 1); // [B, 1]
      const isAfter = np.logicalNot(np.less(chance, rowsOf(arrays.cumulative, row))); // [B, slots]
      const slot = np.sum(isAfter.astype(np.int32), 1); // [B]
      const place = np.add(np.multiply(row, int32(kernel.slots)), slot); // [B]
      return np.multiply(oneHot(rowsOf(arrays.slotOutcomes, place), C), runs); // [B, C]
    },
    advance: ({ index }, _t, _action, outcome) => stateAt(nodeAfter(index, outcome)),
    terminalIndex: ({ index }) => np.subtract(index, int32(states)), // [B]
    backwardAllowed: ({ index }) => np.less(int32(-1), rowsOf(arrays.edges, index)), // [B, K]
    backwardAction(state, action, outcome) {
      const isEdge = np.equal(edgesAfter(state, outcome), edgeOf(state, action)).astype(np.float32); // [B, K]
      return np.multiply(isEdge, np.sum(action, 1, { keepdims: true })); // [B, K]
    },
    sameParent(state, outcome) {
      if (tree) return null;
      const found = edgesAfter(state, outcome); // [B, K]
      // Without noise, outcome i belongs to action i alone.
      if (!kernel) return np.equal(found, edgeOf(state, outcome)).astype(np.float32); // [B, K]
      const first = np.multiply(state.index, int32(A)).reshape([-1, 1]); // [B, 1], the edge of the first action
      const isSame = np.logicalAnd(
        np.less(np.subtract(first, int32(1)), found),
        np.less(found, np.add(first, int32(A))),
      ); // [B, K]
      return isSame.astype(np.float32); // [B, K]
    },

    describe(outcomes) {
      let node = 0;
      for (const [step, outcome] of outcomes.entries()) {
        const after = outcome >= 0 && outcome < C ? next[node * C + outcome] : node;
        if (after === node) {
          throw new RangeError(
            `${name}: outcome ${outcome} is not possible at step ${step} of [${outcomes.join(", ")}]`,
          );
        }
        node = after;
      }
      if (node >= states) return objects[node - states];
      throw new RangeError(`${name}: the outcomes [${outcomes.join(", ")}] do not lead to an object`);
    },
    trajectoryOf(text, stream) {
      const terminal = terminalOf.get(text);
      if (terminal !== undefined) return environment.sampleTrajectoryTo(terminal, stream);
      throw new RangeError(
        `${JSON.stringify(text)} is not an object of ${name}; one of its ${terminals} objects is ${JSON.stringify(objects[0])}`,
      );
    },
    enumerate: () => enumeration,
    sampleTrajectoryTo: (terminal, stream) => sampleBackwards(states + terminal, stream),
    featuresOf(indices) {
      const features = new Float32Array(indices.length * F);
      for (let row = 0; row < indices.length; row++) {
        let first = row * F;
        widths.forEach((width, block) => {
          const place = values[indices[row] * widths.length + block];
          if (place >= 0) features[first + place] = 1;
          first += width;
        });
      }
      return features;
    },
  };
  return environment;

  /** Outcomes of a trajectory to a node, drawn backwards by uniform choice among the parent edges of each node. */
  function sampleBackwards(end: number, stream: RandomStream): number[] {
    const outcomes: number[] = [];
    for (let node = end; node > 0; ) {
      const possible = edges.subarray(node * K, (node + 1) * K).filter((edge) => edge >= 0);
      const edge = possible[stream.integer(possible.length)];
      outcomes.push(outcomeOf(edge, node));
      node = Math.floor(edge / A);
    }
    return outcomes.reverse();
  }

  /** The outcome by which an edge, parent · A + action, leads to a node. */
  function outcomeOf(edge: number, node: number): number {
    const { offsets, targets, outcome } = enumeration;
    let i = offsets[edge];
    while (nodeOf(enumeration, targets[i]) !== node) i++;
    return outcome[i];
  }
}

/** Index of the 1 in each one-hot row, int32 [B]; 0 for a row of zeros. */
function indexOfOne(rows: np.Array): np.Array {
  return oneHotIndices(rows).astype(np.int32); // [B]
}
