// k-mers of strings against a plain count of all substrings.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { KmerFeatures } from "./kmer-features.ts";

/** All k-mers of a text of up to eight letters; a point stands for the open letter. */
function kmersOf(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(text.length, start + 8); end++) {
      const kmer = text.slice(start, end);
      found.push(kmer);
      for (let open = 1; open < kmer.length - 1; open++) {
        found.push(`${kmer.slice(0, open)}.${kmer.slice(open + 1)}`);
      }
    }
  }
  return found;
}

/** The product of the counts of two texts, as vectors of unit length. */
function similarity(a: string, b: string): number {
  const countsOf = (text: string) => {
    const counts = new Map<string, number>();
    for (const kmer of kmersOf(text)) counts.set(kmer, (counts.get(kmer) ?? 0) + 1);
    return counts;
  };
  const [one, other] = [countsOf(a), countsOf(b)];
  const product = (x: Map<string, number>, y: Map<string, number>) =>
    [...x].reduce((sum, [kmer, count]) => sum + count * (y.get(kmer) ?? 0), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}

const LETTERS = "ABC";
const tokensOf = (text: string) => [...text].map((letter) => LETTERS.indexOf(letter));

test("the product of two strings counts their common k-mers, also those with an open letter", () => {
  const stream = RandomStream.fromSeed(3);
  const texts = Array.from({ length: 30 }, () =>
    Array.from({ length: 1 + stream.integer(14) }, () => LETTERS[stream.integer(LETTERS.length)]).join(""),
  );
  const kmers = new KmerFeatures({ tokens: LETTERS.length, length: 14 });
  const known = texts.slice(0, 15).map((text) => kmers.of(tokensOf(text)));
  const { size } = kmers;
  texts.forEach((text) => {
    const { ids, values } = kmers.of(tokensOf(text), { isKnown: true });
    known.forEach((other, j) => {
      const dense = new Float64Array(size);
      other.ids.forEach((id, k) => {
        dense[id] = other.values[k];
      });
      const product = ids.reduce((sum, id, k) => sum + values[k] * dense[id], 0);
      expect(product).toBeCloseTo(similarity(text, texts[j]), 12);
    });
  });
  expect(kmers.size).toBe(size); // strings to predict add no k-mers
});

test("an empty string has no k-mers", () => {
  expect(new KmerFeatures({ tokens: 3, length: 4 }).of([]).ids).toHaveLength(0);
});

test("k-mers of large alphabets are shorter, so that none are taken for each other", () => {
  const kmers = new KmerFeatures({ tokens: 2000, length: 12 });
  const one = kmers.of([1999, 1998, 1997, 1996, 1995, 1994]);
  const other = kmers.of([1999, 1998, 1997, 1996, 1995, 0]);
  expect(new Set([...one.ids, ...other.ids]).size).toBe(kmers.size);
  expect(Math.max(...one.values)).toBeCloseTo(1 / Math.sqrt(one.ids.length), 12);
});
