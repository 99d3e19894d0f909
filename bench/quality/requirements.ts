// Defines requirements on results, and checks whether the results of all seeds meet them.

import type { Result } from "./measure.ts";

/** An upper bound for a measure, or for its distance from a reference value. */
export interface Requirement {
  readonly measure: "tv" | "kl" | "dynamicsKl" | "wallSeconds" | "seconds";
  /**
   * Optional reference value. With `limit`, the excess over the limit is bounded; with `prediction`, the absolute
   * difference from the prediction.
   */
  readonly from?: "limit" | "prediction";
  readonly atMost: number;
}

/** The result of the worst seed for a requirement. */
export interface Finding {
  readonly required: string;
  /** The value that the requirement bounds, for the worst seed. NaN if it was not measured. */
  readonly worst: number;
  /** Null for a timing, which has no seed. */
  readonly seed: number | null;
  readonly met: boolean;
}

const MEASURE_NAMES: Readonly<Record<Requirement["measure"], string>> = {
  tv: "TV",
  kl: "KL",
  dynamicsKl: "KL(P‖P̂)",
  wallSeconds: "wall s",
  seconds: "s",
};

/** The requirement as text, such as `TV <= limit + 0.04`. */
export function requirementText({ measure, from, atMost }: Requirement): string {
  const bound = String(Number(atMost.toPrecision(6)));
  switch (from) {
    case undefined:
      return `${MEASURE_NAMES[measure]} <= ${bound}`;
    case "limit":
      return `${MEASURE_NAMES[measure]} <= limit + ${bound}`;
    case "prediction":
      return `|${MEASURE_NAMES[measure]} - prediction| <= ${bound}`;
    default:
      return from satisfies never;
  }
}

/** Checks each requirement on all runs and returns one finding for each requirement. */
export function checkRequirements(
  requirements: readonly Requirement[],
  runs: readonly { readonly seed: number | null; readonly result: Result }[],
): Finding[] {
  return requirements.map((requirement) => {
    const values = runs.map(({ seed, result }) => ({ seed, value: boundedValue(requirement, result) }));
    const worst = values.reduce((a, b) => (Number.isNaN(a.value) || a.value >= b.value ? a : b));
    return {
      required: requirementText(requirement),
      worst: worst.value,
      seed: worst.seed,
      met: worst.value <= requirement.atMost,
    };
  });
}

/** The value that a requirement bounds. NaN if the result does not have it. */
function boundedValue({ measure, from }: Requirement, result: Result): number {
  // Results were serialised as JSON, which turns infinities into null.
  if (result.kind === "timing") return measure === "seconds" ? (result.seconds ?? Number.NaN) : Number.NaN;
  switch (measure) {
    case "seconds":
    case "wallSeconds":
      return result[measure] ?? Number.NaN;
    case "dynamicsKl":
      return result.reached.dynamicsKl ?? Number.NaN;
    case "tv":
    case "kl": {
      const value = result.reached[measure] ?? Number.NaN;
      if (from === undefined) return value;
      if (from === "limit") return value - result.limit[measure];
      return Math.abs(value - (result.prediction?.[measure] ?? Number.NaN));
    }
    default:
      return measure satisfies never;
  }
}
