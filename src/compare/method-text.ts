// A method as text: "kl", "kl-entropy:0.25", or "kl:balance=tb,hidden=64,64". A comma begins another setting only if a
// name and = follow, because the value of a setting may have commas itself.

import { CONFIG_KEYS } from "../config/config.ts";
import { show } from "../issues.ts";
import type { Key } from "../settings/keys.ts";
import { readText } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";
import {
  ALIASES,
  GAMMA,
  GAMMA_METHOD,
  isMethodName,
  keysOfMethod,
  METHOD_NAMES,
  type MethodName,
  type ParsedMethod,
  PROBLEM_KEYS,
} from "./method-names.ts";

/** A problem with the text of a method. */
export interface MethodProblem {
  readonly code: "unknown" | "gamma" | "setting";
  /** The setting that is wrong, such as `kl:batch`; null if it is the method itself. */
  readonly path: string | null;
  readonly message: string;
}

type Result = { readonly value: ParsedMethod } | { readonly problems: readonly MethodProblem[] };

/** Parses and checks a method with its settings. Conflicts between settings are not found here. */
export function readMethod(text: string): Result {
  const colon = text.indexOf(":");
  const name = (colon < 0 ? text : text.slice(0, colon)).trim();
  if (!isMethodName(name)) return { problems: [unknownMethod(name)] };
  if (colon < 0) return { value: { name, settings: {} } };
  const rest = text.slice(colon + 1);
  if (!rest.includes("=")) return readGamma(name, rest);
  return readSettings(name, rest);
}

/** Parses a valid method. Throws a RangeError if it is invalid. */
export function parseMethod(text: string): ParsedMethod {
  const result = readMethod(text);
  if ("value" in result) return result.value;
  throw new RangeError(`parseMethod: ${result.problems[0].message}`);
}

/** The inverse of `parseMethod`: equal methods have equal texts. */
export function methodText({ name, settings, problem = {} }: ParsedMethod): string {
  const own = textsOf(settings, keysOfMethod(name));
  const all = [...own, ...textsOf(problem, CONFIG_KEYS)];
  if (all.length === 0) return name;
  const { entropyGamma } = settings;
  if (name === GAMMA_METHOD && all.length === 1 && typeof entropyGamma === "number") {
    return `${name}:${GAMMA.toText(entropyGamma)}`;
  }
  return `${name}:${all.join(",")}`;
}

function textsOf(
  settings: Readonly<Record<string, unknown>>,
  keys: Readonly<Record<string, Pick<Key, "kind">>>,
): string[] {
  const names = Object.keys(keys).filter((key) => settings[key] !== undefined);
  return names.map((key) => `${key}=${keys[key].kind.toText(settings[key])}`);
}

function unknownMethod(name: string): MethodProblem {
  const meant = nearest(name, METHOD_NAMES);
  const hint = name.includes("=")
    ? "a method with several settings needs a `method` of its own"
    : meant
      ? `did you mean ${meant}?`
      : `methods are ${METHOD_NAMES.join(", ")}`;
  return { code: "unknown", path: null, message: `there is no method ${show(name)}; ${hint}` };
}

/** The short form of γ after the name of `kl-entropy`. */
function readGamma(name: MethodName, text: string): Result {
  const wrong = (message: string): Result => ({ problems: [{ code: "gamma", path: null, message }] });
  if (name !== GAMMA_METHOD) {
    return wrong(`the settings of ${name} must be written as in ${name}:clip=1, got ${show(text)}`);
  }
  const gamma = readText(GAMMA, text);
  if ("problem" in gamma) return wrong(`the γ of ${name} ${gamma.problem}`);
  return { value: { name, settings: { entropyGamma: gamma.value } } };
}

function readSettings(method: MethodName, text: string): Result {
  const keys = keysOfMethod(method);
  const [settings, problem]: Record<string, unknown>[] = [{}, {}];
  const problems: MethodProblem[] = [];
  for (const part of text.split(/,(?=\s*[\w-]+\s*=)/)) {
    const equals = part.indexOf("=");
    const given = part.slice(0, Math.max(equals, 0)).trim();
    const key = Object.hasOwn(ALIASES, given) ? ALIASES[given] : given;
    const refuse = (message: string) =>
      problems.push({ code: "setting", path: `${method}:${given}`, message });
    const isOwn = Object.hasOwn(keys, key);
    if (!isOwn && !PROBLEM_KEYS.includes(key)) {
      refuse(missingKey(method, key));
      continue;
    }
    const target = isOwn ? settings : problem;
    if (target[key] !== undefined) refuse(`must be given once, got ${key} twice`);
    const { kind } = isOwn ? keys[key] : CONFIG_KEYS[key];
    const result = readText(kind, withoutBrackets(part.slice(equals + 1).trim()));
    if ("problem" in result) refuse(result.problem);
    else target[key] = result.value;
  }
  if (problems.length > 0) return { problems };
  const hasProblem = Object.keys(problem).length > 0;
  return { value: { name: method, settings, ...(hasProblem && { problem }) } };
}

function missingKey(method: MethodName, key: string): string {
  const names = [...Object.keys(keysOfMethod(method)), ...Object.keys(ALIASES)];
  const meant = nearest(key, names);
  return `${method} has no such setting${meant ? `; did you mean ${meant}?` : ""}`;
}

/** A list may be written in brackets: [64,64]; [] is the empty list. */
export function withoutBrackets(text: string): string {
  if (text === "[]") return "none";
  return text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
}
