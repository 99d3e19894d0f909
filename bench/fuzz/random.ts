// Random choices and strange values, all from one seed.

import { RandomStream } from "../../src/engine/index.ts";

export class Chance {
  readonly #stream: RandomStream;

  constructor(seed: number, name: string) {
    this.#stream = RandomStream.fromSeed(seed).split(name);
  }

  /** From 0 to n − 1. */
  below(n: number): number {
    return this.#stream.integer(n);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  happens(probability: number): boolean {
    return this.#stream.uniform() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  uniform(): number {
    return this.#stream.uniform();
  }

  /** Positive, of any size that may occur. */
  scale(): number {
    return 10 ** (12 * this.uniform() - 6);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

/** Numbers that break things. */
export const EXTREME: readonly number[] = [
  Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0, 0, 0.5, 1, 1.5, 5e-324, 1e-308, 1e-45, 1e-38,
  1e-7, 1 - 1e-16, 255, 256, 257, 65_535, 65_536, 2 ** 24, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53,
  3.4028234663852886e38, 3.5e38, 1e39, 1e300, 1.7976931348623157e308, -1e308, -5e-324,
]; // biome-ignore format: a list

/** Numbers as texts, some of which are none. */
export const NUMERALS: readonly string[] = [
  "NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999", "1e308", "-1e308", "1e39", "5e-324", "0", "-0", "+1", ".5",
  "5.", "1e", "0x10", "1_000", "1,5", "--1", "1.2.3", "9007199254740993", "2147483648", "null", "true", "٣", "½", "1e-400",
]; // biome-ignore format: a list

const TEXTS: readonly string[] = [
  "", " ", "x", "none", "null", "true", "0", "1", "-1", "1e999", "NaN", "ACGT", "\0", "\u001b[31mred", "line\nbreak", "tab\t",
  "é", "e\u0301", "😀", "\ud800", "\u202eback", "../../etc/passwd", "a".repeat(300), "%s%n", "{{x}}", "<b>",
]; // biome-ignore format: a list

/** Names that are no settings, or have a meaning to the language. */
export const NAMES: readonly string[] = [
  "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "length", "0", "", " ", "Hidden", "hiden",
  "learning_rate", "learning-rate", "VERSION", "tableSha256", "knownSha256", "k\0", "\u001b[2J", "new\nline", "😀",
  "x".repeat(2000), "stick ", "task\u200b",
]; // biome-ignore format: a list

/** Any value that JSON or a caller may bring, nested at times. */
export function strangeValue(chance: Chance, depth = 0): unknown {
  const leaf = depth > 3 || chance.happens(0.7);
  if (leaf) {
    return chance.pick([
      () => chance.pick(EXTREME),
      () => chance.pick(TEXTS),
      () => chance.pick([null, true, false]),
      () => chance.pick([[], {}, [[]], [null], { from: 0 }, { from: 0, to: 1, shape: "exponential" }]),
      () => (chance.happens(0.2) ? nested(chance.pick([100, 20_000])) : chance.scale()),
    ])();
  }
  if (chance.happens(0.5)) {
    return Array.from({ length: chance.below(5) }, () => strangeValue(chance, depth + 1));
  }
  const names = ["from", "to", "shape", "until", "x", ...NAMES];
  return Object.fromEntries(
    Array.from({ length: chance.below(5) }, () => [chance.pick(names), strangeValue(chance, depth + 1)]),
  );
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
