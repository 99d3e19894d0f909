// An environment of one's own: a maze of 5 × 5 cells with a slippery floor, and walls that one bumps into.
//
// A walk starts in the middle and has eight steps. Each goes in the chosen direction with probability 0.8, and otherwise to
// the left or right of it; a step into a wall (#) stays where it is. The reward of a walk is the digit of its last cell.
// Run it: npx tsx examples/maze.ts

import { defaultSettings, environment, train } from "../src/gfn/index.ts"; // gflownet/gfn

const MAZE = ["9..#4", ".#...", ".#.#.", "...#.", "4#..9"];
const DIRECTIONS = ["north", "east", "south", "west"] as const;

const maze = environment({
  start: { row: 2, column: 2 },
  actions: () => DIRECTIONS,
  step({ row, column }, direction) {
    const after = (turn: number) => {
      const towards = DIRECTIONS[(DIRECTIONS.indexOf(direction) + turn) % 4];
      const down = row + Number(towards === "south") - Number(towards === "north");
      const right = column + Number(towards === "east") - Number(towards === "west");
      const isWall = (MAZE[down]?.[right] ?? "#") === "#";
      return isWall ? { row, column } : { row: down, column: right };
    };
    return [0, 1, 3].map((turn) => ({ state: after(turn), probability: turn === 0 ? 0.8 : 0.1 }));
  },
  reward: ({ row, column }) => Number(MAZE[row][column]) || 0.1,
  steps: 8,
  name: "a slippery maze",
});

const learningRate = { from: 1e-2, to: 1e-4, shape: "cosine" } as const;
const settings = defaultSettings(maze, { hidden: [32], learningRate });
const run = { ...settings, environment: maze, scores: maze.scores, seed: 0, iterations: 500 };
for await (const event of train(run)) {
  if (event.kind !== "evaluation" || !event.exact) continue;
  const { iteration, reached, limit } = event;
  console.log(`after ${iteration} iterations: KL ${reached.kl.toFixed(4)}, limit ${limit.kl.toFixed(4)}`);
}
