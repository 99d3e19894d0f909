// Whether noise is what the list says: `realise` draws as often what it lists, and `stick` does not contradict it.

import { RandomStream } from "../../engine/index.ts";
import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { checkArray, oneHotRows, runOnce } from "./arrays.ts";
import { attempt, type Fail } from "./fail.ts";
import type { Observed, SeenStep } from "./observe.ts";

/** Steps of an episode at which noise is drawn. */
const PLACES = 3;
/** Intentions that are tried there. */
const INTENTIONS = 2;
/** Draws of each. */
const DRAWS = 256;
/** A right environment fails in less than two of 10⁹ counts, whatever it draws with. */
const RISK = 1e-9;

/** An intention in a state, and what the list makes of it. */
interface Trial {
  readonly place: SeenStep;
  readonly action: number;
  /** Probabilities of outcomes. */
  readonly kernel: Float64Array;
}

/** Draws many outcomes of a few intentions in a few states. */
export function checkNoise(
  environment: EnumerableEnvironment,
  listed: Enumeration,
  seen: Observed,
  fail: Fail,
): void {
  const places = placesOf(listed, seen);
  let [came, expected, spread, draws] = [0, 0, 0, 0];
  const drawn = outcomesOf(environment, places, fail);
  for (const [i, { place, action, kernel }] of places.flat().entries()) {
    const counts = new Uint32Array(environment.outcomes);
    for (const outcome of drawn[i]) counts[outcome]++;
    const what = `of action ${action} in state ${place.before.index} at step ${place.t}`;
    kernel.forEach((p, outcome) => {
      if (!isFar(counts[outcome] - DRAWS * p, DRAWS * p * (1 - p))) return;
      fail(
        `realise makes outcome ${outcome} ${what} ${counts[outcome]} times out of ${DRAWS}, and enumerate gives it probability ${short(p)}`,
      );
    });
    came += counts[action];
    expected += DRAWS * kernel[action];
    spread += DRAWS * kernel[action] * (1 - kernel[action]);
    draws += DRAWS;
  }
  if (!isFar(came - expected, spread)) return;
  fail(
    `realise makes of actions what was intended ${came} times out of ${draws}, and by enumerate it should be about ${Math.round(expected)}`,
  );
}

/** Whether a count is further from what is expected than chance takes it, by Bernstein's inequality. */
function isFar(difference: number, variance: number): boolean {
  const odds = Math.log(1 / RISK);
  return (
    Math.abs(difference) > (variance === 0 ? 0 : odds / 3 + Math.sqrt((odds / 3) ** 2 + 2 * odds * variance))
  );
}

/** What is tried: the start, and a place at some later steps. */
function placesOf(listed: Enumeration, { steps }: Observed): Trial[][] {
  const byTime = new Map<number, SeenStep>();
  for (const step of steps) {
    if (step.before.running === 1 && movesIn(listed, step.before.index).length > 0) byTime.set(step.t, step);
  }
  const times = evenly([...byTime.keys()], PLACES);
  return times.map((t) => {
    const place = byTime.get(t) as SeenStep;
    return evenly(movesIn(listed, place.before.index), INTENTIONS).map((action) => ({
      place,
      action,
      kernel: kernelOf(listed, place.before.index, action),
    }));
  });
}

/** Outcomes of every trial, one trial after the other. */
function outcomesOf(environment: EnumerableEnvironment, places: readonly Trial[][], fail: Fail): number[][] {
  const { actions: A, outcomes: C, features: F } = environment;
  if (places.length === 0) return [];
  const stream = RandomStream.fromSeed(0).split("check noise");
  const inputs = places.flatMap((trials, k) => {
    const rows = trials.flatMap(({ action }) => new Array<number>(DRAWS).fill(action));
    const [n, { before }] = [rows.length, trials[0].place];
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
  const said = runOnce(
    fail,
    (arrays, failing) =>
      Object.fromEntries(
        places.map((trials, k) => {
          const { t } = trials[0].place;
          const rows = (name: string) => arrays[`${name} ${k}`]; // [n, …]
          const state = { index: rows("index"), features: rows("features"), running: rows("running") };
          const given = attempt(failing, `realise at step ${t}`, () =>
            environment.realise(state, t, rows("action"), rows("uniform")),
          ); // [n, C]
          const form = { shape: [trials.length * DRAWS, C], dtype: "float32" } as const;
          return [`outcome ${k}`, checkArray(failing, "realise", given, form, ` at step ${t}`)];
        }),
      ),
    Object.fromEntries(inputs),
  );
  return places.flatMap((trials, k) =>
    trials.map((_, trial) =>
      Array.from({ length: DRAWS }, (_, draw) => {
        const row = trial * DRAWS + draw;
        return said[`outcome ${k}`].subarray(row * C, (row + 1) * C).indexOf(1);
      }),
    ),
  );
}

/**
 * `stick` is 0 if, and only if, every intention comes true; and if the list is stick noise, it is its level. For any
 * other noise it may be any number in (0, 1).
 */
export function checkStick({ stick }: EnumerableEnvironment, listed: Enumeration, fail: Fail): void {
  const { states, actions, offsets, outcome, probabilities } = listed;
  if (stick === 0) {
    for (let row = 0; row < states * actions; row++) {
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        if (outcome[i] < 0 || outcome[i] === row % actions || probabilities[i] === 0) continue;
        const [state, action] = [Math.floor(row / actions), row % actions];
        fail(`stick is 0, but enumerate has outcome ${outcome[i]} of action ${action} in state ${state}`);
      }
    }
    return;
  }
  const level = stickLevel(listed, stick);
  if (level === undefined) return;
  fail(
    level < 1e-9
      ? `stick is ${stick}, but by enumerate every intention comes true`
      : `stick is ${stick}, but what enumerate lists is stick noise of ${short(level)}`,
  );
}

/** The level of stick noise that a list has in all states with a choice, if it is stick noise of another level. */
function stickLevel(listed: Enumeration, other: number): number | undefined {
  let level: number | undefined;
  for (let state = 0; state < listed.states; state++) {
    const moves = movesIn(listed, state);
    if (moves.length < 2) continue;
    for (const action of moves) {
      const kernel = kernelOf(listed, state, action);
      level ??= Math.max(0, (1 - kernel[action]) / (1 - 1 / moves.length));
      const rest = level / moves.length;
      const isStick = moves.every((c) => isNear(kernel[c], c === action ? 1 - level! + rest : rest));
      if (!isStick || level >= 1 || isNear(level, other)) return undefined;
    }
  }
  return level;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-9;
}

/** Intentions that are legal in a state, a stop left out. */
function movesIn({ actions, offsets, outcome }: Enumeration, state: number): number[] {
  const moves: number[] = [];
  for (let action = 0; action < actions; action++) {
    const first = offsets[state * actions + action];
    if (offsets[state * actions + action + 1] > first && outcome[first] >= 0) moves.push(action);
  }
  return moves;
}

/** Probabilities of outcomes of an intention. */
function kernelOf(listed: Enumeration, state: number, action: number): Float64Array {
  const { actions, outcomes, offsets, outcome, probabilities } = listed;
  const kernel = new Float64Array(outcomes);
  for (let i = offsets[state * actions + action]; i < offsets[state * actions + action + 1]; i++) {
    kernel[outcome[i]] += probabilities[i];
  }
  return kernel;
}

/** At most `most` of these, the first and the last among them. */
function evenly<V>(values: readonly V[], most: number): V[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]);
}

/** A number as text, rounded. */
function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
