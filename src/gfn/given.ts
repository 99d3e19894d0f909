// Rows of a batch that follow an object known already: they train on it without drawing it.

import type { Environment } from "./environment.ts";
import type { EpisodeBuffer } from "./episode-buffer.ts";

/** Which rows are given, and their episodes, as `rollout` takes them. */
export class GivenRows {
  /** 1 where a row is given, [rows]. */
  readonly rows: Float32Array;
  /** [steps, rows]; −1 where an intention is not known. */
  readonly actions: Int32Array;
  /** [steps, rows]; −1 for a stop and after the end. */
  readonly outcomes: Int32Array;
  readonly #environment: Environment;
  #next = 0;

  constructor(environment: Environment, rows: number) {
    this.#environment = environment;
    this.rows = new Float32Array(rows);
    this.actions = new Int32Array(environment.maxSteps * rows);
    this.outcomes = new Int32Array(environment.maxSteps * rows);
  }

  /** All rows draw their own again. */
  clear(): void {
    this.rows.fill(0);
    this.#next = 0;
  }

  /** The next row follows these outcomes; what was intended is not known. */
  addWay(way: readonly number[]): void {
    const { stops, actions, maxSteps } = this.#environment;
    const row = this.#next++;
    const rows = this.rows.length;
    this.rows[row] = 1;
    for (let t = 0; t < maxSteps; t++) {
      const known = t < way.length;
      this.outcomes[t * rows + row] = known ? way[t] : -1;
      this.actions[t * rows + row] = known || !stops ? -1 : actions - 1;
    }
  }

  /** The next row follows an episode that was played before, what was intended included. */
  addEpisode(buffer: EpisodeBuffer, slot: number): void {
    const row = this.#next++;
    this.rows[row] = 1;
    buffer.copyTo(slot, this, row);
  }
}
