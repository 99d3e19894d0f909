// Problems with an oracle of one's own and exact references: counts of motifs and letters, NK landscapes, and strings that
// need two motifs.

import { RandomStream } from "../../src/engine/index.ts";
import {
  letterCountStates,
  motifCountStates,
  prefixStates,
  type ReferenceMeans,
  referenceMeans,
  type ScoredStates,
} from "./reference-means.ts";

/** A scorer of strings with its alphabet, length, noise and number of calls. */
export interface DesignProblem {
  readonly name: string;
  readonly alphabet: string;
  readonly length: number;
  readonly stick: number;
  readonly calls: number;
  score(string: string): number;
  /** Exact mean scores of the uniform, the target and the best reachable policy. */
  references(): ReferenceMeans;
}

const DNA = "ACGT";
const PROTEIN = "ACDEFGHIKLMNPQRSTVWY";

type Shape = Pick<DesignProblem, "alphabet" | "length" | "stick" | "calls">;

function problemOf(
  name: string,
  shape: Shape,
  score: (string: string) => number,
  states: () => ScoredStates,
): DesignProblem {
  const references = () => referenceMeans(states(), { stick: shape.stick });
  return { name, ...shape, score, references };
}

/** Occurrences of a motif, also overlapping ones, divided by `most` and at most 1. */
export function motifProblem(shape: Shape, motif: string, most: number): DesignProblem {
  const { alphabet, length, stick } = shape;
  const scoreOf = (count: number) => Math.min(count / most, 1);
  const count = (string: string) => {
    let found = 0;
    for (let i = string.indexOf(motif); i >= 0; i = string.indexOf(motif, i + 1)) found++;
    return found;
  };
  const indices = Array.from(motif, (letter) => alphabet.indexOf(letter));
  return problemOf(
    `${motif} in ${alphabet.length}^${length}${stick ? `, stick ${stick}` : ""}`,
    shape,
    (string) => scoreOf(count(string)),
    () => motifCountStates(alphabet.length, length, indices, scoreOf),
  );
}

/** (occurrences of a letter + 1) / (length + 1). */
export function letterProblem(shape: Shape, letter: string): DesignProblem {
  const { alphabet, length, stick } = shape;
  return problemOf(
    `count of ${letter} in ${alphabet.length}^${length}${stick ? `, stick ${stick}` : ""}`,
    shape,
    (string) => string.split(letter).length / (length + 1),
    () => letterCountStates(alphabet.length, length, (count) => (count + 1) / (length + 1)),
  );
}

/** The NK landscape of a seed: each position has K random neighbours and a table of uniform values; the score is the mean
 * over the positions. */
export function nkProblem(shape: Shape, K: number, seed: number): DesignProblem {
  const { alphabet, length, stick } = shape;
  const A = alphabet.length;
  const stream = RandomStream.fromSeed(seed).split(`nk ${K}`);
  const positions = Array.from({ length }, (_, i) => {
    const others = Array.from({ length }, (_, j) => j).filter((j) => j !== i);
    const neighbours = Array.from({ length: K }, () => others.splice(stream.integer(others.length), 1)[0]);
    const values = Float64Array.from({ length: A ** (K + 1) }, () => stream.uniform());
    return { inputs: [i, ...neighbours], values };
  });
  const score = (letters: ArrayLike<number>) => {
    let sum = 0;
    for (const { inputs, values } of positions) {
      let index = 0;
      for (const j of inputs) index = index * A + letters[j];
      sum += values[index];
    }
    return sum / length;
  };
  return problemOf(
    `NK ${A}^${length} K=${K} seed ${seed}${stick ? `, stick ${stick}` : ""}`,
    shape,
    (string) => score(Array.from(string, (letter) => alphabet.indexOf(letter))),
    () => prefixStates(A, length, score),
  );
}

/** The share of these motifs that the string contains, to the power `sharpness`. */
export function motifSetProblem(shape: Shape, motifs: readonly string[], sharpness: number): DesignProblem {
  const { alphabet, length, stick } = shape;
  const score = (string: string) =>
    (motifs.filter((motif) => string.includes(motif)).length / motifs.length) ** sharpness;
  return problemOf(
    `${motifs.join(" and ")} in ${alphabet.length}^${length}${stick ? `, stick ${stick}` : ""}`,
    shape,
    score,
    () =>
      prefixStates(alphabet.length, length, (letters) =>
        score(letters.map((letter) => alphabet[letter]).join("")),
      ),
  );
}

const dna = (length: number, stick: number, calls: number): Shape => ({
  alphabet: DNA,
  length,
  stick,
  calls,
});
const protein = (length: number, stick: number, calls: number): Shape => ({
  alphabet: PROTEIN,
  length,
  stick,
  calls,
});

/** The problems that a requirement names. */
export const REQUIRED: readonly DesignProblem[] = [
  motifProblem(dna(12, 0, 100_000), "GATC", 3),
  letterProblem(protein(12, 0.05, 15_000), "K"),
  ...[2, 2, 3, 3, 4].map((K, i) => nkProblem(dna(12, 0, 20_000), K, i + 1)),
];

/** Problems that decided a default: CATG the network of long strings, and NK mean matching under stick noise. */
export const DECISIVE: readonly DesignProblem[] = [
  motifProblem(dna(30, 0, 15_000), "CATG", 3),
  nkProblem({ alphabet: "ABCDEF", length: 8, stick: 0.1, calls: 20_000 }, 2, 11),
];

/** Problems of the same kinds. No default was changed after looking at them. */
export const HELD_OUT: readonly DesignProblem[] = [
  motifProblem(dna(20, 0.1, 50_000), "TACG", 5),
  motifProblem(dna(12, 0.25, 50_000), "CATG", 3),
  motifProblem({ alphabet: "01", length: 30, stick: 0.05, calls: 20_000 }, "110101", 5),
  motifProblem(protein(8, 0, 50_000), "WD", 4),
  letterProblem(protein(25, 0.25, 15_000), "R"),
  nkProblem(dna(10, 0.2, 20_000), 3, 23),
  motifSetProblem(dna(10, 0, 50_000), ["GAT", "CCA"], 3),
];
