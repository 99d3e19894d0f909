// How many letters two strings have in common at equal positions, also if a string and its mirror image score alike.

import type { Tokens } from "./proxy.ts";

/** A string and its mirror image, if both have the same score. */
export type Mirrored = readonly [Tokens, Tokens | null];

/** Positions at which two strings have the same token. Positions after the end of both agree too. */
export function agreements(a: Tokens, b: Tokens, length: number): number {
  const common = Math.min(a.length, b.length);
  let count = length - Math.max(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] === b[i]) count++;
  return count;
}

/** The string with its mirror image. */
export function mirrored(string: Tokens, mirror: ((string: Tokens) => Tokens) | null | undefined): Mirrored {
  return [string, mirror ? mirror(string) : null];
}

/** A similarity of two strings, averaged over their mirror images. */
export function mirroredMean(
  [a, ma]: Mirrored,
  [b, mb]: Mirrored,
  plain: (a: Tokens, b: Tokens) => number,
): number {
  return ma && mb ? (plain(a, b) + plain(ma, b) + plain(a, mb) + plain(ma, mb)) / 4 : plain(a, b);
}
