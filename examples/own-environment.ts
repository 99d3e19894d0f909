// A custom environment: a ball falls through eight rows of pins into one of nine bins.
//
// At each pin the policy pushes the ball left or right; with probability ¼ the ball falls in a random direction
// instead. Bin k has the score |k − 4|: highest at the edges, where balls rarely fall. docs/add-an-environment.md
// explains every member.
//
// Run it: npx tsx examples/own-environment.ts

import { numpy } from "../src/engine/array.ts"; // gflownet/array
import {
  defaultSettings,
  type EnumerableEnvironment,
  enumerationFrom,
  type State,
  stickNoise,
  terminalTarget,
  train,
} from "../src/gfn/index.ts"; // gflownet/gfn

// Row t has t + 1 pins. Pins are numbered row by row from the left; the nine bins are the row after the last.
const [ROWS, PINS, POSITIONS, STICK] = [8, 36, 45, 0.25];
const rowOf = (pin: number) => Math.floor((Math.sqrt(8 * pin + 1) - 1) / 2);

function stateAt(index: numpy.Array, row: number): State {
  const running = numpy.full(index.shape, row < ROWS ? 1 : 0); // [B]
  return { index, features: numpy.take(numpy.eye(POSITIONS), index, 0), running }; // [B], [B, 45] one-hot, [B]
}

export const environment: EnumerableEnvironment = {
  name: "a board of eight rows of pins",
  actions: 2, // push left, push right
  hasStop: false,
  outcomes: 2, // falls left, falls right
  maxSteps: ROWS,
  states: PINS,
  features: POSITIONS,
  featureBlock: POSITIONS,
  stick: STICK,
  backwardActions: 4, // 2 · outcome + action
  tree: false,
  start: (batch) => stateAt(numpy.zeros([batch], { dtype: numpy.int32 }), 0),
  allowed: () => numpy.ones([1, 2], { dtype: numpy.bool }), // [1, 2]
  sampleOutcome: (_state, _t, action, uniform) => stickNoise(action, numpy.ones([1, 2]), uniform, STICK), // [B, 2]
  advance(state, t, _action, outcome) {
    const below = numpy.add(state.index.reshape([-1, 1]), numpy.array([t + 1, t + 2])); // [B, 2], pins below on the left and right
    return stateAt(numpy.sum(numpy.multiply(below, outcome), 1).astype(numpy.int32), t + 1);
  },
  terminalIndex: ({ index }) => numpy.subtract(index, PINS).astype(numpy.int32), // [B]
  backwardAllowed({ index }, t) {
    const column = numpy.subtract(index, ((t + 1) * (t + 2)) / 2).reshape([-1, 1]); // [B, 1], position in the row
    return numpy.repeat(numpy.concatenate([numpy.less(column, t + 1), numpy.less(0, column)], 1), 2, 1); // [B, 4]
  },
  backwardAction: (_state, action, outcome) =>
    numpy.multiply(numpy.repeat(outcome, 2, 1), numpy.tile(action, [1, 2])), // [B, 4]
  sameParent: (_state, outcome) => numpy.repeat(outcome, 2, 1), // [B, 4]
  describe: (outcomes) => String(outcomes.filter((outcome) => outcome === 1).length),
  trajectoryOf(text, stream) {
    if (/^[0-8]$/.test(text)) return environment.sampleTrajectoryTo(Number(text), stream);
    throw new RangeError(`${JSON.stringify(text)} is not a bin; a bin is a number from 0 to 8`);
  },
  sampleTrajectoryTo(bin, stream) {
    const falls = Array.from({ length: ROWS }, (_, i) => ({ right: +(i < bin), order: stream.uniform() }));
    return falls.sort((a, b) => a.order - b.order).map(({ right }) => right);
  },
  featuresOf: (pins) =>
    Float32Array.from({ length: pins.length * 45 }, (_, i) => +(pins[(i / 45) | 0] === i % 45)),
  enumerate: () =>
    enumerationFrom({ states: PINS, terminals: ROWS + 1, actions: 2, outcomes: 2 }, (pin, action) =>
      [pin + rowOf(pin) + 1, pin + rowOf(pin) + 2].map((below, outcome) => ({
        target: below < PINS ? below : terminalTarget(below - PINS),
        outcome,
        probability: (outcome === action ? 1 - STICK : 0) + STICK / 2,
      })),
    ),
};

const scores = Float64Array.from({ length: ROWS + 1 }, (_, bin) => Math.abs(bin - 4));
// Training is on-policy (no uniform objects), because such a small board needs no exploration.
const settings = defaultSettings(environment, { hidden: [32], stateTableRows: 0, uniformShare: 0 });
for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 2000 })) {
  if (event.kind !== "evaluation" || !event.exact) continue;
  const { iteration, reached, limit } = event;
  console.log(`after ${iteration} iterations: KL ${reached.kl.toFixed(4)}, limit ${limit.kl.toFixed(4)}`);
}
