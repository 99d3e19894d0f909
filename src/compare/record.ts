// What is known of a method at one moment of a cell: one flat object, a line of the cell's file.

export interface CellRecord {
  /** Oracle calls so far: rows of batches, given ones too. */
  readonly calls: number;
  /** Since the cell began, compiling and evaluating included. */
  readonly seconds: number;
  readonly iteration: number;
  /** Exact distances from the target; null where the law of what a method gives is not known. */
  readonly tv: number | null;
  readonly kl: number | null;
  readonly expectedReward: number | null;
  /** Of a search's last samples, and what a perfect sampler would show with as many; null for other methods. */
  readonly sampledTv: number | null;
  readonly sampledFloor: number | null;
  /** The best that any policy reaches, and the uniform policy. */
  readonly limitTv: number;
  readonly limitKl: number;
  readonly uniformTv: number;
  readonly uniformKl: number;
  readonly modesFound: number;
  readonly modes: number;
  /** Oracle calls, in whole batches, by which half of the modes and all of them were found; null until then. */
  readonly callsToHalf: number | null;
  readonly callsToAll: number | null;
  /** Scores before exponent and floor: the best, and the mean of the best 100; null before the first call. */
  readonly best: number | null;
  readonly topMean: number | null;
  /** Mean edit distance of the best 100; null for fewer than two. */
  readonly diversity: number | null;
  /** Means since the record before; null where there is none. */
  readonly loss: number | null;
  readonly dynamicsLoss: number | null;
  readonly entropyRatio: number | null;
  /** The least that any dynamics model can lose where the policy goes; null without such a model. */
  readonly dynamicsFloor: number | null;
}

export type RecordField = keyof CellRecord;
