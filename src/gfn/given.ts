// Rows of a batch that follow an object known already: they train on it without drawing it.

import type { RandomStream } from "../engine/index.ts";
import type { EnumerableEnvironment } from "./environment.ts";

/** Host arrays for the rows of `rollout`'s `given`. */
export interface GivenRows {
  readonly givenRows: Float32Array;
  readonly givenActions: Int32Array;
  readonly givenOutcomes: Int32Array;
}

export function givenRows({ maxSteps }: EnumerableEnvironment, batch: number): GivenRows {
  return {
    givenRows: new Float32Array(batch),
    givenActions: new Int32Array(maxSteps * batch),
    givenOutcomes: new Int32Array(maxSteps * batch),
  };
}

/** The first `terminals.length` rows follow a way to these objects, the others draw their own. */
export function giveObjects(
  environment: EnumerableEnvironment,
  rows: GivenRows,
  terminals: readonly number[],
  stream: RandomStream,
): void {
  const batch = rows.givenRows.length;
  const stop = environment.actions - 1;
  rows.givenRows.fill(0);
  for (const [row, terminal] of terminals.entries()) {
    rows.givenRows[row] = 1;
    const outcomes = environment.wayTo(terminal, stream);
    for (let t = 0; t < environment.maxSteps; t++) {
      const at = t * batch + row;
      const known = t < outcomes.length;
      rows.givenOutcomes[at] = known ? outcomes[t] : -1;
      rows.givenActions[at] = known ? outcomes[t] : environment.stops ? stop : 0;
    }
  }
}
