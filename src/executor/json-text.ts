// Plain data as JSON text, also numbers that JSON does not have. Keys are sorted, so that equal data have equal text.

import type { Json, JsonObject } from "./unit.ts";

/** The key of an object that stands for a number that JSON does not have. */
const NUMBER = "$number";
const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** The text of plain data. Properties that are undefined are left out. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, (_, part: Json) => {
    if (typeof part === "number" && !Number.isFinite(part)) return { [NUMBER]: String(part) };
    return isObject(part) ? sorted(part) : part;
  });
}

/** The inverse of `jsonText`. Throws a SyntaxError if the text is not JSON. */
export function parseJson(text: string): Json {
  return JSON.parse(text, (_, part: Json) => {
    if (!isObject(part)) return part;
    const [[key, name] = [], ...others] = Object.entries(part);
    const isNumber = key === NUMBER && typeof name === "string" && others.length === 0;
    return isNumber && Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : part;
  });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
