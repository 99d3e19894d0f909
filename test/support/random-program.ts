// Seeded random programs over all operations of the engine, for comparisons between engines.
//
// A program has a pool of arrays. It applies random recipes to arrays of the pool, and adds each result to the pool.
// Discontinuous operations (rounding, comparisons, sorting) are applied only to values that all engines compute
// exactly, so that they do not enlarge a difference in the last bit.

import { grad, lax, numpy as np, random } from "@jax-js/jax";
import { type ArraySpec, RandomStream, spec, type TypedArray } from "../../src/engine/index.ts";
import type { ArrayFunction } from "../../src/engine/trace.ts";

export interface RandomProgram {
  readonly name: string;
  readonly f: ArrayFunction;
  readonly example: Record<string, ArraySpec>;
  readonly inputs: Record<string, TypedArray>;
}

interface Item {
  readonly array: np.Array;
  /** Whether the array is bit-identical on all engines. */
  readonly exact: boolean;
}

type Kind = "float32" | "int32" | "uint32" | "bool";

/** The arrays of a program so far; methods choose among them at random. */
class Pool {
  readonly items: Item[] = [];
  readonly random: RandomStream;

  constructor(random: RandomStream) {
    this.random = random;
  }

  add(array: np.Array, exact: boolean): void {
    this.items.push({ array, exact });
  }

  pick(kind: Kind, exact = false, rank = 0): Item {
    const fitting = this.items.filter(
      (item) =>
        item.array.dtype === kind &&
        (item.exact || !exact) &&
        item.array.ndim >= rank &&
        item.array.size <= 400,
    );
    return fitting[this.random.integer(fitting.length)];
  }

  /** A random array of the same type that broadcasts with x. */
  partner(x: np.Array, exact = false): Item {
    const { array, exact: isExact } = this.pick(x.dtype as Kind, exact);
    const fits =
      array.ndim <= x.ndim && array.shape.every((n, i) => n === 1 || n === x.shape[i + x.ndim - array.ndim]);
    if (fits) return { array, exact: isExact };
    const size = array.size;
    const shape = x.shape.map(() => 1);
    return { array: array.reshape([size]).slice([0, 1]).reshape(shape), exact: isExact };
  }

  axis(x: np.Array): number {
    return this.random.integer(x.ndim);
  }

  indices(bound: number, shape: number[]): np.Array {
    const n = shape.reduce((a, b) => a * b, 1);
    const data = Int32Array.from({ length: n }, () => this.random.integer(bound));
    return np.array(data, { shape, dtype: np.int32 });
  }
}

type Recipe = (pool: Pool) => void;

function onFloat(f: (x: np.Array) => np.Array, exact = false): Recipe {
  return (pool) => {
    const item = pool.pick("float32", exact);
    pool.add(f(item.array), exact && item.exact);
  };
}

function onAny(f: (x: np.Array, pool: Pool) => np.Array, rank = 1): Recipe {
  return (pool) => {
    const kinds: Kind[] = ["float32", "float32", "int32", "uint32", "bool"];
    const item = pool.pick(kinds[pool.random.integer(kinds.length)], false, rank);
    if (item) pool.add(f(item.array, pool), item.exact);
  };
}

function onPair(kind: Kind, f: (x: np.Array, y: np.Array) => np.Array, exact = false): Recipe {
  return (pool) => {
    const x = pool.pick(kind, exact);
    const y = pool.partner(x.array, exact);
    const [a, b] = pool.random.integer(2) ? [x, y] : [y, x];
    pool.add(f(a.array, b.array), kind !== "float32" && x.exact && y.exact);
  };
}

const bounded = (x: np.Array) => np.sin(x);
const positive = (x: np.Array) => x.mul(x).add(1);

/** Reduces integers to a range that is exact in float32. */
const small = (x: np.Array) => x.mod(np.array(1000, { dtype: np.int32 }));

const comparisons = [np.less, np.lessEqual, np.equal, np.notEqual, np.greater, np.greaterEqual];
const reductions = [np.sum, np.max, np.min] as ((x: np.Array, axis: number) => np.Array)[];

export const recipes: Readonly<Record<string, Recipe>> = {
  neg: onFloat((x) => x.neg(), true),
  reciprocal: (pool) => {
    const { array: x } = pool.pick("float32");
    const r = np.reciprocal(positive(x));
    pool.add(r.mul(bounded(x)).add(r), false);
  },
  floor: onFloat((x) => np.floor(x), true),
  ceil: onFloat((x) => np.ceil(x), true),
  sin: onFloat(np.sin),
  cos: onFloat(np.cos),
  asin: onFloat((x) => np.arcsin(bounded(x).mul(0.9))),
  atan: onFloat(np.arctan),
  exp: onFloat((x) => np.exp(bounded(x))),
  log: onFloat((x) => np.log(positive(x))),
  erf: onFloat(lax.erf),
  erfc: onFloat(lax.erfc),
  sqrt: onFloat((x) => np.sqrt(positive(x))),
  add: onPair("float32", (x, y) => x.add(y)),
  sub: onPair("float32", (x, y) => bounded(x).sub(bounded(y))),
  mul: onPair("float32", (x, y) => bounded(x).mul(y)),
  div: onPair("float32", (x, y) => x.div(positive(y))),
  min: onPair("float32", np.minimum),
  max: onPair("float32", np.maximum),
  modFloat: onPair("float32", (x, y) => x.mod(np.floor(y.mul(y)).add(1.5)), true),
  addInt: onPair("int32", (x, y) => small(x).add(small(y))),
  mulInt: onPair("int32", (x, y) => small(x).mul(small(y))),
  maxInt: onPair("int32", np.maximum),
  minInt: onPair("int32", np.minimum),
  idiv: onPair("int32", (x, y) => x.div(small(y.mul(y)).add(1001))),
  mod: onPair("int32", (x, y) => x.mod(small(y.mul(y)).add(1001))),
  mulUnsigned: onPair("uint32", (x, y) => x.mul(y)),
  addUnsigned: onPair("uint32", (x, y) => x.add(y)),
  bitInt: onPair("int32", np.bitwiseXor),
  bitUnsigned: onPair("uint32", np.bitwiseAnd),
  bitBool: onPair("bool", np.bitwiseOr),
  bitCount: (pool) => pool.add(np.bitwiseCount(pool.pick("int32").array), true),
  shiftInt: onAnyShift("int32"),
  shiftUnsigned: onAnyShift("uint32"),
  compare: (pool) => {
    const kinds: Kind[] = ["float32", "int32", "uint32", "bool"];
    const x = pool.pick(kinds[pool.random.integer(kinds.length)], true);
    const compare = comparisons[pool.random.integer(comparisons.length)];
    pool.add(compare(x.array, pool.partner(x.array, true).array), true);
  },
  where: (pool) => {
    const kinds: Kind[] = ["float32", "int32", "uint32", "bool"];
    const x = pool.pick(kinds[pool.random.integer(kinds.length)], false, 1);
    const y = pool.partner(x.array);
    const condition = pool.random.integer(2)
      ? np.less(x.exact ? x.array : np.zeros(x.array.shape), y.exact ? y.array : np.array(1))
      : np.less(pool.indices(10, [x.array.shape[x.array.ndim - 1]]), 5);
    pool.add(np.where(condition, x.array, y.array), x.exact && y.exact);
  },
  castToInt: (pool) => pool.add(pool.pick("float32", true).array.astype(np.int32), true),
  castToFloat: (pool) => pool.add(small(pool.pick("int32").array).astype(np.float32), true),
  castToUnsigned: (pool) => pool.add(pool.pick("int32").array.astype(np.uint32), true),
  castBool: (pool) => pool.add(pool.pick("bool").array.astype(np.float32), true),
  bitcast: (pool) => pool.add(pool.pick("float32", true).array.view(np.int32), true),
  bitcastBack: (pool) => {
    const exponent = pool.pick("int32").array.mod(np.array(64, { dtype: np.int32 }));
    pool.add(
      exponent
        .mul(1 << 17)
        .add(0x3f800000)
        .view(np.float32),
      true,
    );
  },
  reduce: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(reductions[pool.random.integer(3)](x, pool.axis(x)), false);
  },
  reduceAll: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(np.sum(x, [...x.shape.keys()] as unknown as number).mul(0.1), false);
  },
  reduceRepeated: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    const wide = np.broadcastTo(x, [3, ...x.shape]);
    pool.add(reductions[pool.random.integer(3)](wide, pool.axis(wide)), false);
  },
  product: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(np.prod(bounded(x), pool.axis(x)), false);
  },
  reduceInt: (pool) => {
    const x = pool.pick(pool.random.integer(2) ? "int32" : "uint32", false, 1).array;
    pool.add(reductions[pool.random.integer(3)](x, pool.axis(x)), true);
  },
  anyAll: (pool) => {
    const x = pool.pick("bool", false, 1).array;
    pool.add(pool.random.integer(2) ? x.any(pool.axis(x)) : x.all(pool.axis(x)), true);
  },
  cumsum: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(np.cumsum(bounded(x), pool.axis(x)), false);
  },
  dot: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    const k = x.shape[x.ndim - 1];
    const weights = bounded(pool.indices(100, [k, 1 + pool.random.integer(4)]).astype(np.float32));
    pool.add(
      np
        .matmul(x, weights)
        .mul(1 / k)
        .add(bounded(weights.slice(0))),
      false,
    );
  },
  dotTransposed: (pool) => {
    const x = pool.pick("float32", false, 2).array;
    pool.add(np.matmul(np.swapaxes(bounded(x), -1, -2), x).mul(1 / x.shape[x.ndim - 2]), false);
  },
  dotVectors: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(np.vecdot(x, bounded(np.flip(x, pool.axis(x)))), false);
  },
  dotInt: (pool) => {
    const x = small(pool.pick("int32", false, 1).array);
    pool.add(np.matmul(x, pool.indices(5, [x.shape[x.ndim - 1], 2])), true);
  },
  broadcast: onAny((x) => np.broadcastTo(x, [2, ...x.shape])),
  reshape: onAny((x, pool) => {
    const factors = x.shape.flatMap((n) => (n % 2 === 0 ? [2, n / 2] : [n]));
    return x.reshape(pool.random.integer(2) ? [x.size] : factors);
  }),
  transpose: onAny((x, pool) => {
    const permutation = [...x.shape.keys()];
    for (let i = permutation.length - 1; i > 0; i--) {
      const j = pool.random.integer(i + 1);
      [permutation[i], permutation[j]] = [permutation[j], permutation[i]];
    }
    return np.transpose(x, permutation);
  }, 2),
  flip: onAny((x, pool) => np.flip(x, pool.axis(x))),
  slice: onAny((x, pool) => {
    const axis = pool.axis(x);
    const start = pool.random.integer(x.shape[axis]);
    return x.slice(
      ...x.shape.map((n, i) =>
        i === axis ? ([start, n] as [number, number]) : ([0, n] as [number, number]),
      ),
    );
  }),
  pad: onAny((x, pool) => {
    const axis = pool.axis(x);
    return np.pad(
      x,
      x.shape.map((_, i) => (i === axis ? [1, 2] : [0, 0]) as [number, number]),
    );
  }),
  concatenate: onAny((x, pool) => np.concatenate([x, np.flip(x, 0), x], pool.axis(x))),
  split: onAny((x, pool) => {
    const axis = pool.axis(x);
    const parts = np.split(x, x.shape[axis] > 1 ? [1] : 1, axis);
    return np.concatenate([parts[parts.length - 1], parts[0]], axis);
  }),
  hoistable: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    const [axis, across] = [pool.axis(x), pool.axis(x)];
    const array = bounded(np.concatenate([x, x, np.flip(x, axis)], axis));
    const parts = np.split(array, pool.random.integer(2) ? 3 : [1, 2], axis);
    const { array: y } = pool.partner(np.split(array, [1], axis)[0]);
    const scaled = parts.map((part) => bounded(part.mul(y)));
    const cut = across !== axis && x.shape[across] > 1;
    const [last, ...others] = scaled.map((part) => (cut ? np.split(part, [1], across)[1] : part)).reverse();
    pool.add(np.cos(last), false);
    pool.add(np.concatenate([last, ...others.map(np.cos)], axis), false);
  },
  gather: onAny((x, pool) => np.take(x, pool.indices(x.shape[0], [2, 3]), 0)),
  gatherPairs: onAny((x, pool) => {
    const last = x.ndim - 1;
    const indices: (np.Array | [])[] = x.shape.map(() => []);
    indices[0] = pool.indices(x.shape[0], [4, 1]);
    indices[last] = pool.indices(x.shape[last], [3]);
    return x.slice(...indices);
  }, 2),
  scatter: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    const index = pool.indices(x.shape[0], [5]);
    pool.add(grad((y: np.Array) => bounded(np.take(y, index, 0)).sum())(x), false);
  },
  scatterPairs: (pool) => {
    const x = pool.pick("float32", false, 2).array;
    const last = x.ndim - 1;
    const indices: (np.Array | [])[] = x.shape.map(() => []);
    indices[0] = pool.indices(x.shape[0], [4, 1]);
    indices[last] = pool.indices(x.shape[last], [3]);
    pool.add(grad((y: np.Array) => bounded(y.slice(...indices)).sum())(x), false);
  },
  sort: onSorted((x, axis) => np.sort(x, axis)),
  argsort: onSorted((x, axis) => np.argsort(x, axis)),
  windows: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    pool.add(
      lax.reduceWindow(
        x,
        (w: np.Array) => w.sum(),
        x.shape.map((n) => Math.min(n, 2)),
        x.shape.map(() => 1),
      ),
      false,
    );
  },
  repeated: (pool) => {
    const dtype = pool.random.integer(2) ? np.float32 : np.int32;
    const shape = [1 + pool.random.integer(3), 1 + pool.random.integer(4)];
    pool.add(np.full(shape, pool.random.integer(4) - 1, { dtype }), true);
  },
  windowsBack: (pool) => {
    const x = pool.pick("float32", false, 1).array;
    const window = x.shape.map((n) => Math.min(n, 2));
    const strides = x.shape.map(() => 1);
    const total = (y: np.Array) =>
      bounded(lax.reduceWindow(y, (w: np.Array) => w.sum(), window, strides)).sum();
    pool.add(grad(total)(x), false);
  },
  randomBits: (pool) => {
    const key = pool.indices(1000, [2]).astype(np.uint32);
    pool.add(random.bits(key, [1 + pool.random.integer(4), 3]), true);
  },
  stopGradient: (pool) => {
    const { array, exact } = pool.pick("float32");
    pool.add(lax.stopGradient(array), exact);
  },
  constant: (pool) => pool.add(bounded(pool.indices(50, [3, 1]).astype(np.float32)), false),
};

function onAnyShift(kind: "int32" | "uint32"): Recipe {
  return (pool) => {
    const { array } = pool.pick(kind);
    const amount = np.array(1 + pool.random.integer(5), { dtype: kind === "int32" ? np.int32 : np.uint32 });
    pool.add(pool.random.integer(2) ? np.leftShift(array, amount) : np.rightShift(array, amount), true);
  };
}

function onSorted(f: (x: np.Array, axis: number) => np.Array): Recipe {
  return (pool) => {
    const kinds: Kind[] = ["float32", "int32", "uint32"];
    const item = pool.pick(kinds[pool.random.integer(kinds.length)], true, 1);
    if (item) pool.add(f(item.array, pool.axis(item.array)), true);
  };
}

const STEPS = 14;

/** The random program of a seed. Deterministic. */
export function randomProgram(seed: number): RandomProgram {
  const name = `random${seed}`;
  const root = RandomStream.fromSeed(seed).split("program");
  const shapes = root.split("shapes");
  const shape = () => Array.from({ length: 1 + shapes.integer(3) }, () => 1 + shapes.integer(4));
  const example = {
    a: spec(shape()),
    b: spec([...shape(), 4]),
    c: spec([]),
    i: spec([...shape(), 2], "int32"),
    u: spec([3, 2], "uint32"),
    t: spec([2, 4], "bool"),
  };
  const data = root.split("data");
  const fill = ({ shape: extents, dtype }: ArraySpec): TypedArray => {
    const length = extents.reduce((p, n) => p * n, 1);
    switch (dtype) {
      case "float32":
        return Float32Array.from({ length }, () => data.normal());
      case "int32":
        return Int32Array.from({ length }, () => data.integer(200) - 100);
      case "uint32":
        return Uint32Array.from({ length }, () => data.bits());
      case "bool":
        return Uint8Array.from({ length }, () => data.integer(2));
      default:
        return dtype satisfies never;
    }
  };
  const names = Object.keys(recipes);
  const f: ArrayFunction = (inputs) => {
    const pool = new Pool(root.split("steps"));
    for (const array of Object.values(inputs)) pool.add(array, true);
    for (let step = 0; step < STEPS; step++) recipes[names[pool.random.integer(names.length)]](pool);
    const results = pool.items.slice(Object.keys(inputs).length);
    return Object.fromEntries(results.map(({ array }, k) => [`y${k}`, array]));
  };
  const inputs = Object.fromEntries(
    Object.entries(example).map(([key, inputSpec]) => [key, fill(inputSpec)]),
  );
  return { name, f, example, inputs };
}
