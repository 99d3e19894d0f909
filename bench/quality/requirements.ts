// What a result must be, and whether it is, on every seed.

import type { Result } from "./work.ts";

/** An upper bound of a measure, or of how far it is from what it is compared to. */
export interface Requirement {
  readonly measure: "tv" | "kl" | "dynamicsKl" | "wallSeconds" | "seconds";
  /** `limit`: how far above it. `prediction`: how far from it, on either side. */
  readonly from?: "limit" | "prediction";
  readonly atMost: number;
}

/** The worst seed under a requirement. */
export interface Finding {
  readonly required: string;
  /** What was bounded, not a number if it was not measured. */
  readonly worst: number;
  /** Null if the result has none. */
  readonly seed: number | null;
  readonly met: boolean;
}

const WORDS: Readonly<Record<Requirement["measure"], string>> = {
  tv: "TV",
  kl: "KL",
  dynamicsKl: "KL(K‖P̂)",
  wallSeconds: "wall s",
  seconds: "s",
};

/** `TV <= limit + 0.04`. */
export function inWords({ measure, from, atMost }: Requirement): string {
  const bound = String(Number(atMost.toPrecision(6)));
  switch (from) {
    case undefined:
      return `${WORDS[measure]} <= ${bound}`;
    case "limit":
      return `${WORDS[measure]} <= limit + ${bound}`;
    case "prediction":
      return `|${WORDS[measure]} - prediction| <= ${bound}`;
    default:
      return from satisfies never;
  }
}

/** One finding for each requirement. */
export function judge(
  requirements: readonly Requirement[],
  runs: readonly { readonly seed: number | null; readonly result: Result }[],
): Finding[] {
  return requirements.map((requirement) => {
    const values = runs.map(({ seed, result }) => ({ seed, value: bounded(requirement, result) }));
    const worst = values.reduce((a, b) => (Number.isNaN(a.value) || a.value >= b.value ? a : b));
    return {
      required: inWords(requirement),
      worst: worst.value,
      seed: worst.seed,
      met: worst.value <= requirement.atMost,
    };
  });
}

/** What a requirement bounds; not a number where the result does not have it. */
function bounded({ measure, from }: Requirement, result: Result): number {
  // A result has been through JSON, where infinities become null.
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
