// An environment of your own: a ball falls through eight rows of pins into one of nine bins.
//
// At each pin you push it left or right; one time in four it falls as it likes. Bin k is worth |k − 4|: most at the
// edges, where balls rarely fall. docs/add-an-environment.md explains every member.
// Run it: npx tsx examples/own-environment.ts

import { np } from "../src/engine/array.ts"; // gflownet/array
import {
  defaultSettings,
  type EnumerableEnvironment,
  enumeration,
  type State,
  stickNoise,
  terminal,
  train,
} from "../src/gfn/index.ts"; // gflownet/gfn

// Row t has t + 1 pins, numbered from the left after those of the rows above; the row below the last are the bins.
const [ROWS, PINS, PLACES, STICK] = [8, 36, 45, 0.25];
const rowOf = (pin: number) => Math.floor((Math.sqrt(8 * pin + 1) - 1) / 2);

function stateAt(index: np.Array, row: number): State {
  const running = np.full(index.shape, row < ROWS ? 1 : 0); // [B]
  return { index, features: np.take(np.eye(PLACES), index, 0), running }; // [B], [B, 45] one-hot, [B]
}

export const environment: EnumerableEnvironment = {
  name: "a board of eight rows of pins",
  actions: 2, // push left, push right
  stops: false,
  outcomes: 2, // falls left, falls right
  maxSteps: ROWS,
  states: PINS,
  features: PLACES,
  featureBlock: PLACES,
  stick: STICK,
  backwardClasses: 4, // 2 · outcome + intention
  tree: false,
  start: (batch) => stateAt(np.zeros([batch], { dtype: np.int32 }), 0),
  allowed: () => np.ones([1, 2], { dtype: np.bool }), // [1, 2]
  realise: (_state, _t, action, uniform) => stickNoise(action, np.ones([1, 2]), uniform, STICK), // [B, 2]
  advance(state, t, _action, outcome) {
    const below = np.add(state.index.reshape([-1, 1]), np.array([t + 1, t + 2])); // [B, 2], to the left and right
    return stateAt(np.sum(np.multiply(below, outcome), 1).astype(np.int32), t + 1);
  },
  terminalIndex: ({ index }) => np.subtract(index, PINS).astype(np.int32), // [B]
  backwardAllowed({ index }, t) {
    const column = np.subtract(index, ((t + 1) * (t + 2)) / 2).reshape([-1, 1]); // [B, 1], from the left
    return np.repeat(np.concatenate([np.less(column, t + 1), np.less(0, column)], 1), 2, 1); // [B, 4]
  },
  backwardClass: (action, outcome) => np.multiply(np.repeat(outcome, 2, 1), np.tile(action, [1, 2])), // [B, 4]
  sameParent: (outcome) => np.repeat(outcome, 2, 1), // [B, 4]
  describe: (way) => String(way.filter((outcome) => outcome === 1).length),
  wayOf(text, stream) {
    if (/^[0-8]$/.test(text)) return environment.wayTo(Number(text), stream);
    throw new RangeError(`${JSON.stringify(text)} is no bin; write a number from 0 to 8`);
  },
  wayTo(bin, stream) {
    const falls = Array.from({ length: ROWS }, (_, i) => ({ right: +(i < bin), order: stream.uniform() }));
    return falls.sort((a, b) => a.order - b.order).map(({ right }) => right);
  },
  featuresOf: (at) => Float32Array.from({ length: at.length * 45 }, (_, i) => +(at[(i / 45) | 0] === i % 45)),
  enumerate: () =>
    enumeration({ states: PINS, terminals: ROWS + 1, actions: 2, outcomes: 2 }, (pin, action) =>
      [pin + rowOf(pin) + 1, pin + rowOf(pin) + 2].map((below, outcome) => ({
        target: below < PINS ? below : terminal(below - PINS),
        outcome,
        probability: (outcome === action ? 1 - STICK : 0) + STICK / 2,
      })),
    ),
};

const scores = Float64Array.from({ length: ROWS + 1 }, (_, bin) => Math.abs(bin - 4));
// All balls are pushed by the policy: on a board this small there is nothing to explore.
const mixture = { uniform: 0, offline: 0, replay: 0 };
const settings = defaultSettings(environment, { policy: { hidden: [32] }, mixture });
for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 2000 })) {
  if (event.kind !== "evaluation" || !event.exact) continue;
  const { iteration, reached, limit } = event;
  console.log(`after ${iteration} iterations: KL ${reached.kl.toFixed(4)}, limit ${limit.kl.toFixed(4)}`);
}
