// Reading emitted nodes backwards, to find several that one operator does the work of.

import type { ElementType, OnnxInitializer, OnnxNode } from "./model.ts";

export interface Emitted {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  /** Names of tensors that are outputs of the graph. */
  readonly outputs: ReadonlySet<string>;
  shapeOf(name: string): readonly number[] | undefined;
  typeOf(name: string): ElementType | undefined;
  /** The name of a constant: so many ones. */
  ones(count: number): string;
  /** The name of a constant: whole numbers. */
  integers(values: readonly number[]): string;
  /** A name for a tensor between nodes that are put in place of others. */
  between(): string;
}

export interface Readable {
  /** The node that makes a tensor, if it is this operator and the tensor is read so often (if that is said). */
  made(name: string, operator: string, readers?: number): OnnxNode | undefined;
  /** The number that a constant is. */
  number(name: string): number | undefined;
  /** Whole numbers of a constant. */
  list(name: string): readonly number[] | undefined;
}

export function readable({ nodes, initializers, outputs }: Emitted): Readable {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const constants = new Map(initializers.map((constant) => [constant.name, constant.data] as const));
  const readers = new Map<string, number>();
  for (const name of nodes.flatMap(({ inputs }) => inputs)) readers.set(name, (readers.get(name) ?? 0) + 1);
  return {
    made(name, operator, count) {
      const node = makers.get(name);
      const free = count === undefined || (readers.get(name) === count && !outputs.has(name));
      const fits = node?.operator === operator && free;
      return fits ? node : undefined;
    },
    number(name) {
      // Numbers may have been given more dimensions.
      const maker = makers.get(name);
      const data = constants.get(maker?.operator === "Reshape" ? maker.inputs[0] : name);
      return data?.length === 1 ? Number(data[0]) : undefined;
    },
    list: (name) => {
      const data = constants.get(name);
      return data && Array.from(data as ArrayLike<number | bigint>, Number);
    },
  };
}

export interface Match {
  readonly nodes: readonly OnnxNode[];
  /** Where they go: all that they read is made before, and all that reads them comes after. */
  readonly at: OnnxNode;
  readonly parts: readonly OnnxNode[];
}

export function bothWays({ inputs: [a, b] }: OnnxNode): [string, string][] {
  return [
    [a, b],
    [b, a],
  ];
}
