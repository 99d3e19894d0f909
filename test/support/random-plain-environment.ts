// Random plain environments: worlds with cycles, loops and states without actions, in which several steps end in one object.

import { RandomStream } from "../../src/engine/index.ts";
import { environment, type PlainEnvironment } from "../../src/gfn/environment/plain-environment.ts";

export interface RandomWorldOptions {
  readonly seed: number;
  /** Whether actions have several outcomes. */
  readonly noise: boolean;
  /** Number of states of the world. Default: 5. */
  readonly states?: number;
  /** Default: 4. */
  readonly steps?: number;
}

/**
 * Every state but the last has two or three actions to random states, which may be earlier ones or the state itself. The
 * last state is terminal. The object is the state modulo 3, so that different states end in the same object.
 */
export function randomPlainEnvironment(options: RandomWorldOptions): PlainEnvironment<string> {
  const { seed, noise, states = 5, steps = 4 } = options;
  const stream = RandomStream.fromSeed(seed).split("world");
  const count = stream.integer(2);
  const world = Array.from({ length: states - 1 }, () =>
    ["a", "b", "c"].slice(count).map((name) => {
      const targets = Array.from({ length: noise ? 1 + stream.integer(3) : 1 }, () => stream.integer(states));
      const weights = targets.map(() => 0.2 + stream.uniform());
      const sum = weights.reduce((a, b) => a + b);
      return {
        name,
        outcomes: targets.map((at, i) => ({ state: { at }, probability: weights[i] / sum })),
      };
    }),
  );
  const rewards = Array.from({ length: 3 }, () => 0.1 + stream.uniform());
  return environment({
    name: `random world ${seed}`,
    start: { at: 0 },
    actions: ({ at }) => (world[at] ?? []).map(({ name }) => name),
    step: ({ at }, action) => world[at].find(({ name }) => name === action)?.outcomes ?? [],
    objectOf: ({ at }) => `object ${at % 3}`,
    reward: (object) => rewards[Number(object.at(-1))],
    steps,
  });
}
