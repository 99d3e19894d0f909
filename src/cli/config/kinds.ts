// What a setting may hold: how its rule is said, how a value is checked, and how it is read from and written to a flag.
//
// Plain data and small functions: `--help` needs them, and a schema library would take as long to load as Node itself.

import { show } from "./error.ts";

export interface Kind<T> {
  /** Completes "must be …". */
  readonly rule: string;
  /** What a flag shows for its value; null for a flag that takes none. */
  readonly argument: string | null;
  /** What is wrong with a value, beginning with "must"; null if nothing is. */
  problem(value: unknown): string | null;
  /** The value that a text stands for, still to be checked; undefined if it stands for none. */
  fromText(text: string): unknown;
  /** The inverse of `fromText`. */
  toText(value: T): string;
}

/** Numbers between two ends, each of which may belong to them or not. All are used in float32 somewhere. */
export interface Range {
  readonly from?: number;
  readonly above?: number;
  readonly to?: number;
  readonly below?: number;
}

const LARGEST_FLOAT32 = 3.4028234663852886e38;
const LARGEST_INT32 = 2 ** 31 - 1;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export function number(range: Range = {}): Kind<number> {
  const rule = `a number${rangeText(range)}`;
  return {
    rule,
    argument: "<x>",
    problem(value) {
      if (typeof value !== "number" || !isIn(value, range)) return `must be ${rule}, got ${show(value)}`;
      if (Math.abs(value) <= LARGEST_FLOAT32) return null;
      return `must be at most ${LARGEST_FLOAT32.toPrecision(2)} (float32), got ${value}`;
    },
    fromText: numberFrom,
    toText: String,
  };
}

export function whole(least: number, most = LARGEST_INT32): Kind<number> {
  const upTo = most === LARGEST_INT32 ? "2^31 - 1" : most === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : most;
  const rule = `a whole number from ${least} to ${upTo}`;
  return {
    rule,
    argument: "<n>",
    problem(value) {
      return isWhole(value, least, most) ? null : `must be ${rule}, got ${show(value)}`;
    },
    fromText: numberFrom,
    toText: String,
  };
}

/** Widths of layers, perhaps none. */
export function widths(mostLayers: number): Kind<readonly number[]> {
  const rule = `at most ${mostLayers} whole numbers from 1 on`;
  return {
    rule,
    argument: "<n,n|none>",
    problem(value) {
      const fits =
        Array.isArray(value) &&
        value.length <= mostLayers &&
        // Not `every`, which leaves out the gaps of an array.
        Array.from(value).every((width) => isWhole(width, 1, LARGEST_INT32));
      return fits ? null : `must be a list of ${rule}, got ${show(value)}`;
    },
    fromText(text) {
      if (text.trim() === "none") return [];
      const list = text.split(",").map(numberFrom);
      return list.includes(undefined) ? undefined : list;
    },
    toText: (value) => (value.length === 0 ? "none" : value.join(",")),
  };
}

export function choice<const T extends string>(names: readonly T[]): Kind<T> {
  const rule = `one of ${names.join(", ")}`;
  return {
    rule,
    argument: "<name>",
    problem: (value) => (names.includes(value as T) ? null : `must be ${rule}, got ${show(value)}`),
    fromText: (text) => text,
    toText: (value) => value,
  };
}

/** Switched on by its flag, and off by the flag with `no-` before it. */
export function truth(): Kind<boolean> {
  return {
    rule: "true or false",
    argument: null,
    problem: (value) => (typeof value === "boolean" ? null : `must be true or false, got ${show(value)}`),
    fromText: (text) => (text === "true" ? true : text === "false" ? false : undefined),
    toText: String,
  };
}

/** The path of a file, or one of a few words that stand for something built in. */
export function path(...words: readonly string[]): Kind<string> {
  const rule = [...words.map((word) => `"${word}"`), "the path of a file"].join(" or ");
  return {
    rule,
    argument: "<file>",
    problem(value) {
      const fits = typeof value === "string" && value.trim() !== "" && !value.includes("\0");
      return fits ? null : `must be ${rule}, got ${show(value)}`;
    },
    fromText: (text) => text,
    toText: (value) => value,
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

/** Decimal notation only: `Number` also takes blanks, "0x10" and "Infinity". */
export function numberFrom(text: string): number | undefined {
  return DECIMAL.test(text.trim()) ? Number(text) : undefined;
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
