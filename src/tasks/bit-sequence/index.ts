// Task `bit-sequence`: strings of bits, written word by word, that are good when they are near one of a few modes.

import { RandomStream } from "../../engine/index.ts";
import { type SequenceEnvironment, sequenceEnvironment } from "../../gfn/environments/sequence.ts";
import { checkSizes } from "../../nn/checks.ts";
import { checkTableSize, checkTerminal, type Task } from "../task.ts";

export interface BitSequenceOptions {
  readonly stick: number;
  /** n, bits in all. */
  readonly bits?: number;
  /** k, bits that are written at once: the letters are the 2^k words. */
  readonly word?: number;
  /** How many modes are drawn. */
  readonly modes?: number;
  /** Which modes are drawn. */
  readonly seed?: number;
  /** β in R = exp(−β · distance / n). */
  readonly sharpness?: number;
}

/** One sign for each word of up to six bits; from seven bits on, Braille patterns, of which there are 256. */
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const BRAILLE = Array.from({ length: 256 }, (_, word) => String.fromCharCode(0x2800 + word)).join("");

/** The environment alone, without scores: quick to make. */
export function bitSequenceEnvironment({
  stick,
  bits: n = 16,
  word: k = 4,
}: Pick<BitSequenceOptions, "stick" | "bits" | "word">): SequenceEnvironment {
  checkSizes("bit-sequence", { bits: n, word: k });
  if (n % k !== 0) {
    throw new RangeError(`bit-sequence: bits must be divisible by word, got ${n} bits in words of ${k}`);
  }
  if (k > 8) throw new RangeError(`bit-sequence: word must be at most 8 bits, got ${k}`);
  checkTableSize("bit-sequence", 2 ** n, "lower bits");
  const alphabet = (k <= 6 ? SIGNS : BRAILLE).slice(0, 2 ** k);
  const words = sequenceEnvironment({ alphabet, length: n / k, stick });
  return {
    ...words,
    // Objects are written in bits everywhere, not in signs for words.
    describe: (way) => way.map((word) => word.toString(2).padStart(k, "0")).join(""),
    wayOf: (text, stream) => words.wayTo(stringNumber(text, n), stream),
  };
}

/** The number that a string of n bits is in binary. */
function stringNumber(text: string, n: number): number {
  if (text.length !== n || !/^[01]*$/.test(text)) {
    throw new RangeError(`bit-sequence: ${JSON.stringify(text)} is not a string of ${n} bits, each 0 or 1`);
  }
  return Number.parseInt(text, 2);
}

/** R = exp(−β · min Hamming distance to a mode / n). A terminal's number, in binary, is its string. */
export function bitSequenceTask({
  stick,
  bits: n = 16,
  word = 4,
  modes: count = 8,
  seed = 0,
  sharpness = 8,
}: BitSequenceOptions): Task<SequenceEnvironment> {
  const environment = bitSequenceEnvironment({ stick, bits: n, word });
  checkSizes("bit-sequence", { modes: count });
  if (!(sharpness > 0 && sharpness < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`bit-sequence: sharpness must be a positive number, got ${sharpness}`);
  }
  const strings = 2 ** n;
  if (count > strings) {
    throw new RangeError(`bit-sequence: ${count} modes do not fit the ${strings} strings of ${n} bits`);
  }
  const modes = drawModes(n, count, seed);
  return {
    name: "bit-sequence",
    label: `exp(−${sharpness} · Hamming distance to the nearest of ${count} modes / ${n}), modes of seed ${seed}`,
    environment,
    scores: Float64Array.from(distancesTo(modes, n), (distance) => Math.exp((-sharpness * distance) / n)),
    modes,
    decode(terminal) {
      checkTerminal("bit-sequence", terminal, strings);
      return terminal.toString(2).padStart(n, "0");
    },
    encode: (text) => stringNumber(text, n),
  };
}

/** Different strings, each alike. */
function drawModes(bits: number, count: number, seed: number): number[] {
  const stream = RandomStream.fromSeed(seed).split("bit-sequence modes");
  const modes = new Set<number>();
  while (modes.size < count) modes.add(stream.integer(2 ** bits));
  return [...modes];
}

/** Hamming distance from every string of n bits to the nearest of these: bit by bit, however many there are. */
function distancesTo(nearest: readonly number[], n: number): Uint8Array {
  const distances = new Uint8Array(2 ** n).fill(n);
  for (const string of nearest) distances[string] = 0;
  for (let bit = 1; bit < 2 ** n; bit *= 2) {
    for (let string = 0; string < distances.length; string++) {
      distances[string] = Math.min(distances[string], distances[string ^ bit] + 1);
    }
  }
  return distances;
}
