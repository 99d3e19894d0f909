// Tests that samples from policies that are given as tables have the exact probabilities.

import { RandomStream } from "gflownet/engine";
import {
  defaultSettings,
  type EnumerableEnvironment,
  formatThought,
  hypergridEnvironment,
  longSequenceEnvironment,
  model,
  sampler,
  sequenceEnvironment,
} from "gflownet/gfn";
import { bitSequenceTask } from "gflownet/tasks";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "./support/chi-square.ts";

const environments = (stick: number) =>
  [
    ["strings", sequenceEnvironment({ alphabet: "ABC", length: 4, stick })],
    ["strings with a stop", sequenceEnvironment({ alphabet: "AB", length: 3, stick, variable: true })],
    ["a grid", hypergridEnvironment({ dimensions: 3, side: 3, stick })],
  ] as [string, EnumerableEnvironment][];

/** A policy given by a table: the weights of the perceptron are zero, and the state table has the logits. */
function tableModel(environment: EnumerableEnvironment, seed: number) {
  const { states, actions } = environment;
  const settings = { ...defaultSettings(environment), hidden: [2], stateTableRows: states };
  const made = model(environment, settings);
  const policy = new Float32Array(made.policyLayout.size);
  const { table } = made.policyLayout.view(policy).network.stateTable!;
  const width = table.length / states;
  const stream = RandomStream.fromSeed(seed);
  const logits = (state: number) => table.subarray(state * width, state * width + actions);
  const enumeration = environment.enumerate();
  const legal = (state: number, action: number) =>
    enumeration.offsets[state * actions + action] < enumeration.offsets[state * actions + action + 1];
  for (let state = 0; state < states; state++) {
    // Illegal actions have the largest logits, and must not be taken. At the start, the stop has the smallest logit.
    logits(state).forEach((_, action, row) => {
      const stops = environment.hasStop && action === actions - 1;
      row[action] = !legal(state, action) ? 9 : stops && state === 0 ? -1 : stream.uniform();
    });
  }
  /** The most probable legal action. */
  const best = (state: number) => {
    const row = logits(state);
    const allowed = Array.from(row.keys()).filter((action) => legal(state, action));
    return allowed.reduce((a, b) => (row[b] > row[a] ? b : a));
  };
  /** The transitions of an action, with outcomes and probabilities. */
  const transitions = (state: number, action: number) => {
    const { offsets, targets, outcome, probabilities } = enumeration;
    const row = state * actions + action;
    return Array.from({ length: offsets[row + 1] - offsets[row] }, (_, k) => {
      const i = offsets[row] + k;
      return { target: targets[i], outcome: outcome[i], probability: probabilities[i] };
    });
  };
  return { made, policy, best, transitions, logits };
}

describe.each(environments(0))("greedy without noise: %s", (_, environment) => {
  test.each([1, 2, 3])("every sample follows the most probable actions (table %i)", async (seed) => {
    const { made, policy, best, transitions } = tableModel(environment, seed);
    const thought: number[] = [];
    const outcomes: number[] = [];
    let state = 0;
    while (state >= 0) {
      const action = best(state);
      const [{ target, outcome }] = transitions(state, action);
      thought.push(action);
      if (outcome >= 0) outcomes.push(outcome);
      state = target;
    }
    const drawer = await sampler(made, { batch: 16, greedy: true });
    const samples = await drawer.sample(policy, 40, RandomStream.fromSeed(seed));
    await drawer.dispose();
    expect(samples).toHaveLength(40);
    const expected = { object: environment.describe(outcomes), outcomes, thought, terminal: -1 - state };
    for (const sample of samples) expect(sample).toEqual(expected);
  });
});

describe.each(environments(0.4))("with noise: %s", (_, environment) => {
  const COUNT = 20_000;
  const { made, policy, best, transitions, logits } = tableModel(environment, 5);
  const draw = async (greedy: boolean) => {
    const drawer = await sampler(made, { greedy });
    const samples = await drawer.sample(policy, COUNT, RandomStream.fromSeed(8));
    await drawer.dispose();
    return samples;
  };
  const counts = (numbers: readonly number[], size: number) => {
    const found = new Array<number>(size).fill(0);
    for (const number of numbers) found[number]++;
    return found;
  };

  test("greedy samples take the most probable action, with outcomes distributed as in the kernel", async () => {
    const samples = await draw(true);
    expect(new Set(samples.map(({ thought }) => thought[0]))).toEqual(new Set([best(0)]));
    const kernel = new Array<number>(environment.outcomes).fill(0);
    for (const { outcome, probability } of transitions(0, best(0))) kernel[outcome] = probability;
    const seen = counts(
      samples.map(({ outcomes }) => outcomes[0]),
      environment.outcomes,
    );
    expect(chiSquare(seen, kernel)).toBeLessThan(chiSquareLimit(kernel));
    // Later steps, too, take the most probable action.
    for (const { outcomes, thought } of samples.slice(0, 500)) {
      let state = 0;
      thought.forEach((action, t) => {
        expect(action).toBe(best(state));
        state = transitions(state, action).find(({ outcome }) => outcome === (outcomes[t] ?? -1))!.target;
      });
    }
  });

  test("samples that are not greedy have actions distributed as in the policy", async () => {
    const samples = await draw(false);
    const weights = Array.from(logits(0), Math.exp);
    const policyOfStart = weights.map((weight) => weight / weights.reduce((a, b) => a + b));
    const seen = counts(
      samples.map(({ thought }) => thought[0]),
      environment.actions,
    );
    expect(chiSquare(seen, policyOfStart)).toBeLessThan(chiSquareLimit(policyOfStart));
    const stream = RandomStream.fromSeed(1);
    for (const { object, terminal } of samples.slice(0, 500)) {
      expect(environment.describe(environment.sampleTrajectoryTo(terminal, stream))).toBe(object);
    }
  });
});

describe("thoughts as text", () => {
  const [, [, variable], [, grid]] = environments(0.1);
  test.each([
    ["letters", sequenceEnvironment({ alphabet: "ACGT", length: 3, stick: 0.1 }), [3, 0, 2], "TAG"],
    [
      "letters of long strings",
      longSequenceEnvironment({ alphabet: "ab", length: 5, stick: 0 }),
      [0, 1, 1, 0, 0],
      "abbaa",
    ],
    ["bits", bitSequenceTask({ stick: 0.1, bits: 6, word: 3 }).environment, [5, 1], "101001"],
    ["letters before a stop", variable, [1, 0, 2], "BA"],
    ["nothing but a stop", variable, [2], ""],
    ["moves, though they would leave the grid", grid, [1, 1, 1, 0, 3], "1 1 1 0 stop"],
    ["a stop at once", grid, [3], "stop"],
  ] as const)("%s", (_, environment, thought, text) => {
    expect(formatThought(environment, thought)).toBe(text);
  });
});
