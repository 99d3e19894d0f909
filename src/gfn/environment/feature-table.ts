// Features of enumerated nodes from plain values: every number, text or boolean inside a value is a component, and each
// component becomes one or more one-hot blocks, so that networks generalise over states that share components.
//
// A component with up to 64 different values is one block. With more, a text becomes one block per character, and any
// other component the digits, in base 64, of its rank among its values. Different nodes have different features.

import { type Leaf, leavesOf } from "./plain-value.ts";

/** The one-hot blocks of all nodes, in a form that can be stored. */
export interface FeatureTable {
  /** Number of features of each block. */
  readonly widths: readonly number[];
  /** The feature of each block that is 1, counted within the block; −1 if all are 0, [nodes · blocks]. */
  readonly values: Int32Array;
}

/** The blocks of a component: their widths, and their values for each leaf. */
interface Encoding {
  readonly widths: readonly number[];
  readonly values: ReadonlyMap<string, readonly number[]>;
}

const BASE = 64;

/** A value to encode: its leaves are looked up by `prefix` and path. Values with different prefixes share no components. */
export interface FeatureSource {
  readonly prefix: string;
  readonly value: unknown;
}

export interface FeatureLayout {
  readonly widths: readonly number[];
  /** The values of all blocks for a node that consists of these sources. */
  rowOf(sources: readonly FeatureSource[]): Int32Array;
}

/** The layout of the features of nodes that consist of these sources. */
export function featureLayout(sources: Iterable<FeatureSource>): FeatureLayout {
  /** The leaves of each component, by their JSON. */
  const components = new Map<string, Map<string, Leaf>>();
  for (const { prefix, value } of sources) {
    for (const [path, leaf] of leavesOf(value)) {
      const name = prefix + path;
      const leaves = components.get(name) ?? new Map<string, Leaf>();
      components.set(name, leaves.set(JSON.stringify(leaf), leaf));
    }
  }
  const widths: number[] = [];
  const encodings = new Map<string, Encoding & { readonly first: number }>();
  for (const [name, leaves] of components) {
    const encoding = encodingOf(leaves);
    encodings.set(name, { ...encoding, first: widths.length });
    widths.push(...encoding.widths);
  }
  return {
    widths,
    rowOf(sources) {
      const row = new Int32Array(widths.length).fill(-1);
      for (const { prefix, value } of sources) {
        for (const [path, leaf] of leavesOf(value)) {
          const { first, values } = encodings.get(prefix + path) as Encoding & { first: number };
          row.set(values.get(JSON.stringify(leaf)) as readonly number[], first);
        }
      }
      return row;
    },
  };
}

/** The table without blocks that are equal in all nodes. `rows` are rows of `layout`, one after the other. */
export function featureTable(widths: readonly number[], rows: Int32Array): FeatureTable {
  const blocks = widths.length;
  const nodes = rows.length / blocks;
  const varying = widths.flatMap((_, block) => {
    for (let node = 1; node < nodes; node++) {
      if (rows[node * blocks + block] !== rows[block]) return [block];
    }
    return [];
  });
  const values = new Int32Array(nodes * varying.length);
  for (let node = 0; node < nodes; node++) {
    varying.forEach((block, i) => {
      values[node * varying.length + i] = rows[node * blocks + block];
    });
  }
  return { widths: varying.map((block) => widths[block]), values };
}

function encodingOf(leaves: ReadonlyMap<string, Leaf>): Encoding {
  const all = [...leaves.entries()];
  if (all.length <= BASE) return rankEncoding(all, Math.max(all.length, 1));
  return all.every(([, leaf]) => typeof leaf === "string")
    ? characterEncoding(all as [string, string][])
    : rankEncoding(all, BASE);
}

/** Digits of the rank among the sorted leaves. */
function rankEncoding(leaves: readonly (readonly [string, Leaf])[], base: number): Encoding {
  const numbers = leaves.filter(([, leaf]) => typeof leaf === "number") as [string, number][];
  const others = leaves.filter(([, leaf]) => typeof leaf !== "number").map(([key]) => key);
  const sorted = [...numbers.sort(([, x], [, y]) => x - y).map(([key]) => key), ...others.sort()];
  const widths: number[] = [];
  for (let rest = sorted.length - 1; widths.length === 0 || rest > 0; rest = Math.floor(rest / base)) {
    widths.push(Math.min(base, rest + 1));
  }
  const values = sorted.map((key, rank) => {
    return [key, widths.map((_, digit) => Math.floor(rank / base ** digit) % base)] as const;
  });
  return { widths, values: new Map(values) };
}

/** One block per character, all 0 after the end of the text, and a block for the empty text. */
function characterEncoding(leaves: readonly (readonly [string, string])[]): Encoding {
  const texts = leaves.map(([key, text]) => [key, Array.from(text)] as const);
  const alphabet = [...new Set(texts.flatMap(([, characters]) => characters))].sort();
  const longest = texts.reduce((most, [, { length }]) => Math.max(most, length), 0);
  const indexOf = new Map(alphabet.map((character, i) => [character, i]));
  const hasEmpty = texts.some(([, { length }]) => length === 0);
  const values = texts.map(([key, characters]) => {
    const positions = Array.from({ length: longest }, (_, i) => indexOf.get(characters[i]) ?? -1);
    return [key, hasEmpty ? [...positions, characters.length === 0 ? 0 : -1] : positions] as const;
  });
  const widths = new Array<number>(longest).fill(alphabet.length);
  return { widths: hasEmpty ? [...widths, 1] : widths, values: new Map(values) };
}
