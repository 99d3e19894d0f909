// Human-readable descriptions of a run, one line each.

import type { CompleteConfig } from "../config/config.ts";
import { hasRegimes } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import type { ModeCounts } from "../gfn/evaluate/mode-counts.ts";
import { plannedIterations } from "../gfn/training/plan.ts";
import { formatCount } from "../report/text-format.ts";
import type { Task } from "../tasks/task.ts";

/** Two lines: the task with its noise and scores, and the objective with its budget. */
export function describeRun({
  config,
  task,
}: {
  readonly config: CompleteConfig;
  readonly task: Pick<Task, "name" | "label" | "environment">;
}): string {
  const { balance, dynamics, loss, engine, threads, rewardExponent, seed } = config;
  return [
    `${task.name}, ${describeNoise(task.environment)}, reward exponent ${rewardExponent}: ${task.label}`,
    `${balance} + ${dynamics} + ${loss}${describeEncoder(config)}, ${describeLength(config)} of ` +
      `${config.batch}, seed ${seed}, ${engine} on ${threads} thread${threads === 1 ? "" : "s"}`,
  ].join("\n");
}

function describeLength({ iterations, seconds, plan }: CompleteConfig): string {
  if (plan) return `a recorded plan of ${formatCount(plannedIterations(plan) ?? 0)} iterations`;
  return seconds === undefined ? `${formatCount(iterations ?? 0)} iterations` : `${seconds} s of iterations`;
}

export function describeNoise(environment: Environment): string {
  if (!hasRegimes(environment)) return environment.noiseDescription ?? `stick ${environment.stick}`;
  return `hidden stick ${environment.regimes.map(({ stick }) => stick).join(" or ")}`;
}

function describeEncoder({ encoder, encoderLayers, encoderWidth }: CompleteConfig): string {
  return encoder === "none" ? "" : `, encoder ${encoder} (${encoderLayers} × ${encoderWidth})`;
}

export function describeModes({ greedy, recall, localMaxima }: ModeCounts): string {
  const parts = [`${greedy} far apart among the best samples`];
  if (recall !== null) parts.push(`${(100 * recall).toFixed(0)} % of the known modes sampled`);
  if (localMaxima) parts.push(`${localMaxima.found} of ${localMaxima.of} local maxima sampled`);
  return `modes: ${parts.join(", ")}`;
}
