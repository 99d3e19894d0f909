import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TrainEvent } from "../gfn/training/events.ts";
import { TimeWarnings } from "./time-warnings.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const start = { kind: "start", resumedAt: null } as TrainEvent;
const evaluation = { kind: "evaluation", iteration: 0, seconds: 5.24 } as TrainEvent;
const plan = (iteration: number, iterations: number) =>
  ({ kind: "plan", iteration, iterations }) as TrainEvent;
const end = (iterations: number) => ({ kind: "end", iterations, stopped: false }) as TrainEvent;

function warningsOf(events: readonly TrainEvent[], later = 0): string[] {
  const texts: string[] = [];
  const warnings = new TimeWarnings(8, (text) => texts.push(text), 0.5);
  for (const event of events) warnings.handle(event);
  vi.advanceTimersByTime(later);
  warnings.end();
  return texts;
}

describe("a run by seconds", () => {
  test("of which few iterations fit says how many, once", () => {
    const text =
      "only 12 iterations fit into 8 s, of which 5.2 s pass before the first; give more --seconds, or a smaller network or --batch";
    expect(warningsOf([start, evaluation, plan(1, 2), plan(2, 12), plan(3, 13), end(13)])).toEqual([text]);
  });

  test("of which one iteration fits says so at its end", () => {
    expect(warningsOf([start, evaluation, plan(1, 1), end(1)])[0]).toMatch(/^only 1 iteration fits into 8 s/);
  });

  test("of which enough fit says nothing", () => {
    const iteration = { kind: "iteration", iteration: 1 } as TrainEvent;
    expect(warningsOf([start, evaluation, iteration, plan(1, 90), plan(2, 200), end(210)], 9000)).toEqual([]);
  });

  test("that still compiles when the time is over says so then", () => {
    expect(warningsOf([], 7400)).toEqual([]);
    expect(warningsOf([], 7600)[0]).toMatch(/^8 s have passed and training has not begun/);
  });

  test("that goes on counts the new iterations only", () => {
    const resumed = { kind: "start", resumedAt: 1000 } as TrainEvent;
    expect(warningsOf([resumed, plan(1002, 1030)])[0]).toMatch(/^only 30 iterations fit/);
    const later = { kind: "evaluation", iteration: 1000, seconds: 70 } as TrainEvent;
    expect(warningsOf([resumed, later, plan(1002, 1030)])[0]).toMatch(/fit into 8 s; give more --seconds/);
  });
});
