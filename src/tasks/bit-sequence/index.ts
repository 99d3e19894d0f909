// Task `bit-sequence`: strings of bits, written word by word, scored by their distance to the nearest of a few modes.

import { RandomStream } from "../../engine/index.ts";
import { type EnumerableSequenceEnvironment, sequenceEnvironment } from "../../gfn/environment/sequence.ts";
import { checkTaskOptions } from "../check-task-options.ts";
import { checkTerminal, type Task } from "../task.ts";
import {
  BIT_SEQUENCE_DEFAULTS,
  BIT_SEQUENCE_KEYS,
  type BitSequenceOptions,
  bitSequenceIssues,
} from "./options.ts";

export type { BitSequenceOptions };

/** Letters that stand for words of up to 6 bits in the environment. */
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
/** Letters that stand for words of 7 and 8 bits: the 256 Braille patterns. */
const BRAILLE = Array.from({ length: 256 }, (_, word) => String.fromCharCode(0x2800 + word)).join("");

/** The environment alone, without the table of scores, for valid options. */
export function bitSequenceEnvironment({
  stick,
  bits: n,
  word: k,
}: Pick<Required<BitSequenceOptions>, "stick" | "bits" | "word">): EnumerableSequenceEnvironment {
  const alphabet = (k <= 6 ? LETTERS : BRAILLE).slice(0, 2 ** k);
  const words = sequenceEnvironment({ alphabet, length: n / k, stick });
  return {
    ...words,
    // The text of an object consists of its bits, not of the letters that stand for words.
    describe: (outcomes) => outcomes.map((word) => word.toString(2).padStart(k, "0")).join(""),
    trajectoryOf: (text, stream) => words.sampleTrajectoryTo(parseBits(text, n), stream),
  };
}

/** The terminal index of a string of n bits: its value as a binary number. */
function parseBits(text: string, n: number): number {
  if (text.length !== n || !/^[01]*$/.test(text)) {
    throw new RangeError(`bit-sequence: ${JSON.stringify(text)} is not a string of ${n} bits, each 0 or 1`);
  }
  return Number.parseInt(text, 2);
}

/**
 * Strings of n bits, written word by word. The score is exp(−β · Hamming distance to the nearest mode / n). The index of a
 * terminal in binary is its string.
 *
 * @example
 * ```ts
 * import { bitSequenceTask } from "gflownet";
 *
 * const task = bitSequenceTask({ stick: 0.1, bits: 8, word: 2, modes: 4 });
 * console.log(task.scores.length, task.decode(5)); // 256 00000101
 * console.log(task.modes?.map((mode) => task.scores[mode]).join(" ")); // 1 1 1 1
 * ```
 */
export function bitSequenceTask({
  stick,
  bits: n = BIT_SEQUENCE_DEFAULTS.bits,
  word = BIT_SEQUENCE_DEFAULTS.word,
  modes: count = BIT_SEQUENCE_DEFAULTS.modes,
  modeSeed = BIT_SEQUENCE_DEFAULTS.modeSeed,
  sharpness = BIT_SEQUENCE_DEFAULTS.sharpness,
}: BitSequenceOptions): Task<EnumerableSequenceEnvironment> {
  const options = { stick, bits: n, word, modes: count, modeSeed, sharpness };
  checkTaskOptions(BIT_SEQUENCE_KEYS, bitSequenceIssues, options);
  const environment = bitSequenceEnvironment({ stick, bits: n, word });
  const strings = 2 ** n;
  const modes = drawModes(n, count, modeSeed);
  return {
    name: "bit-sequence",
    label: `exp(−${sharpness} · Hamming distance to the nearest of ${count} modes / ${n}), modes of seed ${modeSeed}`,
    environment,
    scores: Float64Array.from(distancesTo(modes, n), (distance) => Math.exp((-sharpness * distance) / n)),
    modes,
    strings: { letters: 2, length: n },
    decode(terminal) {
      checkTerminal("bit-sequence", terminal, strings);
      return terminal.toString(2).padStart(n, "0");
    },
    encode: (text) => parseBits(text, n),
  };
}

/** Draws distinct strings uniformly. */
function drawModes(bits: number, count: number, seed: number): number[] {
  const stream = RandomStream.fromSeed(seed).split("bit-sequence modes");
  const modes = new Set<number>();
  while (modes.size < count) modes.add(stream.integer(2 ** bits));
  return [...modes];
}

/** Hamming distance from each string of n bits to the nearest mode, computed in one pass per bit. */
function distancesTo(modes: readonly number[], n: number): Uint8Array {
  const distances = new Uint8Array(2 ** n).fill(n);
  for (const string of modes) distances[string] = 0;
  for (let bit = 1; bit < 2 ** n; bit *= 2) {
    for (let string = 0; string < distances.length; string++) {
      distances[string] = Math.min(distances[string], distances[string ^ bit] + 1);
    }
  }
  return distances;
}
