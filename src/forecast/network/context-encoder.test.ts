import type { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  type HostInputs,
  largestDifference,
  randomInput,
  randomTokens,
} from "../../../test/support/gradients.ts";
import { layout } from "../../nn/index.ts";
import {
  CONTEXT_ENCODERS,
  type ContextEncoder,
  type ContextEncoderOptions,
  type ContextInputs,
  contextEncoder,
  missingCode,
  POSITIONS,
  unknownCode,
} from "./context-encoder.ts";

const [B, T, C, W] = [3, 5, 4, 6];
const sizes = { length: T, channels: C, categories: [3, 12], width: W, layers: 1, heads: 2 };
const numbers = randomInput([B, T, C], "numbers");
const times = { shape: [B, T], data: randomInput([B, T], "gaps").data };
const codes = randomTokens([B, T, 2], 5, "codes");
// The first context has four steps, the second two, the third all five.
const present = { shape: [B, T], data: [0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1] };
const all = { numbers, times, codes, present };
const kinds = CONTEXT_ENCODERS.map((kind) => [kind] as const);

function inputsOf(arrays: Readonly<Record<string, np.Array>>): ContextInputs {
  return { numbers: arrays.numbers, times: arrays.times, codes: arrays.codes, present: arrays.present };
}

function embeddingOf(encoder: ContextEncoder, inputs: HostInputs): Float64Array {
  const params = layout(encoder.params);
  const flat = randomInput([params.size], "flat", 0.5);
  return evaluate(
    ({ flat, ...arrays }) => ({ embedding: encoder.apply(params.split(flat), inputsOf(arrays)) }),
    {
      flat,
      ...inputs,
    },
  ).embedding;
}

function statesOf(encoder: ContextEncoder, inputs: HostInputs): Float64Array {
  const params = layout(encoder.params);
  const flat = randomInput([params.size], "flat", 0.5);
  return evaluate(
    ({ flat, ...arrays }) => ({ states: encoder.states!(params.split(flat), inputsOf(arrays)) }),
    {
      flat,
      ...inputs,
    },
  ).states;
}

/** A copy of the input, with 1 added to the entries whose index meets a condition. */
function raised(input: HostInput, where: (index: number) => boolean): HostInput {
  return { ...input, data: Array.from(input.data, (x, i) => (where(i) ? x + 1 : x)) };
}

describe.each(kinds)("the %s", (kind) => {
  const options = (positions: ContextEncoderOptions["positions"]) => ({ ...sizes, kind, positions });

  test.each(POSITIONS.map((positions) => [positions]))(
    "returns an embedding of its width with %s positions",
    (positions) => {
      const embedding = embeddingOf(contextEncoder(options(positions)), all);
      expect(embedding.length).toBe(B * W);
      expect(embedding.every(Number.isFinite)).toBe(true);
    },
  );

  test("ignores padded steps", () => {
    const encoder = contextEncoder(options("continuous"));
    const padded = (index: number) => present.data[index] === 0;
    const other = embeddingOf(encoder, {
      ...all,
      numbers: raised(numbers, (i) => padded(Math.floor(i / C))),
      times: raised(times, padded),
      codes: raised(codes, (i) => padded(Math.floor(i / 2))),
    });
    expect([...other]).toEqual([...embeddingOf(encoder, all)]);
  });

  test("depends on the numbers, times and codes of each step that is not padded", () => {
    const encoder = contextEncoder(options("continuous"));
    const before = embeddingOf(encoder, all).slice(2 * W);
    for (let t = 0; t < T; t++) {
      const at = (each: number) => (i: number) => Math.floor(i / each) === 2 * T + t;
      const changes = [
        { numbers: raised(numbers, at(C)) },
        { times: raised(times, at(1)) },
        { codes: raised(codes, at(2)) },
      ];
      for (const change of changes) {
        const after = embeddingOf(encoder, { ...all, ...change }).slice(2 * W);
        expect(largestDifference(after, before), `${Object.keys(change)} ${t}`).toBeGreaterThan(1e-6);
      }
    }
  });

  test("has the right gradients", () => {
    const encoder = contextEncoder(options("learned"));
    checkModuleGradients(
      encoder,
      (params, arrays) => encoder.apply(params, inputsOf(arrays)),
      { numbers },
      { fixed: { present, codes }, coordinates: 16 },
    );
  });
});

test.each(kinds.filter(([kind]) => kind !== "mlp"))("the %s does not read later steps", (kind) => {
  const encoder = contextEncoder({ ...sizes, kind });
  const inputs = { numbers, codes };
  const before = statesOf(encoder, inputs);
  for (let t = 1; t < T; t++) {
    const later = (i: number) => Math.floor(i / C) % T >= t;
    const after = statesOf(encoder, { ...inputs, numbers: raised(numbers, later) });
    for (let b = 0; b < B; b++) {
      const range = [b * T * W, (b * T + t) * W] as const;
      expect([...after.slice(...range)]).toEqual([...before.slice(...range)]);
    }
    expect(largestDifference(after, before)).toBeGreaterThan(1e-3);
  }
});

test("the embedding is the last state", () => {
  const encoder = contextEncoder({ ...sizes, kind: "gru" });
  const states = statesOf(encoder, all);
  const last = [0, 1, 2].flatMap((b) => [...states.slice(((b + 1) * T - 1) * W, (b + 1) * T * W)]);
  expect(last).toEqual([...embeddingOf(encoder, all)]);
});

test("only continuous positions depend on the times", () => {
  const shifted = { ...all, times: raised(times, () => true) };
  const [learned, continuous] = (["learned", "continuous"] as const).map((positions) => {
    const encoder = contextEncoder({ ...sizes, positions });
    return largestDifference(embeddingOf(encoder, shifted), embeddingOf(encoder, all));
  });
  expect(learned).toBe(0);
  expect(continuous).toBeGreaterThan(1e-3);
});

test("unknown levels and missing levels have separate codes", () => {
  const encoder = contextEncoder({ ...sizes, kind: "mlp" });
  for (const [category, levels] of sizes.categories.entries()) {
    const embeddings = [0, levels - 1, unknownCode(levels), missingCode(levels)].map((code) => {
      const data = Array.from(codes.data, (old, i) => (i % 2 === category ? code : old));
      return embeddingOf(encoder, { ...all, codes: { ...codes, data } });
    });
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < i; j++)
        expect(largestDifference(embeddings[i], embeddings[j])).toBeGreaterThan(1e-6);
    }
  }
});

test("rejects invalid sizes, unknown names and missing inputs", () => {
  expect(() => contextEncoder({ ...sizes, width: 5 })).toThrow("contextEncoder: width must be even, got 5");
  expect(() => contextEncoder({ ...sizes, kind: "cnn" as "gru" })).toThrow(
    "contextEncoder: kind must be one of transformer, gru, lstm, mlp, got cnn",
  );
  expect(() => contextEncoder({ ...sizes, categories: [0] })).toThrow(
    "contextEncoder: levels of category 0 must be a positive whole number, got 0",
  );
  expect(() =>
    embeddingOf(contextEncoder({ ...sizes, positions: "continuous" }), { numbers, codes }),
  ).toThrow("contextEncoder: times are required for continuous positions, got none");
  expect(() => embeddingOf(contextEncoder(sizes), { numbers })).toThrow(
    "contextEncoder: codes are required if there are categories, got none",
  );
  expect(() => embeddingOf(contextEncoder({ ...sizes, length: 4 }), all)).toThrow(
    "contextEncoder: numbers must be [B, 4, 4], got [3, 5, 4]",
  );
});
