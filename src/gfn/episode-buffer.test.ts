// Kept episodes come out as they went in, the oldest goes first, and better ones are drawn more often.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { RandomStream } from "../engine/index.ts";
import { EpisodeBuffer, type EpisodeNumbers } from "./episode-buffer.ts";

const STEPS = 3;

/** Episodes side by side: number e intends 10 e + t at step t, and gets 100 e + t. */
function episodes(...numbers: number[]): EpisodeNumbers {
  const filled = (base: number) =>
    Int32Array.from(
      { length: STEPS * numbers.length },
      (_, i) => base * numbers[i % numbers.length] + Math.floor(i / numbers.length),
    );
  return { actions: filled(10), outcomes: filled(100) };
}

/** A buffer that episodes were added to one after the other, with their scores. */
function bufferOf(capacity: number, scores: readonly number[]): EpisodeBuffer {
  const buffer = new EpisodeBuffer(capacity, STEPS);
  const all = episodes(...scores.keys());
  scores.forEach((score, e) => {
    buffer.add(all, e, score);
  });
  return buffer;
}

/** Which episodes are kept, by place. */
function kept(buffer: EpisodeBuffer): number[] {
  return Array.from({ length: buffer.count }, (_, slot) => {
    const row = { actions: new Int32Array(STEPS), outcomes: new Int32Array(STEPS) };
    buffer.copyTo(slot, row, 0);
    expect(row).toEqual(episodes(row.actions[0] / 10));
    return row.actions[0] / 10;
  });
}

test("an episode comes back into the row it is wanted in, and nothing else changes", () => {
  const buffer = new EpisodeBuffer(4, STEPS);
  buffer.add(episodes(5, 6, 7), 1, 1);
  const batch = { actions: new Int32Array(STEPS * 2).fill(-1), outcomes: new Int32Array(STEPS * 2).fill(-1) };
  buffer.copyTo(0, batch, 1);
  expect([...batch.actions]).toEqual([-1, 60, -1, 61, -1, 62]);
  expect([...batch.outcomes]).toEqual([-1, 600, -1, 601, -1, 602]);
});

test("the oldest is replaced first, in a ring", () => {
  expect(kept(bufferOf(4, []))).toEqual([]);
  expect(kept(bufferOf(4, [1, 1, 1]))).toEqual([0, 1, 2]);
  expect(kept(bufferOf(4, new Array(6).fill(1)))).toEqual([4, 5, 2, 3]);
  expect(kept(bufferOf(4, new Array(11).fill(1)))).toEqual([8, 9, 10, 7]);
  expect(kept(bufferOf(1, new Array(5).fill(1)))).toEqual([4]);
});

test("the count is how many there are, never more than there is room for", () => {
  expect([0, 2, 3, 9].map((added) => bufferOf(3, new Array(added).fill(1)).count)).toEqual([0, 2, 3, 3]);
});

describe("draws", () => {
  const DRAWS = 4000;
  /** How often each place comes. */
  const counts = (buffer: EpisodeBuffer, priority: number) => {
    const times = new Array<number>(buffer.count).fill(0);
    for (const slot of buffer.draw(DRAWS, priority, RandomStream.fromSeed(3))) times[slot]++;
    return times;
  };
  const scores = [0.5, 2, 0, 1, 3];

  test("are none while there is nothing", () => {
    expect(bufferOf(3, []).draw(5, 1, RandomStream.fromSeed(0))).toEqual([]);
  });

  test("are as many as asked for, some of them more than once", () => {
    const drawn = bufferOf(3, [1, 1]).draw(7, 0, RandomStream.fromSeed(0));
    expect(drawn).toHaveLength(7);
    expect(new Set(drawn)).toEqual(new Set([0, 1]));
  });

  test.each([0, 0.5, 1, 2])("follow the score to the power %d", (priority) => {
    const weights = scores.map((score) => score ** priority);
    const sum = weights.reduce((a, b) => a + b, 0);
    const probabilities = weights.map((weight) => weight / sum);
    const times = counts(bufferOf(5, scores), priority);
    expect(chiSquare(times, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
  });

  test("follow the scores of what is there now, not of what was replaced", () => {
    const times = counts(bufferOf(2, [100, 100, 1, 3]), 1);
    expect(chiSquare(times, [0.25, 0.75])).toBeLessThan(chiSquareLimit([0.25, 0.75]));
  });

  test("treat all alike where every score is zero", () => {
    const even = [1 / 3, 1 / 3, 1 / 3];
    expect(chiSquare(counts(bufferOf(3, [0, 0, 0]), 2), even)).toBeLessThan(chiSquareLimit(even));
  });

  test("are the same for the same stream", () => {
    const draw = () => bufferOf(5, scores).draw(50, 1, RandomStream.fromSeed(8));
    expect(draw()).toEqual(draw());
  });
});
