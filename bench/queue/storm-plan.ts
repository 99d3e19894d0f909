// The disturbances of a kill storm, drawn from a seed.

import { RandomStream } from "../../src/engine/index.ts";

export type Disturbance = { readonly after: number; readonly delay: number } & (
  | { readonly kind: "worker"; readonly which: number }
  /** The broker is killed, and started again after `seconds`. */
  | { readonly kind: "broker"; readonly seconds: number }
  | { readonly kind: "coordinator" }
  /** The network is cut for `seconds`. */
  | { readonly kind: "cut"; readonly seconds: number }
);

export interface StormSize {
  readonly units: number;
  readonly workers: number;
  readonly workerKills: number;
  readonly brokerKills: number;
  readonly coordinatorKills: number;
  readonly cuts: number;
}

const CUT_SECONDS = 5;

/**
 * All disturbances in their order. Each comes when a number of results (`after`) is there, and `delay` milliseconds later, so
 * that all happen, at moments spread over the storm and over a unit.
 */
export function stormPlan(size: StormSize, seed: number, unitMilliseconds: number): Disturbance[] {
  const stream = RandomStream.fromSeed(seed);
  const kinds = [
    ...Array.from({ length: size.workerKills }, () => "worker" as const),
    ...Array.from({ length: size.brokerKills }, () => "broker" as const),
    ...Array.from({ length: size.coordinatorKills }, () => "coordinator" as const),
    ...Array.from({ length: size.cuts }, () => "cut" as const),
  ];
  const [first, last] = [Math.floor(0.02 * size.units), Math.floor(0.95 * size.units)];
  return kinds
    .map((kind): Disturbance => {
      const moment = {
        after: first + stream.integer(last - first),
        delay: stream.integer(2 * unitMilliseconds),
      };
      switch (kind) {
        case "worker":
          return { ...moment, kind, which: stream.integer(size.workers) };
        case "broker":
          return { ...moment, kind, seconds: 0.5 + stream.integer(1500) / 1000 };
        case "cut":
          return { ...moment, kind, seconds: CUT_SECONDS };
        default:
          return { ...moment, kind };
      }
    })
    .sort((a, b) => a.after - b.after);
}

/** Starts beyond one per unit that a storm may cause: a unit that a disturbance interrupted is run again. */
export function mostExtraStarts({ workers, workerKills, brokerKills, cuts }: StormSize, slots = 1): number {
  return workerKills * slots + (brokerKills + cuts) * workers * slots;
}
