// The public surface of the library in a browser. It has the names of `index.ts`; those that need a file system throw.

import { UserError } from "./issues.ts";
import { type FitOptions, fitWith } from "./trained/fit.ts";
import { NO_STORAGE, type Trained } from "./trained/trained.ts";

export * from "./exports.ts";

/** Trains a model and returns it, as in Node. Its method `save` throws. */
export const fit: (options: FitOptions) => Promise<Trained> = fitWith(NO_STORAGE);

/** Throws: a browser has no run folders. */
export async function openRun(): Promise<Trained> {
  throw new UserError("openRun needs a file system, which a browser does not have");
}

/** Throws: a browser has no run folders. */
export async function listRuns(): Promise<never> {
  throw new UserError("listRuns needs a file system, which a browser does not have");
}

/** Throws: designs are made in Node. */
export async function design(): Promise<never> {
  throw new UserError("design needs Node; in a browser, train with `fit` and `calls`");
}
