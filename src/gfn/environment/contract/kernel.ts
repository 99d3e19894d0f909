// Checks the noise against the enumeration: the frequencies of `sampleOutcome` must match the enumerated kernel, and
// `stick` must not contradict it.

import { RandomStream } from "../../../engine/index.ts";
import { oneHotRows } from "../../../nn/one-hot.ts";
import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { kernelOf, movesIn, stickLevel } from "../stick-level.ts";
import { checkArray, traceAndRun } from "./arrays.ts";
import { attempt, type Fail } from "./fail.ts";
import type { Observed, ObservedStep } from "./observe.ts";

/** Number of states in which outcomes are sampled, at different steps. */
const STATES = 3;
/** Number of actions per state. */
const ACTIONS = 2;
/** Number of samples per action. */
const SAMPLES = 256;
/** Probability that a correct environment fails a test on one side, at most. */
const FALSE_ALARM = 1e-9;

/** An action in a state, with its outcome probabilities in the enumeration. */
interface Trial {
  readonly step: ObservedStep;
  readonly action: number;
  readonly kernel: Float64Array;
}

/** Samples many outcomes of a few actions in a few states and compares their frequencies with the enumeration. */
export function checkSampledOutcomes(
  environment: EnumerableEnvironment,
  enumeration: Enumeration,
  observed: Observed,
  fail: Fail,
): void {
  const trialsByState = chooseTrials(enumeration, observed);
  let [unchanged, expected, variance, samples] = [0, 0, 0, 0];
  const sampled = sampleTrials(environment, trialsByState, fail);
  for (const [i, { step, action, kernel }] of trialsByState.flat().entries()) {
    const counts = new Uint32Array(environment.outcomes);
    for (const outcome of sampled[i]) counts[outcome]++;
    const what = `for action ${action} in state ${step.before.index} at step ${step.t}`;
    kernel.forEach((p, outcome) => {
      if (!isFar(counts[outcome] - SAMPLES * p, SAMPLES * p * (1 - p))) return;
      fail(
        `sampleOutcome returns outcome ${outcome} ${what} ${counts[outcome]} times out of ${SAMPLES}, but enumerate gives it probability ${rounded(p)}`,
      );
    });
    unchanged += counts[action];
    expected += SAMPLES * kernel[action];
    variance += SAMPLES * kernel[action] * (1 - kernel[action]);
    samples += SAMPLES;
  }
  if (!isFar(unchanged - expected, variance)) return;
  fail(
    `sampleOutcome leaves actions unchanged ${unchanged} times out of ${samples}, but according to enumerate it should be about ${Math.round(expected)} times`,
  );
}

/** Whether a count deviates from its expectation by more than chance explains, by Bernstein's inequality. */
function isFar(difference: number, variance: number): boolean {
  const log = Math.log(1 / FALSE_ALARM);
  return (
    Math.abs(difference) > (variance === 0 ? 0 : log / 3 + Math.sqrt((log / 3) ** 2 + 2 * log * variance))
  );
}

/** Chooses the start and a few later states of the trajectories, and actions in each. One row per state. */
function chooseTrials(enumeration: Enumeration, { steps }: Observed): Trial[][] {
  const byTime = new Map<number, ObservedStep>();
  for (const step of steps) {
    if (step.before.running === 1 && movesIn(enumeration, step.before.index).length > 0)
      byTime.set(step.t, step);
  }
  const times = evenlySpaced([...byTime.keys()], STATES);
  return times.map((t) => {
    const step = byTime.get(t) as ObservedStep;
    return evenlySpaced(movesIn(enumeration, step.before.index), ACTIONS).map((action) => ({
      step,
      action,
      kernel: kernelOf(enumeration, step.before.index, action),
    }));
  });
}

/** Sampled outcomes of every trial, one array per trial. */
function sampleTrials(
  environment: EnumerableEnvironment,
  trialsByState: readonly Trial[][],
  fail: Fail,
): number[][] {
  const { actions: A, outcomes: C, features: F } = environment;
  if (trialsByState.length === 0) return [];
  const stream = RandomStream.fromSeed(0).split("check noise");
  const inputs = trialsByState.flatMap((trials, k) => {
    const rows = trials.flatMap(({ action }) => new Array<number>(SAMPLES).fill(action));
    const [n, { before }] = [rows.length, trials[0].step];
    const features = new Float32Array(n * F);
    for (let row = 0; row < n; row++) features.set(before.features, row * F);
    return [
      [`index ${k}`, { shape: [n], dtype: "int32", data: new Int32Array(n).fill(before.index) }],
      [`features ${k}`, { shape: [n, F], data: features }],
      [`running ${k}`, { shape: [n], data: new Float32Array(n).fill(1) }],
      [`action ${k}`, { shape: [n, A], data: oneHotRows(rows, A) }],
      [`uniform ${k}`, { shape: [n, 2], data: stream.fillUniform(new Float32Array(2 * n)) }],
    ] as const;
  });
  const results = traceAndRun(
    fail,
    (arrays, failing) =>
      Object.fromEntries(
        trialsByState.map((trials, k) => {
          const { t } = trials[0].step;
          const rows = (name: string) => arrays[`${name} ${k}`]; // [n, …]
          const state = { index: rows("index"), features: rows("features"), running: rows("running") };
          const outcome = attempt(failing, `sampleOutcome at step ${t}`, () =>
            environment.sampleOutcome(state, t, rows("action"), rows("uniform")),
          ); // [n, C]
          const form = { shape: [trials.length * SAMPLES, C], dtype: "float32" } as const;
          return [`outcome ${k}`, checkArray(failing, "sampleOutcome", outcome, form, ` at step ${t}`)];
        }),
      ),
    Object.fromEntries(inputs),
  );
  return trialsByState.flatMap((trials, k) =>
    trials.map((_, trial) =>
      Array.from({ length: SAMPLES }, (_, draw) => {
        const row = trial * SAMPLES + draw;
        return results[`outcome ${k}`].subarray(row * C, (row + 1) * C).indexOf(1);
      }),
    ),
  );
}

/**
 * Checks that `stick` is 0 exactly if every action has itself as its only outcome, and that it is the level of the noise
 * if the enumerated kernel is stick noise. For any other noise it may be any number in (0, 1).
 */
export function checkStickLevel(
  { stick }: EnumerableEnvironment,
  enumeration: Enumeration,
  fail: Fail,
): void {
  const { states, actions, offsets, outcome, probabilities } = enumeration;
  if (stick === 0) {
    for (let row = 0; row < states * actions; row++) {
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        if (outcome[i] < 0 || outcome[i] === row % actions || probabilities[i] === 0) continue;
        const [state, action] = [Math.floor(row / actions), row % actions];
        fail(`stick is 0, but enumerate has outcome ${outcome[i]} for action ${action} in state ${state}`);
      }
    }
    return;
  }
  const level = stickLevel(enumeration, stick);
  if (level === undefined) return;
  fail(
    level < 1e-9
      ? `stick is ${stick}, but in enumerate the outcome always equals the action`
      : `stick is ${stick}, but the kernel of enumerate is stick noise of level ${rounded(level)}`,
  );
}

/** At most `most` of the values, including the first and the last. */
function evenlySpaced<V>(values: readonly V[], most: number): V[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]);
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}
