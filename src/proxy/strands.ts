// The two strands of DNA: a string and its reverse complement are the same molecule, so many scores, such as how strongly a
// protein binds, do not tell them apart.

import type { Tokens } from "./proxy.ts";

const COMPLEMENT: Readonly<Record<string, string>> = { A: "T", C: "G", G: "C", T: "A" };

/** The map from strings of these tokens to their reverse complements; null if the tokens are not the letters of DNA. */
export function reverseComplementOf(tokens: readonly string[]): ((string: Tokens) => Tokens) | null {
  if (tokens.length !== 4 || tokens.some((token) => !(token in COMPLEMENT))) return null;
  const complement = tokens.map((token) => tokens.indexOf(COMPLEMENT[token]));
  return (string) => Array.from(string, (token) => complement[token]).reverse();
}
