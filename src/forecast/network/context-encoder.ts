// What happened up to now, read by a network and summed up as one vector: the thought h(c) that a forecast starts from.
//
// A context is T steps that end at the origin of the forecast. Each step has numbers (value, whether it is known, the
// gap before it, calendar, covariates) and codes of categories. A shorter past is padded at its front; steps that are
// not there change nothing, whatever stands in them.

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
  type ParamSpec,
  type RecurrentParams,
  sinusoidalTable,
  type TableParams,
  type TransformerParams,
  transformer,
} from "../../nn/index.ts";

export const CONTEXT_ENCODERS = ["transformer", "gru", "lstm", "mlp"] as const;
export const POSITIONS = ["learned", "sinusoidal", "continuous"] as const;

export type ContextEncoderKind = (typeof CONTEXT_ENCODERS)[number];
export type Positions = (typeof POSITIONS)[number];

export interface ContextEncoderOptions {
  readonly kind?: ContextEncoderKind;
  /** Steps of a context, T. */
  readonly length: number;
  /** Numbers of a step, C. */
  readonly channels: number;
  /** Known levels of each category; codes above them are for levels never seen and for none given. */
  readonly categories?: readonly number[];
  /** Length of the thought, W; must be even. */
  readonly width: number;
  readonly layers?: number;
  /** Must divide the width. */
  readonly heads?: number;
  /** Where a step stands: by a learned row, by waves of its number, or by waves of its time. */
  readonly positions?: Positions;
}

export interface ContextInputs {
  /** [B, T, C] */
  readonly numbers: np.Array;
  /** 1 where a step is there, 0 where it is padding, [B, T]; all are there unless given. */
  readonly present?: np.Array;
  /** Time of each step from the origin, in usual gaps, [B, T]; for `continuous` positions. */
  readonly times?: np.Array;
  /** Codes of the categories, int32 [B, T, categories]. */
  readonly codes?: np.Array;
}

export type ContextEncoderParams = {
  readonly step: LinearParams;
  readonly position?: ParamSpec;
  readonly categories: { readonly [place: string]: TableParams };
  readonly transformer?: TransformerParams;
  readonly recurrent?: RecurrentParams;
  readonly mlp?: MlpParams;
};

export interface ContextEncoder {
  readonly params: ContextEncoderParams;
  readonly width: number;
  /** The thought, [B, W]. */
  apply(params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs): np.Array;
  /** What has been read after each step, [B, T, W], of which the last is the thought; at steps that are not there they mean
   * nothing. The perceptron has none. */
  states?(params: ArraysOf<ContextEncoderParams>, inputs: ContextInputs): np.Array;
}

/** Categories up to this many known levels are one-hot; more are embedded. */
const ONE_HOT_LEVELS = 8;
const EMBEDDING_WIDTH = 8;

/** Code of a level that training has not seen, where there are so many known levels. */
export const unknownCode = (levels: number): number => levels;
/** Code of a category that is not given. */
export const missingCode = (levels: number): number => levels + 1;

/** Reads contexts of `length` steps. */
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
  const ofCategory = categories.map((levels, i) => categoryInput(levels, i));
  const inputs = C + ofCategory.reduce((sum, { width }) => sum + width, 0);
  const ofStep = linear(inputs, W);
  const waves = sinusoidalTable(T, W); // [T, W]
  const body = bodyOf(kind, { T, W, layers, heads });

  /** Steps as vectors with their places, [B, T, W], and which are there, [B, T]. */
  const read = (params: ArraysOf<ContextEncoderParams>, given: ContextInputs) => {
    const { numbers, codes } = given;
    checkShape("contextEncoder", "numbers", numbers, ["B", T, C]);
    const [B] = numbers.shape;
    const present = given.present ?? np.ones([B, T]); // [B, T]
    checkShape("contextEncoder", "present", present, [B, T]);
    const parts = [numbers]; // each [B, T, …]
    if (ofCategory.length > 0) {
      if (!codes) throw new RangeError("contextEncoder: codes must be given, since there are categories");
      checkShape("contextEncoder", "codes", codes, [B, T, ofCategory.length]);
      np.split(codes, ofCategory.length, 2).forEach((code, i) => {
        parts.push(ofCategory[i].apply(params.categories[i], code.reshape([B, T]))); // [B, T, width]
      });
    }
    const x = parts.length > 1 ? np.concatenate(parts, 2) : numbers; // [B, T, inputs]
    const placed = np.add(ofStep.apply(params.step, x), placesOf(params, given, B)); // [B, T, W]
    return { steps: np.multiply(placed, present.reshape([B, T, 1])), present }; // [B, T, W], [B, T]
  };

  /** What the place of each step adds, fits [B, T, W]. */
  const placesOf = (params: ArraysOf<ContextEncoderParams>, { times }: ContextInputs, B: number) => {
    if (params.position) return params.position; // [T, W]
    if (positions === "sinusoidal") return np.array(waves, { shape: [T, W] }); // [T, W]
    if (!times) throw new RangeError("contextEncoder: times must be given for continuous positions");
    checkShape("contextEncoder", "times", times, [B, T]);
    const angles = np.multiply(times.reshape([B, T, 1]), np.array(frequencies(T, W))); // [B, T, W/2]
    return np.concatenate([np.sin(angles), np.cos(angles)], 2); // [B, T, W]
  };

  const { states } = body;
  return {
    params: {
      step: ofStep.params,
      ...(positions === "learned" && { position: { shape: [T, W], init: init.normal(0.02) } }),
      categories: Object.fromEntries(ofCategory.flatMap(({ params }, i) => (params ? [[i, params]] : []))),
      ...body.params,
    },
    width: W,
    apply(params, given) {
      const { steps, present } = read(params, given);
      return body.thought(params, steps, present); // [B, W]
    },
    ...(states && {
      states(params: ArraysOf<ContextEncoderParams>, given: ContextInputs) {
        const { steps, present } = read(params, given);
        return states(params, steps, present); // [B, T, W]
      },
    }),
  };
}

type Arrays = ArraysOf<ContextEncoderParams>;

interface Body {
  readonly params: Partial<ContextEncoderParams>;
  thought(params: Arrays, steps: np.Array, present: np.Array): np.Array;
  states?(params: Arrays, steps: np.Array, present: np.Array): np.Array;
}

interface BodySizes {
  readonly T: number;
  readonly W: number;
  readonly layers: number;
  readonly heads: number;
}

function bodyOf(kind: ContextEncoderKind, sizes: BodySizes): Body {
  const { T, W, layers, heads } = sizes;
  if (kind === "transformer") {
    const network = transformer({ layers, width: W, heads, feedForward: 2 * W, causal: true });
    return lastOf(T, { transformer: network.params }, (params, steps, present) =>
      network.apply(params.transformer!, steps, { keyAllowed: np.less(0.5, present) }),
    );
  }
  if (kind === "mlp") {
    const network = mlp({ inputs: T * W, hidden: Array<number>(layers).fill(2 * W), outputs: W });
    return {
      params: { mlp: network.params },
      thought: (params, steps) => network.apply(params.mlp!, steps.reshape([-1, T * W])), // [B, W]
    };
  }
  return kind === "gru" ? gruBody(sizes) : lstmBody(sizes);
}

function gruBody({ T, W }: BodySizes): Body {
  const network = gru({ inputs: W, width: W });
  return lastOf(T, { recurrent: network.params }, (params, steps, present) => {
    let state = network.initial(steps.shape[0]); // [B, W]
    const states = stepsOf(steps, present).map(({ x, there }) => {
      state = mixed(there, network.step(params.recurrent!, x, state), state); // [B, W]
      return state;
    });
    return np.stack(states, 1); // [B, T, W]
  });
}

function lstmBody({ T, W }: BodySizes): Body {
  const network = lstm({ inputs: W, width: W });
  return lastOf(T, { recurrent: network.params }, (params, steps, present) => {
    let state = network.initial(steps.shape[0]); // [B, W] each
    const states = stepsOf(steps, present).map(({ x, there }) => {
      const next = network.step(params.recurrent!, x, state); // [B, W] each
      state = {
        hidden: mixed(there, next.hidden, state.hidden),
        cell: mixed(there, next.cell, state.cell),
      }; // [B, W] each
      return state.hidden;
    });
    return np.stack(states, 1); // [B, T, W]
  });
}

/** A body that reads step by step: the thought is what it has after the last. */
function lastOf(T: number, params: Body["params"], states: NonNullable<Body["states"]>): Body {
  return {
    params,
    states,
    thought(arrays, steps, present) {
      const all = states(arrays, steps, present); // [B, T, W]
      const last = T > 1 ? np.split(all, [T - 1], 1)[1] : all; // [B, 1, W]
      return last.reshape([all.shape[0], all.shape[2]]); // [B, W]
    },
  };
}

/** Steps one after the other: x [B, W] and whether it is there, [B, 1]. */
function stepsOf(steps: np.Array, present: np.Array): { x: np.Array; there: np.Array }[] {
  const [B, T, W] = steps.shape;
  const flags = np.split(present, T, 1); // each [B, 1]
  return np.split(steps, T, 1).map((step, t) => ({ x: step.reshape([B, W]), there: flags[t] }));
}

/** The next state where the step is there, else the last one. */
function mixed(there: np.Array, next: np.Array, last: np.Array): np.Array {
  return np.add(last, np.multiply(there, np.subtract(next, last))); // [B, W]
}

/** How codes of one category become numbers. */
export interface CategoryInput {
  readonly width: number;
  readonly params?: TableParams;
  /** Codes [B, T] as numbers, [B, T, width]. */
  apply(params: ArraysOf<TableParams> | undefined, code: np.Array): np.Array;
}

/** Few levels are one-hot; more have learned rows. `place` names the category in errors. */
export function categoryInput(levels: number, place: number): CategoryInput {
  checkSizes("contextEncoder", { [`levels of category ${place}`]: levels });
  const rows = levels + 2;
  if (levels > ONE_HOT_LEVELS) {
    const table = embedding(rows, EMBEDDING_WIDTH);
    const apply: CategoryInput["apply"] = (params, code) => table.apply(params!, code); // [B, T, width]
    return { width: EMBEDDING_WIDTH, params: table.params, apply };
  }
  const slots = () => np.arange(rows).astype(np.int32); // [rows]
  return {
    width: rows,
    apply: (_, code) => np.equal(code.reshape([...code.shape, 1]), slots()).astype(np.float32), // [B, T, rows]
  };
}

/** Of waves that turn once in about two steps down to once in four contexts, [W/2]. */
function frequencies(T: number, W: number): Float32Array {
  const [fastest, slowest] = [Math.PI, (2 * Math.PI) / (4 * T)];
  return Float32Array.from({ length: W / 2 }, (_, i) => {
    const share = W > 2 ? i / (W / 2 - 1) : 1;
    return fastest * (slowest / fastest) ** share;
  });
}

function checkOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RangeError(`contextEncoder: ${name} must be one of ${allowed.join(", ")}, got ${value}`);
}
