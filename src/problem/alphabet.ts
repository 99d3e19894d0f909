// Alphabets: DNA, RNA, protein, or tokens of the user's own. Strings over the named ones may be written in lower case, and
// with U for T or T for U.

import { ambiguousText, type TokenText, tokenText } from "../constraints/token-text.ts";
import { show } from "../issues.ts";

/** The names of the alphabets that need no list of letters. */
export type AlphabetName = "DNA" | "RNA" | "protein";

interface NamedAlphabet {
  readonly letters: string;
  /** The letter that stands for another one in strings over this alphabet. */
  readonly alias: readonly [from: string, to: string] | null;
  /** The letters that stand for several, by the rules of IUPAC. */
  readonly codes: Readonly<Record<string, string>>;
}

const NUCLEOTIDE_CODES = {
  ...{ R: "AG", Y: "CT", S: "CG", W: "AT", K: "GT", M: "AC" },
  ...{ B: "CGT", D: "AGT", H: "ACT", V: "ACG", N: "ACGT" },
};
const asRna = (letters: string) => letters.replaceAll("T", "U");

export const NAMED_ALPHABETS: Readonly<Record<AlphabetName, NamedAlphabet>> = {
  DNA: { letters: "ACGT", alias: ["U", "T"], codes: NUCLEOTIDE_CODES },
  RNA: {
    letters: "ACGU",
    alias: ["T", "U"],
    codes: Object.fromEntries(Object.entries(NUCLEOTIDE_CODES).map(([code, set]) => [code, asRna(set)])),
  },
  protein: {
    letters: "ACDEFGHIKLMNPQRSTVWY",
    alias: null,
    codes: { X: "ACDEFGHIKLMNPQRSTVWY", B: "DN", Z: "EQ", J: "IL" },
  },
};

/** The tokens of strings, and how strings are read. */
export interface Alphabet {
  /** The name of a named alphabet, else null. */
  readonly name: AlphabetName | null;
  readonly tokens: readonly string[];
}

/** A string as it was read. */
export interface ReadString {
  readonly tokens: readonly number[];
  readonly string: string;
  /** How the string differs from what was written: "is read as GATC"; null if it does not. */
  readonly note: string | null;
}

/** The alphabet of the key `alphabet`, or what is wrong with it. */
export function alphabetOf(given: string | readonly string[]): Alphabet | { readonly problem: string } {
  if (typeof given === "string") {
    const names = Object.keys(NAMED_ALPHABETS) as AlphabetName[];
    const name = names.find((each) => each.toLowerCase() === given.toLowerCase());
    if (name) return { name, tokens: [...NAMED_ALPHABETS[name].letters] };
  }
  const tokens = typeof given === "string" ? [...given] : given;
  const problem = tokenProblem(tokens);
  return problem === null ? { name: null, tokens } : { problem };
}

/** Characters that one token may have. */
const LONGEST_TOKEN = 32;

function tokenProblem(tokens: readonly string[]): string | null {
  if (tokens.length < 2) {
    return `must be at least two letters, or DNA, RNA or protein, got ${show(tokens.join(""))}`;
  }
  const invisible = tokens.find((token) => !/^[^\s\p{Cc}\p{Cf}]+$/u.test(token));
  if (invisible !== undefined)
    return `must be tokens of visible characters without spaces, got ${show(invisible)}`;
  const long = tokens.find(({ length }) => length > LONGEST_TOKEN);
  if (long !== undefined) return `must be tokens of at most ${LONGEST_TOKEN} characters, got ${show(long)}`;
  const seen = new Set<string>();
  const repeated = tokens.find((token) => seen.size === seen.add(token).size);
  if (repeated !== undefined) return `must have each token once, got ${show(repeated)} twice`;
  const ambiguous = ambiguousText(tokens);
  if (ambiguous === null) return null;
  return `must be tokens whose strings can be read in one way only, got ${show(ambiguous)} with two; put tokens in brackets, such as [A]`;
}

/** Reads strings over an alphabet. Throws a RangeError that completes "must …" if a string has other letters. */
export function stringReader(alphabet: Alphabet): (text: string) => ReadString {
  const { tokens, name } = alphabet;
  const reader: TokenText = tokenText(tokens);
  return (text) => {
    const string = name ? canonical(name, text) : text;
    try {
      const note = string === text ? null : `${show(text)} is read as ${show(string)}`;
      return { tokens: reader.parse(string), string, note };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`consist of tokens of the alphabet: ${error.message}${caseHint(alphabet, text)}`);
    }
  };
}

/** A string in upper case, with T for U in DNA and U for T in RNA. */
function canonical(name: AlphabetName, text: string): string {
  const { alias } = NAMED_ALPHABETS[name];
  const upper = text.toUpperCase();
  return alias ? upper.replaceAll(alias[0], alias[1]) : upper;
}

function caseHint({ name, tokens }: Alphabet, text: string): string {
  const hasOtherCase = [text.toUpperCase(), text.toLowerCase()].some((other) => {
    try {
      return other !== text && tokenText(tokens).parse(other).length > 0;
    } catch {
      return false;
    }
  });
  return name === null && hasOtherCase ? "; upper and lower case differ in an alphabet of your own" : "";
}

/** The tokens that a letter stands for by the rules of IUPAC, as a list of indices; null if it stands for none. */
export function codeTokens({ name, tokens }: Alphabet, letter: string): readonly number[] | null {
  if (name === null) return null;
  const code = letter.toUpperCase();
  const { codes } = NAMED_ALPHABETS[name];
  return Object.hasOwn(codes, code) ? [...codes[code]].map((each) => tokens.indexOf(each)) : null;
}
