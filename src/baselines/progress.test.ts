// Progress against what the whole history says when it is looked at afterwards.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import { topK } from "../gfn/evaluate/diversity.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampled.ts";
import { type Observed, progress } from "./progress.ts";

const COUNT = 81;
const SETS = [[0, 1, 2], [40], [80, 79], [40, 7]];
const decode = (terminal: number) => terminal.toString(3).padStart(4, "0");
const options = { terminals: COUNT, modeSets: SETS, decode, top: 10, window: 25 };
/** Several objects share a score, so that the order of equals matters. */
const scoreOf = (terminal: number) => (terminal * 7) % 20;

function history(steps: number): Observed[] {
  const stream = RandomStream.fromSeed(1);
  const batch = () => Int32Array.from({ length: 4 }, () => stream.integer(COUNT));
  return Array.from({ length: steps }, () => {
    const terminals = batch();
    return { terminals, scores: Float64Array.from(terminals, scoreOf), samples: batch() };
  });
}

describe("progress", () => {
  test("is after every step what the whole history says", () => {
    const tracker = progress(options);
    const target = new Float64Array(COUNT).fill(1 / COUNT);
    const all: number[] = [];
    const samples: number[] = [];
    for (const observed of history(40)) {
      tracker.add(observed);
      all.push(...Array.from(observed.terminals));
      samples.push(...Array.from(observed.samples!));
      expect(tracker.calls).toBe(all.length);
      expect(tracker.distinct).toBe(new Set(all).size);
      expect(tracker.best).toBe(Math.max(...all.map(scoreOf)));
      expect(tracker.modesFound).toBe(SETS.filter((set) => set.some((cell) => all.includes(cell))).length);
      expect(tracker.topK()).toEqual(topK(all.map(decode), all.map(scoreOf), 10));
      // The order within the window changes the last digits only.
      const expected = sampledTotalVariation(samples.slice(-25), target);
      expect(tracker.sampled(target)!.tv).toBeCloseTo(expected.tv, 12);
      expect(tracker.sampled(target)!.floor).toBe(expected.floor);
    }
    expect(tracker.modes).toBe(4);
    expect(tracker.modesFound).toBe(4);
  });

  test("judges what the oracle was asked for where nothing else is given", () => {
    const tracker = progress(options);
    tracker.add({ terminals: [3, 3, 5], scores: [1, 1, 2] });
    const target = Float64Array.from({ length: COUNT }, (_, i) => (i === 3 ? 2 / 3 : i === 5 ? 1 / 3 : 0));
    expect(tracker.sampled(target)).toMatchObject({ samples: 3 });
    expect(tracker.sampled(target)!.tv).toBeCloseTo(0, 14);
  });

  test("has nothing to say before the first call", () => {
    const tracker = progress(options);
    expect([tracker.calls, tracker.modesFound, tracker.best]).toEqual([0, 0, Number.NEGATIVE_INFINITY]);
    expect(tracker.topK()).toBeNull();
    expect(tracker.sampled(new Float64Array(COUNT))).toBeNull();
  });

  test("goes on from what was saved as if it had never stopped", () => {
    const steps = history(30);
    const [whole, first, second] = [progress(options), progress(options), progress(options)];
    for (const observed of steps) whole.add(observed);
    for (const observed of steps.slice(0, 4)) first.add(observed);
    // What the other has seen before must be forgotten, modes too.
    second.add({ terminals: SETS.flat(), scores: SETS.flat().map(() => 99) });
    second.restore(first.save());
    expect([second.distinct, second.modesFound]).toEqual([first.distinct, first.modesFound]);
    for (const observed of steps.slice(4)) second.add(observed);
    expect(second.save()).toEqual(whole.save());
    expect([second.distinct, second.modesFound]).toEqual([whole.distinct, whole.modesFound]);
  });

  test("counts nothing of a step that is not right as a whole, and says what is wrong", () => {
    const tracker = progress(options);
    const add = (observed: Observed) => () => tracker.add(observed);
    expect(add({ terminals: [1, 2], scores: [1] })).toThrow(
      "progress: 2 terminals have 1 scores; give one each",
    );
    expect(add({ terminals: [1, 81], scores: [1, 1] })).toThrow(
      "progress: object 1 is terminal 81, but there are terminals 0 to 80",
    );
    expect(add({ terminals: [1], scores: [Number.NaN] })).toThrow("progress: the score of object 0 is NaN");
    expect(add({ terminals: [1], scores: [1], samples: [-1] })).toThrow("progress: sample 0 is terminal -1");
    expect(tracker.calls).toBe(0);
    expect(() => progress({ ...options, modeSets: [[99]] })).toThrow("progress: mode 0 is terminal 99");
    expect(() => progress({ ...options, window: 0 })).toThrow(
      "window must be a positive whole number, got 0",
    );
    expect(() => tracker.restore(progress({ ...options, window: 9 }).save())).toThrow(
      "progress: window was 9 when saved and is 25 here",
    );
  });
});
