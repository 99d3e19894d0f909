// Policy and dynamics networks: what they say, and what a memory lets them say.

import { grad, numpy as np, valueAndGrad } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, peak } from "../../test/support/difference.ts";
import { rowsOf } from "../../test/support/environment-walk.ts";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  type HostInputs,
  randomInput,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import { randomPolicy } from "../../test/support/tabular.ts";
import { compile, RandomStream, spec } from "../engine/index.ts";
import { adam, cosineSchedule, type Layout, layout, logSoftmax } from "../nn/index.ts";
import type { EnumerableEnvironment } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { entropy } from "./evaluate/distances.ts";
import { dynamicsNetwork, type NetworkOptions, type NetworkParams, policyNetwork } from "./networks.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
const SMALL: NetworkOptions = { hidden: [8] };

/** All states as inputs, and parameters drawn at random. */
function inputsFor(
  environment: EnumerableEnvironment,
  { size }: Layout<NetworkParams>,
  indices?: number[],
): HostInputs {
  const index = indices ?? Array.from({ length: environment.states }, (_, i) => i);
  return {
    params: randomInput([size], "params"),
    features: { shape: [index.length, environment.features], data: environment.featuresOf(index) },
    index: { shape: [index.length], dtype: "int32", data: index },
  };
}

/** Everything the policy network says of states, row by row: intentions, ways back, flow. */
function saidByPolicy(
  environment: EnumerableEnvironment,
  options: NetworkOptions,
  inputs: HostInputs,
): number[][] {
  const network = policyNetwork(environment, options);
  const { split } = layout(network.params);
  const { all } = evaluate(({ params, features, index }) => {
    const { forward, backward, logFlow } = network.apply(split(params), features, index);
    return { all: np.concatenate([forward, backward, logFlow.reshape([-1, 1])], 1) };
  }, inputs);
  return rowsOf(all, inputs.index.shape[0]);
}

describe.each([
  ["strings", strings, 3, 3],
  ["strings that stop", stopping, 3, 2],
  ["a grid", grid, 3, 4],
] as const)("the policy network on %s", (_, environment, actions, classes) => {
  test.each([SMALL, { ...SMALL, memoryRows: 5 }])(
    "says one number per intention, per way back, and a flow: %j",
    (options) => {
      const network = policyNetwork(environment, options);
      const { split, size } = layout(network.params);
      const R = environment.states;
      const shapes: Record<string, readonly number[]> = {};
      evaluate(
        ({ params, features, index }) => {
          const outputs = network.apply(split(params), features, index);
          for (const [name, { shape }] of Object.entries(outputs)) shapes[name] = shape;
          return outputs;
        },
        inputsFor(environment, { size } as Layout<NetworkParams>),
      );
      expect(shapes).toEqual({ forward: [R, actions], backward: [R, classes], logFlow: [R] });
    },
  );
});

describe("the dynamics network", () => {
  /** P̂ of all states, [states][intentions · outcomes]. */
  function model(environment: EnumerableEnvironment, legal: readonly (readonly number[])[]): number[][] {
    const network = dynamicsNetwork(environment, { ...SMALL, memoryRows: environment.states });
    const params = layout(network.params);
    const { p } = evaluate(
      (inputs) => ({
        p: np.exp(network.apply(params.split(inputs.params), inputs.features, inputs.index, inputs.legal)),
      }),
      {
        ...inputsFor(environment, params),
        legal: { shape: [legal.length, legal[0].length], dtype: "bool", data: legal.flat() },
      },
    );
    return rowsOf(p, environment.states);
  }

  test("gives probabilities over all letters for every intention", () => {
    for (const row of model(strings, [[1, 1, 1]])) {
      expect(row).toHaveLength(9);
      for (const p of rowsOf(Float64Array.from(row), 3)) expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    }
  });

  test("gives probabilities over the moves that are legal in the cell, and nothing to the others", () => {
    const legal = Array.from({ length: 9 }, (_, cell) => [+(cell % 3 < 2), +(cell < 6)]);
    model(grid, legal).forEach((row, cell) => {
      if (cell === 8) return; // the far corner, where only a stop is left
      for (const p of rowsOf(Float64Array.from(row), 2)) {
        expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        expect(p.map((x) => x > 0)).toEqual(legal[cell].map((x) => x === 1));
      }
    });
  });

  test("stays finite where nothing is legal", () => {
    for (const row of model(grid, [[0, 0]])) expect(row.every(Number.isFinite)).toBe(true);
  });
});

describe("memory", () => {
  const enough: NetworkOptions = { ...SMALL, memoryRows: strings.states };
  const sizeWith = (memoryRows: number | undefined) =>
    layout(policyNetwork(strings, { ...SMALL, memoryRows }).params).size;

  test("has a row of outputs for every state, fewer if told, and none unless asked", () => {
    const outputs = 3 + 3 + 1;
    expect(sizeWith(0)).toBe(sizeWith(undefined));
    expect(sizeWith(2)).toBe(sizeWith(0) + 2 * outputs);
    expect(sizeWith(strings.states)).toBe(sizeWith(0) + strings.states * outputs);
    expect(sizeWith(1000)).toBe(sizeWith(strings.states));
  });

  test("starts as if it were not there", () => {
    const params = layout(policyNetwork(strings, enough).params);
    const start = params.init(RandomStream.fromSeed(1));
    expect(peak(params.view(start).memory!.table)).toBe(0);
    expect(peak(start)).toBeGreaterThan(0);
  });

  test("tells states apart that look the same, which the network alone cannot", () => {
    const alike = (options: NetworkOptions) => {
      const inputs = inputsFor(strings, layout(policyNetwork(strings, options).params), [1, 2]);
      const features = { ...inputs.features, data: new Float32Array(2 * strings.features) };
      const [first, second] = saidByPolicy(strings, options, { ...inputs, features });
      return largestDifference(first, second);
    };
    expect(alike(SMALL)).toBe(0);
    expect(alike(enough)).toBeGreaterThan(0.1);
  });

  test("with a row for every state can say anything of each of them", () => {
    const params = layout(policyNetwork(strings, enough).params);
    const inputs = inputsFor(strings, params);
    const table = params.entries.find(({ path }) => path === "memory.table")!;
    const flat = Float32Array.from(inputs.params.data);
    flat.fill(0, table.offset, table.offset + table.size);
    const withParams = (data: Float32Array) => ({ ...inputs, params: { ...inputs.params, data } });
    const alone = saidByPolicy(strings, enough, withParams(flat)).flat();
    const wanted = Array.from(randomInput([alone.length], "wanted", 3).data);
    flat.set(
      wanted.map((x, i) => x - alone[i]),
      table.offset,
    );
    expect(largestDifference(saidByPolicy(strings, enough, withParams(flat)).flat(), wanted)).toBeLessThan(
      1e-5,
    );
  });

  test("learns of a state in that state's row only", () => {
    const network = policyNetwork(strings, enough);
    const params = layout(network.params);
    const flowOf = (arrays: Readonly<Record<string, np.Array>>) =>
      network.apply(params.split(arrays.params), arrays.features, arrays.index).logFlow.reshape([]); // []
    const { gradient } = evaluate(
      (arrays) => ({
        gradient: grad((moved: np.Array) => flowOf({ ...arrays, params: moved }))(arrays.params),
      }),
      inputsFor(strings, params, [2]),
    );
    const { table } = params.view(Float32Array.from(gradient)).memory!;
    const rows = rowsOf(Float64Array.from(table), strings.states);
    expect(rows.map((row) => peak(row))).toEqual([0, 0, 1, 0]);
  });

  test("is for states, and leaves what is said of strings of full length to the network", () => {
    const full = [strings.states, strings.states + 8];
    const inputs = inputsFor(strings, layout(policyNetwork(strings, enough).params), full);
    const alone = layout(policyNetwork(strings, SMALL).params);
    const params = { shape: [alone.size], data: Array.from(inputs.params.data).slice(0, alone.size) };
    expect(saidByPolicy(strings, enough, inputs)).toEqual(
      saidByPolicy(strings, SMALL, { ...inputs, params }),
    );
  });
});

describe("an embedded state", () => {
  const embedded: NetworkOptions = { hidden: [8], state: "embedded", embeddingWidth: 5 };

  test.each([
    ["strings", strings, 2, 3],
    ["strings that stop", stopping, 2, 2],
    ["a grid", grid, 2, 3],
  ] as const)(
    "has a row per letter or coordinate and one per position, on %s",
    (_, environment, blocks, block) => {
      for (const network of [policyNetwork(environment, embedded), dynamicsNetwork(environment, embedded)]) {
        const { entries } = layout(network.params);
        const shapes = Object.fromEntries(entries.map(({ path, shape }) => [path, shape]));
        expect(shapes).toMatchObject({
          "embedding.values": [block, 5],
          "embedding.positions": [blocks, 5],
          "mlp.layers.0.weight": [blocks * 5, 8],
        });
      }
    },
  );

  test("is sixteen numbers wide per block unless told", () => {
    const { params } = policyNetwork(strings, { hidden: [8], state: "embedded" });
    expect(params.embedding!.values.shape).toEqual([3, 16]);
  });

  test("is not the default", () => {
    expect(layout(policyNetwork(strings, { ...SMALL, state: "one-hot" }).params).entries).toEqual(
      layout(policyNetwork(strings, SMALL).params).entries,
    );
    expect(policyNetwork(strings, SMALL).params.embedding).toBeUndefined();
  });

  test.each([embedded, { ...embedded, memoryRows: 4 }])("leads to as many outputs: %j", (options) => {
    for (const environment of [strings, stopping, grid]) {
      const said = saidByPolicy(
        environment,
        options,
        inputsFor(environment, layout(policyNetwork(environment, options).params)),
      );
      expect(said).toHaveLength(environment.states);
      for (const row of said) expect(row).toHaveLength(environment.actions + environment.backwardClasses + 1);
      expect(new Set(said.map((row) => row.join())).size).toBe(environment.states);
    }
  });

  test.each([strings, stopping, grid])("has the right gradients, $name", async (environment) => {
    const options: NetworkOptions = { ...embedded, activation: "tanh", memoryRows: 4 };
    const network = policyNetwork(environment, options);
    const { features, index } = inputsFor(environment, layout(network.params));
    const checked = checkModuleGradients(
      network,
      (params, arrays) => {
        const { forward, backward, logFlow } = network.apply(params, arrays.features, arrays.index);
        return np.concatenate([forward, backward, logFlow.reshape([-1, 1])], 1);
      },
      {},
      { fixed: { features, index } },
    );
    const { embedding } = layout(network.params).view(Float32Array.from(checked.gradients.params));
    expect(peak(embedding!.values)).toBeGreaterThan(0);
    expect(peak(embedding!.positions)).toBeGreaterThan(0);
    await expectGradientsOnEngines(checked);
  });

  test("has the right gradients in the dynamics network", () => {
    const network = dynamicsNetwork(grid, { ...embedded, activation: "tanh" });
    const { features, index } = inputsFor(grid, layout(network.params));
    const legal: HostInput = { shape: [1, 2], dtype: "bool", data: [1, 1] };
    checkModuleGradients(
      network,
      (params, arrays) => network.apply(params, arrays.features, arrays.index, arrays.legal),
      {},
      { fixed: { features, index, legal } },
    );
  });

  test("learns any policy: fitted to a table of probabilities, it ends at the table", async () => {
    const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
    const { states, actions } = environment;
    const wanted = randomPolicy(environment.enumerate(), RandomStream.fromSeed(31));
    const network = policyNetwork(environment, { hidden: [32], state: "embedded", embeddingWidth: 4 });
    const params = layout(network.params);
    const steps = 1000;
    const optimiser = adam({ learningRate: cosineSchedule({ from: 2e-2, to: 1e-4, steps }) });
    const flat = spec([params.size]);
    const program = await compile(
      ({ params: vector, m, v, step, features, index, table }) => {
        const fit = (moved: np.Array) => {
          const { forward } = network.apply(params.split(moved), features, index);
          return np.negative(np.divide(np.sum(np.multiply(logSoftmax(forward), table)), states)); // []
        };
        const [loss, gradient] = valueAndGrad(fit)(vector);
        const updated = optimiser.update(vector, gradient, { m, v, step });
        return { params: updated.params, ...updated.state, loss };
      },
      {
        params: flat,
        m: flat,
        v: flat,
        step: spec([], "int32"),
        features: spec([states, environment.features]),
        index: spec([states], "int32"),
        table: spec([states, actions]),
      },
      { engine: "native", state: ["params", "m", "v", "step"], finite: ["loss"] },
    );
    program.write({ params: params.init(RandomStream.fromSeed(32)) });
    const index = Int32Array.from({ length: states }, (_, i) => i);
    const inputs = { features: environment.featuresOf(index), index, table: Float32Array.from(wanted) };
    let loss = Number.NaN;
    for (let k = 0; k < steps; k++) loss = (await program.run(inputs)).loss[0];
    await program.dispose();
    // The cross-entropy is as small as it can be: the entropy of the table.
    expect(loss - entropy(wanted) / states).toBeGreaterThan(-1e-5);
    expect(loss - entropy(wanted) / states).toBeLessThan(1e-4);
  });

  test("of a kind that is not there, or of no width, is refused", () => {
    expect(() => policyNetwork(strings, { ...SMALL, state: "dense" as "embedded" })).toThrow(
      "networks: state must be one of one-hot, embedded, none, got dense",
    );
    expect(() => dynamicsNetwork(strings, { ...embedded, embeddingWidth: 0 })).toThrow(
      "networks: embeddingWidth must be a positive whole number, got 0",
    );
  });
});
