// Small trained runs on disk, for tests of views.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openRun, runStorage } from "../../src/run/saved-run.ts";
import { configureRun, startRun, trainRun } from "../../src/run/train-run.ts";
import { type FitOptions, fitWith } from "../../src/trained/fit.ts";
import type { Trained } from "../../src/trained/trained.ts";
import type { ViewData, ViewName, ViewOptions } from "../../src/views/view-data.ts";
import { closeViews, viewData } from "../../src/views/views.ts";

export const SMALL = { iterations: 5, batch: 16, hidden: [8], seed: 3, engine: "native" } as const;

/** A run on disk, and its model in memory. */
export interface ViewedRun {
  readonly folder: string;
  readonly model: Trained;
}

/** Trains runs into a folder that is deleted after the tests, together with everything that views keep. */
export function viewRuns() {
  const base = mkdtempSync(join(tmpdir(), "gflownet views é "));
  const models: Trained[] = [];
  const keep = (model: Trained, folder: string): ViewedRun => {
    models.push(model);
    return { folder, model };
  };
  const nextFolder = () => join(base, `run ${models.length + 1}`);
  afterAll(async () => {
    await closeViews();
    for (const model of models) await model.dispose();
    rmSync(base, { recursive: true });
  });
  return {
    base,
    async trained(options: FitOptions): Promise<ViewedRun> {
      const folder = nextFolder();
      const model = await fitWith(runStorage)({ ...SMALL, ...options });
      await model.save(folder);
      return keep(model, folder);
    },
    /** A run of a task of the registry, as the command line trains it. */
    async trainedTask(
      config: Readonly<Record<string, unknown>> & { readonly task: string },
    ): Promise<ViewedRun> {
      const folder = nextFolder();
      const run = await startRun(folder, await configureRun({ ...SMALL, ...config }));
      for await (const _ of trainRun(run));
      await run.run.close();
      return keep(await openRun(folder), folder);
    },
  };
}

/** The data of a view. */
export async function viewOf<V extends ViewData>(
  { folder }: Pick<ViewedRun, "folder">,
  name: ViewName,
  options: ViewOptions = {},
): Promise<V> {
  return (await viewData(folder, name, options)) as V;
}

/** The exact probability of an object under the policy. */
export async function probabilityOf({ model }: ViewedRun, object: string): Promise<number> {
  return Math.exp((await model.logProbability(object)).logProbability);
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
