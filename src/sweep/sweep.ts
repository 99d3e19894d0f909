// A sweep: a comparison whose methods are one method with varied settings, and the rules by which they are chosen. Plain
// data, as `sweep.json` holds it.

import { readMethod } from "../compare/method-text.ts";
import { findMethod } from "../compare/methods.ts";
import { type Issue, show, throwIssues, UserError } from "../issues.ts";
import { gridPoints, randomPoints, type SweepPoint } from "./points.ts";
import type { Metric, Strategy } from "./sweep-kinds.ts";
import { readVariation, type Variation } from "./variation.ts";

/** Largest number of settings of a grid. */
const MOST_POINTS = 10_000;

export interface SweepInput {
  readonly method?: string;
  /** Variations as text, such as "batch=32,64". */
  readonly vary?: readonly string[];
  readonly strategy?: Strategy;
  readonly samples?: number;
  readonly sampleSeed?: number;
  readonly eta?: number;
  readonly metric?: Metric;
}

export interface Sweep {
  readonly method: string;
  readonly vary: readonly string[];
  readonly strategy: Strategy;
  /** Number of random settings; null for all of a grid. */
  readonly samples: number | null;
  readonly sampleSeed: number;
  /** Successive halving keeps one of this many settings. */
  readonly eta: number;
  readonly metric: Metric;
}

/** The complete sweep. Throws a UserError with all issues. */
export function sweepFromInput(input: SweepInput, earlier: readonly Issue[] = []): Sweep {
  const { method = "kl", vary = [], strategy = "grid", samples = null } = input;
  const issues = [...earlier, ...sweepIssues({ method, vary, strategy, samples })];
  throwIssues(issues);
  const { metric = defaultMetric(method), eta = 3, sampleSeed = 0 } = input;
  return { method, vary, strategy, samples, sampleSeed, eta, metric };
}

/** Searches have no exact distance, except for random search. */
function defaultMetric(text: string): Metric {
  const method = findMethod(text);
  return method.kind === "search" && !method.intendsUniformly ? "sampledTv" : "tv";
}

function sweepIssues({
  method,
  vary,
  strategy,
  samples,
}: Pick<Sweep, "method" | "vary" | "strategy" | "samples">): Issue[] {
  const parsed = readMethod(method);
  const conflict = (path: string, message: string): Issue => ({ path, code: "conflict", message });
  const issues: Issue[] = [];
  if (vary.length === 0)
    issues.push({
      path: "vary",
      code: "missing",
      message: "is missing; give a key and its values, such as batch=32,64",
    });
  if (strategy === "grid" && samples !== null)
    issues.push(conflict("samples", "is for the strategies random and halving; remove it"));
  if (strategy === "random" && samples === null)
    issues.push(conflict("samples", "is missing; give the number of random settings"));
  if ("problems" in parsed) {
    const wrong = parsed.problems.map(({ code, path, message }) => ({
      path: path ?? "method",
      code,
      message,
    }));
    return [...issues, ...wrong];
  }
  const results = vary.map((text) => readVariation(text, parsed.value.name));
  issues.push(
    ...results.flatMap((result) => ("problem" in result ? [conflict("vary", result.problem)] : [])),
  );
  const variations = results.flatMap((result) => ("value" in result ? [result.value] : []));
  const keys = variations.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) issues.push(conflict("vary", `must have each key once, got ${twice} twice`));
  const given = { ...parsed.value.settings, ...parsed.value.problem };
  for (const key of keys) {
    if (given[key] !== undefined)
      issues.push(conflict("vary", `varies ${key}, which the method sets, too; remove one of them`));
  }
  const size = variations.reduce(
    (product, { values }) => product * ("count" in values ? values.count : values.length),
    1,
  );
  if (samples === null && size > MOST_POINTS) {
    issues.push(
      conflict("vary", `must give at most ${MOST_POINTS} settings, got ${size}; use the strategy random`),
    );
  }
  return issues;
}

/** The settings of a valid sweep. */
export function pointsOf({ method, vary, samples, sampleSeed }: Sweep): SweepPoint[] {
  const parsed = readMethod(method);
  if ("problems" in parsed) throw new RangeError(`pointsOf: ${parsed.problems[0].message}`);
  const variations = variationsOf({ method, vary });
  return samples === null
    ? gridPoints(parsed.value, variations)
    : randomPoints(parsed.value, variations, { count: samples, seed: sampleSeed });
}

export function variationsOf({ method, vary }: Pick<Sweep, "method" | "vary">): Variation[] {
  const parsed = readMethod(method);
  if ("problems" in parsed) return [];
  return vary.flatMap((text) => {
    const result = readVariation(text, parsed.value.name);
    return "value" in result ? [result.value] : [];
  });
}

/**
 * The rungs of successive halving: oracle calls after which the worse settings end. The last rung is the whole budget; there
 * are as many rungs as leave one setting, and the first has at least `least` calls.
 */
export function rungsOf(
  { strategy, eta }: Sweep,
  points: number,
  calls: number | null,
  least: number,
): number[] {
  if (strategy !== "halving" || calls === null) return [];
  const rungs: number[] = [calls];
  for (let left = points; left > 1; left = Math.ceil(left / eta)) {
    const next = Math.floor(rungs[0] / eta);
    if (next < least) break;
    rungs.unshift(next);
  }
  return rungs;
}

export const SWEEP_VERSION = 1;

export function sweepText(sweep: Sweep): string {
  return `${JSON.stringify({ version: SWEEP_VERSION, ...sweep }, null, 2)}\n`;
}

/** Parses the text of `sweep.json`. Throws a UserError that names the file if it is damaged. */
export function parseSweep(text: string, file: string): Sweep {
  let value: Partial<Sweep> & { readonly version?: unknown };
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError("it is damaged: it is not JSON", { source: file, cause: error });
  }
  const { version, ...sweep } = value ?? {};
  if (version !== SWEEP_VERSION) {
    throw new UserError(`it has version ${show(version)}, but this gflownet reads version ${SWEEP_VERSION}`, {
      source: file,
    });
  }
  return sweepFromInput({ ...sweep, samples: sweep.samples ?? undefined });
}
