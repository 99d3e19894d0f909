// Kinds of option values. A kind has its rule in words, checks values, and converts them from and to the text of a
// flag.
//
// Settings, task options and command-line flags all use these kinds, so that `--batch 0x10` and `--count 0x10` are
// treated alike. The module imports no networks, because `--help` loads it.

import { numberFrom } from "../formats/decimal.ts";
import { show } from "../issues.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Kind<T> {
  /** Completes "must be …". */
  readonly rule: string;
  /** The placeholder of the value in help, such as `<n>`; null for a flag without a value. */
  readonly argument: string | null;
  /** The violated rule, or null if the value is valid. */
  violation(value: unknown): Violation | null;
  /** Parses a flag's text. The result, undefined if the text cannot be parsed, must still be checked. */
  fromText(text: string): unknown;
  /** The inverse of `fromText`. */
  toText(value: T): string;
  /** The rule as JSON Schema. Kinds that occur in flags only have none. */
  readonly schema?: JsonSchema;
}

export interface Violation {
  /** Completes "must be …". */
  readonly rule: string;
  /** Description of the invalid value. Default: the value itself. */
  readonly got?: string;
}

/** The interval of a number; each end is either included (`from`, `to`) or excluded (`above`, `below`). */
export interface Range {
  readonly from?: number;
  readonly above?: number;
  readonly to?: number;
  readonly below?: number;
}

const LARGEST_FLOAT32 = 3.4028234663852886e38;
const LARGEST_INT32 = 2 ** 31 - 1;

/** The message of a violation: "must be …, got …". */
function violationText({ rule, got }: Violation, value: unknown): string {
  return `must be ${rule}, got ${got ?? show(value)}`;
}

/** The message for an invalid value of this kind, or null. */
export function problemOf<T>(kind: Kind<T>, value: unknown): string | null {
  const violation = kind.violation(value);
  return violation && violationText(violation, value);
}

/** Parses and checks a flag's text. */
export function readText<T>(
  kind: Kind<T>,
  text: string,
): { readonly value: T } | { readonly problem: string } {
  const value = kind.fromText(text);
  if (value === undefined) return { problem: violationText({ rule: kind.rule }, text) };
  const violation = kind.violation(value);
  if (!violation) return { value: value as T };
  return { problem: violationText({ rule: violation.rule }, text) };
}

/** A finite number in a range. Numbers enter float32 arrays, so they must fit into float32. */
export function number(range: Range = {}): Kind<number> {
  const rule = `a number${rangeText(range)}`;
  return {
    rule,
    argument: "<x>",
    violation(value) {
      if (typeof value !== "number" || !isIn(value, range)) return { rule };
      if (Math.abs(value) <= LARGEST_FLOAT32) return null;
      return { rule: `at most ${LARGEST_FLOAT32.toPrecision(2)} (float32)` };
    },
    fromText: numberFrom,
    toText: String,
    schema: { type: "number", ...rangeSchema(range) },
  };
}

/** A whole number; the largest int32 is the default upper end. */
export function whole(least: number, most = LARGEST_INT32): Kind<number> {
  const upTo = most === LARGEST_INT32 ? "2^31 - 1" : most === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : most;
  const rule = `a whole number from ${least} to ${upTo}`;
  return {
    rule,
    argument: "<n>",
    violation: (value) => (isWhole(value, least, most) ? null : { rule }),
    fromText: numberFrom,
    toText: String,
    schema: { type: "integer", minimum: least, maximum: most },
  };
}

/** A list of widths of hidden layers, which may be empty. */
export function widths(mostLayers: number): Kind<readonly number[]> {
  const rule = `a list of at most ${mostLayers} whole numbers from 1 on`;
  return {
    rule,
    argument: "<n,n|none>",
    violation(value) {
      const valid =
        Array.isArray(value) &&
        value.length <= mostLayers &&
        // Array.from fills the holes of a sparse array, which `every` would skip.
        Array.from(value).every((width) => isWhole(width, 1, LARGEST_INT32));
      return valid ? null : { rule };
    },
    fromText(text) {
      if (text.trim() === "none") return [];
      const list = text.split(",").map(numberFrom);
      return list.includes(undefined) ? undefined : list;
    },
    toText: (value) => (value.length === 0 ? "none" : value.join(",")),
    schema: {
      type: "array",
      maxItems: mostLayers,
      items: { type: "integer", minimum: 1, maximum: LARGEST_INT32 },
    },
  };
}

export function choice<const T extends string>(names: readonly T[]): Kind<T> {
  const rule = `one of ${names.join(", ")}`;
  return {
    rule,
    argument: "<name>",
    violation: (value) => (names.includes(value as T) ? null : { rule }),
    fromText: (text) => text,
    toText: (value) => value,
    schema: { enum: names },
  };
}

/** True or false: a flag without a value switches it on, and the flag with `no-` in front switches it off. */
export function boolean(): Kind<boolean> {
  return {
    rule: "true or false",
    argument: null,
    violation: (value) => (typeof value === "boolean" ? null : { rule: "true or false" }),
    fromText: (text) => (text === "true" ? true : text === "false" ? false : undefined),
    toText: String,
    schema: { type: "boolean" },
  };
}

/** The path of a file, or one of a few names of built-in data. */
export function path(...builtIn: readonly string[]): Kind<string> {
  const rule = [...builtIn.map((name) => `"${name}"`), "the path of a file"].join(" or ");
  return {
    rule,
    argument: "<file>",
    violation(value) {
      const valid = typeof value === "string" && value.trim() !== "" && !value.includes("\0");
      return valid ? null : { rule };
    },
    fromText: (text) => text,
    toText: (value) => value,
    schema: { type: "string", minLength: 1 },
  };
}

/** A text that is not empty. An empty text usually comes from a shell variable that is not set. */
export function text(rule = "a name"): Kind<string> {
  return {
    rule,
    argument: "<text>",
    violation: (value) => (typeof value === "string" && value !== "" ? null : { rule }),
    fromText: (text) => text,
    toText: (value) => value,
    schema: { type: "string", minLength: 1 },
  };
}

/** Values of one kind, separated by commas. */
export function listOf<T>(kind: Kind<T>, rule = `a list of values, each ${kind.rule}`): Kind<readonly T[]> {
  return {
    rule,
    argument: "<a,b>",
    violation(value) {
      if (!Array.isArray(value) || value.length === 0) return { rule };
      const wrong = value.findIndex((item) => kind.violation(item) !== null);
      return wrong < 0 ? null : { rule, got: show(value[wrong]) };
    },
    fromText(text) {
      const items = text.split(",").map((item) => kind.fromText(item.trim()));
      return items.includes(undefined) ? undefined : items;
    },
    toText: (value) => value.map((item) => kind.toText(item)).join(","),
  };
}

export function isIn(value: number, { from, above, to, below }: Range): boolean {
  if (!Number.isFinite(value)) return false;
  if (from !== undefined && !(value >= from)) return false;
  if (above !== undefined && !(value > above)) return false;
  if (to !== undefined && !(value <= to)) return false;
  return below === undefined || value < below;
}

export function rangeText({ from, above, to, below }: Range): string {
  const [low, high] = [from ?? above, to ?? below];
  if (low === undefined && high === undefined) return "";
  if (high === undefined) return from === undefined ? ` above ${low}` : ` of at least ${low}`;
  return ` in ${from === undefined ? "(" : "["}${low ?? "-Infinity"}, ${high}${to === undefined ? ")" : "]"}`;
}

/** The range as JSON Schema. */
export function rangeSchema({ from, above, to, below }: Range): JsonSchema {
  return {
    ...(from !== undefined && { minimum: from }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(to !== undefined && { maximum: to }),
    ...(below !== undefined && { exclusiveMaximum: below }),
  };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
