// Builds a complete comparison from user input (a config and the options of a comparison), and reports all issues at
// once.

import { completeConfig } from "../config/complete.ts";
import { type Config, definitionOf, fileOfFingerprint } from "../config/config.ts";
import { parseConfig } from "../config/parse.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import type { Key } from "../settings/keys.ts";
import { problemOf } from "../settings/kinds.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import type { Comparison } from "./comparison.ts";
import { readComparison } from "./comparison-folder.ts";
import {
  COMPARISON_DEFAULTS,
  COMPARISON_KEYS,
  type ComparisonInput,
  SHARED_KEYS,
} from "./comparison-keys.ts";
import { methodIssues } from "./method-issues.ts";
import { DEFAULT_METHODS, GAMMA_METHOD, type MethodName, SEARCHES } from "./method-names.ts";
import { methodText, parseMethod, readMethod } from "./method-text.ts";

export interface InputRules {
  /** Whether methods may differ in the task and the target, as in a sweep. Default: false. */
  readonly variesProblem?: boolean;
}

/** The complete comparison. Throws a UserError with all issues, including `earlier` ones, such as flags that could not be parsed. */
export async function comparisonFromInput(
  config: Config,
  input: ComparisonInput,
  earlier: readonly Issue[] = [],
  { variesProblem = false }: InputRules = {},
): Promise<Comparison> {
  const ranges = rangeIssues(input);
  const wrong = new Set([...earlier, ...ranges].map(({ path }) => path));
  const valid = Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name)));
  const { calls = null, seconds = null, methods, gammas, ...given } = valid as ComparisonInput;
  const { seeds, evaluations, onPolicy } = { ...COMPARISON_DEFAULTS, ...withoutUndefined(given) };
  const hasStick = Object.hasOwn(definitionOf(config).keys, "stick");
  const expanded = expandMethods(methods ?? defaultMethods(hasStick), gammas && [...new Set(gammas)]);
  const variesStick = expanded.methods.some((method) => parseMethod(method).problem?.stick !== undefined);
  const sticks = hasStick && !variesStick ? (given.sticks ?? COMPARISON_DEFAULTS.sticks) : [null];
  const issues: Issue[] = [
    ...earlier,
    ...ranges,
    ...(hasStick || given.sticks === undefined
      ? []
      : [conflict("sticks", `does not belong to the task ${definitionOf(config).name}; remove it`)]),
    ...(variesProblem && variesStick && given.sticks !== undefined
      ? [conflict("sticks", "is varied, too; remove one of them")]
      : []),
    ...(wrong.has("calls") || wrong.has("seconds") ? [] : budgetIssues(calls, seconds)),
    ...(config.epsilon !== undefined && !onPolicy
      ? [conflict("epsilon", "is for on-policy exploration only; set `onPolicy`, or remove it")]
      : []),
    ...repeated("sticks", given.sticks ?? []),
    ...repeated("gammas", gammas ?? []),
    ...(wrong.has("methods") || wrong.has("gammas") ? [] : expanded.issues),
    ...(variesProblem ? [] : problemIssues(expanded.methods)),
  ];
  const base: Config = { ...config, ...(sticks[0] !== null && { stick: sticks[0] }) };
  const parsed = await parsedWith(base, expanded.methods, issues);
  const complete = await completeConfig(parsed);
  if (calls !== null && calls < complete.batch) {
    const message = `must be at least the \`batch\` of ${complete.batch}, got ${calls}`;
    throw new UserError([{ path: "calls", code: "range", message }]);
  }
  const settings = Object.entries(complete).filter(
    ([name]) => isShared(name) || (name === "epsilon" && config.epsilon !== undefined),
  );
  return {
    methods: expanded.methods,
    sticks: [...sticks],
    seeds: Array.from({ length: seeds }, (_, seed) => seed),
    calls,
    seconds,
    evaluations,
    onPolicy,
    settings: Object.fromEntries(settings),
  };
}

/** Issues of methods that differ in the problem: their distances from the target could not be compared. */
function problemIssues(methods: readonly string[]): Issue[] {
  return methods.flatMap((text) => {
    const { name, problem = {} } = parseMethod(text);
    return Object.keys(problem).map((key) => {
      const flag = key === "stick" ? "sticks" : key;
      const message = `is the same for all methods, because it decides the target; give \`${flag}\``;
      return { path: `${name}:${key}`, code: "setting", message };
    });
  });
}

/** The methods of a comparison by default. Searches need states that can be enumerated, which hidden noise prevents. */
function defaultMethods(hasStick: boolean): readonly MethodName[] {
  return hasStick ? DEFAULT_METHODS : DEFAULT_METHODS.filter((name) => !SEARCHES.includes(name));
}

/** The checked config. Throws a UserError with its issues, the `issues` so far, and those of the methods. */
async function parsedWith(
  config: Config,
  methods: readonly string[],
  issues: readonly Issue[],
): Promise<Config> {
  const parsed = await parseConfig(config, { issues }).catch((error: unknown) => error);
  if (!(parsed instanceof Error)) {
    throwIssues(await methodIssues(methods, parsed as Config));
    return parsed as Config;
  }
  if (!(parsed instanceof UserError)) throw parsed;
  const wrong = new Set(parsed.issues.map(({ path }) => path));
  const usable = Object.entries(config).filter(([name]) => !wrong.has(name));
  const ofMethods = wrong.has("task") ? [] : await methodIssues(methods, Object.fromEntries(usable));
  throw new UserError([...parsed.issues, ...ofMethods]);
}

/**
 * The comparison of a folder. Throws a UserError if the input contains a setting other than the task, or another task,
 * or if there are `earlier` issues.
 */
export async function resumedComparison(
  folder: string,
  { task, ...config }: Config,
  input: ComparisonInput,
  earlier: readonly Issue[] = [],
): Promise<Comparison> {
  const changed = Object.keys(withoutUndefined({ ...config, ...input })).map((name) =>
    conflict(name, "cannot be changed when a comparison is resumed; remove it"),
  );
  throwIssues([...earlier, ...changed]);
  const comparison = await readComparison(folder);
  const { task: ownTask } = comparison.settings;
  if (task !== undefined && task !== ownTask) {
    throw new UserError([conflict("task", `must be ${ownTask} as in the comparison, got ${task}`)]);
  }
  return comparison;
}

/** Issues of options whose value is invalid by itself. */
function rangeIssues(input: ComparisonInput): Issue[] {
  return Object.entries<Key>(COMPARISON_KEYS as Readonly<Record<string, Key>>).flatMap(([path, { kind }]) => {
    const value = input[path as keyof ComparisonInput];
    const message = value === undefined ? null : problemOf(kind, value);
    return message ? [{ path, code: "range", message }] : [];
  });
}

function budgetIssues(calls: number | null, seconds: number | null): Issue[] {
  if (calls !== null && seconds !== null) {
    return [conflict("calls", "cannot be combined with `seconds`; give one of them as the budget")];
  }
  if (calls !== null || seconds !== null) return [];
  const message = "is missing; give `calls` or `seconds`, the budget of an experiment";
  return [{ path: "calls", code: "missing", message }];
}

/** The methods in their standard spelling, with kl-entropy once for each value of γ. */
function expandMethods(
  texts: readonly string[],
  gammas: readonly number[] | undefined,
): { readonly methods: readonly string[]; readonly issues: readonly Issue[] } {
  const results = texts.map(readMethod);
  const issues: Issue[] = results.flatMap((result) =>
    "problems" in result
      ? result.problems.map(({ code, path, message }) => ({ path: path ?? "methods", code, message }))
      : [],
  );
  const parsed = results.flatMap((result) => ("value" in result ? [result.value] : []));
  const takesGammas = parsed.map(
    ({ name, settings }) => name === GAMMA_METHOD && settings.entropyGamma === undefined,
  );
  if (gammas !== undefined && !takesGammas.includes(true)) {
    issues.push(conflict("gammas", `is for the method ${GAMMA_METHOD} only; add it to \`methods\``));
  }
  const methods = parsed
    .flatMap((method, i) =>
      gammas !== undefined && takesGammas[i]
        ? gammas.map((gamma) => ({ ...method, settings: { ...method.settings, entropyGamma: gamma } }))
        : [method],
    )
    .map(methodText);
  return { methods, issues: [...issues, ...repeated("methods", methods)] };
}

function repeated(path: string, values: readonly (string | number)[]): Issue[] {
  const twice = values.find((value, i) => values.indexOf(value) < i);
  if (twice === undefined) return [];
  return [{ path, code: "repeated", message: `must have each value once, got ${twice} twice` }];
}

/**
 * Whether a config key has the same value in all experiments. The key with the SHA-256 of a file is treated like the
 * key that names the file.
 */
function isShared(name: string): boolean {
  return SHARED_KEYS.includes(fileOfFingerprint(name) ?? name);
}

function conflict(path: string, message: string): Issue {
  return { path, code: "conflict", message };
}
