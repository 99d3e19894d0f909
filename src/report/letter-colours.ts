// Colours of letters: the usual ones of nucleotides, chemical classes of amino acids, and the colours of series otherwise.

import { INK, styleOf } from "./theme.ts";

const NUCLEOTIDES: Readonly<Record<string, string>> = {
  ...{ A: "#00805a", C: "#0067b1", G: "#8a6100", T: "#b3262e", U: "#b3262e" },
};

/** Classes of amino acids by their side chains. */
const AMINO_ACIDS: readonly (readonly [string, string])[] = [
  ["AVLIMFWP", INK.text], // hydrophobic
  ["GSTYCNQ", "#00805a"], // small or polar
  ["KRH", "#0067b1"], // basic
  ["DE", "#b3262e"], // acidic
];

/** The colour of each token of an alphabet. */
export function letterColours(tokens: readonly string[]): string[] {
  if (tokens.every((token) => Object.hasOwn(NUCLEOTIDES, token)))
    return tokens.map((token) => NUCLEOTIDES[token]);
  const acids = tokens.map((token) =>
    token.length === 1 ? AMINO_ACIDS.find(([letters]) => letters.includes(token))?.[1] : undefined,
  );
  // Few letters of another alphabet may be amino acids by chance, and need different colours.
  if (tokens.length >= 15 && acids.every((colour) => colour !== undefined)) return acids as string[];
  return tokens.map((_, i) => styleOf(i).colour);
}
