// Conversion between texts and tokens, which may have several letters each.

/** Translates between texts and the indices of their tokens. */
export interface TokenText {
  /** The tokens of a text. Throws a RangeError that names the text and the first place that is no token. */
  parse(text: string): number[];
  /** The text of tokens, one after the other. */
  join(tokens: ArrayLike<number>): string;
}

/** `tokens` must not be ambiguous (`ambiguousText`). */
export function tokenText(tokens: readonly string[]): TokenText {
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const lengths = [...new Set(tokens.map((token) => token.length))].sort((a, b) => a - b);
  const [length] = lengths;
  return {
    parse(text) {
      if (lengths.length === 1) {
        // There is only one way to read a text.
        const found: number[] = [];
        for (let place = 0; place < text.length; place += length) {
          const token = indexOf.get(text.slice(place, place + length));
          if (token === undefined) throw new RangeError(problemWith(text));
          found.push(token);
        }
        return found;
      }
      // From the end: the token that starts at each place from which the rest of the text can be read, −1 if none does.
      const tokenAt = new Int32Array(text.length + 1).fill(-1);
      const canBeRead = (place: number) => place === text.length || tokenAt[place] >= 0;
      for (let place = text.length - 1; place >= 0; place--) {
        for (const length of lengths) {
          const token = indexOf.get(text.slice(place, place + length));
          if (token !== undefined && canBeRead(place + length)) tokenAt[place] = token;
        }
      }
      if (!canBeRead(0)) throw new RangeError(problemWith(text));
      const found: number[] = [];
      for (let place = 0; place < text.length; place += tokens[tokenAt[place]].length) {
        found.push(tokenAt[place]);
      }
      return found;
    },
    join(indices) {
      let text = "";
      for (let i = 0; i < indices.length; i++) {
        const token = tokens[indices[i]];
        if (token === undefined) {
          throw new RangeError(
            `token ${i + 1} must be a whole number from 0 to ${tokens.length - 1}, got ${indices[i]}`,
          );
        }
        text += token;
      }
      return text;
    },
  };

  /** Names the last place up to which the text consists of tokens. */
  function problemWith(text: string): string {
    const reached = new Uint8Array(text.length + 1);
    reached[0] = 1;
    for (let place = 0; place < text.length; place++) {
      if (!reached[place]) continue;
      for (const length of lengths)
        if (indexOf.has(text.slice(place, place + length))) reached[place + length] = 1;
    }
    const place = reached.lastIndexOf(1);
    if (place === text.length) return `${JSON.stringify(text)} does not consist of whole tokens`;
    const sign = String.fromCodePoint(text.codePointAt(place) as number);
    const list =
      tokens.length <= 32
        ? tokens.join(tokens.every(({ length }) => length === 1) ? "" : " ")
        : `${tokens.length} others`;
    return `${JSON.stringify(text)} has ${JSON.stringify(sign)} at position ${place + 1}, where a token must start; the tokens are ${list}`;
  }
}

/**
 * A text that consists of these tokens in two ways; null if there is none. This is the test of Sardinas and Patterson:
 * it follows two readings of a text, of which one is ahead by a rest.
 */
export function ambiguousText(tokens: readonly string[]): string | null {
  if (tokens.every(({ length }) => length === tokens[0].length)) return null;
  const queue = tokens.flatMap((shorter) =>
    tokens
      .filter((token) => token !== shorter && token.startsWith(shorter))
      .map((text) => ({ text, rest: text.slice(shorter.length) })),
  );
  const seen = new Set<string>();
  for (const { text, rest } of queue) {
    if (seen.has(rest)) continue;
    seen.add(rest);
    for (const token of tokens) {
      if (token === rest) return text;
      if (rest.startsWith(token)) queue.push({ text, rest: rest.slice(token.length) });
      else if (token.startsWith(rest))
        queue.push({ text: text + token.slice(rest.length), rest: token.slice(rest.length) });
    }
  }
  return null;
}
