// Proposals for the laboratory: new strings that the trained policy favours and that are far apart.

import { RandomStream } from "../engine/random-stream.ts";
import { formatCsv, spreadsheetText } from "../formats/csv.ts";
import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { UserError } from "../issues.ts";
import { boundedDistancesFrom, type DistanceName } from "../math/bounded-distance.ts";
import { codesOf } from "../math/edit-distance.ts";
import type { Trained } from "../trained/trained.ts";

/** A string to measure. */
export interface Proposal {
  readonly string: string;
  /** Log-probability under the policy; null for a uniformly drawn string. */
  readonly logProbability: number | null;
}

/** Draws for each proposal, and the most draws if few strings are new. */
const [DRAWS, MOST_DRAWS] = [20, 1000];

/**
 * Chooses new strings from samples of the policy: in the order of the draws, each one farther than `radius` from all
 * chosen ones; if there are too few, the first of the others. Samples follow the policy, so the choice does too.
 */
export async function proposeFrom(
  trained: Trained,
  { count, radius, distance, isNew, seed }: ProposeOptions,
): Promise<Proposal[]> {
  const found = new Map<string, Proposal>();
  let draws = 0;
  for await (const batch of trained.samples({ seed })) {
    for (const { object, logProbability } of batch) {
      if (isNew(object)) found.set(object, { string: object, logProbability });
    }
    draws += batch.length;
    if (found.size >= DRAWS * count || draws >= MOST_DRAWS * count) break;
  }
  return spread([...found.values()], count, radius, distance);
}

/** What makes a proposal. */
export interface ProposeOptions {
  readonly count: number;
  readonly radius: number;
  readonly distance: DistanceName;
  /** Whether a string is legal and not measured yet. */
  isNew(string: string): boolean;
  readonly seed: number;
}

/** Uniformly drawn legal strings, for the first round without any measurement. */
export function proposeUniform(
  environment: Pick<ConstrainedSequenceEnvironment, "uniformObject" | "describe">,
  { count, radius, distance, isNew, seed }: ProposeOptions,
): Proposal[] {
  const stream = RandomStream.fromSeed(seed).split("proposals");
  const found = new Map<string, Proposal>();
  for (let i = 0; i < MOST_DRAWS * count && found.size < DRAWS * count; i++) {
    const string = environment.describe(environment.uniformObject(stream));
    if (isNew(string)) found.set(string, { string, logProbability: null });
  }
  return spread([...found.values()], count, radius, distance);
}

function spread(
  proposals: readonly Proposal[],
  count: number,
  radius: number,
  distance: DistanceName,
): Proposal[] {
  if (proposals.length < count) {
    throw new UserError(
      `only ${proposals.length} new strings were found where ${count} are to be proposed; propose fewer, or loosen the constraints`,
    );
  }
  const chosen: Proposal[] = [];
  const others: Proposal[] = [];
  const codes: Int32Array[] = [];
  for (const proposal of proposals) {
    if (chosen.length === count) break;
    const own = codesOf(proposal.string);
    const distanceTo = boundedDistancesFrom(own, distance);
    if (codes.some((other) => distanceTo(other, radius) <= radius)) others.push(proposal);
    else {
      chosen.push(proposal);
      codes.push(own);
    }
  }
  return [...chosen, ...others.slice(0, count - chosen.length)];
}

const [ROWS, COLUMNS] = [8, 12];

/** The plate as CSV, with an empty column for the scores, or for each of several objectives. Wells are those of plates with 96 wells, column by column. */
export function plateCsv(
  proposals: readonly Proposal[],
  measurements: readonly string[] = ["score"],
): string {
  return formatCsv(
    ["plate", "well", "string", "log_probability", ...measurements],
    proposals.map(({ string, logProbability }, i) => {
      const place = i % (ROWS * COLUMNS);
      const row = String.fromCharCode("A".charCodeAt(0) + (place % ROWS));
      return {
        plate: Math.floor(i / (ROWS * COLUMNS)) + 1,
        well: `${row}${Math.floor(place / ROWS) + 1}`,
        string: spreadsheetText(string),
        log_probability: logProbability,
      };
    }),
  );
}
