// The off-policy rows of a batch: rows that follow a given object or a stored trajectory instead of sampling one.

import type { Environment } from "../environment/environment.ts";
import type { ReplayBuffer } from "./replay-buffer.ts";

/** Which rows are off-policy, and their trajectories, in the form in which `rollout` takes them. */
export class OffPolicyRows {
  /** 1 for an off-policy row, [rows]. */
  readonly mask: Float32Array;
  /** [steps, rows]; −1 if the action is unknown. */
  readonly actions: Int32Array;
  /** [steps, rows]; −1 for a stop and after the end. */
  readonly outcomes: Int32Array;
  /** 1 for each step that follows the outcomes of `addPrefix`, [steps, rows]. */
  readonly steps: Float32Array;
  readonly #environment: Environment;
  #next = 0;

  constructor(environment: Environment, rows: number) {
    this.#environment = environment;
    this.mask = new Float32Array(rows);
    this.actions = new Int32Array(environment.maxSteps * rows);
    this.outcomes = new Int32Array(environment.maxSteps * rows);
    this.steps = new Float32Array(environment.maxSteps * rows);
  }

  /** Makes every row on-policy again. */
  clear(): void {
    this.mask.fill(0);
    this.steps.fill(0);
    this.#next = 0;
  }

  /** The next row follows these outcomes. Its actions are unknown, apart from the stop. */
  addOutcomes(outcomes: readonly number[]): void {
    const { hasStop, actions, maxSteps } = this.#environment;
    const row = this.#next++;
    const rows = this.mask.length;
    this.mask[row] = 1;
    for (let t = 0; t < maxSteps; t++) {
      const hasOutcome = t < outcomes.length;
      this.outcomes[t * rows + row] = hasOutcome ? outcomes[t] : -1;
      this.actions[t * rows + row] = hasOutcome || !hasStop ? -1 : actions - 1;
    }
  }

  /** The next row follows the first `kept` of these outcomes, and then the policy. */
  addPrefix(outcomes: readonly number[], kept: number): void {
    const row = this.#next++;
    const rows = this.mask.length;
    this.mask[row] = 1;
    for (let t = 0; t < this.#environment.maxSteps; t++) {
      this.outcomes[t * rows + row] = t < kept ? outcomes[t] : -1;
      this.actions[t * rows + row] = -1;
      this.steps[t * rows + row] = t < kept ? 1 : 0;
    }
  }

  /** The next row follows a stored trajectory, with its actions and outcomes. */
  addTrajectory(buffer: ReplayBuffer, slot: number): void {
    const row = this.#next++;
    this.mask[row] = 1;
    buffer.copyTo(slot, this, row);
  }
}
