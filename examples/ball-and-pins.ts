// An environment of one's own: a ball falls through eight rows of pins into one of nine bins.
//
// At each pin you push it left or right; with probability ¼ it falls in a random direction instead. The reward of a bin is
// its distance from the middle, where most balls fall. docs/own-environment.md explains every member.
// Run it: npx tsx examples/ball-and-pins.ts

import { defaultSettings, environment, train } from "../src/gfn/index.ts"; // gflownet/gfn

const board = environment({
  start: 0, // how often the ball has fallen to the right
  actions: () => ["left", "right"],
  step: (right, push) => [
    { state: right, probability: push === "left" ? 0.875 : 0.125 },
    { state: right + 1, probability: push === "left" ? 0.125 : 0.875 },
  ],
  reward: (bin) => Math.abs(bin - 4),
  steps: 8,
  name: "a board of eight rows of pins",
});

const learningRate = { from: 1e-2, to: 1e-4, shape: "cosine" } as const;
// On a board this small there is nothing to explore, so no uniformly drawn objects are needed.
const settings = defaultSettings(board, { hidden: [32], learningRate, uniformShare: 0 });
const run = { ...settings, environment: board, scores: board.scores, seed: 0, iterations: 500 };
for await (const event of train(run)) {
  if (event.kind !== "evaluation" || !event.exact) continue;
  const { iteration, reached, limit } = event;
  console.log(`after ${iteration} iterations: KL ${reached.kl.toFixed(4)}, limit ${limit.kl.toFixed(4)}`);
}
