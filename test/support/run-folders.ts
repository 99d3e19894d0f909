// Temporary folders with runs for tests. Their names have spaces and non-ASCII letters.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createRun } from "../../src/run/run-folder.ts";

export const CONFIG = '{"version": 1, "task": "hypergrid"}\n';
export const iteration = (number: number) => ({ kind: "iteration", iteration: number, loss: 0.5 });
export const evaluation = (number: number) => ({ kind: "evaluation", iteration: number, exact: true });

/** A folder for the runs of a test file, which is deleted after the tests. */
export function runFolders() {
  const base = mkdtempSync(join(tmpdir(), "gflownet runs é "));
  afterAll(() => rmSync(base, { recursive: true }));
  let made = 0;
  const fresh = () => join(base, `run ${++made} ü`);

  /** A run with these events. */
  async function run(...events: { kind: string }[]): Promise<string> {
    const folder = fresh();
    const created = await createRun(folder, CONFIG);
    for (const event of events) created.appendMetrics(event);
    await created.close();
    return folder;
  }
  return { base, fresh, run };
}
