// Seeded random choices, and collections of extreme and invalid values.

import { RandomStream } from "../../src/engine/index.ts";

export class Random {
  readonly #stream: RandomStream;

  constructor(seed: number, name: string) {
    this.#stream = RandomStream.fromSeed(seed).split(name);
  }

  /** A whole number from 0 to n − 1. */
  below(n: number): number {
    return this.#stream.integer(n);
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.#stream.uniform() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  uniform(): number {
    return this.#stream.uniform();
  }

  /** A positive number, log-uniform between 1e-6 and 1e6. */
  scale(): number {
    return 10 ** (12 * this.uniform() - 6);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

/** Numbers that are likely to cause errors. */
export const EXTREME_NUMBERS: readonly number[] = [
  Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0, 0, 0.5, 1, 1.5, 5e-324, 1e-308, 1e-45, 1e-38,
  1e-7, 1 - 1e-16, 255, 256, 257, 65_535, 65_536, 2 ** 24, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53,
  3.4028234663852886e38, 3.5e38, 1e39, 1e300, 1.7976931348623157e308, -1e308, -5e-324,
]; // biome-ignore format: a list

/** Texts that look like numbers; some are invalid. */
export const NUMBER_TEXTS: readonly string[] = [
  "NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999", "1e308", "-1e308", "1e39", "5e-324", "0", "-0", "+1", ".5",
  "5.", "1e", "0x10", "1_000", "1,5", "--1", "1.2.3", "9007199254740993", "2147483648", "null", "true", "٣", "½", "1e-400",
]; // biome-ignore format: a list

const TEXTS: readonly string[] = [
  "", " ", "x", "none", "null", "true", "0", "1", "-1", "1e999", "NaN", "ACGT", "\0", "\u001b[31mred", "line\nbreak", "tab\t",
  "é", "e\u0301", "😀", "\ud800", "\u202eback", "../../etc/passwd", "a".repeat(300), "%s%n", "{{x}}", "<b>",
]; // biome-ignore format: a list

/** Names that are not settings; some have a meaning in JavaScript. */
export const INVALID_NAMES: readonly string[] = [
  "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "length", "0", "", " ", "Hidden", "hiden",
  "learning_rate", "learning-rate", "VERSION", "tableSha256", "knownSha256", "k\0", "\u001b[2J", "new\nline", "😀",
  "x".repeat(2000), "stick ", "task\u200b",
]; // biome-ignore format: a list

/** An arbitrary value from JSON or from a caller, sometimes nested. */
export function arbitraryValue(random: Random, depth = 0): unknown {
  const leaf = depth > 3 || random.chance(0.7);
  if (leaf) {
    return random.pick([
      () => random.pick(EXTREME_NUMBERS),
      () => random.pick(TEXTS),
      () => random.pick([null, true, false]),
      () => random.pick([[], {}, [[]], [null], { from: 0 }, { from: 0, to: 1, shape: "exponential" }]),
      () => (random.chance(0.2) ? nested(random.pick([100, 20_000])) : random.scale()),
    ])();
  }
  if (random.chance(0.5)) {
    return Array.from({ length: random.below(5) }, () => arbitraryValue(random, depth + 1));
  }
  const names = ["from", "to", "shape", "until", "x", ...INVALID_NAMES];
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [random.pick(names), arbitraryValue(random, depth + 1)]),
  );
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
