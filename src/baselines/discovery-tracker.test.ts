// Tests of the discovery tracker against statistics computed from all scored objects.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import { topK } from "../gfn/evaluate/diversity.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import { discoveryTracker, type ObservedBatch } from "./discovery-tracker.ts";

const COUNT = 81;
const SETS = [[0, 1, 2], [40], [80, 79], [40, 7]];
const decode = (terminal: number) => terminal.toString(3).padStart(4, "0");
const options = { terminals: COUNT, modeSets: SETS, decode, top: 10, window: 25 };
/** Several objects have equal scores, so that the order of ties matters. */
const scoreOf = (terminal: number) => (terminal * 7) % 20;

function history(steps: number): ObservedBatch[] {
  const stream = RandomStream.fromSeed(1);
  const batch = () => Int32Array.from({ length: 4 }, () => stream.integer(COUNT));
  return Array.from({ length: steps }, () => {
    const terminals = batch();
    const offPolicy = Uint8Array.from(terminals, () => stream.integer(2));
    return { terminals, scores: Float64Array.from(terminals, scoreOf), offPolicy, samples: batch() };
  });
}

describe("the tracker", () => {
  test("agrees with the complete history after every step", () => {
    const tracker = discoveryTracker(options);
    const target = new Float64Array(COUNT).fill(1 / COUNT);
    const all: number[] = [];
    const own: number[] = [];
    const modesIn = (cells: readonly number[]) =>
      SETS.filter((set) => set.some((cell) => cells.includes(cell))).length;
    const samples: number[] = [];
    for (const observed of history(40)) {
      tracker.add(observed);
      all.push(...Array.from(observed.terminals));
      own.push(...Array.from(observed.terminals).filter((_, i) => observed.offPolicy![i] === 0));
      samples.push(...Array.from(observed.samples!));
      expect(tracker.calls).toBe(all.length);
      expect(tracker.distinct).toBe(new Set(all).size);
      expect(tracker.bestScore).toBe(Math.max(...all.map(scoreOf)));
      expect([tracker.modesFound, tracker.modesScored]).toEqual([modesIn(own), modesIn(all)]);
      expect(tracker.topK()).toEqual(topK(all.map(decode), all.map(scoreOf), 10));
      // The order of samples within the window changes the sums only by rounding errors.
      const expected = sampledTotalVariation(samples.slice(-25), target);
      expect(tracker.sampledTotalVariation(target)!.tv).toBeCloseTo(expected.tv, 12);
      expect(tracker.sampledTotalVariation(target)!.floor).toBe(expected.floor);
    }
    expect(tracker.modes).toBe(4);
    expect(tracker.modesScored).toBe(4);
  });

  test("uses the scored objects as samples by default", () => {
    const tracker = discoveryTracker(options);
    tracker.add({ terminals: [3, 3, 5], scores: [1, 1, 2] });
    const target = Float64Array.from({ length: COUNT }, (_, i) => (i === 3 ? 2 / 3 : i === 5 ? 1 / 3 : 0));
    expect(tracker.sampledTotalVariation(target)).toMatchObject({ samples: 3 });
    expect(tracker.sampledTotalVariation(target)!.tv).toBeCloseTo(0, 14);
  });

  test("is empty before the first call", () => {
    const tracker = discoveryTracker(options);
    expect([tracker.calls, tracker.modesFound, tracker.bestScore]).toEqual([0, 0, Number.NEGATIVE_INFINITY]);
    expect(tracker.topK()).toBeNull();
    expect(tracker.sampledTotalVariation(new Float64Array(COUNT))).toBeNull();
  });

  test("continues identically from a saved state", () => {
    const steps = history(30);
    const [uninterrupted, first, second] = [
      discoveryTracker(options),
      discoveryTracker(options),
      discoveryTracker(options),
    ];
    for (const observed of steps) uninterrupted.add(observed);
    for (const observed of steps.slice(0, 4)) first.add(observed);
    // Restoring must reset everything that the other tracker has counted, including modes.
    second.add({ terminals: SETS.flat(), scores: SETS.flat().map(() => 99) });
    second.restore(first.save());
    expect([second.distinct, second.modesFound, second.modesScored]).toEqual([
      first.distinct,
      first.modesFound,
      first.modesScored,
    ]);
    for (const observed of steps.slice(4)) second.add(observed);
    expect(second.save()).toEqual(uninterrupted.save());
    expect([second.distinct, second.modesFound, second.modesScored]).toEqual([
      uninterrupted.distinct,
      uninterrupted.modesFound,
      uninterrupted.modesScored,
    ]);
  });

  test("rejects an invalid step with an error that names the problem, and counts nothing of it", () => {
    const tracker = discoveryTracker(options);
    const add = (observed: ObservedBatch) => () => tracker.add(observed);
    expect(add({ terminals: [1, 2], scores: [1] })).toThrow(
      "discoveryTracker: there must be one score per terminal, got 1 scores for 2 terminals",
    );
    expect(add({ terminals: [1, 81], scores: [1, 1] })).toThrow(
      "discoveryTracker: the terminal of object 1 must be from 0 to 80, got 81",
    );
    expect(add({ terminals: [1], scores: [Number.NaN] })).toThrow(
      "discoveryTracker: the score of object 0 must be a number, got NaN",
    );
    expect(add({ terminals: [1], scores: [1], samples: [-1] })).toThrow(
      "discoveryTracker: the terminal of sample 0 must be from 0 to 80, got -1",
    );
    expect(tracker.calls).toBe(0);
    expect(() => discoveryTracker({ ...options, modeSets: [[99]] })).toThrow(
      "discoveryTracker: the terminal of mode 0 must be from 0 to 80, got 99",
    );
    expect(() => discoveryTracker({ ...options, window: 0 })).toThrow(
      "window must be a positive whole number, got 0",
    );
    expect(() => tracker.restore(discoveryTracker({ ...options, window: 9 }).save())).toThrow(
      "discoveryTracker: window must be 25 as in this tracker, got 9 in the saved state",
    );
  });
});
