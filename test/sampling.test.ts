// Drawing objects from policies that are known tables.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import { listingOf } from "../src/gfn/environment.ts";
import {
  type EnumerableEnvironment,
  hypergridEnvironment,
  longSequenceEnvironment,
  model,
  sampler,
  sequenceEnvironment,
  thoughtText,
} from "../src/gfn/index.ts";
import { bitSequenceEnvironment } from "../src/tasks/bit-sequence/index.ts";
import { chiSquare, chiSquareLimit } from "./support/chi-square.ts";

const environments = (stick: number) =>
  [
    ["strings", sequenceEnvironment({ alphabet: "ABC", length: 4, stick })],
    ["strings with a stop", sequenceEnvironment({ alphabet: "AB", length: 3, stick, variable: true })],
    ["a grid", hypergridEnvironment({ dimensions: 3, side: 3, stick })],
  ] as [string, EnumerableEnvironment][];

/** A policy that is a table: the perceptron is zero, and every state has its logits in the memory. */
function tableModel(environment: EnumerableEnvironment, seed: number) {
  const { states, actions, backwardClasses } = environment;
  const network = { hidden: [2], memoryRows: states };
  const made = model(environment, { policy: network, dynamics: { hidden: [2] } });
  const policy = new Float32Array(made.policyLayout.size);
  const { table } = made.policyLayout.view(policy).network.memory!;
  const width = actions + backwardClasses + 1;
  const stream = RandomStream.fromSeed(seed);
  const logits = (state: number) => table.subarray(state * width, state * width + actions);
  const listed = listingOf(environment);
  const legal = (state: number, action: number) =>
    listed.offsets[state * actions + action] < listed.offsets[state * actions + action + 1];
  for (let state = 0; state < states; state++) {
    // What is not legal is wanted most, and must not be taken. At the start a stop is wanted least.
    logits(state).forEach((_, action, row) => {
      const stops = environment.stops && action === actions - 1;
      row[action] = !legal(state, action) ? 9 : stops && state === 0 ? -1 : stream.uniform();
    });
  }
  /** The likeliest legal intention. */
  const best = (state: number) => {
    const row = logits(state);
    const allowed = Array.from(row.keys()).filter((action) => legal(state, action));
    return allowed.reduce((a, b) => (row[b] > row[a] ? b : a));
  };
  /** Where an intention leads, with the outcomes and their probabilities. */
  const leads = (state: number, action: number) => {
    const { offsets, targets, outcome, probabilities } = listed;
    const row = state * actions + action;
    return Array.from({ length: offsets[row + 1] - offsets[row] }, (_, k) => {
      const i = offsets[row] + k;
      return { target: targets[i], outcome: outcome[i], probability: probabilities[i] };
    });
  };
  return { made, policy, best, leads, logits };
}

describe.each(environments(0))("greedy without noise: %s", (_, environment) => {
  test.each([1, 2, 3])("it is the path of the likeliest intentions, every time (table %i)", async (seed) => {
    const { made, policy, best, leads } = tableModel(environment, seed);
    const thought: number[] = [];
    const way: number[] = [];
    let state = 0;
    while (state >= 0) {
      const action = best(state);
      const [{ target, outcome }] = leads(state, action);
      thought.push(action);
      if (outcome >= 0) way.push(outcome);
      state = target;
    }
    const drawing = await sampler(made, { batch: 16, greedy: true });
    const samples = await drawing.draw(policy, 40, RandomStream.fromSeed(seed));
    await drawing.dispose();
    expect(samples).toHaveLength(40);
    const expected = { object: environment.describe(way), way, thought, terminal: -1 - state };
    for (const sample of samples) expect(sample).toEqual(expected);
  });
});

describe.each(environments(0.4))("with noise: %s", (_, environment) => {
  const COUNT = 20_000;
  const { made, policy, best, leads, logits } = tableModel(environment, 5);
  const draw = async (greedy: boolean) => {
    const drawing = await sampler(made, { greedy });
    const samples = await drawing.draw(policy, COUNT, RandomStream.fromSeed(8));
    await drawing.dispose();
    return samples;
  };
  const counts = (numbers: readonly number[], size: number) => {
    const found = new Array<number>(size).fill(0);
    for (const number of numbers) found[number]++;
    return found;
  };

  test("greedy always intends the likeliest, and what comes out has the frequencies of its kernel", async () => {
    const samples = await draw(true);
    expect(new Set(samples.map(({ thought }) => thought[0]))).toEqual(new Set([best(0)]));
    const kernel = new Array<number>(environment.outcomes).fill(0);
    for (const { outcome, probability } of leads(0, best(0))) kernel[outcome] = probability;
    const seen = counts(
      samples.map(({ way }) => way[0]),
      environment.outcomes,
    );
    expect(chiSquare(seen, kernel)).toBeLessThan(chiSquareLimit(kernel));
    // Later steps as well: from where it is, the likeliest again.
    for (const { way, thought } of samples.slice(0, 500)) {
      let state = 0;
      thought.forEach((action, t) => {
        expect(action).toBe(best(state));
        state = leads(state, action).find(({ outcome }) => outcome === (way[t] ?? -1))!.target;
      });
    }
  });

  test("otherwise intentions have the frequencies of the policy", async () => {
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
      expect(environment.describe(environment.wayTo(terminal, stream))).toBe(object);
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
    ["bits", bitSequenceEnvironment({ stick: 0.1, bits: 6, word: 3 }), [5, 1], "101001"],
    ["letters before a stop", variable, [1, 0, 2], "BA"],
    ["nothing but a stop", variable, [2], ""],
    ["moves, though they would leave the grid", grid, [1, 1, 1, 0, 3], "1 1 1 0 stop"],
    ["a stop at once", grid, [3], "stop"],
  ] as const)("%s", (_, environment, thought, text) => {
    expect(thoughtText(environment, thought)).toBe(text);
  });
});
