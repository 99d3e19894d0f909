// What every environment owes to the rest of the system. Its array functions are held against its list of states: every
// state, every intention, and the edges of the random numbers. For environments of up to a few hundred states.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { RandomStream } from "../../src/engine/index.ts";
import type { Arrays } from "../../src/engine/trace.ts";
import { flatten } from "../../src/gfn/batch.ts";
import { checkEnvironment } from "../../src/gfn/check-environment.ts";
import { checkEnumeration } from "../../src/gfn/enumeration.ts";
import type { EnumerableEnvironment, Environment } from "../../src/gfn/environment.ts";
import { rollout, uniformsPerStep } from "../../src/gfn/rollout.ts";
import { chiSquare, chiSquareLimit } from "./chi-square.ts";
import { type Place, placeInputs, placesOf, rowsOf, stateOf, type Walk, walk } from "./environment-walk.ts";
import { evaluate, type HostInputs } from "./gradients.ts";
import { inFloat64, nodeAfter, nodesOf, oneHots, type Step, stepsOf } from "./tabular.ts";

const SEED = RandomStream.fromSeed(13);
/** Draws per state and intention. */
const DRAWS = 500;
/** The same where only one thing can happen, so that a single draw may show what is wrong. */
const CERTAIN_DRAWS = 20;
export const EPISODES = 64;
/** The smallest and the largest number that a stream draws. */
const EXTREMES = [2 ** -24, 1 - 2 ** -24];

/** Fewer than this are too few for a statistic of its own. */
const LEAST_EXPECTED = 5;

export interface ContractOptions {
  /** Noise is stick noise of level `stick`, and its probabilities are exactly that; else any noise will do. */
  readonly stickNoise?: boolean;
}

export function environmentContract(
  name: string,
  make: () => EnumerableEnvironment,
  { stickNoise = false }: ContractOptions = {},
): void {
  describe(name, () => {
    const environment = make();
    const listed = environment.enumerate();
    const { actions, outcomes, backwardClasses, maxSteps, stops } = environment;
    const steps = [...stepsOf(listed)];
    let walked: Walk;
    beforeAll(() => {
      walked = walk(environment, listed);
    });
    const stepsInto = (node: number) =>
      steps.filter((step) => step.outcome >= 0 && nodeAfter(listed, step) === node);
    const stepsFrom = ({ index }: Place, action: number) =>
      steps.filter((step) => step.state === index && step.action === action);
    const sorted = (values: Iterable<number>) => [...new Set(values)].sort((a, b) => a - b);

    test("it passes the check that runs before every training", () => {
      expect(() => checkEnvironment(environment)).not.toThrow();
    });

    describe("its list of states", () => {
      test("keeps the rules: probabilities sum to one, states are in order, everything can be reached", () => {
        expect(() => checkEnumeration(environment.name, listed)).not.toThrow();
      });

      test("has as many states, intentions and outcomes as the environment says", () => {
        expect(listed).toMatchObject({ states: environment.states, actions, outcomes });
      });

      test("has stops that are certain, and moves that never stop", () => {
        const stop = stops ? actions - 1 : -1;
        for (const step of steps) {
          const { action, outcome, target, probability } = step;
          if (action === stop)
            expect(step).toMatchObject({ outcome: -1, target: -1 - step.state, probability: 1 });
          else {
            expect(outcome).toBeGreaterThanOrEqual(0);
            expect(stops && target < 0).toBe(false);
            expect(probability).toBeGreaterThan(0);
          }
        }
      });

      if (!stickNoise) return;
      test("keeps an intention with probability 1 − stick and spreads the rest over what is legal", () => {
        for (const { state, action, outcome, probability } of steps) {
          if (outcome < 0) continue;
          const legal = sorted(steps.filter((s) => s.state === state && s.outcome >= 0).map((s) => s.action));
          const kept = outcome === action ? 1 - environment.stick : 0;
          expect(probability).toBeCloseTo(kept + environment.stick / legal.length, 12);
        }
      });
    });

    describe("a step", () => {
      test("is allowed exactly where the list has it", () => {
        for (const { place, allowed } of walked.levels.flat()) {
          expect(allowed).toEqual(
            Array.from({ length: actions }, (_, action) => +(stepsFrom(place, action).length > 0)),
          );
        }
      });

      test("leads where the list says", () => {
        for (const { state, target, after, terminalIndex, outcome } of walked.steps) {
          expect(after.running).toBe(target >= 0 ? 1 : 0);
          expect(after.index).toBe(nodeAfter(listed, { state, target, outcome } as Step));
          if (target < 0) expect(terminalIndex).toBe(-1 - target);
        }
      });

      test("leads to features that name the state", () => {
        for (const { after } of walked.steps) {
          expect(after.features).toEqual(Array.from(environment.featuresOf([after.index])));
        }
        const nodes = Array.from({ length: nodesOf(environment, listed) }, (_, node) =>
          environment.featuresOf([node]).join(),
        );
        expect(new Set(nodes).size).toBe(nodes.length);
      });

      test("is one of those that lead to every state and terminal, in the largest number of steps and no more", () => {
        const targets = sorted(walked.steps.map(({ target }) => target));
        expect(targets).toEqual(
          Array.from({ length: listed.terminals + listed.states }, (_, i) => i - listed.terminals).filter(
            (i) => i !== 0,
          ),
        );
        expect(walked.levels).toHaveLength(maxSteps);
      });
    });

    describe("noise", () => {
      test("does what the list says as often as it says", () => {
        const stream = SEED.split("noise");
        walked.levels.forEach((level, t) => {
          const pairs = level.flatMap(({ place }) =>
            Array.from({ length: actions }, (_, action) => ({
              place,
              action,
              steps: stepsFrom(place, action),
            })),
          );
          const legal = pairs.filter(({ steps }) => steps.length > 0);
          const times = legal.map(({ steps }) => (steps.length > 1 ? DRAWS : CERTAIN_DRAWS));
          const draws = legal.flatMap((pair, i) => new Array<(typeof legal)[number]>(times[i]).fill(pair));
          const uniform = stream.fillUniform(new Float32Array(draws.length * 2));
          const drawn = outcomesOf(environment, t, draws, uniform);
          let from = 0;
          legal.forEach(({ steps }, i) => {
            const came = drawn.slice(from, from + times[i]);
            from += times[i];
            const counts = steps.map(({ outcome }) => came.filter((c) => c === outcome).length);
            expect(counts.reduce((a, b) => a + b, 0)).toBe(times[i]);
            if (steps.length === 1) return;
            const common = commonOf(
              counts,
              steps.map(({ probability }) => probability),
            );
            expect(chiSquare(common.counts, common.probabilities)).toBeLessThan(
              chiSquareLimit(common.probabilities),
            );
          });
        });
      });

      test("leaves one legal outcome of a move and none of a stop, at the edges of the random numbers too", () => {
        walked.levels.forEach((level, t) => {
          const draws = level.flatMap(({ place, allowed }) =>
            Array.from({ length: actions }, (_, action) => action)
              .filter((action) => allowed[action] === 1)
              .flatMap((action) => EXTREMES.flatMap((u) => EXTREMES.map((v) => ({ place, action, u, v })))),
          );
          const uniform = Float32Array.from(draws.flatMap(({ u, v }) => [u, v]));
          const { outcome } = realised(environment, t, draws, uniform);
          rowsOf(outcome, draws.length).forEach((row, i) => {
            const { place, action } = draws[i];
            const possible = stepsFrom(place, action).map((step) =>
              Array.from(oneHots([step.outcome], outcomes)),
            );
            expect(possible).toContainEqual(row);
          });
        });
      });
    });

    describe("an ended episode", () => {
      test("stays as it is whatever is tried", () => {
        const ended = walked.steps.filter(({ after }) => after.running === 0);
        for (let t = 1; t < maxSteps; t++) {
          const tries = ended
            .filter((step) => step.t < t)
            .flatMap(({ after }) =>
              Array.from({ length: actions }, (_, action) => ({ place: after, action })),
            );
          if (tries.length === 0) continue;
          const uniform = SEED.split("ended").fillUniform(new Float32Array(tries.length * 2));
          expect(placesOf(realised(environment, t, tries, uniform))).toEqual(tries.map(({ place }) => place));
        }
      });
    });

    describe("the way back", () => {
      const classOf = (row: readonly number[]) => row.indexOf(1);
      const into = () => walked.steps.filter(({ outcome }) => outcome >= 0);

      test("has one class for every step, all 0 for a stop", () => {
        for (const { outcome, backwardClass } of walked.steps) {
          expect(backwardClass.filter((x) => x !== 0)).toEqual(outcome < 0 ? [] : [1]);
        }
      });

      test("allows exactly the classes of the steps that lead into a state", () => {
        for (const { after, backwardAllowed } of into()) {
          const classes = into()
            .filter((step) => step.after.index === after.index)
            .map((step) => classOf(step.backwardClass));
          expect(sorted(classes)).toEqual(
            sorted(
              Array.from({ length: backwardClasses }, (_, c) => c).filter((c) => backwardAllowed[c] === 1),
            ),
          );
        }
      });

      test("inverts the way forward: every class that is allowed names one step, and that leads back", () => {
        for (let node = 1; node < nodesOf(environment, listed); node++) {
          const arriving = into().filter(({ after }) => after.index === node);
          expect(arriving.length).toBe(stepsInto(node).length);
          expect(arriving.length).toBeGreaterThan(0);
          expect(sorted(arriving.map((step) => classOf(step.backwardClass))).length).toBe(arriving.length);
        }
      });

      test("groups classes by the parent they come from, and by the outcome there", () => {
        for (const { after, state, outcome, sameParent, backwardAllowed } of into()) {
          const arriving = into().filter((step) => step.after.index === after.index);
          const fromHere = arriving
            .filter((step) => step.state === state && step.outcome === outcome)
            .map((step) => classOf(step.backwardClass));
          const grouped = backwardAllowed.flatMap((allowed, c) =>
            allowed && (sameParent?.[c] ?? 1) ? [c] : [],
          );
          expect(grouped).toEqual(sorted(fromHere));
        }
      });
    });

    describe("an object", () => {
      /** Where outcomes lead by the list, a stop after them included. */
      const endOf = (way: readonly number[]) => {
        let target = 0;
        for (const outcome of stops ? [...way, -1] : way) {
          target = steps.find((step) => step.state === target && step.outcome === outcome)!.target;
        }
        return -1 - target;
      };
      const terminals = Array.from({ length: listed.terminals }, (_, terminal) => terminal);

      test("has a way that leads to it, and a text of its own", () => {
        const stream = SEED.split("ways");
        const texts = terminals.map((terminal) => {
          const way = environment.wayTo(terminal, stream);
          expect(endOf(way)).toBe(terminal);
          return environment.describe(way);
        });
        expect(new Set(texts).size).toBe(listed.terminals);
      });

      test("is found again by its text", () => {
        const stream = SEED.split("texts");
        for (const terminal of terminals) {
          const text = environment.describe(environment.wayTo(terminal, stream));
          expect(endOf(environment.wayOf(text, stream))).toBe(terminal);
        }
      });

      test("is not found by a text that is none, which is named", () => {
        const text = "no, none!";
        expect(() => environment.wayOf(text, SEED)).toThrow(RangeError);
        expect(() => environment.wayOf(text, SEED)).toThrow(JSON.stringify(text));
      });
    });

    test("episodes run side by side, some ended and some not, follow the list from number to number", () => {
      const { index, features, running, action, outcome, terminal } = episodesOf(environment);
      const nodes = rowsOf(index, maxSteps + 1);
      const going = rowsOf(running, maxSteps + 1);
      expect(Array.from(features)).toEqual(Array.from(environment.featuresOf(index)));
      expect(going[maxSteps].every((x) => x === 0)).toBe(true);
      for (let b = 0; b < EPISODES; b++) {
        let last: Step | undefined;
        for (let t = 0; t < maxSteps; t++) {
          if (going[t][b] === 0) {
            expect([nodes[t + 1][b], going[t + 1][b]]).toEqual([nodes[t][b], 0]);
            continue;
          }
          const row = t * EPISODES + b;
          last = steps.find(
            (step) =>
              step.state === nodes[t][b] && step.action === action[row] && step.outcome === outcome[row],
          );
          expect(last).toBeDefined();
          expect(nodes[t + 1][b]).toBe(nodeAfter(listed, last!));
          expect(going[t + 1][b]).toBe(last!.target >= 0 ? 1 : 0);
        }
        expect(terminal[b]).toBe(-1 - last!.target);
      }
    });
  });
}

/** Counts and probabilities with all that is rare taken together, or left out where even that is rare. */
function commonOf(counts: readonly number[], probabilities: readonly number[]) {
  const cells = counts.map((count, i) => ({ count, p: probabilities[i] }));
  const isCommon = ({ p }: { p: number }) => p * DRAWS >= LEAST_EXPECTED;
  const rare = cells
    .filter((cell) => !isCommon(cell))
    .reduce((sum, { count, p }) => ({ count: sum.count + count, p: sum.p + p }), { count: 0, p: 0 });
  const kept = [...cells, rare].filter(isCommon);
  const total = kept.reduce((sum, { p }) => sum + p, 0);
  return { counts: kept.map(({ count }) => count), probabilities: kept.map(({ p }) => p / total) };
}

/** What is intended where. */
type Draw = { readonly place: Place; readonly action: number };

/** What becomes of intentions, in float32 as engines have it. */
export function realised(environment: Environment, t: number, draws: readonly Draw[], uniform: Float32Array) {
  const step = (arrays: Arrays) => {
    const outcome = environment.realise(stateOf(arrays), t, arrays.action, arrays.uniform);
    return { outcome, ...environment.advance(stateOf(arrays), t, arrays.action, outcome) };
  };
  return evaluate(step, drawInputs(environment, draws, uniform), "float32");
}

/** The numbers of the outcomes alone, -1 where there is none. */
function outcomesOf(
  environment: Environment,
  t: number,
  draws: readonly Draw[],
  uniform: Float32Array,
): number[] {
  const { outcome } = evaluate(
    (arrays) => ({ outcome: environment.realise(stateOf(arrays), t, arrays.action, arrays.uniform) }),
    drawInputs(environment, draws, uniform),
    "float32",
  );
  return rowsOf(outcome, draws.length).map((row) => row.indexOf(1));
}

function drawInputs(environment: Environment, draws: readonly Draw[], uniform: Float32Array): HostInputs {
  const { actions } = environment;
  const n = draws.length;
  const places = draws.map(({ place }) => place);
  const numbers = draws.map(({ action }) => action);
  return {
    ...placeInputs(environment, places),
    action: { shape: [n, actions], data: oneHots(numbers, actions) },
    uniform: { shape: [n, 2], data: uniform },
  };
}

/** `EPISODES` of the uniform policy: [T + 1, B] of states, [T, B] of steps as numbers. */
export function episodesOf(environment: Environment) {
  const { actions, outcomes, maxSteps: T } = environment;
  const shape = [T, EPISODES, uniformsPerStep(environment)];
  const uniform = SEED.split("episodes").fillUniform(new Float32Array(shape.reduce((a, b) => a * b)));
  const said = inFloat64(
    (arrays) => {
      const episodes = rollout(environment, () => np.zeros([EPISODES, actions]), arrays.uniform);
      const batch = flatten(environment, episodes);
      return {
        index: batch.index,
        features: batch.features,
        running: np.concatenate(
          episodes.states.map((state) => state.running),
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
  return { ...said, action: numbers(said.action, actions), outcome: numbers(said.outcome, outcomes) };
}
