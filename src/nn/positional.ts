// Positional encodings that are added to a sequence [B, T, D]: sinusoidal or learned.

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes, ShapeError } from "./checks.ts";
import type { TableParams } from "./embedding.ts";
import { type Initialiser, normal } from "./init.ts";
import type { Module } from "./module.ts";

/** Sinusoidal encoding (Vaswani et al. 2017), without parameters and for any length. */
export function sinusoidalPositions(width: number): Module<Readonly<Record<never, never>>> {
  checkWidth("sinusoidalPositions", width);
  return {
    params: {},
    apply(_, x) {
      checkShape("sinusoidalPositions", "x", x, ["B", "T", width]);
      const length = x.shape[1];
      const table = np.array(sinusoidalTable(length, width), { shape: [length, width] }); // [T, D]
      return np.add(x, table); // [B, T, D]
    },
  };
}

/** Learned encoding: one row per position, for sequences of up to `maxLength`. */
export function learnedPositions(
  maxLength: number,
  width: number,
  { init = normal(0.02) }: { readonly init?: Initialiser } = {},
): Module<TableParams> {
  checkSizes("learnedPositions", { maxLength, width });
  return {
    params: { table: { shape: [maxLength, width], init } },
    apply({ table }, x) {
      checkShape("learnedPositions", "x", x, ["B", "T", width]);
      const length = x.shape[1];
      if (length > maxLength)
        throw new ShapeError("learnedPositions", `T must be at most ${maxLength}`, x.shape);
      const rows = length === maxLength ? table : np.split(table, [length])[0]; // [T, D]
      return np.add(x, rows); // [B, T, D]
    },
  };
}

/** [length, width]: column 2i is sin(t / 10000^(2i / width)), and column 2i + 1 is the cosine of the same angle. */
export function sinusoidalTable(length: number, width: number): Float32Array {
  checkSizes("sinusoidalTable", { length });
  checkWidth("sinusoidalTable", width);
  return new Float32Array(length * width).map((_, k) => {
    const position = Math.floor(k / width);
    const column = k % width;
    const angle = position / 10000 ** ((column - (column % 2)) / width);
    return column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  });
}

function checkWidth(where: string, width: number): void {
  checkSizes(where, { width });
  if (width % 2 !== 0) throw new RangeError(`${where}: width must be even, got ${width}`);
}
