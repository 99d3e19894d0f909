// Parameters, moments and gradients in the memory of a WebAssembly module, where Adam updates them in place. The runtime reads
// parameters and writes gradients there.

import type { TypedArray } from "../dtype.ts";
import { type AdamKernel, type AdamVectors, adamKernel, LANE_BYTES } from "./adam-kernel.ts";
import type { ParameterUpdate } from "./parameter-update.ts";
import type { Segment } from "./segments.ts";

const PAGE_BYTES = 65_536;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Vectors of an update: parameters, m, v and the gradient, and the scales of the learning rate if it has any. */
const VECTORS = 4;

/** The state of one update. */
export class ParameterMemory {
  readonly #update: ParameterUpdate;
  readonly #size: number;
  readonly #kernel: AdamKernel;
  readonly #offsets: AdamVectors;
  readonly #vectors: Readonly<Record<string, Float32Array>>;
  #steps = 0;

  /** `size`: the number of parameters. */
  constructor(update: ParameterUpdate, size: number) {
    this.#update = update;
    this.#size = size;
    const bytes = this.#bytes;
    const count = VECTORS + (update.rateScale ? 1 : 0);
    const memory = new WebAssembly.Memory({ initial: Math.ceil((count * bytes) / PAGE_BYTES) });
    this.#kernel = adamKernel(memory);
    const vector = (i: number) => new Float32Array(memory.buffer, i * bytes, size);
    this.#offsets = {
      ...{ parameters: 0, m: bytes, v: 2 * bytes, gradient: 3 * bytes },
      ...(update.rateScale && { rateScale: VECTORS * bytes }),
    };
    if (update.rateScale) vector(VECTORS).set(update.rateScale);
    const { parameters, m, v, gradient } = update;
    this.#vectors = { [parameters]: vector(0), [m]: vector(1), [v]: vector(2), [gradient]: vector(3) };
  }

  /** Bytes of a vector, padded with zeros to whole SIMD vectors. */
  get #bytes(): number {
    return Math.ceil((this.#size * FLOAT_BYTES) / LANE_BYTES) * LANE_BYTES;
  }

  /** The numbers of a segment of the parameters or of the gradient, not a copy. */
  segment(vector: string, { offset, shape }: Segment): Float32Array {
    return this.#vectors[vector].subarray(offset, offset + shape.reduce((a, b) => a * b, 1));
  }

  /** The norm of the gradient that the last call has written. */
  gradientNorm(): number {
    return Math.sqrt(this.#kernel.sumOfSquares(this.#offsets.gradient, this.#bytes));
  }

  /** One step of Adam with the last gradient. */
  apply(rate: number): void {
    const { beta1, beta2, epsilon, clip } = this.#update;
    this.#steps++;
    const k = Math.sqrt((1 - beta2 ** this.#steps) / (1 - beta2));
    this.#kernel.update(this.#offsets, this.#bytes, {
      ...{ beta1, beta2, epsilon: epsilon * k },
      gradientScale: clip > 0 ? Math.min(clip / this.gradientNorm(), 1) : 1,
      step: ((rate * (1 - beta1)) / (1 - beta1 ** this.#steps)) * k,
    });
  }

  read(name: string): TypedArray {
    return name === this.#update.step ? Int32Array.of(this.#steps) : this.#vectors[name].slice();
  }

  write(name: string, data: TypedArray): void {
    if (name === this.#update.step) this.#steps = data[0];
    else this.#vectors[name].set(data);
  }
}
