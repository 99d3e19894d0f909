// Encodes the past of a series, the context, as one vector: the context embedding that a forecast starts from.
//
// A context has T steps and ends at the forecast origin. Each step has numbers (target values, masks, the gap before
// it, calendar features, covariates) and codes of categories. A shorter past is padded at its front; padded steps have
// no effect, regardless of their contents.

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes } from "../../nn/checks.ts";
import {
  type ArraysOf,
  embedding,
  gru,
  init,
  type LinearParams,
  linear,
  lstm,
  type MlpParams,
  mlp,
  oneHot,
  type ParamSpec,
  type RecurrentParams,
  sinusoidalTable,
  type TableParams,
  type TransformerParams,
  transformer,
} from "../../nn/index.ts";
import { CONTEXT_ENCODERS, type ContextEncoderKind, POSITIONS, type Positions } from "./encoder-kinds.ts";

export * from "./encoder-kinds.ts";

export interface ContextEncoderOptions {
  /** Default: "transformer". */
  readonly kind?: ContextEncoderKind;
  /** T: steps of a context. */
  readonly length: number;
  /** C: numbers per step. */
  readonly channels: number;
  /** Number of levels of each category. Two further codes stand for unknown and for missing levels. Default: none. */
  readonly categories?: readonly number[];
  /** W: width of the embedding; must be even. */
  readonly width: number;
  /** Default: 2. */
  readonly layers?: number;
  /** Attention heads; must divide the width. Default: 2. */
  readonly heads?: number;
  /** Learned vector per position, sinusoids of the position, or sinusoids of the time. Default: "sinusoidal". */
  readonly positions?: Positions;
}

export interface ContextInputs {
  /** [B, T, C] */
  readonly numbers: np.Array;
  /** 1 for a step of the series, 0 for padding, [B, T]. Default: all 1. */
  readonly present?: np.Array;
  /**
   * Time of each step relative to the forecast origin, in units of the median gap, [B, T]. Required for `continuous`
   * positions.
   */
  readonly times?: np.Array;
  /** Codes of the categories, int32 [B, T, categories]. Required if there are categories. */
  readonly codes?: np.Array;
}

export type ContextEncoderParams = {
  readonly step: LinearParams;
  readonly position?: ParamSpec;
  readonly categories: { readonly [index: string]: TableParams };
  readonly transformer?: TransformerParams;
  readonly recurrent?: RecurrentParams;
  readonly mlp?: MlpParams;
};

export interface ContextEncoder {
  readonly params: ContextEncoderParams;
  readonly width: number;
  /** The context embedding, [B, W]. */
  apply(params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs): np.Array;
  /**
   * Hidden state after each step, [B, T, W]; the last one is the embedding. States of padded steps are undefined. The
   * MLP encoder has no states.
   */
  states?(params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs): np.Array;
}

/** Categories with at most this many levels are one-hot, others are embedded. */
const ONE_HOT_LEVELS = 8;
const EMBEDDING_WIDTH = 8;

/** Code of a level that training did not see, for a category with this number of levels. */
export const unknownCode = (levels: number): number => levels;
/** Code of a missing level, for a category with this number of levels. */
export const missingCode = (levels: number): number => levels + 1;

export function contextEncoder({
  kind = "transformer",
  length: T,
  channels: C,
  categories = [],
  width: W,
  layers = 2,
  heads = 2,
  positions = "sinusoidal",
}: ContextEncoderOptions): ContextEncoder {
  checkSizes("contextEncoder", { length: T, channels: C, width: W, layers, heads });
  if (W % 2 !== 0) throw new RangeError(`contextEncoder: width must be even, got ${W}`);
  checkOneOf("kind", kind, CONTEXT_ENCODERS);
  checkOneOf("positions", positions, POSITIONS);
  const categoryInputs = categories.map((levels, i) => categoryInput(levels, i));
  const inputWidth = C + categoryInputs.reduce((sum, { width }) => sum + width, 0);
  const stepLayer = linear(inputWidth, W);
  const sinusoids = sinusoidalTable(T, W); // [T, W]
  const body = encoderBody(kind, { T, W, layers, heads });

  /** Steps as vectors with position encoding, [B, T, W], and their mask, [B, T]. */
  const embedSteps = (params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs) => {
    const { numbers, codes } = inputs;
    checkShape("contextEncoder", "numbers", numbers, ["B", T, C]);
    const [B] = numbers.shape;
    const present = inputs.present ?? np.ones([B, T]); // [B, T]
    checkShape("contextEncoder", "present", present, [B, T]);
    const parts = [numbers]; // each [B, T, …]
    if (categoryInputs.length > 0) {
      if (!codes)
        throw new RangeError("contextEncoder: codes are required if there are categories, got none");
      checkShape("contextEncoder", "codes", codes, [B, T, categoryInputs.length]);
      np.split(codes, categoryInputs.length, 2).forEach((code, i) => {
        parts.push(categoryInputs[i].apply(params.categories[i], code.reshape([B, T]))); // [B, T, width]
      });
    }
    const x = parts.length > 1 ? np.concatenate(parts, 2) : numbers; // [B, T, inputs]
    const steps = np.add(stepLayer.apply(params.step, x), positionEncoding(params, inputs, B)); // [B, T, W]
    return { steps: np.multiply(steps, present.reshape([B, T, 1])), present }; // [B, T, W], [B, T]
  };

  /** Vectors that encode the position of each step; broadcast to [B, T, W]. */
  const positionEncoding = (
    params: ArraysOf<ContextEncoderParams>,
    { times }: ContextInputs,
    B: number,
  ): np.Array => {
    if (params.position) return params.position; // [T, W]
    if (positions === "sinusoidal") return np.array(sinusoids, { shape: [T, W] }); // [T, W]
    if (!times) throw new RangeError("contextEncoder: times are required for continuous positions, got none");
    checkShape("contextEncoder", "times", times, [B, T]);
    const angles = np.multiply(times.reshape([B, T, 1]), np.array(frequencies(T, W))); // [B, T, W/2]
    return np.concatenate([np.sin(angles), np.cos(angles)], 2); // [B, T, W]
  };

  const { states } = body;
  return {
    params: {
      step: stepLayer.params,
      ...(positions === "learned" && { position: { shape: [T, W], init: init.normal(0.02) } }),
      categories: Object.fromEntries(
        categoryInputs.flatMap(({ params }, i) => (params ? [[i, params]] : [])),
      ),
      ...body.params,
    },
    width: W,
    apply(params, inputs) {
      const { steps, present } = embedSteps(params, inputs);
      return body.embedding(params, steps, present); // [B, W]
    },
    ...(states && {
      states(params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs) {
        const { steps, present } = embedSteps(params, inputs);
        return states(params, steps, present); // [B, T, W]
      },
    }),
  };
}

type Arrays = ArraysOf<ContextEncoderParams>;

/** The part of an encoder after the embedding of the steps. */
interface EncoderBody {
  readonly params: Partial<ContextEncoderParams>;
  embedding(params: Arrays, steps: np.Array, present: np.Array): np.Array;
  states?(params: Arrays, steps: np.Array, present: np.Array): np.Array;
}

interface BodySizes {
  readonly T: number;
  readonly W: number;
  readonly layers: number;
  readonly heads: number;
}

function encoderBody(kind: ContextEncoderKind, sizes: BodySizes): EncoderBody {
  const { T, W, layers, heads } = sizes;
  if (kind === "transformer") {
    const network = transformer({ layers, width: W, heads, feedForward: 2 * W, causal: true });
    return bodyWithStates(T, { transformer: network.params }, (params, steps, present) =>
      network.apply(params.transformer!, steps, { keyAllowed: np.less(0.5, present) }),
    );
  }
  if (kind === "mlp") {
    const network = mlp({ inputs: T * W, hidden: Array<number>(layers).fill(2 * W), outputs: W });
    return {
      params: { mlp: network.params },
      embedding: (params, steps) => network.apply(params.mlp!, steps.reshape([-1, T * W])), // [B, W]
    };
  }
  return kind === "gru" ? gruBody(sizes) : lstmBody(sizes);
}

function gruBody({ T, W }: BodySizes): EncoderBody {
  const network = gru({ inputs: W, width: W });
  return bodyWithStates(T, { recurrent: network.params }, (params, steps, present) => {
    let state = network.initial(steps.shape[0]); // [B, W]
    const states = splitSteps(steps, present).map(({ x, mask }) => {
      state = update(mask, network.step(params.recurrent!, x, state), state); // [B, W]
      return state;
    });
    return np.stack(states, 1); // [B, T, W]
  });
}

function lstmBody({ T, W }: BodySizes): EncoderBody {
  const network = lstm({ inputs: W, width: W });
  return bodyWithStates(T, { recurrent: network.params }, (params, steps, present) => {
    let state = network.initial(steps.shape[0]); // [B, W] each
    const states = splitSteps(steps, present).map(({ x, mask }) => {
      const next = network.step(params.recurrent!, x, state); // [B, W] each
      state = {
        hidden: update(mask, next.hidden, state.hidden),
        cell: update(mask, next.cell, state.cell),
      }; // [B, W] each
      return state.hidden;
    });
    return np.stack(states, 1); // [B, T, W]
  });
}

/** A body with a state after each step; the embedding is the last state. */
function bodyWithStates(
  T: number,
  params: EncoderBody["params"],
  states: NonNullable<EncoderBody["states"]>,
): EncoderBody {
  return {
    params,
    states,
    embedding(arrays, steps, present) {
      const all = states(arrays, steps, present); // [B, T, W]
      const last = T > 1 ? np.split(all, [T - 1], 1)[1] : all; // [B, 1, W]
      return last.reshape([all.shape[0], all.shape[2]]); // [B, W]
    },
  };
}

/** The steps as separate arrays: x [B, W] and mask [B, 1]. */
function splitSteps(steps: np.Array, present: np.Array): { x: np.Array; mask: np.Array }[] {
  const [B, T, W] = steps.shape;
  const masks = np.split(present, T, 1); // each [B, 1]
  return np.split(steps, T, 1).map((step, t) => ({ x: step.reshape([B, W]), mask: masks[t] }));
}

/** The next state where the mask is 1, the previous state where it is 0. */
function update(mask: np.Array, next: np.Array, previous: np.Array): np.Array {
  return np.add(previous, np.multiply(mask, np.subtract(next, previous))); // [B, W]
}

/** Encoding of the codes of one category as numbers. */
export interface CategoryInput {
  readonly width: number;
  /** Absent for one-hot encoding. */
  readonly params?: TableParams;
  /** Codes [B, T] to numbers [B, T, width]. */
  apply(params: ArraysOf<TableParams> | undefined, code: np.Array): np.Array;
}

/** One-hot encoding for few levels, a learned embedding for many. `index` names the category in errors. */
export function categoryInput(levels: number, index: number): CategoryInput {
  checkSizes("contextEncoder", { [`levels of category ${index}`]: levels });
  const rows = levels + 2;
  if (levels > ONE_HOT_LEVELS) {
    const table = embedding(rows, EMBEDDING_WIDTH);
    const apply: CategoryInput["apply"] = (params, code) => table.apply(params!, code); // [B, T, width]
    return { width: EMBEDDING_WIDTH, params: table.params, apply };
  }
  return { width: rows, apply: (_, code) => oneHot(code, rows) }; // [B, T, rows]
}

/** Angular frequencies of the time sinusoids, from a period of two steps to a period of four contexts, [W/2]. */
function frequencies(T: number, W: number): Float32Array {
  const [fastest, slowest] = [Math.PI, (2 * Math.PI) / (4 * T)];
  return Float32Array.from({ length: W / 2 }, (_, i) => {
    const fraction = W > 2 ? i / (W / 2 - 1) : 1;
    return fastest * (slowest / fastest) ** fraction;
  });
}

function checkOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RangeError(`contextEncoder: ${name} must be one of ${allowed.join(", ")}, got ${value}`);
}
