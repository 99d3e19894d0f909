// Named, splittable random streams on the host.
//
// A stream depends only on the seed and the names on its path from the root. Draws from the stream `evaluation` do not
// change the numbers of the stream `policy`. The generator is xoshiro128** (Blackman and Vigna 2018).

/** Serialisable state of a stream. */
export interface RandomState {
  readonly key: readonly [number, number];
  readonly words: readonly [number, number, number, number];
}

/**
 * A source of random numbers that can be split into independent streams by name.
 *
 * @example
 * ```ts
 * import { RandomStream } from "gflownet/engine";
 *
 * const root = RandomStream.fromSeed(7);
 * const [one, again, other] = [root.split("dice"), root.split("dice"), root.split("cards")];
 * console.log(one.bits() === again.bits(), one.bits() === other.bits()); // true false
 * ```
 */
export class RandomStream {
  readonly #key: readonly [number, number];
  readonly #words = new Uint32Array(4);

  private constructor(key: readonly [number, number]) {
    this.#key = key;
    for (let i = 0; i < 4; i++) this.#words[i] = mix(key[i & 1] + Math.imul(i + 1, 0x9e3779b9), key[~i & 1]);
    if (this.#words.every((word) => word === 0)) this.#words[0] = 1;
  }

  /** The root stream of a seed, which is an integer from 0 to 2^53 − 1. */
  static fromSeed(seed: number): RandomStream {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new RangeError(`RandomStream: seed must be a whole number from 0 to 2^53 - 1, got ${seed}`);
    }
    return new RandomStream([mix(seed >>> 0, 0x243f6a88), mix(Math.floor(seed / 2 ** 32), 0x85a308d3)]);
  }

  /** An independent stream for this name. It does not depend on how many numbers this stream has drawn. */
  split(name: string): RandomStream {
    let [a, b] = this.#key;
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i);
      a = mix(a ^ code, b);
      b = mix(b + code, a);
    }
    return new RandomStream([mix(a, name.length), mix(b, ~name.length)]);
  }

  /** 32 random bits. */
  bits(): number {
    const s = this.#words;
    const x = Math.imul(s[1], 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** A float32 strictly between 0 and 1, so that its logarithms are finite. */
  uniform(): number {
    return ((this.bits() >>> 9) + 0.5) * 2 ** -23;
  }

  /** An unbiased random integer from 0 to n − 1. */
  integer(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new RangeError(`RandomStream.integer: n must be a whole number from 1 to 2^32, got ${n}`);
    }
    const limit = 2 ** 32 - (2 ** 32 % n);
    let bits = this.bits();
    while (bits >= limit) bits = this.bits();
    return bits % n;
  }

  /** A standard normal number (Box–Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Fills an array with uniform numbers and returns it. */
  fillUniform(array: Float32Array): Float32Array {
    // The same numbers as from `uniform`, but with the words in local variables, which takes half the time.
    let [a, b, c, d] = this.#words;
    for (let i = 0; i < array.length; i++) {
      const x = Math.imul(b, 5);
      array[i] = ((Math.imul((x << 7) | (x >>> 25), 9) >>> 9) + 0.5) * 2 ** -23;
      const t = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= t;
      d = (d << 11) | (d >>> 21);
    }
    this.#words.set([a, b, c, d]);
    return array;
  }

  /** The state from which `restore` continues this stream. */
  save(): RandomState {
    const [a, b, c, d] = this.#words;
    return { key: this.#key, words: [a, b, c, d] };
  }

  /** Continues a stream from its saved state. */
  static restore({ key, words }: RandomState): RandomStream {
    const stream = new RandomStream(key);
    stream.#words.set(words);
    return stream;
  }
}

/** Hashes two words into one with the finaliser of MurmurHash3 (Appleby). */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0xcc9e2d51), 0x1b873593);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h + b, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
