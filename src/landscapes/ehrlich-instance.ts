// Ehrlich instances as JSON: a file with one instance, or with a list `instances` of which one is chosen by its index.
//
// The fields are those of the instances that pytorch-holo draws, so that published instances can be used. Files are
// checked completely, and all mistakes are reported at once.

import { type Issue, show, throwIssues, UserError } from "../issues.ts";
import { problemOf, whole } from "../settings/kinds.ts";

/** The parameters of an Ehrlich function, as a JSON file holds them. Letters are indices from 0 to `states` − 1. */
export interface EhrlichInstance {
  /** Size of the alphabet. */
  readonly states: number;
  /** Length of the strings. */
  readonly length: number;
  /** Number of motifs. */
  readonly motifs: number;
  /** Letters per motif. */
  readonly motifLength: number;
  /** Number of levels above zero that the match of one motif can have. */
  readonly quantization: number;
  /** Seed that the instance was drawn with. Only informative. */
  readonly seed?: number;
  /** Who drew the instance, as a word for people. Default: nothing is known. */
  readonly family?: string;
  /** The letters of each motif. */
  readonly motif: readonly (readonly number[])[];
  /** For each motif the gaps between the positions of successive letters. */
  readonly spacing: readonly (readonly number[])[];
  /** One row of 0 and 1 per letter: which letters may follow it. */
  readonly allowed: readonly string[];
  /** A feasible string to start from. */
  readonly initial?: readonly number[];
  /** Strings with their values, which show that a program computes the function as intended. */
  readonly checks?: readonly (readonly [readonly number[], number])[];
}

/** Which instance of a file is meant, and how messages name the file. */
export interface EhrlichFileOptions {
  /** Index into `instances`, from 0. Needed if there are several. */
  readonly index?: number;
  /** Name of the file in messages. */
  readonly source?: string;
}

/** Largest sizes, far above what is useful, so that a damaged file cannot exhaust the memory. */
export const LARGEST_SIZES = { states: 1000, length: 100_000, motifs: 1000, motifLength: 1000 } as const;

/** Reads the text of a JSON file. Throws a UserError with all mistakes. */
export function parseEhrlich(text: string, { index, source }: EhrlichFileOptions = {}): EhrlichInstance {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UserError(`must be JSON: ${(error as Error).message.split("\n")[0]}`, { source, cause: error });
  }
  const { value, path } = chosenInstance(json, index, source);
  throwIssues(ehrlichIssues(value, path), { source });
  return value as EhrlichInstance;
}

/** The instance that is meant, and its path in the file. */
function chosenInstance(
  json: unknown,
  index: number | undefined,
  source: string | undefined,
): { readonly value: unknown; readonly path: string } {
  const fail = (code: string, message: string): never => {
    throw new UserError([{ path: "index", code, message }], { source });
  };
  const all = isObject(json) ? json.instances : undefined;
  if (!Array.isArray(all)) {
    if (index !== undefined && index !== 0)
      fail("range", `must be 0 for a file with one instance, got ${index}`);
    return { value: json, path: "" };
  }
  const range = `a whole number from 0 to ${all.length - 1}`;
  if (all.length === 0) fail("range", "cannot be chosen, because `instances` is empty");
  if (index === undefined && all.length > 1)
    fail("required", `must be ${range}, because the file has ${all.length} instances`);
  const chosen = index ?? 0;
  if (!Number.isInteger(chosen) || chosen < 0 || chosen >= all.length)
    fail("range", `must be ${range}, got ${show(chosen)}`);
  return { value: all[chosen], path: `instances[${chosen}].` };
}

/** All mistakes of an instance. `prefix` stands before the paths. */
export function ehrlichIssues(value: unknown, prefix = ""): Issue[] {
  if (!isObject(value)) {
    const message = `must be an object with the fields of an Ehrlich instance, got ${show(value)}`;
    return [{ path: prefix.replace(/\.$/, ""), code: "type", message }];
  }
  const issues: Issue[] = [];
  const add = (path: string, code: string, message: string) =>
    issues.push({ path: prefix + path, code, message });
  const size = (name: keyof typeof LARGEST_SIZES | "quantization", least: number, most: number): number => {
    const problem = problemOf(whole(least, most), value[name]);
    if (problem !== null) add(name, "range", problem);
    return problem === null ? (value[name] as number) : Number.NaN;
  };
  const states = size("states", 2, LARGEST_SIZES.states);
  const length = size("length", 1, LARGEST_SIZES.length);
  const motifs = size("motifs", 1, LARGEST_SIZES.motifs);
  const motifLength = size("motifLength", 1, LARGEST_SIZES.motifLength);
  size("quantization", 1, motifLength || LARGEST_SIZES.motifLength);
  if (issues.length > 0) return issues;

  const letters = (path: string, list: unknown, count: number): list is number[] =>
    wholeNumbers(path, list, count, 0, states - 1);
  const wholeNumbers = (path: string, list: unknown, count: number, least: number, most: number) => {
    const isRight =
      Array.isArray(list) &&
      list.length === count &&
      list.every((each) => Number.isInteger(each) && each >= least && each <= most);
    if (!isRight)
      add(
        path,
        "type",
        `must be a list of ${count} whole numbers from ${least} to ${most}, got ${show(list)}`,
      );
    return isRight;
  };
  const rows = (name: "motif" | "spacing" | "allowed", count: number): unknown[] => {
    const list = value[name];
    if (Array.isArray(list) && list.length === count) return list;
    add(name, "type", `must be a list of ${count}, got ${Array.isArray(list) ? list.length : show(list)}`);
    return [];
  };
  rows("motif", motifs).forEach((each, i) => {
    letters(`motif[${i}]`, each, motifLength);
  });
  rows("spacing", motifs).forEach((each, i) => {
    if (!wholeNumbers(`spacing[${i}]`, each, motifLength - 1, 1, length)) return;
    const span = (each as number[]).reduce((sum, gap) => sum + gap, 1);
    if (span > length)
      add(`spacing[${i}]`, "range", `must fit into ${length} letters, got gaps that take ${span}`);
  });
  rows("allowed", states).forEach((each, i) => {
    if (typeof each !== "string" || each.length !== states || !/^[01]+$/.test(each))
      add(`allowed[${i}]`, "type", `must be a text of ${states} digits 0 or 1, got ${show(each)}`);
  });
  if (value.initial !== undefined) letters("initial", value.initial, length);
  if (value.family !== undefined && typeof value.family !== "string")
    add("family", "type", `must be a text, got ${show(value.family)}`);
  if (value.seed !== undefined && !Number.isInteger(value.seed))
    add("seed", "type", `must be a whole number, got ${show(value.seed)}`);
  const checks = value.checks ?? [];
  if (!Array.isArray(checks)) add("checks", "type", `must be a list of [string, value], got ${show(checks)}`);
  else
    checks.forEach((each, i) => {
      if (!Array.isArray(each) || each.length !== 2 || typeof each[1] !== "number")
        add(`checks[${i}]`, "type", `must be [string, value], got ${show(each)}`);
      else letters(`checks[${i}][0]`, each[0], length);
    });
  return issues;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
