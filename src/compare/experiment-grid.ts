// The experiments of a comparison: every method at every noise level, once per seed.

export interface Experiment {
  readonly method: string;
  readonly stick: number;
  readonly seed: number;
}

export interface ExperimentGrid {
  readonly methods: readonly string[];
  readonly sticks: readonly number[];
  readonly seeds: readonly number[];
}

/** All experiments, ordered by seed first, so that an incomplete comparison has results of as many methods as possible. */
export function experimentsOf({ methods, sticks, seeds }: ExperimentGrid): Experiment[] {
  return seeds.flatMap((seed) =>
    sticks.flatMap((stick) => methods.map((method) => ({ method, stick, seed }))),
  );
}

/** The unique file name of an experiment. Colons are replaced, because some systems do not allow them in file names. */
export function experimentFileName({ method, stick, seed }: Experiment): string {
  return `${method.replace(":", "-")}_stick=${stick}_seed=${seed}.jsonl`;
}

/** The human-readable name of an experiment. */
export function experimentTitle({ method, stick, seed }: Experiment): string {
  return `${method}, stick ${stick}, seed ${seed}`;
}
