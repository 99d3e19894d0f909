// Builds a complete comparison from user input (a config and the options of a comparison), and reports all issues at
// once.

import { completeConfig } from "../config/complete.ts";
import { COMPARABLE_TASKS, type Config, definitionOf, fileOfFingerprint } from "../config/config.ts";
import { parseConfig } from "../config/parse.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import type { Key } from "../settings/keys.ts";
import { problemOf } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import type { Comparison } from "./comparison.ts";
import { readComparison } from "./comparison-folder.ts";
import {
  COMPARISON_DEFAULTS,
  COMPARISON_KEYS,
  type ComparisonInput,
  SHARED_KEYS,
} from "./comparison-keys.ts";
import { GAMMA_METHOD, METHOD_NAMES, type MethodProblem, methodText, readMethod } from "./method-names.ts";

/** The complete comparison. Throws a UserError with all issues, including `earlier` ones, such as flags that could not be parsed. */
export async function comparisonFromInput(
  config: Config,
  input: ComparisonInput,
  earlier: readonly Issue[] = [],
): Promise<Comparison> {
  const ranges = rangeIssues(input);
  const wrong = new Set([...earlier, ...ranges].map(({ path }) => path));
  const valid = Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name)));
  const { calls = null, seconds = null, methods, gammas, ...given } = valid as ComparisonInput;
  const { sticks, seeds, evaluations, onPolicy } = { ...COMPARISON_DEFAULTS, ...withoutUndefined(given) };
  const expanded = expandMethods(methods ?? COMPARISON_DEFAULTS.methods, gammas && [...new Set(gammas)]);
  const issues: Issue[] = [
    ...earlier,
    ...taskIssues(config),
    ...ranges,
    ...(wrong.has("calls") || wrong.has("seconds") ? [] : budgetIssues(calls, seconds)),
    ...(config.epsilon !== undefined && !onPolicy
      ? [conflict("epsilon", "is for on-policy exploration only; set `onPolicy`, or remove it")]
      : []),
    ...repeated("sticks", sticks),
    ...repeated("gammas", gammas ?? []),
    ...(wrong.has("methods") || wrong.has("gammas") ? [] : expanded.issues),
  ];
  const parsed = await parseConfig({ ...config, stick: sticks[0] }, { issues });
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

function taskIssues(config: Config): Issue[] {
  const { name } = definitionOf(config);
  if (COMPARABLE_TASKS.includes(name)) return [];
  return [conflict("task", `must have a noise level (one of ${COMPARABLE_TASKS.join(", ")}), got ${name}`)];
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
  const issues = results.flatMap((result) => ("problem" in result ? [methodIssue(result.problem)] : []));
  const parsed = results.flatMap((result) => ("value" in result ? [result.value] : []));
  const takesGammas = parsed.map(({ name, gamma }) => name === GAMMA_METHOD && gamma === null);
  if (gammas !== undefined && !takesGammas.includes(true)) {
    issues.push(conflict("gammas", `is for the method ${GAMMA_METHOD} only; add it to \`methods\``));
  }
  const methods = parsed
    .flatMap((method, i) =>
      gammas !== undefined && takesGammas[i] ? gammas.map((gamma) => ({ ...method, gamma })) : [method],
    )
    .map(methodText);
  return { methods, issues: [...issues, ...repeated("methods", methods)] };
}

function methodIssue({ code, name, message }: MethodProblem): Issue {
  if (code !== "unknown") return { path: "methods", code, message };
  const meant = nearest(name, METHOD_NAMES);
  const hint = meant ? `did you mean ${meant}?` : `methods are ${METHOD_NAMES.join(", ")}`;
  return { path: "methods", code, message: `${message}; ${hint}` };
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
