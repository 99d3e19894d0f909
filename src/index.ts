// The public surface of the library in Node. All other names are in subpaths: gflownet/engine, gflownet/array, gflownet/nn,
// gflownet/gfn, gflownet/tasks, gflownet/baselines, gflownet/run and gflownet/forecast.
//
// A browser has no file system, so bundlers take `index.browser.ts` instead, which has the same names.

import { runStorage } from "./run/saved-run.ts";
import { fitWith } from "./trained/fit.ts";

export * from "./exports.ts";
export { listRuns } from "./run/list-runs.ts";
export { openRun } from "./run/saved-run.ts";

/**
 * Trains a model and returns it. Give an environment with scores, or a task, and a number of `iterations` or `seconds`;
 * every setting has a default.
 *
 * @example
 * ```ts
 * import { fit, hypergridTask } from "gflownet";
 *
 * const trained = await fit({ task: hypergridTask({ stick: 0.25, side: 4 }), iterations: 50 });
 * const evaluation = await trained.evaluate();
 * if (evaluation.exact) console.log(evaluation.reached.tv, evaluation.limit.tv);
 * await trained.dispose();
 * ```
 */
export const fit = fitWith(runStorage);
