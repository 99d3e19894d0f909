// Tests of attention weights: those of a tiny encoder equal a reference in float64, written without array functions.

import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sinusoidalTable } from "../../nn/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { defaultSettings } from "../training/defaults.ts";
import { attentionWeights } from "./attention-weights.ts";
import { model } from "./model.ts";

const environment = sequenceEnvironment({ alphabet: "ACG", length: 4, stick: 0.25 });
const [D, H, LAYERS, FEED_FORWARD] = [4, 2, 2, 3];
const networks = model(environment, {
  ...defaultSettings(environment, { encoder: "both" }),
  ...{ encoderLayers: LAYERS, encoderWidth: D, encoderHeads: H, encoderFeedForward: FEED_FORWARD },
});
const stream = RandomStream.fromSeed(5);
// Large weights, so that the attention is far from uniform.
const parameters = networks.policyLayout.init(stream).map((value) => 2 * value + 0.1 * stream.normal());
const [actions, outcomes] = [
  [1, 2, 0],
  [1, 0, 0],
];

type Rows = readonly (readonly number[])[];

/** A parameter by the end of its path. */
function parameter(path: string): { readonly shape: readonly number[]; readonly values: number[] } {
  const { entries } = networks.policyLayout;
  const full = `network.encoder.${path}`;
  let offset = 0;
  for (const entry of entries) {
    const size = entry.shape.reduce((a, b) => a * b, 1);
    if (entry.path === full)
      return { shape: entry.shape, values: Array.from(parameters.subarray(offset, offset + size)) };
    offset += size;
  }
  throw new Error(
    `there is no parameter ${full}; there are ${entries.map((entry) => entry.path).join(", ")}`,
  );
}

function linear(rows: Rows, path: string): number[][] {
  const { shape, values } = parameter(`${path}.weight`);
  const bias = parameter(`${path}.bias`).values;
  return rows.map((row) =>
    bias.map((b, column) => b + row.reduce((sum, x, i) => sum + x * values[i * shape[1] + column], 0)),
  );
}

function layerNorm(rows: Rows, path: string): number[][] {
  const [gain, bias] = [parameter(`${path}.gain`).values, parameter(`${path}.bias`).values];
  return rows.map((row) => {
    const mean = row.reduce((a, b) => a + b) / row.length;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
    return row.map((x, i) => ((x - mean) / Math.sqrt(variance + 1e-5)) * gain[i] + bias[i]);
  });
}

const added = (a: Rows, b: Rows) => a.map((row, i) => row.map((x, j) => x + b[i][j]));

/** Weights [layer][head][query][key], by the definition of a causal transformer with pre-normalisation. */
function reference(): number[][][][] {
  const begin = parameter("begin").values;
  const rowOf = (path: string, index: number) => parameter(path).values.slice(index * D, (index + 1) * D);
  const tokens = [
    begin,
    ...actions.map((action, step) =>
      rowOf("thought.weight", action).map((x, i) => x + rowOf("realised.weight", outcomes[step])[i]),
    ),
  ];
  const positions = Array.from(sinusoidalTable(tokens.length, D));
  let h: Rows = tokens.map((row, t) => row.map((x, i) => x + positions[t * D + i]));
  const width = D / H;
  return Array.from({ length: LAYERS }, (_, layer) => {
    const path = `transformer.layers.${layer}`;
    const projected = linear(layerNorm(h, `${path}.attentionNorm`), `${path}.attention.queryKeyValue`);
    const part = (row: readonly number[], which: number, head: number) =>
      row.slice(which * D + head * width, which * D + (head + 1) * width);
    const weights = Array.from({ length: H }, (_, head) =>
      projected.map((row, query) => {
        const scores = projected.map((other, key) =>
          key > query
            ? Number.NEGATIVE_INFINITY
            : part(row, 0, head).reduce((sum, x, i) => sum + x * part(other, 1, head)[i], 0) /
              Math.sqrt(width),
        );
        const exponentials = scores.map(Math.exp);
        const total = exponentials.reduce((a, b) => a + b);
        return exponentials.map((x) => x / total);
      }),
    );
    const mixed = projected.map((_, query) =>
      weights.flatMap((rows, head) =>
        Array.from({ length: width }, (_, i) =>
          rows[query].reduce((sum, weight, key) => sum + weight * part(projected[key], 2, head)[i], 0),
        ),
      ),
    );
    const middle = added(h, linear(mixed, `${path}.attention.output`));
    const inner = linear(layerNorm(middle, `${path}.feedForwardNorm`), `${path}.feedForward.layers.0`);
    const outer = linear(
      inner.map((row) => row.map((x) => Math.max(0, x))),
      `${path}.feedForward.layers.1`,
    );
    h = added(middle, outer);
    return weights;
  });
}

test("attention weights of all layers and heads equal a reference in float64", async () => {
  const found = await attentionWeights({ model: networks, net: "policy", actions, outcomes }, parameters);
  expect([found?.layers, found?.heads, found?.positions]).toEqual([LAYERS, H, 4]);
  const expected = reference().flat(3);
  expect(found?.weights).toHaveLength(expected.length);
  expected.forEach((weight, i) => {
    expect(found?.weights[i]).toBeCloseTo(weight, 5);
  });
  // The reference is not uniform, so an encoder that ignores its input would fail.
  expect(Math.max(...expected.filter((weight) => weight < 1))).toBeGreaterThan(0.6);
});

test("an encoder without attention has no weights", async () => {
  const recurrent = model(
    environment,
    defaultSettings(environment, { network: "recurrent", encoderWidth: 4 }),
  );
  const own = recurrent.policyLayout.init(RandomStream.fromSeed(1));
  expect(await attentionWeights({ model: recurrent, net: "policy", actions, outcomes }, own)).toBeNull();
});
