// A model exported as an `.onnx` file: its outputs equal those of the networks, and its texts describe how to sample.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { describeModel, inspectOnnx, loadOnnx } from "../../engine/onnx/index.ts";
import { bitSequenceEnvironment } from "../../tasks/bit-sequence/index.ts";
import { isEnumerable } from "../environment/environment.ts";
import {
  defaultSettings,
  type Environment,
  exportModel,
  hypergridEnvironment,
  longSequenceEnvironment,
  type ModelSettings,
  model,
  regimeEnvironment,
  sequenceEnvironment,
} from "../index.ts";
import { followTrajectories } from "../sampling/rollout.ts";

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

type Changes = Partial<ModelSettings>;

const plain: Changes = { hidden: [6], dynamicsHidden: [5], stateTableRows: 0 };

/** A model with random parameters, including its state tables. */
function randomModel(environment: Environment, changes: Changes = plain) {
  const model_ = model(environment, { ...defaultSettings(environment), ...changes });
  const stream = RandomStream.fromSeed(3);
  const drawn = (size: number) => Float32Array.from({ length: size }, () => stream.normal() / 2);
  const parameters = {
    policy: drawn(model_.policyLayout.size),
    dynamics: drawn(model_.dynamicsLayout.size),
  };
  return { model: model_, parameters };
}

/** Outputs of the networks without the export. */
async function networkOutputs(
  { model, parameters }: ReturnType<typeof randomModel>,
  rows: number,
  inputs: Inputs,
) {
  const { environment } = model;
  const program = await compile(
    ({ policy, dynamics, state, index }) => {
      const { forward, logFlow } = model.applyPolicy(policy, state, index);
      const legal = np.ones([1, environment.outcomes], { dtype: np.bool });
      const logDynamics = model.applyDynamics(dynamics, state, index, legal);
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
  const outputs = await program.run({ ...parameters, ...inputs });
  await program.dispose();
  return outputs;
}

interface Inputs {
  readonly state: Float32Array;
  readonly index: Int32Array;
}

/** Features and indices of some states. */
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

describe("an exported model has the outputs of the networks:", () => {
  const withStateTable = (environment: Environment): Changes => ({
    ...plain,
    stateTableRows: environment.states,
  });
  test.each<[string, Environment, Changes]>([
    ["strings", dna, plain],
    ["strings with a state table", dna, withStateTable(dna)],
    [
      "with a state table of the dynamics model only",
      short,
      { ...plain, dynamicsHidden: [3], dynamicsStateTableRows: 20 },
    ],
    ["with a state table whose rows prefixes share", dna, { ...plain, hidden: [4], stateTableRows: 100 }],
    ["with embedded letters", dna, { ...plain, hidden: [4], state: "embedded", embeddingWidth: 3 }],
    ["strings with a stop", short, withStateTable(short)],
    ["a grid", grid, withStateTable(grid)],
    ["long strings", long, { ...plain, hidden: [4], stateTableRows: 64 }],
    ["with a learned log Z", short, { ...plain, learnLogZ: true, logZInitial: 2 }],
  ])("%s", async (_, environment, changes) => {
    const source = randomModel(environment, changes);
    const inputs = someStates(environment, ROWS);
    const expected = await networkOutputs(source, ROWS, inputs);
    const bytes = exportModel(source.model, source.parameters, { rows: ROWS, includeDynamics: true });
    const loaded = await loadOnnx(bytes, "policy.onnx");
    const hasIndex = Boolean(changes.stateTableRows || changes.dynamicsStateTableRows);
    expect(loaded.description.inputs.map(({ name }) => name)).toEqual(
      hasIndex ? ["state", "index"] : ["state"],
    );
    const outputs = await loaded.run(hasIndex ? { ...inputs } : { state: inputs.state });
    await loaded.dispose();
    expect(Object.keys(outputs).sort()).toEqual(["logDynamics", "logFlow", "policyLogits"]);
    for (const [name, values] of Object.entries(expected)) {
      expect(outputs[name]).toHaveLength(values.length);
      outputs[name].forEach((value, i) => {
        expect(value).toBeCloseTo(values[i], 4);
      });
    }
  });
});

describe("the file", () => {
  test("contains the weights once", () => {
    const source = randomModel(dna, { ...plain, hidden: [64], stateTableRows: dna.states });
    const bytes = exportModel(source.model, source.parameters, { rows: 512, includeDynamics: true });
    const weights = 4 * (source.parameters.policy.length + source.parameters.dynamics.length);
    expect(bytes.length).toBeGreaterThan(weights);
    expect(bytes.length).toBeLessThan(weights + 20_000);
  });

  test("omits an untrained dynamics model with its state table", () => {
    const source = randomModel(short, { ...plain, dynamicsHidden: [3], dynamicsStateTableRows: 20 });
    const bytes = exportModel(source.model, source.parameters, { rows: 2, includeDynamics: false });
    const { inputs, outputs } = inspectOnnx(bytes, "policy.onnx");
    expect(inputs.map(({ name }) => name)).toEqual(["state"]);
    expect(outputs.map(({ name }) => name)).toEqual(["policyLogits", "logFlow"]);
  });

  test("describes strings", () => {
    const source = randomModel(dna, { ...plain, hidden: [4], stateTableRows: dna.states });
    const bytes = exportModel(source.model, source.parameters, {
      rows: 512,
      includeDynamics: true,
      task: { name: "tfbind8", label: "surrogate of SIX6" },
      metadata: { seed: "7", stick: "overridden" },
    });
    expect(describeModel(inspectOnnx(bytes, "policy.onnx"))).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for strings of 8 letters out of ACGT. Trained for tfbind8: surrogate of SIX6. The environment is noisy: with probability 0.25 the environment replaces the letter by one drawn uniformly from all 4.
      opset 18, standard operators only
      inputs
        state: The letters written so far, one row per string: 8 positions of 4 one-hot numbers, in the order A C G T, all 0 at positions that are not written yet. float32[512, 32]
        index: Index of the prefix written so far: 0 for the empty one; each letter, counted from 0, changes it to 4 * index + 1 + letter. int32[512]
      outputs
        policyLogits: Logits of the next action, in the order A C G T: softmax gives the policy. float32[512, 4]
        logFlow: Logarithm of the flow through the state; untrained if the objective does not learn it. float32[512]
        logDynamics: Learned log-probability that the action to write letter i (second axis) writes letter j (third axis), in the order A C G T. float32[512, 4, 4]
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
    const source = randomModel(environment, options);
    return describeModel(
      inspectOnnx(exportModel(source.model, source.parameters, { rows: 4, includeDynamics: true }), "x"),
    );
  };

  test("describes strings with a stop, grids and other environments", () => {
    expect(textOf(short, { ...plain, learnLogZ: true, logZInitial: 1 })).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for strings of up to 3 letters out of AB. The environment is noisy: with probability 0.5, except for a stop, the environment replaces the letter by one drawn uniformly from all 2.
      opset 18, standard operators only
      inputs
        state: The letters written so far, one row per string: 3 positions of 2 one-hot numbers, in the order A B, all 0 at positions that are not written yet. float32[4, 6]
      outputs
        policyLogits: Logits of the next action, in the order A B, then stop: softmax gives the policy. After 3 letters only the stop is legal. float32[4, 3]
        logFlow: Logarithm of the flow through the state; untrained if the objective does not learn it. float32[4]
        logDynamics: Learned log-probability that the action to write letter i (second axis) writes letter j (third axis), in the order A B. float32[4, 2, 2]
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
        logZ: 0.27030086517333984
        modelFormat: 1"
    `);
    expect(textOf(grid, { ...plain, hidden: [4], stateTableRows: 64 })).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for a grid of 8 × 8. The environment is noisy: with probability 0.1, except for a stop, the environment replaces the move by one along an axis drawn uniformly from those that are not at their end.
      opset 18, standard operators only
      inputs
        state: The cells, one row per cell: 2 axes of 8 one-hot numbers for the coordinate, counted from 0. float32[4, 16]
        index: Index of the cell: the sum over the axes k, counted from 0, of coordinate k times 8 to the power k. int32[4]
      outputs
        policyLogits: Logits of the next action: +1 along each of 2 axes, then stop. Mask axes at coordinate 7, then softmax gives the policy. float32[4, 3]
        logFlow: Logarithm of the flow through the state; untrained if the objective does not learn it. float32[4]
        logDynamics: Learned log-probability that a move along axis i (second axis) goes along axis j (third axis), computed as if no axis were at its end: mask those that are and normalise again. float32[4, 2, 2]
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
    const custom = { ...grid, kind: undefined, name: "a game", features: 64 };
    expect(textOf(custom)).toMatchInlineSnapshot(`
      "policy: The policy and the learned dynamics of a GFlowNet for a game. The environment is user-defined, so its rules are not in this file.
      opset 18, standard operators only
      inputs
        state: Features of the states, one row per state. float32[4, 64]
      outputs
        policyLogits: Logits of the actions, of which the last one is the stop: mask illegal actions, then softmax gives the policy. float32[4, 3]
        logFlow: Logarithm of the flow through the state; untrained if the objective does not learn it. float32[4]
        logDynamics: Learned log-probability that action i (second axis) has outcome j (third axis), computed as if all outcomes were legal: mask illegal ones and normalise again. float32[4, 2, 2]
      facts
        environment: a game
        kind: own
        stick: 0.1
        maxSteps: 15
        stopAction: 2
        modelFormat: 1"
    `);
  });

  test("describes a hidden noise level", () => {
    expect(textOf(hidden)).toContain(
      "with probability 0.3 the environment replaces the letter by one drawn uniformly from all 4. This probability is a mean: the level is hidden and drawn at the start of each string: 0 with probability 0.4, 0.5 with probability 0.6.",
    );
    expect(textOf({ ...hidden, switching: 0.1 } as Environment)).toContain(
      "at the start of each string, and again after each letter with probability 0.1:",
    );
  });

  const metadataOf = (environment: Environment) => {
    const source = randomModel(environment);
    const bytes = exportModel(source.model, source.parameters, { rows: 1, includeDynamics: false });
    return inspectOnnx(bytes, "x").metadata;
  };

  test("writes the letters as in objects, such as bits", () => {
    expect(metadataOf(bitSequenceEnvironment({ stick: 0.1, bits: 6, word: 2 }))).toMatchObject({
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
  ])("describes the index of prefixes: %s", async (_, environment) => {
    const { length, indexFactor } = metadataOf(environment);
    const letters = Int32Array.from({ length: Number(length) }, (_, i) => (i * i + 1) % environment.outcomes);
    const steps = {
      actions: spec([letters.length, 1], "int32"),
      outcomes: spec([letters.length, 1], "int32"),
    };
    const program = await compile(
      (indices) => ({
        index: np.concatenate(
          followTrajectories(environment, indices).states.map(({ index }) => index),
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

describe("an export is rejected in one sentence for", () => {
  const { model, parameters } = randomModel(short);
  const options = { rows: 4, includeDynamics: true };
  test("parameters of another model", () => {
    expect(() => exportModel(model, { ...parameters, policy: new Float32Array(3) }, options)).toThrow(
      `exportModel: policy has 3 parameters, but the model has ${model.policyLayout.size}`,
    );
    expect(() => exportModel(model, { ...parameters, dynamics: new Float32Array(3) }, options)).toThrow(
      `exportModel: dynamics has 3 parameters, but the model has ${model.dynamicsLayout.size}`,
    );
  });
  test("parameters that are not finite", () => {
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
