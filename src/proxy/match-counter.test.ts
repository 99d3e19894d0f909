// Counted matches equal those that are counted letter by letter, for random motifs and strings of many lengths.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { MatchCounter, type MotifLetter } from "./match-counter.ts";
import { bestMatch } from "./motif-model.ts";

/** Up to twelve letters, within so many positions of each other. The first stands before, at or after the place of the motif.
 * The letters of half of the motifs are those of a string. */
function randomLetters(strings: readonly number[][], tokens: number, width: number, stream: RandomStream) {
  const [first, start] = [stream.integer(9) - 4, stream.integer(5)];
  const distances = new Set(Array.from({ length: 1 + stream.integer(12) }, () => stream.integer(width)));
  const string = stream.integer(2) === 0 ? strings[stream.integer(strings.length)] : [];
  return [...distances]
    .sort((a, b) => a - b)
    .map((distance): MotifLetter => {
      const letter = string[start + distance] ?? stream.integer(tokens);
      return { offset: first + distance, letter };
    });
}

test.each([
  { count: 1, tokens: 3, shortest: 1, longest: 1 },
  { count: 30, tokens: 2, shortest: 12, longest: 12 },
  { count: 32, tokens: 4, shortest: 8, longest: 8 },
  { count: 33, tokens: 4, shortest: 0, longest: 15 },
  { count: 100, tokens: 20, shortest: 31, longest: 33 },
  { count: 70, tokens: 4, shortest: 5, longest: 64 },
  { count: 45, tokens: 3, shortest: 100, longest: 256 },
])("$count strings with lengths from $shortest to $longest", ({ count, tokens, shortest, longest }) => {
  const stream = RandomStream.fromSeed(6);
  const strings = Array.from({ length: count }, () => {
    const length = shortest + stream.integer(longest - shortest + 1);
    return Array.from({ length }, () => stream.integer(tokens));
  });
  const counter = new MatchCounter(strings, tokens);
  const matches = new Uint8Array(count);
  for (let i = 0; i < 100; i++) {
    // Some motifs are wider than some strings, or than all.
    const letters = randomLetters(strings, tokens, 1 + stream.integer(longest + 1), stream);
    const motif = {
      offsets: letters.map(({ offset }) => offset - letters[0].offset),
      letters: letters.map(({ letter }) => letter),
    };
    counter.count(letters, matches);
    expect([...matches]).toEqual(strings.map((string) => bestMatch(motif, string)));
  }
});
