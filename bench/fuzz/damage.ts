// Damaged copies of files: as bytes, as lines, as numbers, in another encoding.

import { type Chance, NUMERALS } from "./random.ts";

type Damage<T> = (from: T, chance: Chance) => T;

/** One to three kinds of damage, one after the other. */
export function damaged(bytes: Uint8Array, chance: Chance): Uint8Array {
  let result = bytes;
  for (let n = chance.pick([1, 1, 1, 2, 3]); n > 0 && result.length > 0; n--) {
    result = chance.pick(BYTES)(result, chance);
  }
  return result;
}

/** The same for files of text, which may be damaged in more ways. */
export function damagedText(text: string, chance: Chance): Uint8Array {
  if (chance.happens(0.4)) return damaged(Buffer.from(text), chance);
  let result = text;
  for (let n = chance.pick([1, 1, 2, 3]); n > 0; n--) result = chance.pick(TEXTS)(result, chance);
  return chance.happens(0.85) ? Buffer.from(result) : chance.pick(ENCODINGS)(result);
}

/** Headers are where readers break, so that half of the damage is done near the beginning. */
function place(bytes: Uint8Array, chance: Chance): number {
  return chance.below(1 + (chance.happens(0.5) ? bytes.length : Math.min(bytes.length, 400)));
}

const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const BYTES: readonly Damage<Uint8Array>[] = [
  (from, chance) => from.slice(0, place(from, chance)),
  (from, chance) => from.slice(place(from, chance)),
  (from, chance) => {
    const copy = from.slice();
    for (let n = chance.pick([1, 1, 8]); n > 0; n--) {
      copy[Math.min(place(from, chance), from.length - 1)] ^= 1 << chance.below(8);
    }
    return copy;
  },
  (from, chance) => {
    const at = place(from, chance);
    return joined(from.subarray(0, at), chance.bytes(chance.between(1, 9)), from.subarray(at));
  },
  (from, chance) => {
    const at = place(from, chance);
    return joined(from.subarray(0, at), from.subarray(at + chance.between(1, 9)));
  },
  (from, chance) => {
    const at = place(from, chance);
    return new Uint8Array(from).fill(chance.pick([0, 255, 32, 123]), at, at + chance.pick([1, 4, 100, 1e9]));
  },
  (from, chance) => {
    // Two blocks change places.
    const [a, b, c] = [0, 0, 0].map(() => place(from, chance)).sort((x, y) => x - y);
    return joined(from.subarray(0, a), from.subarray(b, c), from.subarray(a, b), from.subarray(c));
  },
  (from, chance) => {
    // A digit becomes another, which leaves JSON whole and its numbers wrong.
    const digits = [...from.subarray(0, 5000).keys()].filter((i) => from[i] >= 48 && from[i] <= 57);
    const copy = from.slice();
    if (digits.length > 0) copy[chance.pick(digits)] = 48 + chance.below(10);
    return copy;
  },
  (from) => joined(from, from),
];

/** Does something to the lines of a text. */
function withLines(change: (lines: string[], at: number, chance: Chance) => void): Damage<string> {
  return (from, chance) => {
    const lines = from.split("\n");
    change(lines, chance.below(lines.length), chance);
    return lines.join("\n");
  };
}

const TEXTS: readonly Damage<string>[] = [
  withLines((lines, at) => lines.splice(at, 1)),
  withLines((lines, at) => lines.splice(at, 0, lines[at])),
  withLines((lines, at, chance) => lines.splice(at, chance.between(1, 1000))),
  withLines((lines, at, chance) => {
    const other = chance.below(lines.length);
    [lines[at], lines[other]] = [lines[other], lines[at]];
  }),
  withLines((lines, at) => {
    lines[at] = lines[at].slice(0, lines[at].length >> 1);
  }),
  withLines((lines, at) => {
    lines[at] = lines[at].toLowerCase();
  }),
  withLines((lines) => lines.reverse()),
  (from, chance) => numberReplaced(from, chance),
  (from, chance) => numberReplaced(from, chance),
  (from, chance) => from.replaceAll("\t", chance.pick([" ", ",", "\t\t", ""])),
  (from, chance) => from.replaceAll("\n", chance.pick(["\r\n", "\r", "\n\n", "", "\u2028"])),
  (from, chance) => {
    const at = chance.below(from.length + 1);
    return (
      from.slice(0, at) +
      chance.pick(["\0", "\u001b[31m", "\uFEFF", "é", "😀", '"', "{", "}", "\\"]) +
      from.slice(at)
    );
  },
  (_, chance) => chance.pick(["", "\n", " ", "null", "[]", "{}", '""', "0", "\0", "8-mer\t8-mer\tE-score"]),
];

function numberReplaced(from: string, chance: Chance): string {
  const numbers = [...from.matchAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)];
  if (numbers.length === 0) return from;
  const { index, 0: number } = chance.pick(numbers);
  return from.slice(0, index) + chance.pick(NUMERALS) + from.slice(index + number.length);
}

const ENCODINGS: readonly ((text: string) => Uint8Array)[] = [
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(`\uFEFF${text}`),
  (text) => Buffer.from(`\uFEFF\uFEFF${text}`),
  (text) => Buffer.from(`${text}é`, "latin1"),
];
