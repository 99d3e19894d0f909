// The cells of a comparison: every method under every level of noise, once per seed.

export interface Cell {
  readonly method: string;
  readonly stick: number;
  readonly seed: number;
}

export interface Grid {
  readonly methods: readonly string[];
  readonly sticks: readonly number[];
  readonly seeds: readonly number[];
}

/** Seed by seed, so that a comparison that is not complete has as many methods as can be. */
export function cellsOf({ methods, sticks, seeds }: Grid): Cell[] {
  return seeds.flatMap((seed) =>
    sticks.flatMap((stick) => methods.map((method) => ({ method, stick, seed }))),
  );
}

/** The file of a cell, which no other cell has; a colon is no letter of a file name everywhere. */
export function cellFile({ method, stick, seed }: Cell): string {
  return `${method.replace(":", "-")}_stick=${stick}_seed=${seed}.jsonl`;
}

/** A cell, as a person is told of it. */
export function cellTitle({ method, stick, seed }: Cell): string {
  return `${method}, stick ${stick}, seed ${seed}`;
}
