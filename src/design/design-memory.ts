// Refuses strings that are too long for the memory, before anything is scored or compiled.

import type { Environment } from "../gfn/environment/environment.ts";
import { designNeeds } from "../gfn/training/memory-needs.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { UserError } from "../issues.ts";
import { formatBytes, type MemoryBudget, memoryBudget, memoryExcess } from "../math/memory-budget.ts";

/** Throws a UserError that names the length, the memory it needs, the available memory, and a length that would fit. */
export function checkDesignMemory(
  environment: Environment,
  settings: Settings,
  budget: MemoryBudget = memoryBudget(),
): void {
  const needs = designNeeds(environment, settings);
  const unlimited = Number.POSITIVE_INFINITY;
  // Both pools may be too small; the message is about the one that allows the shorter strings.
  const [excess] = [
    memoryExcess(needs, { ...budget, heap: unlimited }),
    memoryExcess(needs, { ...budget, memory: unlimited }),
  ]
    .filter((each) => each !== null)
    .sort((a, b) => a.available / a.bytes - b.available / b.bytes);
  if (!excess) return;
  const { bytes, available, largest } = excess;
  const { maxSteps, hasStop } = environment;
  const length = maxSteps - (hasStop ? 1 : 0);
  // No need grows more slowly than the length, except that of the parameters.
  const fits = Math.floor((length * available) / bytes);
  const shorter = fits > 0 ? `use strings of at most about ${roundedDown(fits)}` : "use shorter strings";
  throw new UserError([
    {
      path: "length",
      code: "memory",
      message:
        `${length} would take about ${formatBytes(bytes)} of memory, most of it for ${largest.what} ` +
        `(${formatBytes(largest.bytes)}), but about ${formatBytes(available)} are available; ${shorter}` +
        `${largest.options ? `, or lower one of ${largest.options.join(", ")} in \`training\`` : ""}`,
    },
  ]);
}

/** Rounded down to two digits: the estimate is not more exact. */
function roundedDown(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.floor(value / unit) * unit;
}
