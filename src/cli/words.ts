// Sentences that several commands say.

import { isAbsolute, relative } from "node:path";
import type { Environment } from "../gfn/environment.ts";
import { hasRegimes } from "../gfn/environments/regime.ts";
import type { FoundModes } from "../gfn/evaluate/run-metrics.ts";
import { count } from "../report/text-table.ts";
import type { Task } from "../tasks/task.ts";
import type { CompleteConfig } from "./config/keys.ts";

/** What a run is about, and what its scores really are. */
export function describeRun({
  config,
  task,
}: {
  readonly config: CompleteConfig;
  readonly task: Task;
}): string {
  const { balance, dynamics, loss, engine, threads, rewardExponent, seed } = config;
  return [
    `${task.name}, ${noiseOf(task.environment)}, reward exponent ${rewardExponent}: ${task.label}`,
    `${balance} + ${dynamics} + ${loss}${readingOf(config)}, ${count(config.iterations)} iterations of ${config.batch}, seed ${seed}, ` +
      `${engine} on ${threads} thread${threads === 1 ? "" : "s"}`,
  ].join("\n");
}

/** How noisy an environment is. */
export function noiseOf(environment: Environment): string {
  if (!hasRegimes(environment)) return environment.noise ?? `stick ${environment.stick}`;
  return `hidden stick ${environment.regimes.map(({ stick }) => stick).join(" or ")}`;
}

/** What the policy reads, if anything. */
function readingOf({ encoder, encoderLayers, encoderWidth }: CompleteConfig): string {
  return encoder === "none" ? "" : `, encoder ${encoder} (${encoderLayers} × ${encoderWidth})`;
}

/** A folder as people type it, from where they are. */
export function shortPath(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === "" || path.startsWith("..") || isAbsolute(path) ? folder : path;
}

/** The same for a command that is to be copied. */
export function inShell(folder: string): string {
  const path = shortPath(folder);
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export function modesLine({ greedy, recall, localMaxima }: FoundModes): string {
  const parts = [`${greedy} far apart among the best samples`];
  if (recall !== null) parts.push(`${(100 * recall).toFixed(0)} % of the known modes sampled`);
  if (localMaxima) parts.push(`${localMaxima.found} of ${localMaxima.of} local maxima sampled`);
  return `modes: ${parts.join(", ")}`;
}
