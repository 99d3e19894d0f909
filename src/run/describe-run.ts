// Human-readable descriptions of a run, one line each.

import type { CompleteConfig } from "../config/config.ts";
import { hasRegimes } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { CIRCLES_SAMPLES, type ModeCounts, type ModeSetCount } from "../gfn/evaluate/mode-counts.ts";
import { plannedIterations } from "../gfn/training/plan.ts";
import { formatCount, formatCountOf, shortNumber } from "../report/text-format.ts";
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
  return seconds === undefined ? `${formatCount(iterations ?? 0)} iterations` : `${seconds} s in iterations`;
}

export function describeNoise(environment: Environment): string {
  if (!hasRegimes(environment)) return environment.noiseDescription ?? `stick ${environment.stick}`;
  return `hidden stick ${environment.regimes.map(({ stick }) => stick).join(" or ")}`;
}

function describeEncoder({ encoder, encoderLayers, encoderWidth }: CompleteConfig): string {
  return encoder === "none" ? "" : `, encoder ${encoder} (${encoderLayers} × ${encoderWidth})`;
}

/**
 * A line of the modes among the samples, and a line with the probability of each kind of modes, which does not depend on
 * the number of samples.
 */
export function describeModes({ samples, circles, knownModes, localMaxima }: ModeCounts): string {
  const sets = [
    ["known modes", knownModes],
    ["local maxima", localMaxima],
  ] as const;
  const counts = sets.flatMap(([name, count]) => (count ? [countText(name, count)] : []));
  const packed = `${formatCountOf(circles, "circle")} among the best ${CIRCLES_SAMPLES}`;
  return [
    `modes in ${formatCountOf(samples, "sample")}: ${[packed, ...counts].join(", ")}`,
    ...sets.flatMap(([name, count]) => (count ? probabilityLine(name, count) : [])),
  ].join("\n");
}

function countText(name: string, { found, of, expected }: ModeSetCount): string {
  const perfect = expected === null ? "" : ` (a perfect sampler: ${formatMean(expected)})`;
  return `${formatCount(found)} of ${formatCount(of)} ${name}${perfect}`;
}

function probabilityLine(name: string, { probability, targetProbability }: ModeSetCount): string[] {
  if (probability === null || targetProbability === null) return [];
  const [policy, target] = [probability, targetProbability].map(shortNumber);
  return [`probability of the ${name}: ${policy}, target ${target}`];
}

/** A mean number of objects: with one digit if it is small. */
function formatMean(value: number): string {
  return value < 10 ? value.toFixed(1) : formatCount(Math.round(value));
}
