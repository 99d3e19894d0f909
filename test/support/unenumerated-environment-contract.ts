// The contract of an environment without an enumeration as tests, along sampled trajectories.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { RandomStream } from "../../src/engine/index.ts";
import { type Environment, isEnumerable } from "../../src/gfn/environment/environment.ts";
import { oneHotRows } from "../../src/nn/one-hot.ts";
import { chiSquare, chiSquareLimit } from "./chi-square.ts";
import { sampledOutcomes, sampledTrajectories, TRAJECTORIES } from "./environment-contract.ts";
import { type HostState, hostStatesOf, rowsOf, stateInputs, stateOf } from "./environment-walk.ts";
import { evaluate } from "./gradients.ts";
import { inFloat64 } from "./tabular.ts";

const SEED = RandomStream.fromSeed(17);
/** Number of sampled outcomes per action. */
const SAMPLES = 1000;
/** Number of states that are tested per step. */
const STATES = 3;

/** `testedSteps` are the step numbers at which masks and noise are tested. */
export function unenumeratedEnvironmentContract(
  name: string,
  make: () => Environment,
  testedSteps: readonly number[],
): void {
  describe(name, () => {
    const environment = make();
    const { actions, outcomes: C, hasStop, stick, maxSteps: T } = environment;
    let trajectories: ReturnType<typeof sampledTrajectories>;
    /** States by step and by trajectory. */
    let states: HostState[][];
    beforeAll(() => {
      trajectories = sampledTrajectories(environment);
      const all = hostStatesOf(trajectories);
      states = Array.from({ length: T + 1 }, (_, t) => all.slice(t * TRAJECTORIES, (t + 1) * TRAJECTORIES));
    });
    const outcomesOf = (row: number) =>
      Array.from({ length: T }, (_, t) => t)
        .filter((t) => states[t][row].running > 0)
        .map((t) => trajectories.outcome[t * TRAJECTORIES + row])
        .filter((outcome) => outcome >= 0);
    /** A few running states after t steps, with their legal actions. */
    const runningStates = (t: number) => {
      const running = states[t].filter((state) => state.running > 0).slice(0, STATES);
      const { allowed } = inFloat64(
        (inputs) => ({
          allowed: np.broadcastTo(environment.allowed(stateOf(inputs), t), [running.length, actions]), // [B, A]
        }),
        stateInputs(environment, running),
      );
      return rowsOf(allowed, running.length).map((row, i) => ({
        state: running[i],
        legal: row.flatMap((allow, action) => (allow ? [action] : [])),
      }));
    };
    const isStop = (action: number) => hasStop && action === actions - 1;

    test("has no enumeration", () => {
      expect(isEnumerable(environment)).toBe(false);
    });

    test("ends every trajectory within maxSteps, and maxSteps is not too large", () => {
      expect(states[T].every(({ running }) => running === 0)).toBe(true);
      expect(states[T - 1].some(({ running }) => running === 1)).toBe(true);
      for (let t = 0; t < T; t++) {
        states[t].forEach(({ running }, row) => {
          expect(states[t + 1][row].running).toBeLessThanOrEqual(running);
        });
      }
    });

    test("keeps the state of a trajectory that has ended", () => {
      for (let t = 0; t < T; t++) {
        states[t].forEach((state, row) => {
          if (state.running === 0) expect(states[t + 1][row]).toEqual(state);
        });
      }
    });

    test("ends a trajectory at a stop, and changes its state at a move", () => {
      for (let t = 0; t < T; t++) {
        states[t].forEach((state, row) => {
          if (state.running === 0) return;
          const after = states[t + 1][row];
          if (isStop(trajectories.action[t * TRAJECTORIES + row]))
            expect(after).toEqual({ ...state, running: 0 });
          else expect(after.features).not.toEqual(state.features);
        });
      }
    });

    test.each(testedSteps)("allows actions after %i steps that lead to distinct states", (t) => {
      for (const { state, legal } of runningStates(t)) {
        expect(legal.length).toBeGreaterThan(0);
        const tries = legal.map((action) => ({ state, action }));
        // With the largest uniform number, 1 − 2⁻²⁴, there is no noise.
        const uniform = new Float32Array(tries.length * 2).fill(1 - 2 ** -24);
        const results = sampledOutcomes(environment, t, tries, uniform);
        expect(Array.from(results.outcome)).toEqual(
          Array.from(
            oneHotRows(
              legal.map((action) => (isStop(action) ? -1 : action)),
              C,
            ),
          ),
        );
        const after = hostStatesOf(results);
        expect(new Set(after.map(({ features }) => features.join())).size).toBe(legal.length);
        expect(new Set(after.map(({ index }) => index)).size).toBe(legal.length);
      }
    });

    test.each(testedSteps)("has the frequencies of stick noise after %i steps", (t) => {
      const [{ state, legal }] = runningStates(t);
      const moves = legal.filter((action) => !isStop(action));
      const tested = [legal[0], legal[legal.length >> 1], legal[legal.length - 1]];
      const draws = tested.flatMap((action) => new Array<number>(SAMPLES).fill(action));
      const { outcome } = evaluate(
        ({ action, uniform, ...arrays }) => ({
          outcome: environment.sampleOutcome(stateOf(arrays), t, action, uniform), // [B, C]
        }),
        {
          ...stateInputs(environment, new Array<HostState>(draws.length).fill(state)),
          action: { shape: [draws.length, actions], data: oneHotRows(draws, actions) },
          uniform: {
            shape: [draws.length, 2],
            data: SEED.split(`noise ${t}`).fillUniform(new Float32Array(draws.length * 2)),
          },
        },
        "float32",
      );
      const rows = rowsOf(outcome, draws.length);
      tested.forEach((action, i) => {
        const counts = new Array<number>(C).fill(0);
        const sums = new Set<number>();
        for (const row of rows.slice(i * SAMPLES, (i + 1) * SAMPLES)) {
          sums.add(row.reduce((a, b) => a + b));
          if (!isStop(action)) counts[row.indexOf(1)]++;
        }
        expect([...sums]).toEqual([isStop(action) ? 0 : 1]);
        if (isStop(action)) return;
        const probabilities = counts.map((_, c) =>
          moves.includes(c) ? (c === action ? 1 - stick : 0) + stick / moves.length : 0,
        );
        expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
      });
    });

    test("finds objects by the texts that it writes", () => {
      const rows = Array.from({ length: TRAJECTORIES }, (_, row) => row);
      const texts = rows.map((row) => environment.describe(outcomesOf(row)));
      const found = texts.map((text) => environment.trajectoryOf(text, SEED.split(text)));
      expect(found.map((outcomes) => environment.describe(outcomes))).toEqual(texts);
      const ends = hostStatesOf(followOutcomes(environment, found));
      expect(ends).toEqual(states[T]);
      const objects = new Set(ends.map(({ features }) => features.join()));
      expect(objects.size).toBe(new Set(texts).size);
      expect(new Set(ends.map(({ index }) => index)).size).toBe(objects.size);
    });

    test("rejects an invalid text, which the error names", () => {
      const text = "no, none!";
      expect(() => environment.trajectoryOf(text, SEED)).toThrow(RangeError);
      expect(() => environment.trajectoryOf(text, SEED)).toThrow(JSON.stringify(text));
    });
  });
}

/**
 * The states that sequences of outcomes lead to. The outcomes are also taken as the actions, and a stop follows if
 * there is one.
 */
function followOutcomes(environment: Environment, trajectories: readonly (readonly number[])[]) {
  const { actions, outcomes: C, maxSteps: T, hasStop } = environment;
  const B = trajectories.length;
  const paddedWith = (padding: number) =>
    Array.from({ length: T }, (_, t) =>
      trajectories.map((outcomes) => (t < outcomes.length ? outcomes[t] : padding)),
    ).flat();
  return inFloat64(
    (inputs) => {
      const action = np.split(inputs.action, T, 0); // T × [B, A]
      const outcome = np.split(inputs.outcome, T, 0); // T × [B, C]
      let state = environment.start(B);
      for (let t = 0; t < T; t++) state = environment.advance(state, t, action[t], outcome[t]);
      return { ...state };
    },
    {
      action: { shape: [T * B, actions], data: oneHotRows(paddedWith(hasStop ? actions - 1 : -1), actions) },
      outcome: { shape: [T * B, C], data: oneHotRows(paddedWith(-1), C) },
    },
  );
}
