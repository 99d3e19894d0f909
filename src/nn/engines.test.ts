// Tests that layers, networks and optimisers give the float64 values and gradients on both engines.

import { numpy as np } from "@jax-js/jax";
import { describe, test } from "vitest";
import {
  checkGradients,
  checkModuleGradients,
  evaluate,
  type HostInput,
  type HostInputs,
  hostInputs,
  randomInput,
  randomTokens,
  specsOf,
  weightedSum,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines, expectOutputsOnEngines } from "../../test/support/on-engines.ts";
import { RandomStream } from "../engine/index.ts";
import {
  type Activation,
  activations,
  adam,
  adamW,
  clipByGlobalNorm,
  crossAttention,
  dropout,
  embedding,
  gru,
  layerNorm,
  learnedPositions,
  linear,
  logSoftmax,
  logSumExp,
  lstm,
  maskedLogSoftmax,
  maskedSoftmax,
  mlp,
  type Optimiser,
  selfAttention,
  sinusoidalPositions,
  softmax,
  stateTable,
  transformer,
} from "./index.ts";

const matrix = randomInput([3, 4], "matrix");
const sequence = randomInput([2, 3, 4], "sequence");
const context = randomInput([2, 5, 6], "context");
const keyAllowed: HostInput = { shape: [2, 3], dtype: "bool", data: [1, 1, 0, 1, 1, 1] };
const contextAllowed: HostInput = { shape: [2, 5], dtype: "bool", data: [1, 0, 1, 1, 0, 0, 1, 1, 0, 1] };
/** The last row has no allowed entry, like padding. */
const allowed: HostInput = { shape: [3, 4], dtype: "bool", data: [1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0] };

function uniforms(shape: readonly number[]): HostInput {
  const size = shape.reduce((product, extent) => product * extent, 1);
  return { shape, data: RandomStream.fromSeed(3).fillUniform(new Float32Array(size)) };
}

/** Checking a few coordinates is enough here, because the tests of each module check all of them. */
const few = { coordinates: 6 };

describe("activations have the right gradients on both engines", () => {
  test.each(Object.entries<Activation>(activations))("%s", async (_, activate) => {
    await expectGradientsOnEngines(checkGradients(({ matrix }) => weightedSum(activate(matrix)), { matrix }));
  });
});

describe("softmaxes have the right gradients on both engines", () => {
  test.each(Object.entries<Activation>({ softmax, logSoftmax, logSumExp }))("%s", async (_, f) => {
    await expectGradientsOnEngines(checkGradients(({ matrix }) => weightedSum(f(matrix)), { matrix }));
  });

  test("maskedSoftmax", async () => {
    const checked = checkGradients(
      ({ matrix, allowed }) => weightedSum(maskedSoftmax(matrix, allowed)),
      { matrix },
      { fixed: { allowed } },
    );
    await expectGradientsOnEngines(checked);
  });

  test("maskedLogSoftmax, on its allowed entries", async () => {
    const checked = checkGradients(
      ({ matrix, allowed }) => weightedSum(np.where(allowed, maskedLogSoftmax(matrix, allowed), 0)),
      { matrix },
      { fixed: { allowed } },
    );
    await expectGradientsOnEngines(checked);
  });
});

describe("layers have the right gradients on both engines", () => {
  test("linear, with and without bias", async () => {
    for (const bias of [true, false]) {
      const module = linear(4, 3, { bias });
      await expectGradientsOnEngines(
        checkModuleGradients(module, (params, { matrix }) => module.apply(params, matrix), { matrix }, few),
      );
    }
  });

  test("mlp, with every activation", async () => {
    for (const activation of Object.keys(activations) as (keyof typeof activations)[]) {
      const module = mlp({ inputs: 4, hidden: [5, 3], outputs: 2, activation });
      await expectGradientsOnEngines(
        checkModuleGradients(
          module,
          (params, { sequence }) => module.apply(params, sequence),
          { sequence },
          few,
        ),
      );
    }
  });

  test("embedding", async () => {
    const module = embedding(5, 3);
    await expectGradientsOnEngines(
      checkModuleGradients(
        module,
        (params, { tokens }) => module.apply(params, tokens),
        {},
        {
          ...few,
          fixed: { tokens: randomTokens([2, 4], 5, "tokens") },
        },
      ),
    );
  });

  test("stateTable, with one row per state and with shared rows", async () => {
    for (const rows of [15, 7]) {
      const module = stateTable({ states: 15, rows, width: 2 });
      await expectGradientsOnEngines(
        checkModuleGradients(
          module,
          (params, { index }) => module.apply(params, index),
          {},
          { ...few, fixed: { index: randomTokens([12], 20, "index") } },
        ),
      );
    }
  });

  test("layerNorm", async () => {
    const module = layerNorm(4);
    await expectGradientsOnEngines(
      checkModuleGradients(module, (params, { sequence }) => module.apply(params, sequence), { sequence }),
    );
  });

  test("positions, learned and sinusoidal", async () => {
    const learned = learnedPositions(5, 4);
    await expectGradientsOnEngines(
      checkModuleGradients(
        learned,
        (params, { sequence }) => np.sin(learned.apply(params, sequence)),
        { sequence },
        few,
      ),
    );
    await expectGradientsOnEngines(
      checkGradients(({ sequence }) => weightedSum(np.sin(sinusoidalPositions(4).apply({}, sequence))), {
        sequence,
      }),
    );
  });

  test("dropout", async () => {
    const checked = checkGradients(
      ({ matrix, uniforms }) => weightedSum(np.sin(dropout(matrix, uniforms, 0.4))),
      { matrix },
      { fixed: { uniforms: uniforms([3, 4]) } },
    );
    await expectGradientsOnEngines(checked);
  });

  test("self-attention, causal or not, with and without a mask", async () => {
    for (const causal of [false, true]) {
      for (const fixed of [{}, { keyAllowed }] as HostInputs[]) {
        const module = selfAttention({ width: 4, heads: 2, causal });
        await expectGradientsOnEngines(
          checkModuleGradients(
            module,
            (params, { sequence, keyAllowed }) => module.apply(params, sequence, { keyAllowed }),
            { sequence },
            { ...few, fixed },
          ),
        );
      }
    }
  });

  test("cross-attention, with a mask", async () => {
    const module = crossAttention({ width: 4, heads: 2, contextWidth: 6 });
    await expectGradientsOnEngines(
      checkModuleGradients(
        module,
        (params, { sequence, context, contextAllowed }) =>
          module.apply(params, sequence, context, { keyAllowed: contextAllowed }),
        { sequence, context },
        { ...few, fixed: { contextAllowed } },
      ),
    );
  });

  test("transformer, with and without dropout", async () => {
    for (const dropoutRate of [0, 0.3]) {
      const module = transformer({
        layers: 2,
        width: 4,
        heads: 2,
        feedForward: 6,
        causal: true,
        dropoutRate,
      });
      await expectGradientsOnEngines(
        checkModuleGradients(
          module,
          (params, { sequence, keyAllowed, uniforms }) =>
            module.apply(params, sequence, { keyAllowed, uniforms }),
          { sequence },
          { ...few, fixed: { keyAllowed, uniforms: uniforms(module.uniformsShape(2, 3)) } },
        ),
      );
    }
  });

  test("gru and lstm, from an initial state", async () => {
    const cell = gru({ inputs: 4, width: 3 });
    await expectGradientsOnEngines(
      checkModuleGradients(
        cell,
        (params, { sequence, start }) => cell.apply(params, sequence, start).states,
        { sequence, start: randomInput([2, 3], "start") },
        few,
      ),
    );
    const long = lstm({ inputs: 4, width: 3 });
    await expectGradientsOnEngines(
      checkModuleGradients(
        long,
        (params, { sequence, hidden, cell }) => long.apply(params, sequence, { hidden, cell }).states,
        { sequence, hidden: randomInput([2, 3], "hidden"), cell: randomInput([2, 3], "cell") },
        few,
      ),
    );
  });
});

describe("optimisers take the float64 step on both engines", () => {
  const size = 12;
  const state = {
    params: randomInput([size], "params"),
    m: randomInput([size], "m"),
    v: { shape: [size], data: Array.from(randomInput([size], "v").data, (x) => x * x + 0.01) },
    step: { shape: [], dtype: "int32", data: [7] } as const,
    gradient: randomInput([size], "gradient"),
  };
  const decayMask = Float32Array.from({ length: size }, (_, i) => i % 2);
  const rateScale = Float32Array.from({ length: size }, (_, i) => 1 + (i % 3));

  const optimisers: Record<string, Optimiser> = {
    "Adam, clipped": adam({ learningRate: 0.05 }),
    "AdamW, clipped, with decay, mask and learning-rate scales": adamW({
      learningRate: 0.05,
      weightDecay: 0.1,
      decayMask,
      rateScale,
    }),
  };

  test.each(Object.entries(optimisers))("%s", async (_, optimiser) => {
    const f = ({ params, m, v, step, gradient }: Readonly<Record<keyof typeof state, np.Array>>) => {
      const clipped = clipByGlobalNorm(gradient, 1.5);
      const next = optimiser.update(params, clipped.gradient, { m, v, step });
      return {
        newParams: next.params,
        newM: next.state.m,
        newV: next.state.v,
        newStep: next.state.step,
        norm: clipped.norm,
      };
    };
    await expectOutputsOnEngines(f, specsOf(state), hostInputs(state), evaluate(f, state));
  });
});
