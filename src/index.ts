// The names that most programs need: environments, tasks, training, trained models and runs. All other names are in
// subpaths, such as gflownet/gfn and gflownet/nn.
//
// A browser has no file system, so bundlers take `index.browser.ts` instead, which has the same names.

import { runStorage } from "./run/saved-run.ts";
import { type FitOptions, fitWith } from "./trained/fit.ts";
import type { Trained } from "./trained/trained.ts";

export * from "./exports.ts";

// Designs

export { design } from "./design/design.ts";

// Runs on disk

export { listRuns } from "./run/list-runs.ts";
export { openRun } from "./run/saved-run.ts";

// Training

/**
 * Trains a model and returns it. Give an environment with scores, or a task, and a number of `iterations` or `seconds`;
 * every setting has a default.
 *
 * @example
 * ```ts
 * import { fit, hypergridTask } from "gflownet";
 *
 * const task = hypergridTask({ stick: 0.25, side: 4 });
 * const trained = await fit({ task, iterations: 20, batch: 16, hidden: [16] });
 * const evaluation = await trained.evaluate();
 * if (evaluation.exact) console.log(evaluation.reached.tv, evaluation.limit.tv);
 * await trained.dispose();
 * ```
 */
export const fit: (options: FitOptions) => Promise<Trained> = fitWith(runStorage);
