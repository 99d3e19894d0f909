// Sequence logos of the strings of a policy and of the target, one below the other.

import { positionFrequencies } from "./letter-frequencies.ts";
import { sequenceLogos } from "./sequence-logo.ts";
import { type ViewNotes, viewNotes } from "./view-notes.ts";

export interface LogoPairData extends ViewNotes {
  readonly alphabet: readonly string[];
  /** Fraction of each letter at each position, [position][letter]. */
  readonly learned: readonly (readonly number[])[];
  readonly target: readonly (readonly number[])[] | null;
}

export function logoPair(data: LogoPairData): string {
  const logo = (title: string, fractions: readonly (readonly number[])[]) => ({
    title,
    positions: fractions.map((row) => positionFrequencies(row)),
  });
  return sequenceLogos({
    title: data.target ? "Sequence logos of the policy and of the target" : "Sequence logo of the policy",
    tokens: data.alphabet,
    logos: [logo("learned", data.learned), ...(data.target ? [logo("target", data.target)] : [])],
    notes: viewNotes(data),
  });
}
