// Small spaces of strings and ways to run a search, for the tests of searches.

import type { Constraint } from "../../src/constraints/index.ts";
import {
  type ConstrainedSequenceEnvironment,
  constrainedSequenceEnvironment,
} from "../../src/gfn/environment/constrained-sequence.ts";
import type { StringSearch } from "../../src/search/string-search.ts";

/** Strings over some letters, without noise. */
export function spaceOf(
  letters: string,
  length: { readonly min: number; readonly max: number },
  constraints: readonly Constraint[] = [],
): ConstrainedSequenceEnvironment {
  return constrainedSequenceEnvironment({
    space: { tokens: [...letters], length },
    constraints,
    noise: { kind: "none" },
  });
}

/** The strings of each round; every string gets its score. */
export async function runSearch(
  search: StringSearch,
  score: (string: string) => number,
  { rounds, batch }: { readonly rounds: number; readonly batch: number },
): Promise<(readonly string[])[]> {
  const asked: (readonly string[])[] = [];
  for (let round = 0; round < rounds; round++) {
    const strings = await search.ask(batch);
    await search.tell(strings.map((string) => ({ string, score: score(string) })));
    asked.push(strings);
  }
  return asked;
}
