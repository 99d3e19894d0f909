// Remembers the last limit of each environment: a run needs it when it starts and when it ends, and expectation
// maximisation can take seconds.

import type { Environment } from "../environment/environment.ts";
import type { Model } from "../policy/model.ts";
import type { Limit } from "./limit.ts";

interface Remembered {
  readonly historyInputs: string;
  readonly target: Float64Array;
  readonly limit: Limit;
}

const remembered = new WeakMap<Environment, Remembered>();

/** The limit for this target, computed only if the last call for the environment had other inputs. */
export function rememberedLimit(
  { environment, historyInputs }: Pick<Model, "environment" | "historyInputs">,
  target: Float64Array,
  compute: () => Limit,
): Limit {
  const inputs = JSON.stringify(historyInputs);
  const last = remembered.get(environment);
  if (last?.historyInputs === inputs && isEqual(last.target, target)) return last.limit;
  const limit = compute();
  remembered.set(environment, { historyInputs: inputs, target: target.slice(), limit });
  return limit;
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
