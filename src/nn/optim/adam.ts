// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) on one flat vector.
//
// The moments are kept unnormalised, m = β₁ m + g and v = β₂ v + g²: two passes over the parameters fewer, and the
// factors 1 − β go into the scalars. With k = √((1 − β₂ᵗ) / (1 − β₂)), Adam's step is exactly
//   rate · (1 − β₁) / (1 − β₁ᵗ) · k · m / (√v + ε k)

import { numpy as np } from "@jax-js/jax";
import { checkRange, checkSizes, ShapeError } from "../checks.ts";
import { constantSchedule, type Schedule } from "./schedule.ts";

export interface AdamState {
  /** Decayed sum of gradients, [P]. */
  readonly m: np.Array;
  /** Decayed sum of squared gradients, [P]. */
  readonly v: np.Array;
  /** Updates made so far, int32 []. */
  readonly step: np.Array;
}

/** What a fresh optimiser starts from, as host arrays. */
export interface AdamStart {
  readonly m: Float32Array;
  readonly v: Float32Array;
  readonly step: Int32Array;
}

export interface AdamOptions {
  readonly learningRate: number | Schedule;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
  readonly weightDecay?: number;
  /** Flat vector of 1 where weights decay and 0 where not; everything decays unless given. */
  readonly decayMask?: Float32Array;
  /** Flat vector of factors on the learning rate, for parameters that move faster or slower than the rest. */
  readonly rateScale?: Float32Array;
}

/** A pair of pure functions: `init` on the host, `update` traced into the iteration. */
export interface Optimiser {
  init(size: number): AdamStart;
  update(params: np.Array, gradient: np.Array, state: AdamState): { params: np.Array; state: AdamState };
}

/** Adam. Weight decay is an L2 penalty: it joins the gradient. */
export function adam(options: AdamOptions): Optimiser {
  return optimiser("adam", options, false);
}

/** Adam with weight decay apart from the gradient. */
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
  const rate = typeof learningRate === "number" ? constantSchedule(learningRate) : learningRate;
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

      const decays = typeof decay === "number" ? decay : np.array(decay); // [P], unless all decay alike
      const penalised = weightDecay > 0 && !decoupled;
      const slope = penalised ? np.add(gradient, np.multiply(params, decays)) : gradient; // [P]
      const m = np.add(np.multiply(state.m, beta1), slope); // [P]
      const v = np.add(np.multiply(state.v, beta2), np.multiply(slope, slope)); // [P]

      const step = np.add(state.step, 1); // []
      const time = step.astype(np.float32); // []
      const k = np.sqrt(np.divide(oneMinusPower(beta2, time), 1 - beta2)); // []
      const current = rate.at(state.step); // []
      const scale = np.divide(np.multiply(np.multiply(current, 1 - beta1), k), oneMinusPower(beta1, time)); // []
      const direction = np.divide(m, np.add(np.sqrt(v), np.multiply(k, epsilon))); // [P]
      const move = np.multiply(direction, rateScale ? np.multiply(np.array(rateScale), scale) : scale); // [P]
      const shrunk = weightDecay > 0 && decoupled;
      const kept = shrunk ? np.multiply(params, np.subtract(1, np.multiply(current, decays))) : params; // [P]
      return { params: np.subtract(kept, move), state: { m, v, step } }; // [P]
    },
  };
}

/** 1 − βᵗ for a traced t. */
function oneMinusPower(beta: number, time: np.Array): np.Array {
  if (beta === 0) return np.array(1, { dtype: np.float32 }); // []
  return np.subtract(1, np.exp(np.multiply(time, Math.log(beta)))); // []
}

/** A number times vectors of which some may be missing: a number if all are. */
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
