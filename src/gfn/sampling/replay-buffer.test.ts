// Stored trajectories are copied unchanged, the oldest one is replaced first, and better ones are sampled more often.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { RandomStream } from "../../engine/index.ts";
import { ReplayBuffer, type TrajectoryIndices } from "./replay-buffer.ts";

const STEPS = 3;

/** A batch of trajectories: number n has action 10 n + t and outcome 100 n + t at step t. */
function trajectories(...numbers: number[]): TrajectoryIndices {
  const filled = (base: number) =>
    Int32Array.from(
      { length: STEPS * numbers.length },
      (_, i) => base * numbers[i % numbers.length] + Math.floor(i / numbers.length),
    );
  return { actions: filled(10), outcomes: filled(100) };
}

/** A buffer to which trajectories with these scores were added in order. */
function bufferOf(capacity: number, scores: readonly number[]): ReplayBuffer {
  const buffer = new ReplayBuffer(capacity, STEPS);
  const all = trajectories(...scores.keys());
  scores.forEach((score, e) => {
    buffer.add(all, e, score);
  });
  return buffer;
}

/** Numbers of the stored trajectories, by slot. */
function stored(buffer: ReplayBuffer): number[] {
  return Array.from({ length: buffer.count }, (_, slot) => {
    const row = { actions: new Int32Array(STEPS), outcomes: new Int32Array(STEPS) };
    buffer.copyTo(slot, row, 0);
    expect(row).toEqual(trajectories(row.actions[0] / 10));
    return row.actions[0] / 10;
  });
}

test("a stored trajectory is copied into one row, and the other rows stay unchanged", () => {
  const buffer = new ReplayBuffer(4, STEPS);
  buffer.add(trajectories(5, 6, 7), 1, 1);
  const batch = { actions: new Int32Array(STEPS * 2).fill(-1), outcomes: new Int32Array(STEPS * 2).fill(-1) };
  buffer.copyTo(0, batch, 1);
  expect([...batch.actions]).toEqual([-1, 60, -1, 61, -1, 62]);
  expect([...batch.outcomes]).toEqual([-1, 600, -1, 601, -1, 602]);
});

test("the oldest trajectory is replaced first", () => {
  expect(stored(bufferOf(4, []))).toEqual([]);
  expect(stored(bufferOf(4, [1, 1, 1]))).toEqual([0, 1, 2]);
  expect(stored(bufferOf(4, new Array(6).fill(1)))).toEqual([4, 5, 2, 3]);
  expect(stored(bufferOf(4, new Array(11).fill(1)))).toEqual([8, 9, 10, 7]);
  expect(stored(bufferOf(1, new Array(5).fill(1)))).toEqual([4]);
});

test("the count is the number of stored trajectories, at most the capacity", () => {
  expect([0, 2, 3, 9].map((added) => bufferOf(3, new Array(added).fill(1)).count)).toEqual([0, 2, 3, 3]);
});

describe("sampled slots", () => {
  const SAMPLES = 4000;
  /** Number of samples of each slot. */
  const countsOf = (buffer: ReplayBuffer, priority: number) => {
    const counts = new Array<number>(buffer.count).fill(0);
    for (const slot of buffer.sample(SAMPLES, priority, RandomStream.fromSeed(3))) counts[slot]++;
    return counts;
  };
  const scores = [0.5, 2, 0, 1, 3];

  test("are empty while nothing is stored", () => {
    expect(bufferOf(3, []).sample(5, 1, RandomStream.fromSeed(0))).toEqual([]);
  });

  test("have the requested number and may repeat", () => {
    const drawn = bufferOf(3, [1, 1]).sample(7, 0, RandomStream.fromSeed(0));
    expect(drawn).toHaveLength(7);
    expect(new Set(drawn)).toEqual(new Set([0, 1]));
  });

  test.each([0, 0.5, 1, 2])("are proportional to the score to the power %d", (priority) => {
    const weights = scores.map((score) => score ** priority);
    const sum = weights.reduce((a, b) => a + b, 0);
    const probabilities = weights.map((weight) => weight / sum);
    const counts = countsOf(bufferOf(5, scores), priority);
    expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
  });

  test("depend on the scores of stored trajectories, not of replaced ones", () => {
    const counts = countsOf(bufferOf(2, [100, 100, 1, 3]), 1);
    expect(chiSquare(counts, [0.25, 0.75])).toBeLessThan(chiSquareLimit([0.25, 0.75]));
  });

  test("are uniform if every score is zero", () => {
    const uniform = [1 / 3, 1 / 3, 1 / 3];
    expect(chiSquare(countsOf(bufferOf(3, [0, 0, 0]), 2), uniform)).toBeLessThan(chiSquareLimit(uniform));
  });

  test("are the same for the same stream", () => {
    const draw = () => bufferOf(5, scores).sample(50, 1, RandomStream.fromSeed(8));
    expect(draw()).toEqual(draw());
  });
});
