// Damaged copies of a byte array: truncated, overwritten, with flipped bits, inserted or removed bytes, or several of
// these at once.

import { RandomStream } from "../../src/engine/random-stream.ts";

export function* mutations(bytes: Uint8Array, count: number, seed: number): Generator<Uint8Array> {
  const stream = RandomStream.fromSeed(seed).split("mutations");
  // Errors of parsers are most likely in headers, so half of the damage is near the beginning.
  const place = (size: number) => stream.integer(stream.bits() & 1 ? size : Math.min(size, 400));
  const kinds: ((from: Uint8Array) => Uint8Array)[] = [
    (from) => from.slice(0, place(from.length)),
    (from) => from.slice().fill(stream.bits() & 255, place(from.length), place(from.length)),
    (from) => {
      const [at, copy] = [place(from.length), from.slice()];
      copy[at] ^= 1 << stream.integer(8);
      return copy;
    },
    (from) => {
      const at = place(from.length);
      const added = Array.from({ length: 1 + stream.integer(9) }, () => stream.bits() & 255);
      return Uint8Array.from([...from.subarray(0, at), ...added, ...from.subarray(at)]);
    },
    (from) => {
      const at = place(from.length);
      return Uint8Array.from([...from.subarray(0, at), ...from.subarray(at + 1 + stream.integer(9))]);
    },
    (from) => {
      // Replaces a digit, which keeps JSON valid and makes its numbers wrong.
      const digits = [...from.keys()].filter((i) => from[i] >= 48 && from[i] <= 57);
      const copy = from.slice();
      if (digits.length > 0) copy[digits[stream.integer(digits.length)]] = 48 + stream.integer(10);
      return copy;
    },
  ];
  for (let i = 0; i < count; i++) {
    let damaged = bytes;
    for (let n = 1 + (i % 3); n > 0 && damaged.length > 0; n--)
      damaged = kinds[stream.integer(kinds.length)](damaged);
    yield damaged;
  }
}
