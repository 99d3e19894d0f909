// The contract of an enumerable environment as tests, for environments of up to a few hundred states. The tests compare
// the array functions with the enumeration in every state and for every action, including the extremes of the random
// numbers.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { RandomStream } from "../../src/engine/index.ts";
import type { Arrays } from "../../src/engine/trace.ts";
import { checkEnvironment } from "../../src/gfn/environment/check-environment.ts";
import type { Observed } from "../../src/gfn/environment/contract/observe.ts";
import { checkStructure } from "../../src/gfn/environment/contract/structure.ts";
import { checkEnumeration } from "../../src/gfn/environment/enumeration.ts";
import type { EnumerableEnvironment, Environment } from "../../src/gfn/environment/environment.ts";
import { flattenTrajectories } from "../../src/gfn/sampling/batch.ts";
import { rollout, uniformsPerStep } from "../../src/gfn/sampling/rollout.ts";
import { oneHotRows } from "../../src/nn/one-hot.ts";
import { chiSquare, chiSquareLimit } from "./chi-square.ts";
import {
  type HostState,
  hostStatesOf,
  rowsOf,
  stateInputs,
  stateOf,
  type Walk,
  walk,
} from "./environment-walk.ts";
import { evaluate, type HostInputs } from "./gradients.ts";
import { inFloat64, nodeAfter, nodesOf, type Step, stepsOf } from "./tabular.ts";

const SEED = RandomStream.fromSeed(13);
/** Number of sampled outcomes per state and action. */
const SAMPLES = 500;
/** Number of samples for actions with a single outcome, where one wrong sample is enough to fail. */
const CERTAIN_SAMPLES = 20;
export const TRAJECTORIES = 64;
/** The smallest and the largest uniform number of a random stream. */
const EXTREMES = [2 ** -24, 1 - 2 ** -24];

/** Cells of a chi-square test are merged if their expected count is smaller than this. */
const MIN_EXPECTED = 5;

export interface ContractOptions {
  /** Whether the kernel must be stick noise of level `stick`. Default: false, which allows any kernel. */
  readonly stickNoise?: boolean;
}

export function environmentContract(
  name: string,
  make: () => EnumerableEnvironment,
  { stickNoise = false }: ContractOptions = {},
): void {
  describe(name, () => {
    const environment = make();
    const enumeration = environment.enumerate();
    const { actions, outcomes, backwardActions, maxSteps, hasStop } = environment;
    const steps = [...stepsOf(enumeration)];
    let walked: Walk;
    beforeAll(() => {
      walked = walk(environment, enumeration);
    });
    const stepsInto = (node: number) =>
      steps.filter((step) => step.outcome >= 0 && nodeAfter(enumeration, step) === node);
    const stepsFrom = ({ index }: HostState, action: number) =>
      steps.filter((step) => step.state === index && step.action === action);
    const sorted = (values: Iterable<number>) => [...new Set(values)].sort((a, b) => a - b);

    test("passes the check that runs before every training", () => {
      expect(() => checkEnvironment(environment)).not.toThrow();
    });

    describe("the enumeration", () => {
      test("has probabilities that sum to one, ordered states, and no unreachable state or object", () => {
        expect(() => checkEnumeration(environment.name, enumeration)).not.toThrow();
      });

      test("has as many states, actions and outcomes as the environment", () => {
        expect(enumeration).toMatchObject({ states: environment.states, actions, outcomes });
      });

      test("has stops without noise, and moves that never stop", () => {
        const stop = hasStop ? actions - 1 : -1;
        let stops = 0;
        for (const step of steps) {
          const { action, outcome, target, probability } = step;
          if (action === stop)
            expect(step).toMatchObject({ outcome: -1, target: -1 - stops++, probability: 1 });
          else {
            expect(outcome).toBeGreaterThanOrEqual(0);
            expect(hasStop && target < 0).toBe(false);
            expect(probability).toBeGreaterThan(0);
          }
        }
      });

      if (!stickNoise) return;
      test("keeps an action with probability 1 − stick and distributes the rest uniformly over the legal ones", () => {
        for (const { state, action, outcome, probability } of steps) {
          if (outcome < 0) continue;
          const legal = sorted(steps.filter((s) => s.state === state && s.outcome >= 0).map((s) => s.action));
          const kept = outcome === action ? 1 - environment.stick : 0;
          expect(probability).toBeCloseTo(kept + environment.stick / legal.length, 12);
        }
      });
    });

    describe("a step", () => {
      test("is allowed exactly if the enumeration has it", () => {
        for (const { state, allowed } of walked.levels.flat()) {
          expect(allowed).toEqual(
            Array.from({ length: actions }, (_, action) => +(stepsFrom(state, action).length > 0)),
          );
        }
      });

      test("leads to the target in the enumeration", () => {
        for (const { state, target, after, terminalIndex, outcome } of walked.steps) {
          expect(after.running).toBe(target >= 0 ? 1 : 0);
          expect(after.index).toBe(nodeAfter(enumeration, { state, target, outcome } as Step));
          if (target < 0) expect(terminalIndex).toBe(-1 - target);
        }
      });

      test("leads to features that identify the state", () => {
        for (const { after } of walked.steps) {
          expect(after.features).toEqual(Array.from(environment.featuresOf([after.index])));
        }
        const nodes = Array.from({ length: nodesOf(environment, enumeration) }, (_, node) =>
          environment.featuresOf([node]).join(),
        );
        expect(new Set(nodes).size).toBe(nodes.length);
      });

      test("reaches every state and terminal within maxSteps, and maxSteps is not too large", () => {
        const targets = sorted(walked.steps.map(({ target }) => target));
        expect(targets).toEqual(
          Array.from(
            { length: enumeration.terminals + enumeration.states },
            (_, i) => i - enumeration.terminals,
          ).filter((i) => i !== 0),
        );
        expect(walked.levels).toHaveLength(maxSteps);
      });
    });

    test("has the structure that `kind` declares, after every step", () => {
      const fail = (what: string): never => {
        throw new RangeError(what);
      };
      const observed = { steps: walked.steps, ends: [], outcomes: [] } as unknown as Observed;
      expect(() => checkStructure(environment, observed, fail)).not.toThrow();
    });

    describe("noise", () => {
      test("has the frequencies of the enumerated kernel", () => {
        const stream = SEED.split("noise");
        walked.levels.forEach((level, t) => {
          const pairs = level.flatMap(({ state }) =>
            Array.from({ length: actions }, (_, action) => ({
              state,
              action,
              steps: stepsFrom(state, action),
            })),
          );
          const legal = pairs.filter(({ steps }) => steps.length > 0);
          const sampleCounts = legal.map(({ steps }) => (steps.length > 1 ? SAMPLES : CERTAIN_SAMPLES));
          const draws = legal.flatMap((pair, i) =>
            new Array<(typeof legal)[number]>(sampleCounts[i]).fill(pair),
          );
          const uniform = stream.fillUniform(new Float32Array(draws.length * 2));
          const drawn = outcomesOf(environment, t, draws, uniform);
          let from = 0;
          legal.forEach(({ steps }, i) => {
            const sampled = drawn.slice(from, from + sampleCounts[i]);
            from += sampleCounts[i];
            const counts = steps.map(({ outcome }) => sampled.filter((c) => c === outcome).length);
            expect(counts.reduce((a, b) => a + b, 0)).toBe(sampleCounts[i]);
            if (steps.length === 1) return;
            const merged = mergeRareCells(
              counts,
              steps.map(({ probability }) => probability),
            );
            expect(chiSquare(merged.counts, merged.probabilities)).toBeLessThan(
              chiSquareLimit(merged.probabilities),
            );
          });
        });
      });

      test("returns one legal outcome for a move and none for a stop, also for extreme random numbers", () => {
        walked.levels.forEach((level, t) => {
          const draws = level.flatMap(({ state, allowed }) =>
            Array.from({ length: actions }, (_, action) => action)
              .filter((action) => allowed[action] === 1)
              .flatMap((action) => EXTREMES.flatMap((u) => EXTREMES.map((v) => ({ state, action, u, v })))),
          );
          const uniform = Float32Array.from(draws.flatMap(({ u, v }) => [u, v]));
          const { outcome } = sampledOutcomes(environment, t, draws, uniform);
          rowsOf(outcome, draws.length).forEach((row, i) => {
            const { state, action } = draws[i];
            const possible = stepsFrom(state, action).map((step) =>
              Array.from(oneHotRows([step.outcome], outcomes)),
            );
            expect(possible).toContainEqual(row);
          });
        });
      });
    });

    describe("a trajectory that has ended", () => {
      test("keeps its state for every action", () => {
        const ended = walked.steps.filter(({ after }) => after.running === 0);
        for (let t = 1; t < maxSteps; t++) {
          const tries = ended
            .filter((step) => step.t < t)
            .flatMap(({ after }) =>
              Array.from({ length: actions }, (_, action) => ({ state: after, action })),
            );
          if (tries.length === 0) continue;
          const uniform = SEED.split("ended").fillUniform(new Float32Array(tries.length * 2));
          expect(hostStatesOf(sampledOutcomes(environment, t, tries, uniform))).toEqual(
            tries.map(({ state }) => state),
          );
        }
      });
    });

    describe("the backward actions", () => {
      const taken = (row: readonly number[]) => row.indexOf(1);
      const moves = () => walked.steps.filter(({ outcome }) => outcome >= 0);

      test("are one-hot for every step, and all 0 for a stop", () => {
        for (const { outcome, backwardAction } of walked.steps) {
          expect(backwardAction.filter((x) => x !== 0)).toEqual(outcome < 0 ? [] : [1]);
        }
      });

      test("are allowed exactly if they belong to a parent edge of the state", () => {
        for (const { after, backwardAllowed } of moves()) {
          const backward = moves()
            .filter((step) => step.after.index === after.index)
            .map((step) => taken(step.backwardAction));
          expect(sorted(backward)).toEqual(
            sorted(
              Array.from({ length: backwardActions }, (_, c) => c).filter((c) => backwardAllowed[c] === 1),
            ),
          );
        }
      });

      test("are distinct for distinct parent edges of a state", () => {
        for (let node = 1; node < nodesOf(environment, enumeration); node++) {
          const arriving = moves().filter(({ after }) => after.index === node);
          expect(arriving.length).toBe(stepsInto(node).length);
          expect(arriving.length).toBeGreaterThan(0);
          expect(sorted(arriving.map((step) => taken(step.backwardAction))).length).toBe(arriving.length);
        }
      });

      test("are grouped by sameParent according to their parent and outcome", () => {
        for (const { after, state, outcome, sameParent, backwardAllowed } of moves()) {
          const arriving = moves().filter((step) => step.after.index === after.index);
          const fromHere = arriving
            .filter((step) => step.state === state && step.outcome === outcome)
            .map((step) => taken(step.backwardAction));
          const grouped = backwardAllowed.flatMap((allowed, c) =>
            allowed && (sameParent?.[c] ?? 1) ? [c] : [],
          );
          expect(grouped).toEqual(sorted(fromHere));
        }
      });
    });

    describe("an object", () => {
      /** The terminal in the enumeration to which a sequence of outcomes leads, followed by a stop if there is one. */
      const endOf = (trajectory: readonly number[]) => {
        let target = 0;
        for (const outcome of hasStop ? [...trajectory, -1] : trajectory) {
          target = steps.find((step) => step.state === target && step.outcome === outcome)!.target;
        }
        return -1 - target;
      };
      const terminals = Array.from({ length: enumeration.terminals }, (_, terminal) => terminal);

      test("has a trajectory that leads to it and a unique text", () => {
        const stream = SEED.split("ways");
        const texts = terminals.map((terminal) => {
          const trajectory = environment.sampleTrajectoryTo(terminal, stream);
          expect(endOf(trajectory)).toBe(terminal);
          return environment.describe(trajectory);
        });
        expect(new Set(texts).size).toBe(enumeration.terminals);
      });

      test("is found by its text", () => {
        const stream = SEED.split("texts");
        for (const terminal of terminals) {
          const text = environment.describe(environment.sampleTrajectoryTo(terminal, stream));
          expect(endOf(environment.trajectoryOf(text, stream))).toBe(terminal);
        }
      });

      test("is not found by an invalid text, which the error names", () => {
        const text = "no, none!";
        expect(() => environment.trajectoryOf(text, SEED)).toThrow(RangeError);
        expect(() => environment.trajectoryOf(text, SEED)).toThrow(JSON.stringify(text));
      });
    });

    test("trajectories in one batch, some of them ended, follow the enumeration", () => {
      const { index, features, running, action, outcome, terminal } = sampledTrajectories(environment);
      const nodes = rowsOf(index, maxSteps + 1);
      const runningByStep = rowsOf(running, maxSteps + 1);
      expect(Array.from(features)).toEqual(Array.from(environment.featuresOf(index)));
      expect(runningByStep[maxSteps].every((x) => x === 0)).toBe(true);
      for (let b = 0; b < TRAJECTORIES; b++) {
        let last: Step | undefined;
        for (let t = 0; t < maxSteps; t++) {
          if (runningByStep[t][b] === 0) {
            expect([nodes[t + 1][b], runningByStep[t + 1][b]]).toEqual([nodes[t][b], 0]);
            continue;
          }
          const row = t * TRAJECTORIES + b;
          last = steps.find(
            (step) =>
              step.state === nodes[t][b] && step.action === action[row] && step.outcome === outcome[row],
          );
          expect(last).toBeDefined();
          expect(nodes[t + 1][b]).toBe(nodeAfter(enumeration, last!));
          expect(runningByStep[t + 1][b]).toBe(last!.target >= 0 ? 1 : 0);
        }
        expect(terminal[b]).toBe(-1 - last!.target);
      }
    });
  });
}

/** Counts and probabilities with all rare cells merged into one, which is dropped if it is still rare. */
function mergeRareCells(counts: readonly number[], probabilities: readonly number[]) {
  const cells = counts.map((count, i) => ({ count, p: probabilities[i] }));
  const isCommon = ({ p }: { p: number }) => p * SAMPLES >= MIN_EXPECTED;
  const rare = cells
    .filter((cell) => !isCommon(cell))
    .reduce((sum, { count, p }) => ({ count: sum.count + count, p: sum.p + p }), { count: 0, p: 0 });
  const kept = [...cells, rare].filter(isCommon);
  const total = kept.reduce((sum, { p }) => sum + p, 0);
  return { counts: kept.map(({ count }) => count), probabilities: kept.map(({ p }) => p / total) };
}

/** An action in a state. */
type Trial = { readonly state: HostState; readonly action: number };

/** The outcomes of actions and the states after them, in float32, the precision of the engines. */
export function sampledOutcomes(
  environment: Environment,
  t: number,
  draws: readonly Trial[],
  uniform: Float32Array,
) {
  const step = (arrays: Arrays) => {
    const outcome = environment.sampleOutcome(stateOf(arrays), t, arrays.action, arrays.uniform);
    return { outcome, ...environment.advance(stateOf(arrays), t, arrays.action, outcome) };
  };
  return evaluate(step, drawInputs(environment, draws, uniform), "float32");
}

/** The indices of the outcomes, −1 for a stop. */
function outcomesOf(
  environment: Environment,
  t: number,
  draws: readonly Trial[],
  uniform: Float32Array,
): number[] {
  const { outcome } = evaluate(
    (arrays) => ({ outcome: environment.sampleOutcome(stateOf(arrays), t, arrays.action, arrays.uniform) }),
    drawInputs(environment, draws, uniform),
    "float32",
  );
  return rowsOf(outcome, draws.length).map((row) => row.indexOf(1));
}

function drawInputs(environment: Environment, draws: readonly Trial[], uniform: Float32Array): HostInputs {
  const { actions } = environment;
  const n = draws.length;
  const states = draws.map(({ state }) => state);
  const numbers = draws.map(({ action }) => action);
  return {
    ...stateInputs(environment, states),
    action: { shape: [n, actions], data: oneHotRows(numbers, actions) },
    uniform: { shape: [n, 2], data: uniform },
  };
}

/** Trajectories of the uniform policy: states as [T + 1, B], actions and outcomes as indices [T, B]. */
export function sampledTrajectories(environment: Environment) {
  const { actions, outcomes, maxSteps: T } = environment;
  const shape = [T, TRAJECTORIES, uniformsPerStep(environment)];
  const uniform = SEED.split("episodes").fillUniform(new Float32Array(shape.reduce((a, b) => a * b)));
  const results = inFloat64(
    (arrays) => {
      const trajectories = rollout(environment, () => np.zeros([TRAJECTORIES, actions]), arrays.uniform);
      const batch = flattenTrajectories(environment, trajectories);
      return {
        index: batch.index,
        features: batch.features,
        running: np.concatenate(
          trajectories.states.map((state) => state.running),
          0,
        ),
        action: batch.actions,
        outcome: batch.outcomes,
        terminal: batch.terminal,
      };
    },
    { uniform: { shape, data: uniform } },
  );
  const numbers = (oneHot: Float64Array, width: number) =>
    rowsOf(oneHot, oneHot.length / width).map((row) => row.indexOf(1));
  return {
    ...results,
    action: numbers(results.action, actions),
    outcome: numbers(results.outcome, outcomes),
  };
}
