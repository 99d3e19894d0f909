// The sweeps of the growth benchmark: one size of a training grows, and the others stay.

import type { SettingsInput } from "../../src/gfn/training/settings.ts";

/** One training, as JSON. */
export interface GrowthTask {
  /** Letters of a string out of 4. */
  readonly length: number;
  /** Whether a function on the host scores strings, instead of a table. */
  readonly isScoredByFunction: boolean;
  readonly settings: SettingsInput;
  readonly threads: number;
  readonly seconds: number;
}

/** What is measured of a training, with its unit. */
export const QUANTITIES = { milliseconds: "ms", ready: "s", memory: "MB" } as const;
export type Quantity = keyof typeof QUANTITIES;

/** A limit of a quantity: of its exponent, or of its value at a size. */
export interface Limit {
  readonly quantity: Quantity;
  readonly exponent?: number;
  readonly at?: number;
  readonly most?: number;
}

export interface Sweep {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly quantities: readonly Quantity[];
  readonly limits: readonly Limit[];
  task(size: number): Omit<GrowthTask, "seconds">;
}

const LENGTHS = [25, 50, 100, 200];

const ofDefault = (settings: SettingsInput, threads = 1): Omit<GrowthTask, "seconds"> => ({
  length: 8,
  isScoredByFunction: false,
  settings: { batch: 128, dynamicsHidden: [16], uniformShare: 0.5, hidden: [128, 128], ...settings },
  threads,
});

const ofLength = (length: number, network: SettingsInput): Omit<GrowthTask, "seconds"> => ({
  length,
  isScoredByFunction: true,
  settings: { batch: 32, hidden: [128, 128], dynamicsHidden: [64], uniformShare: 0, epsilon: 0, ...network },
  threads: 1,
});

const ready: Limit[] = [
  { quantity: "ready", exponent: 1.2 },
  { quantity: "ready", at: 100, most: 3 },
];
const linear: Limit[] = [{ quantity: "milliseconds", exponent: 1.2 }, ...ready];

function lengths(name: string, network: SettingsInput, limits: readonly Limit[]): Sweep {
  return {
    ...{ name: `length, ${name}`, sizes: LENGTHS, quantities: ["milliseconds", "ready", "memory"], limits },
    task: (size) => ofLength(size, network),
  };
}

function threads(hidden: number, limits: readonly Limit[] = []): Sweep {
  return {
    ...{ name: `threads, hidden ${hidden}`, sizes: [1, 2], quantities: ["milliseconds"], limits },
    task: (size) => ofDefault({ hidden: [hidden, hidden] }, size),
  };
}

export const SWEEPS: readonly Sweep[] = [
  lengths("perceptron", {}, linear),
  lengths("recurrent", { network: "recurrent" }, linear),
  lengths("transformer", { network: "transformer" }, ready),
  {
    ...{ name: "batch", sizes: [32, 64, 128, 256, 512], quantities: ["milliseconds"], limits: [] },
    task: (size) => ofDefault({ batch: size }),
  },
  {
    ...{ name: "width", sizes: [64, 128, 256, 512, 1024], quantities: ["milliseconds"], limits: [] },
    task: (size) => ofDefault({ hidden: [size, size] }),
  },
  {
    ...{
      name: "rows of the state table",
      sizes: [1365, 5461, 21845],
      quantities: ["milliseconds"],
      limits: [],
    },
    task: (size) => ofDefault({ stateTableRows: size }),
  },
  ...[128, 256, 1024].map((hidden) => threads(hidden)),
];
