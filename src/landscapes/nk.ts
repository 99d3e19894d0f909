// NK landscapes (Kauffman and Weinberger 1989): the score of a string is the mean of one contribution per position, which
// depends on the letter there and on those at K other positions. Ruggedness grows with K.

import { RandomStream } from "../engine/random-stream.ts";
import { type Issue, throwIssues } from "../issues.ts";
import { choice, whole } from "../settings/kinds.ts";
import type { Landscape } from "./landscape.ts";
import { kindIssues } from "./option-issues.ts";

/** Sizes and seed of an NK landscape. */
export interface NkOptions {
  /** Size of the alphabet. */
  readonly letters: number;
  /** N: the length of the strings. */
  readonly length: number;
  /** K: the number of other positions that a contribution depends on, from 0 to N − 1. */
  readonly neighbours: number;
  /** Which positions: the K that follow, with the first after the last, or K random ones. Default: adjacent. */
  readonly interaction?: "adjacent" | "random";
  readonly seed: number;
}

/** Most contributions that are kept: 256 MiB. */
const MOST_CONTRIBUTIONS = 2 ** 26;

/** The landscape of a seed. The same options give the same scores. Throws a UserError with all mistakes. */
export function nkLandscape(options: NkOptions): Landscape {
  throwIssues(optionIssues(options));
  const { letters, length, neighbours, interaction = "adjacent", seed } = options;
  const root = RandomStream.fromSeed(seed).split(["nk", letters, length, neighbours, interaction].join(" "));
  const stream = root.split("positions");
  /** For each position, that position and the K others that its contribution depends on. */
  const positions = Array.from({ length }, (_, i) =>
    Int32Array.of(
      i,
      ...(interaction === "adjacent"
        ? Array.from({ length: neighbours }, (_, k) => (i + 1 + k) % length)
        : drawOthers(i, length, neighbours, stream)),
    ),
  );
  const size = letters ** (neighbours + 1);
  const contributions = positions.map((_, i) =>
    root.split(`contributions ${i}`).fillUniform(new Float32Array(size)),
  );
  return {
    label: `NK landscape of ${length} letters out of ${letters}, K = ${neighbours}, ${interaction} positions, seed ${seed}`,
    version: `nk ${JSON.stringify([letters, length, neighbours, interaction, seed])}`,
    letters,
    length,
    pairs: null,
    initial: null,
    score(string) {
      if (string.length !== length) return null;
      let sum = 0;
      for (let i = 0; i < length; i++) {
        const [own, table] = [positions[i], contributions[i]];
        let index = 0;
        for (let k = 0; k < own.length; k++) {
          const letter = string[own[k]];
          if (!(letter >= 0 && letter < letters)) return null;
          index = index * letters + letter;
        }
        sum += table[index];
      }
      return sum / length;
    },
  };
}

function optionIssues({ letters, length, neighbours, interaction = "adjacent", seed }: NkOptions): Issue[] {
  const issues = kindIssues([
    ["letters", whole(2, 1000), letters],
    ["length", whole(1, 100_000), length],
    ["interaction", choice(["adjacent", "random"]), interaction],
    ["seed", whole(0, Number.MAX_SAFE_INTEGER), seed],
  ]);
  if (issues.length > 0) return issues;
  const others = kindIssues([["neighbours", whole(0, length - 1), neighbours]]);
  if (others.length > 0 || length * letters ** (neighbours + 1) <= MOST_CONTRIBUTIONS) return others;
  const message = `must give at most 2^26 contributions, got ${length} · ${letters}^${neighbours + 1}; take fewer`;
  return [{ path: "neighbours", code: "range", message }];
}

/** K different positions other than i, in ascending order. */
function drawOthers(i: number, length: number, count: number, stream: RandomStream): number[] {
  const others = Array.from({ length: length - 1 }, (_, j) => (j < i ? j : j + 1));
  for (let k = 0; k < count; k++) {
    const j = k + stream.integer(others.length - k);
    [others[k], others[j]] = [others[j], others[k]];
  }
  return others.slice(0, count).sort((a, b) => a - b);
}
