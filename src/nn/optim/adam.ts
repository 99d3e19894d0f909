// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) on one flat parameter vector.
//
// The moments are unnormalised, m = β₁ m + g and v = β₂ v + g², which saves two passes over the parameters; the factors
// 1 − β become part of scalars. With k = √((1 − β₂ᵗ) / (1 − β₂)), the step of Adam is exactly
//   rate · (1 − β₁) / (1 − β₁ᵗ) · k · m / (√v + ε k)

import { numpy as np } from "@jax-js/jax";
import { checkRange, checkSizes, ShapeError } from "../checks.ts";

/** The state of Adam. */
export interface AdamState {
  /** Decayed sum of gradients, [P]. */
  readonly m: np.Array;
  /** Decayed sum of squared gradients, [P]. */
  readonly v: np.Array;
  /** Number of updates so far, int32 []. */
  readonly step: np.Array;
}

/** State before the first update, as host arrays. */
export interface InitialAdamState {
  readonly m: Float32Array;
  readonly v: Float32Array;
  readonly step: Int32Array;
}

/** Options of `adam`. */
export interface AdamOptions {
  /** A constant, or a scalar array [], such as an input of the program that follows a schedule. */
  readonly learningRate: number | np.Array;
  /** Default: 0.9. */
  readonly beta1?: number;
  /** Default: 0.999. */
  readonly beta2?: number;
  /** Default: 1e-8. */
  readonly epsilon?: number;
  /** Default: 0. */
  readonly weightDecay?: number;
  /** Flat vector with 1 for parameters that decay and 0 for the others. Default: all decay. */
  readonly decayMask?: Float32Array;
  /** Learning-rate scale: flat vector of factors on the learning rate. Default: 1 for all parameters. */
  readonly rateScale?: Float32Array;
}

/** A pair of pure functions: `init` runs on the host, `update` is traced as part of a program. */
export interface Optimiser {
  init(size: number): InitialAdamState;
  update(params: np.Array, gradient: np.Array, state: AdamState): { params: np.Array; state: AdamState };
}

/** Adam. Weight decay is an L2 penalty, added to the gradient. */
export function adam(options: AdamOptions): Optimiser {
  return optimiser("adam", options, false);
}

/** Adam with decoupled weight decay, which is not part of the gradient. */
export function adamW(options: AdamOptions): Optimiser {
  return optimiser("adamW", options, true);
}

function optimiser(where: string, options: AdamOptions, decoupled: boolean): Optimiser {
  const { learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decayMask, rateScale } = options;
  const { weightDecay = 0 } = options;
  if (typeof learningRate === "number")
    checkRange(where, "learningRate", learningRate, { low: 0, high: Infinity });
  checkRange(where, "beta1", beta1, { low: 0, high: 1 });
  checkRange(where, "beta2", beta2, { low: 0, high: 1 });
  checkRange(where, "weightDecay", weightDecay, { low: 0, high: Infinity });
  if (!(epsilon > 0)) throw new RangeError(`${where}: epsilon must be positive, got ${epsilon}`);
  const decay = times(weightDecay, decayMask, decoupled ? rateScale : undefined);

  return {
    init(size) {
      checkSizes(where, { size });
      return { m: new Float32Array(size), v: new Float32Array(size), step: new Int32Array(1) };
    },
    update(params, gradient, state) {
      const [size] = params.shape;
      checkVectors(where, size, { gradient, m: state.m, v: state.v });
      checkLengths(where, size, { decayMask, rateScale });

      const decays = typeof decay === "number" ? decay : np.array(decay); // [P], or one number for all parameters
      const hasPenalty = weightDecay > 0 && !decoupled;
      const slope = hasPenalty ? np.add(gradient, np.multiply(params, decays)) : gradient; // [P]
      const m = np.add(np.multiply(state.m, beta1), slope); // [P]
      const v = np.add(np.multiply(state.v, beta2), np.multiply(slope, slope)); // [P]

      const step = np.add(state.step, 1); // []
      const time = step.astype(np.float32); // []
      const k = np.sqrt(np.divide(oneMinusPower(beta2, time), 1 - beta2)); // []
      const rate =
        typeof learningRate === "number" ? np.array(learningRate, { dtype: np.float32 }) : learningRate; // []
      const scale = np.divide(np.multiply(np.multiply(rate, 1 - beta1), k), oneMinusPower(beta1, time)); // []
      const direction = np.divide(m, np.add(np.sqrt(v), np.multiply(k, epsilon))); // [P]
      const move = np.multiply(direction, rateScale ? np.multiply(np.array(rateScale), scale) : scale); // [P]
      const decaysParams = weightDecay > 0 && decoupled;
      const decayed = decaysParams ? np.multiply(params, np.subtract(1, np.multiply(rate, decays))) : params; // [P]
      return { params: np.subtract(decayed, move), state: { m, v, step } }; // [P]
    },
  };
}

/** 1 − βᵗ for a traced t. */
function oneMinusPower(beta: number, time: np.Array): np.Array {
  if (beta === 0) return np.array(1, { dtype: np.float32 }); // []
  return np.subtract(1, np.exp(np.multiply(time, Math.log(beta)))); // []
}

/** The product of a number and optional vectors: a vector, or a number if no vector is given. */
function times(factor: number, ...vectors: readonly (Float32Array | undefined)[]): number | Float32Array {
  return vectors.reduce<number | Float32Array>((product, vector) => {
    if (!vector) return product;
    return vector.map((x, i) => x * (typeof product === "number" ? product : product[i]));
  }, factor);
}

function checkVectors(where: string, size: number, arrays: Readonly<Record<string, np.Array>>): void {
  for (const [name, { shape }] of Object.entries(arrays)) {
    if (shape.length !== 1 || shape[0] !== size)
      throw new ShapeError(where, `${name} must be [${size}]`, shape);
  }
}

function checkLengths(
  where: string,
  size: number,
  arrays: Readonly<Record<string, Float32Array | undefined>>,
): void {
  for (const [name, array] of Object.entries(arrays)) {
    if (array && array.length !== size)
      throw new ShapeError(where, `${name} must be [${size}]`, [array.length]);
  }
}
