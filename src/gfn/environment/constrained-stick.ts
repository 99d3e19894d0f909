// The level of the noise of strings under constraints if it happens to be stick noise.

import type { ConstrainedSteps } from "./constrained-steps.ts";

/** The level if the kernel of every node with several letters is stick noise of the same level; undefined otherwise. The
 * definition is that of `stickLevel`, which reads an enumeration. */
export function constrainedStickLevel(steps: ConstrainedSteps): number | undefined {
  const { letters: A, nodes, next, allowed } = steps;
  let level: number | undefined;
  for (let node = 0; node < nodes; node++) {
    const moves = Array.from({ length: A }, (_, a) => a).filter((a) => allowed[node * A + a] === 1);
    const outcomes = next.subarray(node * A, (node + 1) * A).filter((child) => child >= 0).length;
    if (outcomes !== moves.length) return undefined;
    if (moves.length < 2) continue;
    const kernel = steps.kernel(node);
    for (const a of moves) {
      level ??= Math.max(0, (1 - kernel[a * A + a]) / (1 - 1 / moves.length));
      const rest = level / moves.length;
      const isStick = moves.every(
        (c) => Math.abs(kernel[a * A + c] - rest - (c === a ? 1 - (level as number) : 0)) < 1e-9,
      );
      if (!isStick || level >= 1) return undefined;
    }
  }
  return level;
}
