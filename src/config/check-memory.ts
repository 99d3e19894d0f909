// Refuses a config that would take more memory than there is, before anything is allocated, and says what would fit.

import { limitNeeds, type MemorySizes, taskNeeds, trainingNeeds } from "../gfn/training/memory-needs.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { type Issue, UserError } from "../issues.ts";
import {
  formatBytes,
  type MemoryExcess,
  type MemoryNeed,
  memoryBudget,
  memoryExcess,
} from "../math/memory-budget.ts";
import type { Key } from "../settings/keys.ts";
import { type Config, definitionOf, keysOf } from "./config.ts";
import { type FilledConfig, settingsIn, taskOptions, withDefaults } from "./fill-defaults.ts";

/** What a config is used for: only building its task, computing its limit, or training and evaluating. */
export type Purpose = "task" | "limit" | "train";

/** Largest number of values that the message names. */
const MOST_VALUES = 3;

/** Throws a UserError that names the value, the memory it needs, the available memory, and values that would fit. */
export async function checkMemory(config: Config, purpose: Purpose): Promise<void> {
  const budget = memoryBudget();
  const filled = await withDefaults(config);
  const excess = memoryExcess(await memoryNeeds(filled, purpose), budget);
  if (!excess) return;
  const fits = async (changes: Config) => {
    try {
      const changed = await withDefaults({ ...config, ...changes });
      return !memoryExcess(await memoryNeeds(changed, purpose), budget);
    } catch {
      return false; // the value is invalid beside the others
    }
  };
  const fittingValues = async (keys: readonly string[]): Promise<Fitting[]> => {
    const found: Fitting[] = [];
    for (const key of keys) {
      const step = key === "encoderWidth" ? 2 * (filled.encoderHeads as number) : 1;
      const value = await largestFitting(filled[key], step, (smaller) => fits({ [key]: smaller } as Config));
      if (value !== undefined) found.push({ key, value });
    }
    return found;
  };
  const ofLargest = await fittingValues(excess.largest.options ?? []);
  const fitting = ofLargest.length > 0 ? ofLargest : await fittingValues(sizeOptions(config));
  throw new UserError([memoryIssue(filled, excess, fitting)]);
}

/** A value of a key with which the config would fit. */
interface Fitting {
  readonly key: string;
  readonly value: unknown;
}

/** The estimated memory of a config, by purpose. */
export async function memoryNeeds(config: FilledConfig, purpose: Purpose): Promise<MemoryNeed[]> {
  const options = await taskOptions(config as Config);
  const implementation = await definitionOf(config as Config).load();
  const { objects, modes } = implementation.sizes(options);
  const sizes: MemorySizes = { environment: implementation.environment(options), terminals: objects, modes };
  if (purpose === "task") return taskNeeds(sizes);
  if (purpose === "limit") return limitNeeds(sizes);
  return trainingNeeds(sizes, settingsIn(config as Config) as Settings, config.samples as number);
}

/** Options of the task that are whole numbers. */
function sizeOptions(config: Config): string[] {
  const { keys } = definitionOf(config);
  return Object.entries<Key>(keys).flatMap(([name, { kind }]) => (kind.argument === "<n>" ? [name] : []));
}

/** The largest smaller multiple of `step` that fits; undefined if none does. A list of widths is lowered as a whole. */
async function largestFitting(
  value: unknown,
  step: number,
  fits: (value: unknown) => Promise<boolean>,
): Promise<unknown> {
  if (Array.isArray(value)) {
    const widths = value as readonly number[];
    const capped = (most: number) => widths.map((width) => Math.min(width, most));
    const most = await largestBelow(Math.max(...widths, 0), step, (cap) => fits(capped(cap)));
    return most === undefined ? undefined : capped(most);
  }
  return typeof value === "number" ? largestBelow(value, step, fits) : undefined;
}

/** The largest multiple of `step` below `value` that fits. Small ranges are searched completely, because only some of
 * their numbers may be valid, such as the multiples of another option. */
async function largestBelow(
  value: number,
  step: number,
  fits: (value: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (value <= 64) {
    for (let smaller = value - 1; smaller >= 1; smaller--) if (await fits(smaller)) return smaller;
    return undefined;
  }
  let [low, high] = [0, Math.ceil(value / step)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await fits(middle * step)) low = middle;
    else high = middle;
  }
  return low === 0 ? undefined : step * rounded(low);
}

/** Rounded down to two digits: the estimate is not more exact. */
function rounded(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.floor(value / unit) * unit;
}

function memoryIssue(
  config: FilledConfig,
  { bytes, available, largest }: MemoryExcess,
  fitting: readonly Fitting[],
): Issue {
  const keys = keysOf(definitionOf(config as Config));
  const text = (key: string, value: unknown) => keys[key].kind.toText(value);
  const [first, ...others] = fitting.slice(0, MOST_VALUES);
  const need =
    `would take about ${formatBytes(bytes)} of memory, most of it for ${largest.what} (${formatBytes(largest.bytes)}), ` +
    `but about ${formatBytes(available)} are available`;
  if (!first) {
    return { path: "task", code: "memory", message: `${config.task} ${need}; lower several of its options` };
  }
  const alternatives = others.map(({ key, value }) => `, or \`${key}\` ${text(key, value)}`).join("");
  const asked = text(first.key, config[first.key as keyof FilledConfig]);
  const remedy = `at most ${text(first.key, first.value)} fits${alternatives}`;
  return { path: first.key, code: "memory", message: `${asked} ${need}; ${remedy}` };
}
