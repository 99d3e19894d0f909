// The terminal objects of sampled trajectories, as texts.

import type { Environment } from "../environment/environment.ts";
import type { TrajectoryIndices } from "./replay-buffer.ts";

/** The text of the object of each of `rows` trajectories. */
export function objectsOf(
  environment: Environment,
  { outcomes }: Pick<TrajectoryIndices, "outcomes">,
  rows: number,
): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const path: number[] = [];
    for (let t = 0; t < environment.maxSteps; t++) {
      const outcome = outcomes[t * rows + row];
      if (outcome >= 0) path.push(outcome);
    }
    return environment.describe(path);
  });
}
