// Templates, prefixes and temperatures: the masks that follow from them, the distribution of the samples, and their
// log-probabilities in closed form.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { RandomStream } from "../../engine/index.ts";
import { bitSequenceTask } from "../../tasks/bit-sequence/index.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { type EnumerableSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { enumeratedStates } from "../evaluate/enumerated-states.ts";
import { logProbabilityEvaluator } from "../evaluate/log-probability.ts";
import { networkTabulator } from "../evaluate/network-tables.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import { defaultSettings } from "../training/defaults.ts";
import { sampler } from "./sampler.ts";
import { type ActionConditions, actionConditions, type SampleConditions } from "./template.ts";

const fixedLength = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.3 });
const variable = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.3, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });

/** The letters that are allowed at each step, as text, with `.` for the stop. */
function allowedLetters(environment: EnumerableSequenceEnvironment, conditions: SampleConditions): string[] {
  const { maxSteps, actions, alphabet } = environment;
  const { allowed } = actionConditions(environment, conditions) as ActionConditions;
  const texts = [...alphabet, "."];
  return Array.from({ length: maxSteps }, (_, t) =>
    texts.filter((_, action) => action < actions && allowed[t * actions + action] > 0).join(""),
  );
}

describe("the letters that may be intended", () => {
  test("are those of a template, and all letters where it has a question mark", () => {
    expect(allowedLetters(fixedLength, { template: "A?C" })).toEqual(["A", "ABC", "C"]);
  });

  test("are those of a prefix at the first positions, and all letters after it", () => {
    expect(allowedLetters(fixedLength, { prefix: "B" })).toEqual(["B", "ABC", "ABC"]);
    expect(allowedLetters(variable, { prefix: "BA" })).toEqual(["B", "A", "AB.", "AB."]);
  });

  test("are followed by a stop if a template is shorter than the longest string", () => {
    expect(allowedLetters(variable, { template: "B?" })).toEqual(["B", "AB", ".", "AB."]);
    expect(allowedLetters(variable, { template: "" })).toEqual([".", "AB.", "AB.", "AB."]);
  });

  test("are words of several characters if the environment writes words", () => {
    const { environment } = bitSequenceTask({ bits: 4, word: 2, modes: 2, stick: 0 });
    const conditions = actionConditions(environment, { template: "0?11" }) as ActionConditions;
    expect([...conditions.allowed]).toEqual([1, 1, 0, 0, 0, 0, 0, 1]); // 00 01 10 11 at each of two steps
  });

  test("are not restricted without conditions", () => {
    expect(actionConditions(fixedLength, {})).toBeNull();
    expect(actionConditions(grid, { temperature: 1 })).toBeNull();
    expect(actionConditions(grid, { temperature: 2 })?.temperature).toBe(2);
  });
});

test.each<readonly [Environment, SampleConditions, string]>([
  [
    fixedLength,
    { template: "A?" },
    'template: must have 3 letters, as strings of 3 letters out of ABC do, got 2 in "A?"',
  ],
  [
    fixedLength,
    { template: "AX?" },
    'template: must consist of letters of the alphabet and ?, got "X" at position 2 of "AX?"',
  ],
  [fixedLength, { prefix: "ABCA" }, "prefix: must have at most 3 letters"],
  [
    variable,
    { template: "ABAB" },
    'template: must have at most 3 letters, as strings of up to 3 letters out of AB do, got 4 in "ABAB"',
  ],
  [fixedLength, { prefix: "A", template: "A??" }, "prefix: must be given without `template`"],
  [fixedLength, { temperature: 0 }, "temperature: must be a positive number, got 0"],
  [fixedLength, { temperature: Number.NaN }, "temperature: must be a positive number, got NaN"],
  [grid, { prefix: "A" }, "prefix: must be left out, because the objects of a grid of 3 × 3 are not strings"],
  [
    sequenceEnvironment({ alphabet: "A?", length: 2, stick: 0 }),
    { template: "A?" },
    "template: must be left out, because ? is a letter of",
  ],
])("an invalid condition gets one sentence: %#", (environment, conditions, message) => {
  expect(() => actionConditions(environment, conditions)).toThrow(message);
});

/** A model with random parameters, whose policy is far from uniform. */
function randomModel(environment: Environment) {
  const model = modelOf(environment, defaultSettings(environment, { hidden: [8], stateTableRows: 0 }));
  const stream = RandomStream.fromSeed(3);
  const random = (size: number) => Float32Array.from({ length: size }, () => stream.normal());
  const parameters = { policy: random(model.policyLayout.size), dynamics: random(model.dynamicsLayout.size) };
  return { model, parameters };
}

/** The exact probability of every string: π(a | s)^(1/T), renormalised over the allowed actions, then the noise. */
async function closedForm(
  { model, parameters }: ReturnType<typeof randomModel>,
  environment: EnumerableSequenceEnvironment,
  { allowed, temperature }: ActionConditions,
): Promise<Map<string, number>> {
  const states = enumeratedStates(model as Model);
  if (!states) throw new Error("not enumerated");
  const tabulator = await networkTabulator({ model, states, usesDynamics: false });
  const { policy } = await tabulator.tabulate(parameters);
  await tabulator.dispose();
  const { actions: A, outcomes: C, stick, length } = environment;
  const probabilities = new Map<string, number>();
  const visit = (letters: readonly number[], index: number, reached: number) => {
    if (letters.length === length && !environment.variable) {
      probabilities.set(environment.describe(letters), reached);
      return;
    }
    const weights = Array.from({ length: A }, (_, a) =>
      allowed[letters.length * A + a] > 0 ? policy[index * A + a] ** (1 / temperature) : 0,
    );
    const total = weights.reduce((a, b) => a + b);
    const chosen = weights.map((weight) => weight / total);
    if (environment.variable) probabilities.set(environment.describe(letters), reached * chosen[C]);
    if (letters.length === length) return;
    const moves = chosen.slice(0, C).reduce((a, b) => a + b);
    for (let c = 0; c < C; c++) {
      visit([...letters, c], index * C + 1 + c, reached * ((1 - stick) * chosen[c] + (stick / C) * moves));
    }
  };
  visit([], 0, 1);
  return probabilities;
}

describe.each<readonly [string, EnumerableSequenceEnvironment, SampleConditions]>([
  ["a template", fixedLength, { template: "A?C" }],
  ["a temperature", fixedLength, { temperature: 2.5 }],
  ["a prefix and a low temperature", fixedLength, { prefix: "CB", temperature: 0.5 }],
  ["a template of variable length", variable, { template: "?B" }],
  ["a prefix of variable length", variable, { prefix: "B" }],
])("samples with %s", (_, environment, given) => {
  const random = randomModel(environment);
  const conditions = actionConditions(environment, given) as ActionConditions;

  test("have the distribution of the renormalised policy, and only intend allowed letters", async () => {
    const exact = await closedForm(random, environment, conditions);
    expect([...exact.values()].reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    const compiled = await sampler(random.model, { conditioned: true, batch: 500 });
    const stream = RandomStream.fromSeed(5);
    const samples = await compiled.sample(random.parameters.policy, 20_000, stream, conditions);
    await compiled.dispose();
    for (const { thought } of samples) {
      const isAllowed = thought.every(
        (action, t) => conditions.allowed[t * environment.actions + action] > 0,
      );
      expect(isAllowed).toBe(true);
    }
    const texts = [...exact.keys()];
    const counts = texts.map((text) => samples.filter(({ object }) => object === text).length);
    const probabilities = texts.map((text) => exact.get(text) as number);
    expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
  });

  test("have the log-probabilities of the renormalised policy", async () => {
    const exact = await closedForm(random, environment, conditions);
    const evaluator = await logProbabilityEvaluator({ ...random, learnsDynamics: true, conditions });
    const texts = [...exact.keys()];
    const logs = await evaluator.logProbabilities(texts);
    await evaluator.dispose();
    logs.forEach(({ logProbability, exact: isExact }, i) => {
      expect(isExact).toBe(true);
      expect(Math.exp(logProbability)).toBeCloseTo(exact.get(texts[i]) as number, 5);
    });
  });
});

test("a template that leaves no legal letter is refused with its position", async () => {
  const environment: Environment = {
    ...fixedLength,
    allowed: (_, t) => np.array(Int32Array.of(1, +(t !== 1), 1), { shape: [1, 3], dtype: np.bool }), // [1, A]
  };
  const { model, parameters } = randomModel(environment);
  const compiled = await sampler(model, { conditioned: true, batch: 4 });
  const sample = (template: string) => {
    const conditions = actionConditions(environment, { template }) as ActionConditions;
    return compiled.sample(parameters.policy, 4, RandomStream.fromSeed(0), conditions);
  };
  expect(await sample("?A?")).toHaveLength(4);
  await expect(sample("?B?")).rejects.toThrow(
    "template: must leave a legal letter at every position of strings of 3 letters out of ABC, but there is none at position 2",
  );
  await compiled.dispose();
});
