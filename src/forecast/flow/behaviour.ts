// Which of a batch's rows are drawn how. It only chooses the paths that are trained on; all are scored alike.

/** Shares of rows; what is left is the policy's own. */
export interface BehaviourShares {
  /** Rows of which every intention is uniform. */
  readonly uniform?: number;
  /** Rows drawn from a flatter policy. */
  readonly tempered?: number;
  /** What the logits of tempered rows are divided by; 2 unless told. */
  readonly temperature?: number;
  /** Rows that follow paths from outside. */
  readonly given?: number;
  /** Uniform and tempered rows become fewer, and none are left in the last fifth of the run. */
  readonly fade?: boolean;
  /** Share of steps of the policy's own and of tempered rows at which the intention is uniform; none unless told. */
  readonly noise?: number;
}

/** Per row, [B] each. */
export interface BehaviourArrays {
  readonly temperature: Float32Array;
  readonly epsilon: Float32Array;
  readonly given: Float32Array;
}

/** Throws one sentence unless the shares leave none below 0 and come to at most 1. */
export function checkShares({
  uniform = 0,
  tempered = 0,
  given = 0,
  temperature = 2,
  noise = 0,
}: BehaviourShares): void {
  const shares = [uniform, tempered, given];
  const sum = shares.reduce((total, share) => total + share);
  if (shares.some((share) => !(share >= 0)) || sum > 1) {
    throw new RangeError(
      `flow: shares of uniform, tempered and given rows must be at least 0 and at most 1 together, got ${shares.join(", ")}`,
    );
  }
  if (!(temperature > 0)) throw new RangeError(`flow: temperature must be positive, got ${temperature}`);
  if (!(noise >= 0 && noise <= 1)) throw new RangeError(`flow: noise must be from 0 to 1, got ${noise}`);
}

/** Given rows first, then uniform, then tempered, then own. */
export function behaviourRows(
  { uniform = 0, tempered = 0, given = 0, temperature = 2, fade = false, noise = 0 }: BehaviourShares,
  B: number,
  progress: number,
): BehaviourArrays {
  const left = fade ? Math.max(0, 1 - progress / 0.8) : 1;
  const counts = [given, uniform * left, tempered * left].map((share) => Math.round(share * B));
  const ends = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count));
  const rows = <T>(of: (row: number) => T) => Array.from({ length: B }, (_, row) => of(row));
  return {
    given: Float32Array.from(rows((row) => (row < ends[0] ? 1 : 0))),
    epsilon: Float32Array.from(rows((row) => (row < ends[0] ? 0 : row < ends[1] ? 1 : noise))),
    temperature: Float32Array.from(rows((row) => (row >= ends[1] && row < ends[2] ? temperature : 1))),
  };
}
