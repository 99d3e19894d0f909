// Damages files: changes bytes, lines and numbers, or uses another encoding.

import { NUMBER_TEXTS, type Random } from "./random.ts";

type Damage<T> = (from: T, random: Random) => T;

/** Applies one to three random kinds of damage. */
export function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  let result = bytes;
  for (let n = random.pick([1, 1, 1, 2, 3]); n > 0 && result.length > 0; n--) {
    result = random.pick(BYTE_DAMAGES)(result, random);
  }
  return result;
}

/** Damages a text in the same way, with further kinds of damage that apply only to text. */
export function damagedText(text: string, random: Random): Uint8Array {
  if (random.chance(0.4)) return damaged(Buffer.from(text), random);
  let result = text;
  for (let n = random.pick([1, 1, 2, 3]); n > 0; n--) result = random.pick(TEXT_DAMAGES)(result, random);
  return random.chance(0.85) ? Buffer.from(result) : random.pick(ENCODINGS)(result);
}

/**
 * A random offset. Half of the positions are near the beginning, because headers are the most fragile part of a file.
 */
function randomOffset(bytes: Uint8Array, random: Random): number {
  return random.below(1 + (random.chance(0.5) ? bytes.length : Math.min(bytes.length, 400)));
}

const concat = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const BYTE_DAMAGES: readonly Damage<Uint8Array>[] = [
  (from, random) => from.slice(0, randomOffset(from, random)),
  (from, random) => from.slice(randomOffset(from, random)),
  (from, random) => {
    const copy = from.slice();
    for (let n = random.pick([1, 1, 8]); n > 0; n--) {
      copy[Math.min(randomOffset(from, random), from.length - 1)] ^= 1 << random.below(8);
    }
    return copy;
  },
  (from, random) => {
    const at = randomOffset(from, random);
    return concat(from.subarray(0, at), random.bytes(random.between(1, 9)), from.subarray(at));
  },
  (from, random) => {
    const at = randomOffset(from, random);
    return concat(from.subarray(0, at), from.subarray(at + random.between(1, 9)));
  },
  (from, random) => {
    const at = randomOffset(from, random);
    return new Uint8Array(from).fill(random.pick([0, 255, 32, 123]), at, at + random.pick([1, 4, 100, 1e9]));
  },
  (from, random) => {
    // Swap two adjacent blocks.
    const [a, b, c] = [0, 0, 0].map(() => randomOffset(from, random)).sort((x, y) => x - y);
    return concat(from.subarray(0, a), from.subarray(b, c), from.subarray(a, b), from.subarray(c));
  },
  (from, random) => {
    // Replace a digit, so that JSON stays valid but its numbers are wrong.
    const digits = [...from.subarray(0, 5000).keys()].filter((i) => from[i] >= 48 && from[i] <= 57);
    const copy = from.slice();
    if (digits.length > 0) copy[random.pick(digits)] = 48 + random.below(10);
    return copy;
  },
  (from) => concat(from, from),
];

/** Kinds of damage to the lines of a text. */
function withLines(change: (lines: string[], at: number, random: Random) => void): Damage<string> {
  return (from, random) => {
    const lines = from.split("\n");
    change(lines, random.below(lines.length), random);
    return lines.join("\n");
  };
}

const TEXT_DAMAGES: readonly Damage<string>[] = [
  withLines((lines, at) => lines.splice(at, 1)),
  withLines((lines, at) => lines.splice(at, 0, lines[at])),
  withLines((lines, at, random) => lines.splice(at, random.between(1, 1000))),
  withLines((lines, at, random) => {
    const other = random.below(lines.length);
    [lines[at], lines[other]] = [lines[other], lines[at]];
  }),
  withLines((lines, at) => {
    lines[at] = lines[at].slice(0, lines[at].length >> 1);
  }),
  withLines((lines, at) => {
    lines[at] = lines[at].toLowerCase();
  }),
  withLines((lines) => lines.reverse()),
  (from, random) => replaceNumber(from, random),
  (from, random) => replaceNumber(from, random),
  (from, random) => from.replaceAll("\t", random.pick([" ", ",", "\t\t", ""])),
  (from, random) => from.replaceAll("\n", random.pick(["\r\n", "\r", "\n\n", "", "\u2028"])),
  (from, random) => {
    const at = random.below(from.length + 1);
    return (
      from.slice(0, at) +
      random.pick(["\0", "\u001b[31m", "\uFEFF", "é", "😀", '"', "{", "}", "\\"]) +
      from.slice(at)
    );
  },
  (_, random) => random.pick(["", "\n", " ", "null", "[]", "{}", '""', "0", "\0", "8-mer\t8-mer\tE-score"]),
];

function replaceNumber(from: string, random: Random): string {
  const numbers = [...from.matchAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)];
  if (numbers.length === 0) return from;
  const { index, 0: number } = random.pick(numbers);
  return from.slice(0, index) + random.pick(NUMBER_TEXTS) + from.slice(index + number.length);
}

const ENCODINGS: readonly ((text: string) => Uint8Array)[] = [
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(`\uFEFF${text}`),
  (text) => Buffer.from(`\uFEFF\uFEFF${text}`),
  (text) => Buffer.from(`${text}é`, "latin1"),
];
