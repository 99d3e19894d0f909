// Strings and token numbers, one from the other. Letters are UTF-16 code units, so token i is alphabet[i].

import { checkSizes } from "../../nn/checks.ts";

export interface SequenceCodecOptions {
  /** The letters, each one character. */
  readonly alphabet: string;
  /** Letters of a string; the most it can have if `variable`. */
  readonly length: number;
  /** Strings may be shorter, even empty. */
  readonly variable?: boolean;
}

export interface SequenceCodec extends Required<SequenceCodecOptions> {
  /** The token after the end of a string: the size of the alphabet. */
  readonly pad: number;
  /** Token numbers, padded to `length`. */
  encode(text: string): Int32Array;
  /** Token numbers of many strings, one after the other: [texts × length]. */
  encodeAll(texts: readonly string[]): Int32Array;
  /** The string of tokens, padded or not. */
  decode(tokens: ArrayLike<number>): string;
  /** What keeps a text from being one of these strings, as half a sentence; null if nothing does. */
  fault(text: string): string | null;
}

/** Errors begin with `where`. */
export function sequenceCodec(
  { alphabet, length, variable = false }: SequenceCodecOptions,
  where = "sequenceCodec",
): SequenceCodec {
  checkAlphabet(where, alphabet);
  checkSizes(where, { length });
  const pad = alphabet.length;
  const tokenOf = new Map(Array.from({ length: pad }, (_, token) => [alphabet[token], token]));

  function fault(text: string): string | null {
    for (let i = 0; i < text.length; i++) {
      if (tokenOf.has(text[i])) continue;
      return `${JSON.stringify(text)} has ${JSON.stringify(characterAt(text, i))} at position ${i + 1}, and the letters are ${alphabet}`;
    }
    const wrong = lengthFault(text.length);
    return wrong && `${JSON.stringify(text)} has ${wrong}`;
  }

  function lengthFault(count: number): string | null {
    if (variable ? count <= length : count === length) return null;
    const letters = `${count} ${count === 1 ? "letter" : "letters"}`;
    return variable ? `${letters}, more than the ${length} allowed` : `${letters} instead of ${length}`;
  }

  function encode(text: string): Int32Array {
    const wrong = fault(text);
    if (wrong) throw new RangeError(`${where}: ${wrong}`);
    const tokens = new Int32Array(length).fill(pad);
    for (let i = 0; i < text.length; i++) tokens[i] = tokenOf.get(text[i])!;
    return tokens;
  }

  return {
    alphabet,
    length,
    variable,
    pad,
    fault,
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
      const wrong = lengthFault(text.length);
      if (wrong) throw new RangeError(`${where}: ${JSON.stringify(text)} has ${wrong}`);
      return text;
    },
  };
}

/** Letters must be seen, stand alone and be one code unit: texts are cut into code units, and files into fields. */
function checkAlphabet(where: string, alphabet: string): void {
  checkSizes(where, { "alphabet.length": alphabet.length });
  const fail = (what: string): never => {
    throw new RangeError(`${where}: the alphabet ${JSON.stringify(alphabet)} ${what}`);
  };
  const pair = /[\ud800-\udfff]/.exec(alphabet);
  if (pair) {
    fail(`has ${JSON.stringify(characterAt(alphabet, pair.index))}, which takes two code units; use others`);
  }
  const unseen = /[\s\p{Cc}\p{Cf}\p{M}]/u.exec(alphabet);
  if (unseen) {
    fail(`has ${JSON.stringify(unseen[0])}, which is no letter that stands alone and is seen; use others`);
  }
  if (new Set(alphabet).size !== alphabet.length) fail("repeats a letter");
}

/** The whole character at a code unit, both halves if it has two. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!);
}
