// Plain values: the states and objects of a plain environment. They are compared by value, so each one has a key.

/** Deeper values are refused, so that recursion ends. */
const MAX_DEPTH = 64;

/** The rule, for messages. */
export const PLAIN_RULE =
  "it may consist of finite numbers, texts, true, false, null, arrays and plain objects";

/** A value with the text that identifies it. */
export interface Keyed<V> {
  /** JSON with sorted keys. Two values are equal if their keys are. */
  readonly key: string;
  /** A frozen copy. */
  readonly value: V;
}

/** Half a sentence about the first part that is not plain, such as "has NaN at .x". */
export class NotPlainError extends Error {
  override readonly name = "NotPlainError";
}

/** The key and a frozen copy of a value. Throws a `NotPlainError`. */
export function keyed<V>(value: V): Keyed<V> {
  const copy = copyOf(value, "", []);
  return { key: JSON.stringify(copy), value: copy as V };
}

function copyOf(value: unknown, path: string, around: readonly object[]): unknown {
  const fail = (what: string): never => {
    throw new NotPlainError(path === "" ? `is ${what}` : `has ${what} at ${path}`);
  };
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // −0 becomes 0.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : fail(String(value));
  if (typeof value !== "object") {
    return fail(value === undefined ? "undefined" : `a ${typeof value}`);
  }
  if (around.includes(value)) return fail("a value that contains itself");
  if (around.length >= MAX_DEPTH) return fail(`a value nested more than ${MAX_DEPTH} deep`);
  const inside = [...around, value];
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (entry, i) => copyOf(entry, `${path}[${i}]`, inside)));
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return fail(`an instance of ${prototype.constructor?.name || "a class"}`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) return fail("a symbol as a key");
  const entries = Object.keys(value)
    .sort()
    .map((name) => {
      const entry = (value as Record<string, unknown>)[name];
      return [
        name,
        copyOf(entry, /^\w+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`, inside),
      ];
    });
  return Object.freeze(Object.fromEntries(entries));
}

/** A number, text, boolean, null or empty container inside a value. */
export type Leaf = string | number | boolean | null | readonly [] | Readonly<Record<string, never>>;

/** All leaves of a plain value with their paths. The leaves determine the value. */
export function* leavesOf(value: unknown, path = ""): Generator<readonly [path: string, leaf: Leaf]> {
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) {
    yield [path, value as Leaf];
  } else if (Array.isArray(value)) {
    for (const [i, entry] of value.entries()) yield* leavesOf(entry, `${path}[${i}]`);
  } else {
    for (const [name, entry] of Object.entries(value)) {
      yield* leavesOf(entry, `${path}.${JSON.stringify(name)}`);
    }
  }
}
