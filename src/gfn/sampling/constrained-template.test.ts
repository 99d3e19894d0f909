// Templates for strings under constraints: the distribution of the samples and their log-probabilities against sums over
// all strings, where the letters to intend follow from a list of all legal strings.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import type { Constraint } from "../../constraints/index.ts";
import { RandomStream } from "../../engine/index.ts";
import {
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
} from "../environment/constrained-sequence.ts";
import type { LetterNoise } from "../environment/letter-noise.ts";
import { enumeratedStates } from "../evaluate/enumerated-states.ts";
import { logProbabilityEvaluator } from "../evaluate/log-probability.ts";
import { networkTabulator } from "../evaluate/network-tables.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import { defaultSettings } from "../training/defaults.ts";
import { environmentIntending } from "./constrained-template.ts";
import { sampler } from "./sampler.ts";
import { type SampleConditions, temperatureConditions } from "./template.ts";

const TOKENS = ["A", "B", "C"];
const NONE: LetterNoise = { kind: "none" };
const stick = (mode: "within" | "free"): LetterNoise => ({ kind: "stick", stick: 0.3, mode });
/** One or two A's, and no CB: a template with letters near the end rules out letters before them. */
const CONSTRAINTS: readonly Constraint[] = [
  { kind: "composition", tokens: [0], min: 1, max: 2, unit: "count" },
  { kind: "forbid", motif: [2, 1] },
];

function environmentOf(noise: LetterNoise, min = 4): EnumerableConstrainedEnvironment {
  const space = { tokens: TOKENS, length: { min, max: 4 } };
  const options = { space, constraints: CONSTRAINTS, noise, enumerable: true };
  return constrainedSequenceEnvironment(options) as EnumerableConstrainedEnvironment;
}

/** A model with random parameters, whose policy is far from uniform. */
function randomModel(environment: EnumerableConstrainedEnvironment) {
  const model = modelOf(environment, defaultSettings(environment, { hidden: [8], stateTableRows: 8 }));
  const stream = RandomStream.fromSeed(3);
  const random = (size: number) => Float32Array.from({ length: size }, () => stream.normal());
  return {
    model,
    parameters: { policy: random(model.policyLayout.size), dynamics: random(model.dynamicsLayout.size) },
  };
}

/** All strings of up to four letters. */
const STRINGS = [0, 1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: 3 ** length }, (_, i) =>
    Array.from({ length }, (_, place) => Math.floor(i / 3 ** place) % 3),
  ),
);
const textOf = (letters: readonly number[]) => letters.map((letter) => TOKENS[letter]).join("");

/** The actions to intend after a prefix, the stop last: those that lead to a legal string which matches. If there are
 * none, those that match here; if there are none either, all legal ones. */
function intendedActions(
  environment: EnumerableConstrainedEnvironment,
  { template, prefix }: SampleConditions,
  letters: readonly number[],
  legal: readonly boolean[],
): boolean[] {
  const text = (template ?? prefix) as string;
  const [t, isPrefix] = [letters.length, template === undefined];
  const fits = (letter: number, place: number) =>
    place < text.length ? ["?", TOKENS[letter]].includes(text[place]) : isPrefix;
  const mayEnd = isPrefix ? t >= text.length : t === text.length;
  const matches = (string: readonly number[]) =>
    environment.isLegal(textOf(string)) &&
    (isPrefix ? string.length >= text.length : string.length === text.length) &&
    string.every((letter, place) => place < t || fits(letter, place));
  const leads = (start: readonly number[]) =>
    STRINGS.some((string) => start.every((letter, i) => string[i] === letter) && matches(string));
  const best = legal.map((isLegal, a) =>
    isLegal && a === TOKENS.length
      ? mayEnd && matches(letters)
      : isLegal && fits(a, t) && leads([...letters, a]),
  );
  const here = legal.map((isLegal, a) => isLegal && (a === TOKENS.length ? mayEnd : fits(a, t)));
  return [best, here].find((actions) => actions.includes(true)) ?? [...legal];
}

/** The exact probability of every string that can result. */
async function closedForm(
  { model, parameters }: ReturnType<typeof randomModel>,
  environment: EnumerableConstrainedEnvironment,
  conditions: SampleConditions,
): Promise<Map<string, number>> {
  const tabulator = await networkTabulator({
    ...{ model, states: enumeratedStates(model as Model)!, usesDynamics: false },
  });
  const { policy } = await tabulator.tabulate(parameters);
  await tabulator.dispose();
  const { actions: A, steps } = environment;
  const found = new Map<string, number>();
  const visit = (letters: readonly number[], node: number, reached: number) => {
    const ends = steps.ends[node] === 1;
    if (letters.length === 4 && !environment.variable) {
      found.set(textOf(letters), reached);
      return;
    }
    const legal = Array.from({ length: A }, (_, a) => (a === 3 ? ends : steps.allowed[node * 3 + a] === 1));
    const index = environment.indexOf!(letters);
    const intended = intendedActions(environment, conditions, letters, legal);
    const weights = intended.map((isIntended, a) =>
      isIntended ? policy[index * A + a] ** (1 / (conditions.temperature ?? 1)) : 0,
    );
    const total = weights.reduce((a, b) => a + b);
    if (environment.variable && weights[3] > 0) found.set(textOf(letters), (reached * weights[3]) / total);
    if (letters.length === 4) return;
    const kernel = environment.kernelAt!(letters);
    for (let c = 0; c < 3; c++) {
      const written = [0, 1, 2].reduce((sum, a) => sum + (weights[a] / total) * kernel[a * 3 + c], 0);
      if (written > 0) visit([...letters, c], steps.next[node * 3 + c], reached * written);
    }
  };
  visit([], 0, 1);
  return found;
}

describe.each<readonly [string, LetterNoise, number, SampleConditions]>([
  ["a template without noise", NONE, 4, { template: "??BB" }],
  ["a template and a temperature", NONE, 4, { template: "?C?B", temperature: 2 }],
  ["a prefix", NONE, 4, { prefix: "CC" }],
  ["a template under noise within the constraints", stick("within"), 4, { template: "??BB" }],
  ["a template under free noise", stick("free"), 4, { template: "?CAB" }],
  ["a template of variable length", stick("within"), 2, { template: "?C?" }],
  ["a prefix of variable length under free noise", stick("free"), 2, { prefix: "BC" }],
])("samples under constraints with %s", (_, noise, min, conditions) => {
  const environment = environmentOf(noise, min);
  const random = randomModel(environment);
  const intending = environmentIntending(environment, conditions)!;
  const model = modelOf(intending, defaultSettings(environment, { hidden: [8], stateTableRows: 8 }));
  const temperature = temperatureConditions(intending, conditions.temperature);

  test("have the distribution of the policy over the letters to intend", async () => {
    const exact = await closedForm(random, environment, conditions);
    expect([...exact.values()].reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    const compiled = await sampler(model, { conditioned: true, batch: 500 });
    const stream = RandomStream.fromSeed(5);
    const samples = await compiled.sample(random.parameters.policy, 20_000, stream, temperature);
    await compiled.dispose();
    const texts = [...exact.keys()];
    const counts = texts.map((text) => samples.filter(({ object }) => object === text).length);
    expect(counts.reduce((a, b) => a + b)).toBe(samples.length);
    const probabilities = texts.map((text) => exact.get(text)!);
    expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
    if (noise.kind === "none") expect(texts.every((text) => environment.isLegal(text))).toBe(true);
  });

  test("have their exact log-probabilities", async () => {
    const exact = await closedForm(random, environment, conditions);
    const options = { ...random, model, learnsDynamics: true, conditions: temperature };
    const evaluator = await logProbabilityEvaluator(options);
    const texts = [...exact.keys()];
    const logs = await evaluator.logProbabilities(texts);
    await evaluator.dispose();
    logs.forEach(({ logProbability }, i) => {
      expect(Math.exp(logProbability)).toBeCloseTo(exact.get(texts[i])!, 5);
    });
  });
});

test("tokens of several letters may be in a template", () => {
  const environment = constrainedSequenceEnvironment({
    space: { tokens: ["[C]", "[=O]", "N"], length: { min: 3, max: 3 } },
    ...{ constraints: [], noise: NONE },
  });
  const { steps } = environmentIntending(environment, { template: "[C]?N" })!;
  expect([...steps.allowed.subarray(0, 3)]).toEqual([1, 0, 0]);
});

test.each<readonly [SampleConditions, string]>([
  [
    { template: "AAA?" },
    'template: must match a legal string, but no string of 4 tokens meets "1 to 2 (count) of A" and "template AAA?" together',
  ],
  [{ prefix: "CB" }, "prefix: must match a legal string, but no string of 4 tokens meets"],
  [
    { template: "AB" },
    "template: must have 4 tokens, as strings of 4 letters out of ABC under 2 constraints do, got 2",
  ],
  [{ template: "A?X?" }, 'template: must consist of tokens of the alphabet and ?: "X" has "X" at position 1'],
  [{ template: "A???", prefix: "A" }, "prefix: must be given without `template`"],
])("a template that cannot be met gets one sentence: %#", (conditions, message) => {
  expect(() => environmentIntending(environmentOf(NONE), conditions)).toThrow(message);
});
