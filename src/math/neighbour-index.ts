// An index of sequences for the question which of them are within a radius of another one, exactly.
//
// It rests on the pigeonhole principle. If a sequence is cut into r + 1 pieces, at most r edits leave one of them unchanged:
// at its position for the Hamming distance, and at most r positions away for the edit distance. So only sequences that share
// a piece are compared. Where the pieces are so short that nearly all sequences share one, all are compared.

import { boundedDistancesFrom, type DistanceName } from "./bounded-distance.ts";
import { codesOf, type Sequence } from "./edit-distance.ts";

export interface NeighbourIndex {
  /** Adds a sequence. Its number is the count of those before it. */
  add(sequence: Sequence): void;
  /** The lowest number of an added sequence within the radius; −1 if there is none. */
  firstWithin(sequence: Sequence): number;
}

/** An empty index for a radius. */
export function neighbourIndex(distance: DistanceName, radius: number): NeighbourIndex {
  if (radius > MOST_PIECES) return scan(distance, radius);
  const pieces = Math.floor(radius) + 1;
  const added: Int32Array[] = [];
  /** For each length of added sequences and each piece, the numbers of the sequences with a content of the piece. */
  const byLength = new Map<number, Map<string, number[]>[]>();
  /** The last question for which a sequence was compared. */
  const comparedIn: number[] = [];
  let questions = 0;

  /** Calls `visit` for every list of sequences that share a piece with these codes. */
  function visitLists(codes: Int32Array, visit: (list: readonly number[]) => void): void {
    const text = textOf(codes);
    for (const [length, maps] of byLength) {
      if (Math.abs(length - codes.length) > radius) continue;
      maps.forEach((map, piece) => {
        const [start, end] = bounds(length, piece);
        const shift = distance === "hamming" ? 0 : pieces - 1;
        for (let from = Math.max(0, start - shift); from <= start + shift; from++) {
          if (from + end - start > codes.length) break;
          const list = map.get(text.slice(from, from + end - start));
          if (list) visit(list);
        }
      });
    }
  }

  /** The positions of a piece of a sequence of this length. */
  function bounds(length: number, piece: number): readonly [number, number] {
    return [Math.floor((piece * length) / pieces), Math.floor(((piece + 1) * length) / pieces)];
  }

  return {
    add(sequence) {
      const codes = codesOf(sequence);
      if (!byLength.has(codes.length))
        byLength.set(
          codes.length,
          Array.from({ length: pieces }, () => new Map()),
        );
      const text = textOf(codes);
      byLength.get(codes.length)!.forEach((map, piece) => {
        const content = text.slice(...bounds(codes.length, piece));
        if (!map.has(content)) map.set(content, []);
        map.get(content)!.push(added.length);
      });
      added.push(codes);
      comparedIn.push(-1);
    },
    firstWithin(sequence) {
      const codes = codesOf(sequence);
      const distanceTo = boundedDistancesFrom(codes, distance);
      const isWithin = (number: number) => distanceTo(added[number], radius) <= radius;
      let candidates = 0;
      visitLists(codes, (list) => {
        candidates += list.length;
      });
      if (candidates >= added.length) return added.findIndex((_, number) => isWithin(number));
      const question = questions++;
      let first = -1;
      visitLists(codes, (list) => {
        for (const number of list) {
          // Lists are in ascending order.
          if (first >= 0 && number >= first) break;
          if (comparedIn[number] === question) continue;
          comparedIn[number] = question;
          if (isWithin(number)) first = number;
        }
      });
      return first;
    },
  };
}

/** More pieces than this are not worth an index. */
const MOST_PIECES = 100;

/** Compares all sequences. */
function scan(distance: DistanceName, radius: number): NeighbourIndex {
  const added: Int32Array[] = [];
  return {
    add: (sequence) => {
      added.push(codesOf(sequence));
    },
    firstWithin(sequence) {
      const distanceTo = boundedDistancesFrom(codesOf(sequence), distance);
      return added.findIndex((other) => distanceTo(other, radius) <= radius);
    },
  };
}

/** The codes as a text, whose parts are cheap keys. Codes beyond 16 bits may get equal characters, which only adds candidates. */
function textOf(codes: Int32Array): string {
  let text = "";
  for (let i = 0; i < codes.length; i++) text += String.fromCharCode(codes[i]);
  return text;
}
