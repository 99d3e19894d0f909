// The planner of runs by seconds, on a simulated clock: compiling, iterations and evaluations take given times.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { evaluatesAt, fixedPlan, type PlanStep, plannedIterations, progressAt } from "./plan.ts";
import { type Reserve, timeBudget } from "./time-budget.ts";

interface Machine {
  readonly seconds: number;
  readonly compile: number;
  readonly iteration: number;
  /** The first iteration takes this many times as long as the others. */
  readonly warmUp?: number;
  readonly evaluation: number;
  readonly evaluateEvery?: number;
  readonly reserve?: Reserve;
  /** From this time on everything takes `slower` times as long. */
  readonly slowFrom?: number;
  readonly slower?: number;
  readonly slowUntil?: number;
  /** Iterations vary by up to this fraction. */
  readonly noise?: number;
}

/** The loop of `train` without networks: the same calls in the same order, and a clock that only work advances. */
function simulate(machine: Machine, stream = RandomStream.fromSeed(0)) {
  const { seconds, evaluateEvery = 0, reserve, noise = 0, slowFrom = Number.POSITIVE_INFINITY } = machine;
  let time = 0;
  const spend = (duration: number) => {
    const isSlow = time >= slowFrom && time < (machine.slowUntil ?? Number.POSITIVE_INFINITY);
    time += isSlow ? duration * (machine.slower ?? 2) : duration;
  };
  const budget = timeBudget({ seconds, clock: () => time, evaluateEvery, reserve });
  const steps: PlanStep[] = [];
  const evaluations: number[] = [];
  const progress: number[] = [];
  const evaluate = () => {
    const before = time;
    spend(machine.evaluation);
    budget.evaluated(time - before);
    evaluations.push(iteration);
  };
  let iteration = 0;
  spend(machine.compile);
  if (budget.isSpent()) steps.push({ ...fixedPlan(1, 0), evaluateEvery: null });
  else evaluate();
  budget.begin(0);
  const planned = () => plannedIterations(steps) ?? Number.POSITIVE_INFINITY;
  while (iteration < planned()) {
    progress.push(progressAt(steps, iteration));
    const factor = iteration === 0 ? (machine.warmUp ?? 1) : 1 + noise * (2 * stream.uniform() - 1);
    spend(machine.iteration * factor);
    iteration++;
    const step = budget.revise(steps, iteration);
    if (step) steps.push(step);
    if (iteration < planned() && evaluatesAt(steps, iteration, evaluateEvery)) evaluate();
  }
  evaluate();
  for (let i = 0; i < (reserve?.evaluations ?? 0); i++) spend(machine.evaluation);
  spend(reserve?.seconds ?? 0);
  return { time, iterations: iteration, steps, evaluations, progress };
}

const QUIET: Machine = { seconds: 60, compile: 4, iteration: 0.005, evaluation: 0.3, evaluateEvery: 500 };

describe("a run by seconds ends in time", () => {
  const stream = RandomStream.fromSeed(5);
  const between = (low: number, high: number) => low * (high / low) ** stream.uniform();
  const cases = Array.from({ length: 300 }, (_, number): [number, Machine] => {
    const seconds = between(5, 600);
    return [
      number,
      {
        seconds,
        compile: seconds * between(0.01, 0.3),
        iteration: seconds * between(1e-4, 0.02),
        warmUp: between(1, 30),
        evaluation: seconds * between(1e-4, 0.08),
        evaluateEvery: [0, 1, 50, 500][number % 4],
        reserve: { seconds: seconds * between(1e-4, 0.03), evaluations: number % 2 },
        slowFrom: number % 3 === 0 ? Number.POSITIVE_INFINITY : seconds * between(0.3, 0.7),
        slower: between(1, 3),
        noise: 0.3,
      },
    ];
  });

  test("within 5 % on 300 machines, most of which become slower on the way", () => {
    const late = cases.flatMap(([number, machine]) => {
      const { time } = simulate(machine, RandomStream.fromSeed(number));
      const error = time / machine.seconds - 1;
      return Math.abs(error) > 0.05 ? [{ error, ...machine }] : [];
    });
    expect(late).toEqual([]);
  });

  test("and uses the time: as many iterations as fit", () => {
    const { iterations, time } = simulate(QUIET);
    expect(time).toBeCloseTo(60, 0);
    // 60 s without compiling and two evaluations, at 500 iterations and an evaluation in 2.8 s.
    expect(iterations).toBeGreaterThan(0.98 * (55.4 / 2.8) * 500);
    expect(iterations).toBeLessThan(1.01 * (55.4 / 2.8) * 500);
  });

  test("at half the speed from the middle on, with three quarters of the iterations", () => {
    const alone = simulate({ ...QUIET, compile: 0 }).iterations;
    const { iterations, time } = simulate({ ...QUIET, compile: 0, slowFrom: 30 });
    expect(time).toBeCloseTo(60, 0);
    expect(iterations / alone).toBeCloseTo(0.75, 1);
  });
});

test("a short stall near the end does not end a run, though its evaluations take long", () => {
  // For a second, near the end, everything takes 20 times as long.
  const stall = { ...QUIET, compile: 0, evaluation: 2, slowFrom: 54, slowUntil: 55, slower: 20 };
  const { time, iterations } = simulate(stall);
  expect(time).toBeGreaterThan(59);
  expect(time).toBeLessThan(61);
  expect(iterations).toBeGreaterThan(0.95 * simulate({ ...stall, slower: 1 }).iterations);
});

describe("progress", () => {
  test.each([
    ["at constant speed", QUIET],
    ["if the first iteration is much slower", { ...QUIET, warmUp: 1000 }],
    ["at half the speed from the middle on", { ...QUIET, slowFrom: 30 }],
    ["at four times the speed from the middle on", { ...QUIET, slowFrom: 30, slower: 0.25 }],
  ])("%s goes from 0 to nearly 1, and never jumps after the start", (_, machine) => {
    const { progress } = simulate(machine);
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBeGreaterThan(0.98);
    expect(progress.every((value) => value >= 0 && value < 1)).toBe(true);
    const late = progress.slice(Math.ceil(progress.length / 10));
    const jumps = late.slice(1).map((value, i) => value - late[i]);
    expect(Math.min(...jumps)).toBeGreaterThan(0);
    expect(Math.max(...jumps)).toBeLessThan(0.01);
  });

  test("depends on the plan alone: another clock with the same plan gives the same numbers", () => {
    const { steps, progress } = simulate({ ...QUIET, slowFrom: 20, noise: 0.3 });
    expect(progress.map((_, iteration) => progressAt(steps, iteration))).toEqual(progress);
    // As read from a file.
    const recorded = JSON.parse(JSON.stringify(steps)) as PlanStep[];
    expect(progress.map((_, iteration) => progressAt(recorded, iteration))).toEqual(progress);
  });

  test("of a fixed number of iterations is their fraction, to the bit", () => {
    const plan = [fixedPlan(49, 0)];
    for (let i = 0; i <= 49; i++) expect(progressAt(plan, i)).toBe(i / 49);
  });
});

describe("evaluations", () => {
  test("that take long become rarer, and take at most a fifth of the time", () => {
    const { evaluations, iterations } = simulate({ ...QUIET, evaluation: 1, evaluateEvery: 10 });
    const between = evaluations.length - 2;
    expect(between).toBeGreaterThan(3);
    expect(between * 1).toBeLessThanOrEqual(12);
    expect(evaluations.at(-1)).toBe(iterations);
  });

  test("happen at multiples of the interval", () => {
    const { evaluations, iterations } = simulate(QUIET);
    const expected = Array.from({ length: Math.ceil(iterations / 500) }, (_, i) => 500 * i);
    expect(evaluations).toEqual([...expected, iterations]);
  });

  test("of which one takes most of the time leave room for the last one", () => {
    const { time, evaluations, iterations } = simulate({ ...QUIET, evaluation: 24 });
    expect(time).toBeGreaterThan(57);
    expect(time).toBeLessThan(61);
    expect(evaluations).toEqual([0, iterations]);
  });
});

describe("if the time is too short", () => {
  test("for compiling alone, there is one iteration and one evaluation", () => {
    const { iterations, evaluations } = simulate({ ...QUIET, seconds: 3 });
    expect({ iterations, evaluations }).toEqual({ iterations: 1, evaluations: [1] });
  });

  test("for a second iteration, there is one", () => {
    const { iterations, evaluations } = simulate({ ...QUIET, seconds: 5, iteration: 3 });
    expect({ iterations, evaluations }).toEqual({ iterations: 1, evaluations: [0, 1] });
  });
});

test("the plan is revised some dozens of times at most", () => {
  expect(simulate({ ...QUIET, noise: 0.5, slowFrom: 30 }).steps.length).toBeLessThan(100);
  expect(simulate({ ...QUIET, seconds: 86_400, iteration: 1 }).steps.length).toBeLessThan(100);
});
