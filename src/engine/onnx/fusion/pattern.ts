// Helpers for fusion patterns, which follow emitted nodes backwards from a result to its operands.

import type { ElementType, OnnxInitializer, OnnxNode } from "../model.ts";

export interface EmittedGraph {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  /** Names of tensors that become outputs of the graph. */
  readonly outputs: ReadonlySet<string>;
  shapeOf(name: string): readonly number[] | undefined;
  typeOf(name: string): ElementType | undefined;
  /** Name of a constant float32 array, from its numbers in order. */
  floats(shape: readonly number[], at: (i: number) => number): string;
  /** Name of a constant int64 vector. */
  integers(values: readonly number[]): string;
  /** A new name for an intermediate tensor. */
  newName(): string;
}

/** Finds the nodes and constants behind tensor names. */
export interface NodeLookup {
  /**
   * The node that produces a tensor, if it has this operator. With `uses`, the tensor must have exactly that many uses
   * and not be a graph output.
   */
  producer(name: string, operator: string, uses?: number): OnnxNode | undefined;
  /** The value of a one-element constant. */
  scalar(name: string): number | undefined;
  /** The values of a constant. */
  values(name: string): readonly number[] | undefined;
}

export function nodeLookup({ nodes, initializers, outputs }: EmittedGraph): NodeLookup {
  const producers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const constants = new Map(initializers.map((constant) => [constant.name, constant.data] as const));
  const useCounts = new Map<string, number>();
  for (const name of nodes.flatMap(({ inputs }) => inputs))
    useCounts.set(name, (useCounts.get(name) ?? 0) + 1);
  return {
    producer(name, operator, uses) {
      const node = producers.get(name);
      const fitsUses = uses === undefined || (useCounts.get(name) === uses && !outputs.has(name));
      return node?.operator === operator && fitsUses ? node : undefined;
    },
    scalar(name) {
      // The constant may have been reshaped to more dimensions.
      const producer = producers.get(name);
      const data = constants.get(producer?.operator === "Reshape" ? producer.inputs[0] : name);
      return data?.length === 1 ? Number(data[0]) : undefined;
    },
    values: (name) => {
      const data = constants.get(name);
      return data && Array.from(data as ArrayLike<number | bigint>, Number);
    },
  };
}

/** New nodes for a group of nodes. */
export interface Fusion {
  readonly nodes: readonly OnnxNode[];
  /**
   * The new nodes take the place of this node, after the producers of their inputs and before all uses of their
   * outputs.
   */
  readonly insertAt: OnnxNode;
  readonly replaced: readonly OnnxNode[];
}

/** Both orders of the operands of a commutative node. */
export function operandOrders({ inputs: [a, b] }: OnnxNode): [string, string][] {
  return [
    [a, b],
    [b, a],
  ];
}
