// A trained model as an `.onnx` file: it says what the networks say, and all that is needed to sample from it.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { compile, RandomStream, spec } from "../src/engine/index.ts";
import { describeModel, inspectOnnx, loadOnnx } from "../src/engine/onnx/index.ts";
import { isEnumerable } from "../src/gfn/environment.ts";
import {
  type Environment,
  exportModel,
  hypergridEnvironment,
  longSequenceEnvironment,
  type ModelOptions,
  model,
  regimeEnvironment,
  sequenceEnvironment,
} from "../src/gfn/index.ts";
import { follow } from "../src/gfn/rollout.ts";
import { bitSequenceEnvironment } from "../src/tasks/bit-sequence/index.ts";

const dna = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });
const short = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.5, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 8, stick: 0.1 });
const long = longSequenceEnvironment({ alphabet: "ABC", length: 40, stick: 0.2 });
const hidden = regimeEnvironment({
  alphabet: "ACGT",
  length: 5,
  regimes: [
    { stick: 0, share: 0.4 },
    { stick: 0.5, share: 0.6 },
  ],
});

const plain: ModelOptions = { policy: { hidden: [6] }, dynamics: { hidden: [5] } };

/** Parameters that are all different, memories included. */
function made(environment: Environment, options: ModelOptions = plain) {
  const model_ = model(environment, options);
  const stream = RandomStream.fromSeed(3);
  const drawn = (size: number) => Float32Array.from({ length: size }, () => stream.normal() / 2);
  const parameters = {
    policy: drawn(model_.policyLayout.size),
    dynamics: drawn(model_.dynamicsLayout.size),
  };
  return { model: model_, parameters };
}

/** What the networks say, computed here. */
async function sayings({ model, parameters }: ReturnType<typeof made>, rows: number, inputs: Inputs) {
  const { environment } = model;
  const program = await compile(
    ({ policy, dynamics, state, index }) => {
      const { forward, logFlow } = model.policyOf(policy, state, index);
      const legal = np.ones([1, environment.outcomes], { dtype: np.bool });
      const logDynamics = model.dynamicsOf(dynamics, state, index, legal);
      return { policyLogits: forward, logFlow, logDynamics };
    },
    {
      policy: spec([parameters.policy.length]),
      dynamics: spec([parameters.dynamics.length]),
      state: spec([rows, environment.features]),
      index: spec([rows], "int32"),
    },
    { engine: "native" },
  );
  const said = await program.run({ ...parameters, ...inputs });
  await program.dispose();
  return said;
}

interface Inputs {
  readonly state: Float32Array;
  readonly index: Int32Array;
}

/** States that episodes pass through, and what the environment calls them. */
function someStates(environment: Environment, rows: number): Inputs {
  const stream = RandomStream.fromSeed(4);
  if (isEnumerable(environment)) {
    const index = Int32Array.from({ length: rows }, () => stream.integer(environment.states));
    return { state: environment.featuresOf(index), index };
  }
  const index = Int32Array.from(
    { length: rows },
    () => stream.integer(2 ** 31) * (stream.uniform() < 0.5 ? -1 : 1),
  );
  return { state: Float32Array.from({ length: rows * environment.features }, () => stream.uniform()), index };
}

const ROWS = 9;

describe("an exported model says what the networks say:", () => {
  const remembering = (environment: Environment): ModelOptions => ({
    policy: { hidden: [6], memoryRows: environment.states },
    dynamics: { hidden: [5] },
  });
  test.each<[string, Environment, ModelOptions]>([
    ["strings", dna, plain],
    ["strings with a memory", dna, remembering(dna)],
    ["with a memory of the dynamics only", short, { ...plain, dynamics: { hidden: [3], memoryRows: 20 } }],
    ["with rows that prefixes share", dna, { ...plain, policy: { hidden: [4], memoryRows: 100 } }],
    [
      "with embedded letters",
      dna,
      { ...plain, policy: { hidden: [4], state: "embedded", embeddingWidth: 3 } },
    ],
    ["strings with a stop", short, remembering(short)],
    ["a grid", grid, remembering(grid)],
    ["long strings", long, { ...plain, policy: { hidden: [4], memoryRows: 64 } }],
    ["log Z of its own", short, { ...plain, logZ: { initial: 2 } }],
  ])("%s", async (_, environment, options) => {
    const source = made(environment, options);
    const inputs = someStates(environment, ROWS);
    const expected = await sayings(source, ROWS, inputs);
    const bytes = exportModel(source.model, source.parameters, { rows: ROWS, learnsDynamics: true });
    const loaded = await loadOnnx(bytes, "policy.onnx");
    const remembers = Boolean(options.policy.memoryRows || options.dynamics.memoryRows);
    expect(loaded.description.inputs.map(({ name }) => name)).toEqual(
      remembers ? ["state", "index"] : ["state"],
    );
    const said = await loaded.run(remembers ? { ...inputs } : { state: inputs.state });
    await loaded.dispose();
    expect(Object.keys(said).sort()).toEqual(["logDynamics", "logFlow", "policyLogits"]);
    for (const [name, values] of Object.entries(expected)) {
      expect(said[name]).toHaveLength(values.length);
      said[name].forEach((value, i) => {
        expect(value).toBeCloseTo(values[i], 4);
      });
    }
  });
});

describe("the file", () => {
  test("has the weights inside, once", () => {
    const source = made(dna, { ...plain, policy: { hidden: [64], memoryRows: dna.states } });
    const bytes = exportModel(source.model, source.parameters, { rows: 512, learnsDynamics: true });
    const weights = 4 * (source.parameters.policy.length + source.parameters.dynamics.length);
    expect(bytes.length).toBeGreaterThan(weights);
    expect(bytes.length).toBeLessThan(weights + 20_000);
  });

  test("leaves out dynamics that were not learned, and a memory that only they have", () => {
    const source = made(short, { ...plain, dynamics: { hidden: [3], memoryRows: 20 } });
    const bytes = exportModel(source.model, source.parameters, { rows: 2, learnsDynamics: false });
    const { inputs, outputs } = inspectOnnx(bytes, "policy.onnx");
    expect(inputs.map(({ name }) => name)).toEqual(["state"]);
    expect(outputs.map(({ name }) => name)).toEqual(["policyLogits", "logFlow"]);
  });

  test("describes strings in words", () => {
    const source = made(dna, { ...plain, policy: { hidden: [4], memoryRows: dna.states } });
    const bytes = exportModel(source.model, source.parameters, {
      rows: 512,
      learnsDynamics: true,
      task: { name: "tfbind8", label: "surrogate of SIX6" },
      facts: { seed: "7", stick: "never heard" },
    });
    expect(describeModel(inspectOnnx(bytes, "policy.onnx"))).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for strings of 8 letters out of ACGT. Trained for tfbind8: surrogate of SIX6. The environment is noisy: with probability 0.25 the letter that is written is drawn uniformly from all 4 instead of the intended one.
      opset 18, standard operators only
      inputs
        state: What is written so far, a row for each string: for each of 8 positions 4 numbers, 1 at the letter there, in the order A C G T, and all 0 where nothing is written yet. float32[512, 32]
        index: Number of what is written so far: 0 for nothing, and with each letter it becomes 4 * index + 1 + letter, letters counted from 0. int32[512]
      outputs
        policyLogits: Unnormalised log-probabilities of the next intention, in the order A C G T: softmax gives the policy. float32[512, 4]
        logFlow: Log of the flow through the state, as far as the objective learns it. float32[512]
        logDynamics: Learned log-probability that intended letter i (second axis) is written as letter j (third axis), in the order A C G T. float32[512, 4, 4]
      facts
        seed: 7
        stick: 0.25
        task: tfbind8
        label: surrogate of SIX6
        environment: strings of 8 letters out of ACGT
        kind: strings
        alphabet: A C G T
        length: 8
        variable: false
        indexFactor: 4
        maxSteps: 8
        modelFormat: 1"
    `);
  });

  const textOf = (environment: Environment, options = plain) => {
    const source = made(environment, options);
    return describeModel(
      inspectOnnx(exportModel(source.model, source.parameters, { rows: 4, learnsDynamics: true }), "x"),
    );
  };

  test("describes strings with a stop and grids in words", () => {
    expect(textOf(short, { ...plain, logZ: { initial: 1 } })).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for strings of up to 3 letters out of AB. The environment is noisy: with probability 0.5, unless the intention is to stop, the letter that is written is drawn uniformly from all 2 instead of the intended one.
      opset 18, standard operators only
      inputs
        state: What is written so far, a row for each string: for each of 3 positions 2 numbers, 1 at the letter there, in the order A B, and all 0 where nothing is written yet. float32[4, 6]
      outputs
        policyLogits: Unnormalised log-probabilities of the next intention, in the order A B, then stop: softmax gives the policy. After 3 letters only stop is legal. float32[4, 3]
        logFlow: Log of the flow through the state, as far as the objective learns it. float32[4]
        logDynamics: Learned log-probability that intended letter i (second axis) is written as letter j (third axis), in the order A B. float32[4, 2, 2]
      facts
        environment: strings of up to 3 letters out of AB
        kind: strings
        alphabet: A B
        length: 3
        variable: true
        indexFactor: 2
        stick: 0.5
        maxSteps: 4
        stopAction: 2
        logZ: -0.3942292034626007
        modelFormat: 1"
    `);
    expect(textOf(grid, { ...plain, policy: { hidden: [4], memoryRows: 64 } })).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for a grid of 8 × 8. The environment is noisy: with probability 0.1, unless the intention is to stop, a move goes along an axis drawn uniformly from those not at their end instead of the intended one.
      opset 18, standard operators only
      inputs
        state: Where each walk stands, a row each: for each of 2 axes 8 numbers, 1 at the coordinate, which starts at 0. float32[4, 16]
        index: Number of the cell: the sum of coordinate k times 8 to the power k, axes counted from 0. int32[4]
      outputs
        policyLogits: Unnormalised log-probabilities of the next intention: +1 along each of 2 axes, then stop. Leave out axes at coordinate 7, softmax gives the policy. float32[4, 3]
        logFlow: Log of the flow through the state, as far as the objective learns it. float32[4]
        logDynamics: Learned log-probability that an intended move along axis i (second axis) goes along axis j (third axis), as if no axis were at its end: leave out those that are and normalise again. float32[4, 2, 2]
      facts
        environment: a grid of 8 × 8
        kind: grid
        dimensions: 2
        side: 8
        stick: 0.1
        maxSteps: 15
        stopAction: 2
        modelFormat: 1"
    `);
    const own = { ...grid, name: "a game", features: 64, side: undefined, dimensions: undefined };
    expect(textOf(own)).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for a game. The environment is not one of the library's own, so its rules are not in this file.
      opset 18, standard operators only
      inputs
        state: States, one row each, as the environment's features. float32[4, 64]
      outputs
        policyLogits: Unnormalised log-probabilities of the intentions, the last of which is to stop: leave out those that are not legal, softmax gives the policy. float32[4, 3]
        logFlow: Log of the flow through the state, as far as the objective learns it. float32[4]
        logDynamics: Learned log-probability that intention i (second axis) comes out as outcome j (third axis), as if all were legal: leave out the others and normalise again. float32[4, 2, 2]
      facts
        environment: a game
        kind: own
        stick: 0.1
        maxSteps: 15
        stopAction: 2
        modelFormat: 1"
    `);
  });

  test("says that a level of noise is hidden", () => {
    expect(textOf(hidden)).toContain(
      "with probability 0.3 the letter that is written is drawn uniformly from all 4 instead of the intended one. That is the mean: the level is hidden, drawn at the start of each string: 0 with probability 0.4, 0.5 with probability 0.6.",
    );
    expect(textOf({ ...hidden, switching: 0.1 } as Environment)).toContain(
      "at the start of each string, and again after each letter with probability 0.1:",
    );
  });

  const factsOf = (environment: Environment) => {
    const source = made(environment);
    const bytes = exportModel(source.model, source.parameters, { rows: 1, learnsDynamics: false });
    return inspectOnnx(bytes, "x").metadata;
  };

  test("writes words of bits as the objects do", () => {
    expect(factsOf(bitSequenceEnvironment({ stick: 0.1, bits: 6, word: 2 }))).toMatchObject({
      kind: "strings",
      alphabet: "00 01 10 11",
      length: "3",
      indexFactor: "4",
    });
  });

  test.each<[string, Environment]>([
    ["strings", dna],
    ["strings with a stop", short],
    ["long strings", long],
    ["strings with hidden regimes", hidden],
  ])("numbers prefixes as the environment does: %s", async (_, environment) => {
    const { length, indexFactor } = factsOf(environment);
    const letters = Int32Array.from({ length: Number(length) }, (_, i) => (i * i + 1) % environment.outcomes);
    const steps = {
      actions: spec([letters.length, 1], "int32"),
      outcomes: spec([letters.length, 1], "int32"),
    };
    const program = await compile(
      (numbers) => ({
        index: np.concatenate(
          follow(environment, numbers).states.map(({ index }) => index),
          0,
        ),
      }),
      steps,
    );
    const { index } = await program.run({ actions: letters, outcomes: letters });
    await program.dispose();
    let expected = 0;
    letters.forEach((letter, t) => {
      expected = (Math.imul(Number(indexFactor), expected) + 1 + letter) | 0;
      expect(index[t + 1]).toBe(expected);
    });
  });
});

describe("what cannot be exported is refused in one sentence:", () => {
  const { model, parameters } = made(short);
  const options = { rows: 4, learnsDynamics: true };
  test("parameters of another model", () => {
    expect(() => exportModel(model, { ...parameters, policy: new Float32Array(3) }, options)).toThrow(
      `exportModel: policy has 3 parameters, and the model ${model.policyLayout.size}`,
    );
    expect(() => exportModel(model, { ...parameters, dynamics: new Float32Array(3) }, options)).toThrow(
      `exportModel: dynamics has 3 parameters, and the model ${model.dynamicsLayout.size}`,
    );
  });
  test("parameters that are no numbers", () => {
    const policy = parameters.policy.slice();
    policy[5] = Number.NaN;
    expect(() => exportModel(model, { ...parameters, policy }, options)).toThrow(
      "exportModel: parameter 5 of policy is NaN; train again",
    );
  });
  test("no rows", () => {
    expect(() => exportModel(model, parameters, { ...options, rows: 0 })).toThrow(
      /^exportModel: rows must be/,
    );
  });
});
