// The reward of a design as a file: the scale and the exponent that were used in the end, for later evaluations.

import { join } from "node:path";
import { writeFileAtomically } from "../disk/atomic-file.ts";
import { readText } from "../disk/open-file.ts";
import { RunError, withDiskErrors } from "../disk/run-error.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import { GOALS, type Goal, SCALES, type Scale } from "../oracle/reward-shaping.ts";
import type { Problem } from "../problem/problem.ts";
import { DESIGN_FILES } from "./design-folder.ts";
import type { ShapedReward, ShapingOptions } from "./reward-shaper.ts";

/** What `reward.json` says. */
export interface RewardFile {
  readonly goal: Goal;
  readonly scale: Scale;
  readonly exponent: number;
  /** Effective strings of a chosen exponent; null if it was given. */
  readonly effectiveStrings: number | null;
  readonly floor: number;
  /** Whether the reward is the expectation over errors after the design. */
  readonly expected: boolean;
  /** The objectives that scores are made from; absent if the oracle gives one score. */
  readonly objectives?: readonly DesignObjective[];
}

/** The reward of a run with its settings. */
export function rewardFile(
  { exponent, scale, chosen }: ShapedReward,
  { goal, floor }: ShapingOptions,
  { noise, objectives }: Pick<Problem, "noise" | "objectives">,
): RewardFile {
  const effectiveStrings = chosen?.effective ?? null;
  const expected = noise.when === "after";
  return { goal, scale, exponent, effectiveStrings, floor, expected, ...(objectives && { objectives }) };
}

export async function writeReward(folder: string, reward: RewardFile): Promise<void> {
  const file = join(folder, DESIGN_FILES.reward);
  await withDiskErrors("written", file, () =>
    writeFileAtomically(file, `${JSON.stringify(reward, null, 1)}\n`),
  );
}

/** Null if the design has not ended yet. */
export async function readReward(folder: string): Promise<RewardFile | null> {
  const file = join(folder, DESIGN_FILES.reward);
  const text = await readText(file);
  if (text === null) return null;
  try {
    const reward = JSON.parse(text) as RewardFile;
    const { goal, scale, exponent, floor } = reward;
    if (GOALS.includes(goal) && SCALES.includes(scale) && exponent > 0 && floor > 0) return reward;
  } catch {
    // Not JSON: refused below.
  }
  throw new RunError(`${file} is damaged; start the design again to write it`);
}
