// Conversion between texts and tokens. A letter is one UTF-16 code unit, so token i is alphabet[i].

import { checkSizes } from "../../nn/checks.ts";

export interface SequenceCodecOptions {
  /** The letters, each one character. */
  readonly alphabet: string;
  /** Number of letters; the maximum if `variable`. */
  readonly length: number;
  /** Whether texts may be shorter than `length`, or empty. Default: false. */
  readonly variable?: boolean;
}

/** Translates between texts and tokens, which are the positions of letters in the alphabet. */
export interface SequenceCodec extends Required<SequenceCodecOptions> {
  /** The padding token after the end of a text: the size of the alphabet. */
  readonly pad: number;
  /** The tokens of a text, padded to `length`. */
  encode(text: string): Int32Array;
  /** The tokens of several texts, one after the other: [texts × length]. */
  encodeAll(texts: readonly string[]): Int32Array;
  /** The text of tokens with or without padding. */
  decode(tokens: ArrayLike<number>): string;
  /** Describes why a text is not valid, as half a sentence. Null if it is valid. */
  problemWith(text: string): string | null;
}

/**
 * Creates the codec of texts over an alphabet. Error messages begin with `where`.
 *
 * @example
 * ```ts
 * import { sequenceCodec } from "gflownet/gfn";
 *
 * const codec = sequenceCodec({ alphabet: "ACGT", length: 4 });
 * console.log(codec.encode("GATT").join(" "), codec.decode([2, 0, 3, 3])); // 2 0 3 3 GATT
 * ```
 */
export function sequenceCodec(
  { alphabet, length, variable = false }: SequenceCodecOptions,
  where = "sequenceCodec",
): SequenceCodec {
  checkAlphabet(where, alphabet);
  checkSizes(where, { length });
  const pad = alphabet.length;
  const tokenOf = new Map(Array.from({ length: pad }, (_, token) => [alphabet[token], token]));

  function problemWith(text: string): string | null {
    for (let i = 0; i < text.length; i++) {
      if (tokenOf.has(text[i])) continue;
      return `${JSON.stringify(text)} has ${JSON.stringify(characterAt(text, i))} at position ${i + 1}, but the letters are ${alphabet}`;
    }
    const problem = lengthProblem(text.length);
    return problem && `${JSON.stringify(text)} has ${problem}`;
  }

  function lengthProblem(count: number): string | null {
    if (variable ? count <= length : count === length) return null;
    const letters = `${count} ${count === 1 ? "letter" : "letters"}`;
    return variable ? `${letters}, more than the ${length} allowed` : `${letters} instead of ${length}`;
  }

  function encode(text: string): Int32Array {
    const problem = problemWith(text);
    if (problem) throw new RangeError(`${where}: ${problem}`);
    const tokens = new Int32Array(length).fill(pad);
    for (let i = 0; i < text.length; i++) tokens[i] = tokenOf.get(text[i])!;
    return tokens;
  }

  return {
    alphabet,
    length,
    variable,
    pad,
    problemWith,
    encode,
    encodeAll(texts) {
      const tokens = new Int32Array(texts.length * length);
      texts.forEach((text, row) => {
        tokens.set(encode(text), row * length);
      });
      return tokens;
    },
    decode(tokens) {
      if (tokens.length > length) {
        throw new RangeError(`${where}: a string has ${length} tokens, got ${tokens.length}`);
      }
      let text = "";
      let padded = false;
      for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i];
        if (!Number.isInteger(token) || token < 0 || token > pad) {
          throw new RangeError(
            `${where}: token ${i + 1} must be a whole number from 0 to ${pad}, got ${token}`,
          );
        }
        if (token === pad) padded = true;
        else if (padded) {
          throw new RangeError(`${where}: token ${i + 1} is the letter ${alphabet[token]} after padding`);
        } else text += alphabet[token];
      }
      const problem = lengthProblem(text.length);
      if (problem) throw new RangeError(`${where}: ${JSON.stringify(text)} has ${problem}`);
      return text;
    },
  };
}

/** Letters must be distinct, visible, non-combining and one code unit each: texts are split into code units, and files
 * into fields at white space. */
function checkAlphabet(where: string, alphabet: string): void {
  checkSizes(where, { "alphabet.length": alphabet.length });
  const fail = (what: string): never => {
    throw new RangeError(`${where}: the alphabet ${JSON.stringify(alphabet)} ${what}`);
  };
  const pair = /[\ud800-\udfff]/.exec(alphabet);
  if (pair) {
    fail(
      `has ${JSON.stringify(characterAt(alphabet, pair.index))}, which takes two code units; use other letters`,
    );
  }
  const invisible = /[\s\p{Cc}\p{Cf}\p{M}]/u.exec(alphabet);
  if (invisible) {
    fail(
      `has ${JSON.stringify(invisible[0])}, which is not a visible, non-combining character; use other letters`,
    );
  }
  if (new Set(alphabet).size !== alphabet.length) fail("repeats a letter; list each letter once");
}

/** The character at a code unit, with both halves of a surrogate pair. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!);
}
