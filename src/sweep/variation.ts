// How a sweep varies one key: over a list of values, or over a range. As text: `gamma=0.1,0.5`, `hidden=[64],[256,256]`,
// `learningRate=1e-4..1e-2:log`.

import { ALIASES, keysOfMethod, type MethodName, PROBLEM_KEYS } from "../compare/method-names.ts";
import { withoutBrackets } from "../compare/method-text.ts";
import { CONFIG_KEYS } from "../config/config.ts";
import { numberFrom } from "../formats/decimal.ts";
import { show } from "../issues.ts";
import { type Kind, readText } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";

const SCALES = ["linear", "log"] as const;
type RangeScale = (typeof SCALES)[number];

/** An interval of numbers; a grid takes `count` of them, with both ends. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly scale: RangeScale;
  readonly count: number;
}

export interface Variation {
  /** A setting of the method, or a key of the problem. */
  readonly key: string;
  readonly kind: Kind<unknown>;
  /** The values of a list, or a range. */
  readonly values: readonly unknown[] | NumberRange;
}

type Result = { readonly value: Variation } | { readonly problem: string };

/** Numbers of a range in a grid, unless the text says how many. */
const DEFAULT_COUNT = 5;

/** Reads a variation for a method. The message of a problem has no path. */
export function readVariation(text: string, method: MethodName): Result {
  const equals = text.indexOf("=");
  if (equals < 0) return { problem: `must be written as in batch=32,64, got ${show(text)}` };
  const given = text.slice(0, equals).trim();
  const key = Object.hasOwn(ALIASES, given) ? ALIASES[given] : given;
  const own = keysOfMethod(method);
  const isOwn = Object.hasOwn(own, key);
  if (!isOwn && !PROBLEM_KEYS.includes(key)) {
    const meant = nearest(given, [...Object.keys(own), ...PROBLEM_KEYS, ...Object.keys(ALIASES)]);
    return { problem: `${method} has no setting ${show(given)}${meant ? `; did you mean ${meant}?` : ""}` };
  }
  const { kind } = isOwn ? own[key] : CONFIG_KEYS[key];
  const rest = text.slice(equals + 1).trim();
  const values = rest.includes("..") ? readRange(rest, kind) : readList(rest, kind);
  return "problem" in values
    ? { problem: `${given} ${values.problem}` }
    : { value: { key, kind, ...values } };
}

export function isRange(values: Variation["values"]): values is NumberRange {
  return !Array.isArray(values);
}

type Values = { readonly values: Variation["values"] } | { readonly problem: string };

/** Values are separated by commas outside of brackets. */
function readList(text: string, kind: Kind<unknown>): Values {
  const items = text.split(/,(?![^[]*\])/).map((item) => item.trim());
  const values: unknown[] = [];
  for (const item of items) {
    const result = readText(kind, withoutBrackets(item));
    if ("problem" in result) return result;
    values.push(result.value);
  }
  const texts = values.map((value) => kind.toText(value));
  const twice = texts.find((each, i) => texts.indexOf(each) < i);
  return twice === undefined ? { values } : { problem: `must have each value once, got ${twice} twice` };
}

function readRange(text: string, kind: Kind<unknown>): Values {
  const [ends, ...options] = text.split(":");
  const [from, to, ...more] = ends.split("..").map(numberFrom);
  if (from === undefined || to === undefined || more.length > 0 || !(from < to)) {
    return { problem: `must be a range of rising numbers such as 1e-4..1e-2:log, got ${show(text)}` };
  }
  const scale = options.find((option) => (SCALES as readonly string[]).includes(option)) ?? "linear";
  const counts = options.filter((option) => option !== scale).map(numberFrom);
  const count = counts.length === 0 ? DEFAULT_COUNT : counts[0];
  if (counts.length > 1 || count === undefined || !Number.isInteger(count) || count < 2 || count > 1000) {
    return {
      problem: `may have log or linear and a number of values from 2 to 1000 after it, got ${show(text)}`,
    };
  }
  if (scale === "log" && from <= 0) return { problem: `must be positive on a log scale, got ${from}` };
  for (const end of [from, to]) {
    const violation = kind.violation(end);
    if (violation) return { problem: `must be ${violation.rule}, got ${end}` };
  }
  return { values: { from, to, scale: scale as RangeScale, count } };
}

/** The number at a position from 0 to 1 of a range, to three digits, so that the names of settings stay short. */
export function numberAt({ from, to, scale }: NumberRange, position: number, kind: Kind<unknown>): number {
  const exact = scale === "log" ? from * (to / from) ** position : from + (to - from) * position;
  const short = Number(exact.toPrecision(3));
  const rounded = kind.argument === "<n>" ? Math.round(short) : short;
  return Math.min(Math.max(rounded, from), to);
}
