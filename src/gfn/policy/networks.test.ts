// Policy and dynamics networks: their outputs, the state table, and embedded states.

import { grad, numpy as np, valueAndGrad } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, largestMagnitude } from "../../../test/support/difference.ts";
import { rowsOf } from "../../../test/support/environment-walk.ts";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  type HostInputs,
  randomInput,
} from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { entropy } from "../../math/distances.ts";
import { adam, type Layout, layout, logSoftmax, scheduleAt } from "../../nn/index.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { dynamicsNetwork, type NetworkOptions, type NetworkParams, policyNetwork } from "./networks.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
const SMALL: NetworkOptions = { hidden: [8] };

/** All states, or those with the given indices, and random parameters as inputs. */
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

/** All outputs of the policy network, one row per state: forward logits, backward logits, log flow. */
function policyOutputs(
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
  ["strings with a stop", stopping, 3, 2],
  ["a grid", grid, 3, 4],
] as const)("the policy network on %s", (_, environment, actions, backwardActions) => {
  test.each([SMALL, { ...SMALL, stateTableRows: 5 }])(
    "has one output per action, one per backward action, and a flow: %j",
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
      expect(shapes).toEqual({ forward: [R, actions], backward: [R, backwardActions], logFlow: [R] });
    },
  );
});

describe("the dynamics network", () => {
  /** P̂ of all states, [states][actions · outcomes]. */
  function probabilities(
    environment: EnumerableEnvironment,
    legal: readonly (readonly number[])[],
  ): number[][] {
    const network = dynamicsNetwork(environment, { ...SMALL, stateTableRows: environment.states });
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

  test("has probabilities over all letters for every action", () => {
    for (const row of probabilities(strings, [[1, 1, 1]])) {
      expect(row).toHaveLength(9);
      for (const p of rowsOf(Float64Array.from(row), 3)) expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    }
  });

  test("has probabilities over the legal moves of a cell, and 0 for illegal moves", () => {
    const legal = Array.from({ length: 9 }, (_, cell) => [+(cell % 3 < 2), +(cell < 6)]);
    probabilities(grid, legal).forEach((row, cell) => {
      if (cell === 8) return; // the far corner, where only the stop is legal
      for (const p of rowsOf(Float64Array.from(row), 2)) {
        expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        expect(p.map((x) => x > 0)).toEqual(legal[cell].map((x) => x === 1));
      }
    });
  });

  test("stays finite if nothing is legal", () => {
    for (const row of probabilities(grid, [[0, 0]])) expect(row.every(Number.isFinite)).toBe(true);
  });
});

describe("the state table", () => {
  const withTable: NetworkOptions = { ...SMALL, stateTableRows: strings.states };
  const sizeWith = (stateTableRows: number | undefined) =>
    layout(policyNetwork(strings, { ...SMALL, stateTableRows }).params).size;

  test("has one row of outputs per state, or the given number of rows, and no rows by default", () => {
    const outputs = 3 + 3 + 1;
    expect(sizeWith(0)).toBe(sizeWith(undefined));
    expect(sizeWith(2)).toBe(sizeWith(0) + 2 * outputs);
    expect(sizeWith(strings.states)).toBe(sizeWith(0) + strings.states * outputs);
    expect(sizeWith(1000)).toBe(sizeWith(strings.states));
  });

  test("is initialised to zero", () => {
    const params = layout(policyNetwork(strings, withTable).params);
    const start = params.init(RandomStream.fromSeed(1));
    expect(largestMagnitude(params.view(start).stateTable!.table)).toBe(0);
    expect(largestMagnitude(start)).toBeGreaterThan(0);
  });

  test("distinguishes states with equal features, which the perceptron cannot", () => {
    const differenceFor = (options: NetworkOptions) => {
      const inputs = inputsFor(strings, layout(policyNetwork(strings, options).params), [1, 2]);
      const features = { ...inputs.features, data: new Float32Array(2 * strings.features) };
      const [first, second] = policyOutputs(strings, options, { ...inputs, features });
      return largestDifference(first, second);
    };
    expect(differenceFor(SMALL)).toBe(0);
    expect(differenceFor(withTable)).toBeGreaterThan(0.1);
  });

  test("with one row per state can represent any outputs", () => {
    const params = layout(policyNetwork(strings, withTable).params);
    const inputs = inputsFor(strings, params);
    const table = params.entries.find(({ path }) => path === "stateTable.table")!;
    const flat = Float32Array.from(inputs.params.data);
    flat.fill(0, table.offset, table.offset + table.size);
    const withParams = (data: Float32Array) => ({ ...inputs, params: { ...inputs.params, data } });
    const fromPerceptron = policyOutputs(strings, withTable, withParams(flat)).flat();
    const wanted = Array.from(randomInput([fromPerceptron.length], "wanted", 3).data);
    flat.set(
      wanted.map((x, i) => x - fromPerceptron[i]),
      table.offset,
    );
    expect(
      largestDifference(policyOutputs(strings, withTable, withParams(flat)).flat(), wanted),
    ).toBeLessThan(1e-5);
  });

  test("has a gradient only in the row of the state", () => {
    const network = policyNetwork(strings, withTable);
    const params = layout(network.params);
    const flowOf = (arrays: Readonly<Record<string, np.Array>>) =>
      network.apply(params.split(arrays.params), arrays.features, arrays.index).logFlow.reshape([]); // []
    const { gradient } = evaluate(
      (arrays) => ({
        gradient: grad((moved: np.Array) => flowOf({ ...arrays, params: moved }))(arrays.params),
      }),
      inputsFor(strings, params, [2]),
    );
    const { table } = params.view(Float32Array.from(gradient)).stateTable!;
    const rows = rowsOf(Float64Array.from(table), strings.states);
    expect(rows.map((row) => largestMagnitude(row))).toEqual([0, 0, 1, 0]);
  });

  test("applies to non-terminal states only", () => {
    const terminals = [strings.states, strings.states + 8];
    const inputs = inputsFor(strings, layout(policyNetwork(strings, withTable).params), terminals);
    const withoutTable = layout(policyNetwork(strings, SMALL).params);
    const params = {
      shape: [withoutTable.size],
      data: Array.from(inputs.params.data).slice(0, withoutTable.size),
    };
    expect(policyOutputs(strings, withTable, inputs)).toEqual(
      policyOutputs(strings, SMALL, { ...inputs, params }),
    );
  });
});

describe("an embedded state", () => {
  const embedded: NetworkOptions = { hidden: [8], state: "embedded", embeddingWidth: 5 };

  test.each([
    ["strings", strings, 2, 3],
    ["strings with a stop", stopping, 2, 2],
    ["a grid", grid, 2, 3],
  ] as const)(
    "has one vector per letter or coordinate and one per position, for %s",
    (_, environment, blocks, blockSize) => {
      for (const network of [policyNetwork(environment, embedded), dynamicsNetwork(environment, embedded)]) {
        const { entries } = layout(network.params);
        const shapes = Object.fromEntries(entries.map(({ path, shape }) => [path, shape]));
        expect(shapes).toMatchObject({
          "embedding.values": [blockSize, 5],
          "embedding.positions": [blocks, 5],
          "mlp.layers.0.weight": [blocks * 5, 8],
        });
      }
    },
  );

  test("has the default width 16 per block", () => {
    const { params } = policyNetwork(strings, { hidden: [8], state: "embedded" });
    expect(params.embedding!.values.shape).toEqual([3, 16]);
  });

  test("is not the default", () => {
    expect(layout(policyNetwork(strings, { ...SMALL, state: "one-hot" }).params).entries).toEqual(
      layout(policyNetwork(strings, SMALL).params).entries,
    );
    expect(policyNetwork(strings, SMALL).params.embedding).toBeUndefined();
  });

  test.each([embedded, { ...embedded, stateTableRows: 4 }])(
    "gives the same number of outputs as a one-hot state: %j",
    (options) => {
      for (const environment of [strings, stopping, grid]) {
        const outputs = policyOutputs(
          environment,
          options,
          inputsFor(environment, layout(policyNetwork(environment, options).params)),
        );
        expect(outputs).toHaveLength(environment.states);
        for (const row of outputs)
          expect(row).toHaveLength(environment.actions + environment.backwardActions + 1);
        expect(new Set(outputs.map((row) => row.join())).size).toBe(environment.states);
      }
    },
  );

  test.each([strings, stopping, grid])("has correct gradients, $name", async (environment) => {
    const options: NetworkOptions = { ...embedded, activation: "tanh", stateTableRows: 4 };
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
    expect(largestMagnitude(embedding!.values)).toBeGreaterThan(0);
    expect(largestMagnitude(embedding!.positions)).toBeGreaterThan(0);
    await expectGradientsOnEngines(checked);
  });

  test("has correct gradients in the dynamics network", () => {
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

  test("can learn any policy: fitted to a table of probabilities, it converges to the table", async () => {
    const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
    const { states, actions } = environment;
    const target = randomPolicy(environment.enumerate(), RandomStream.fromSeed(31));
    const network = policyNetwork(environment, { hidden: [32], state: "embedded", embeddingWidth: 4 });
    const params = layout(network.params);
    const steps = 1000;
    const schedule = { from: 2e-2, to: 1e-4, shape: "cosine" } as const;
    const flat = spec([params.size]);
    const program = await compile(
      ({ params: vector, m, v, step, rate, features, index, table }) => {
        const fit = (moved: np.Array) => {
          const { forward } = network.apply(params.split(moved), features, index);
          return np.negative(np.divide(np.sum(np.multiply(logSoftmax(forward), table)), states)); // []
        };
        const [loss, gradient] = valueAndGrad(fit)(vector);
        const updated = adam({ learningRate: rate }).update(vector, gradient, { m, v, step });
        return { params: updated.params, ...updated.state, loss };
      },
      {
        params: flat,
        m: flat,
        v: flat,
        step: spec([], "int32"),
        rate: spec([]),
        features: spec([states, environment.features]),
        index: spec([states], "int32"),
        table: spec([states, actions]),
      },
      { engine: "native", state: ["params", "m", "v", "step"], finite: ["loss"] },
    );
    program.write({ params: params.init(RandomStream.fromSeed(32)) });
    const index = Int32Array.from({ length: states }, (_, i) => i);
    const inputs = { features: environment.featuresOf(index), index, table: Float32Array.from(target) };
    let loss = Number.NaN;
    for (let k = 0; k < steps; k++) {
      const rate = Float32Array.of(scheduleAt(schedule, k / steps));
      loss = (await program.run({ ...inputs, rate })).loss[0];
    }
    await program.dispose();
    // The minimum of the cross-entropy is the entropy of the table.
    expect(loss - entropy(target) / states).toBeGreaterThan(-1e-5);
    expect(loss - entropy(target) / states).toBeLessThan(1e-4);
  });

  test("is rejected if its kind is unknown or its width is 0", () => {
    expect(() => policyNetwork(strings, { ...SMALL, state: "dense" as "embedded" })).toThrow(
      "networks: state must be one of one-hot, embedded, none, got dense",
    );
    expect(() => dynamicsNetwork(strings, { ...embedded, embeddingWidth: 0 })).toThrow(
      "networks: embeddingWidth must be a positive whole number, got 0",
    );
  });
});
