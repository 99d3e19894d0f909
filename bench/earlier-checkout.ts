// An earlier version of this library as a rival: another checkout, in which `npm ci` has run.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "./benchmark.ts";
import type { Rival } from "./python.ts";

const WORKER = "bench/worker.ts";

/** The checkout in the folder `GFLOWNET_EARLIER`. Undefined if the variable is not set. */
export async function findEarlier(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Rival | undefined> {
  const folder = environment.GFLOWNET_EARLIER;
  if (!folder) return undefined;
  for (const needed of [WORKER, "node_modules"]) {
    if (existsSync(join(folder, needed))) continue;
    throw new UsageError(
      `GFLOWNET_EARLIER must be the folder of a checkout of this repository in which \`npm ci\` has run: ${folder} has no ${needed}.`,
    );
  }
  const { stdout } = await promisify(execFile)("git", ["-C", folder, "rev-parse", "--short", "HEAD"]);
  return {
    version: stdout.trim(),
    command: (workload, hidden, seconds, { threads = 1 } = {}) => ({
      file: process.execPath,
      folder,
      parameters: [
        "--import",
        "tsx",
        WORKER,
        "rate",
        workload,
        String(hidden),
        String(seconds),
        String(threads),
        "native",
      ],
      threads,
    }),
  };
}
