// Batch composition: how each row of a training batch is sampled. The composition determines only which paths the
// network is trained on; the loss treats all rows alike.

import type { Issue } from "../../issues.ts";
import { type Schedule, scheduleAt } from "../../nn/index.ts";

/** Shares of the rows of a batch. The remaining rows are on-policy. */
export interface BatchComposition {
  /** Share of rows whose actions are all uniform. Default: 0. */
  readonly uniformShare?: Schedule;
  /** Share of rows that are sampled from a flatter policy. Default: 0. */
  readonly temperedShare?: Schedule;
  /** Divisor of the logits in tempered rows. Default: 2. */
  readonly temperature?: number;
  /** Share of rows that follow off-policy paths. Default: 0. */
  readonly offPolicyShare?: number;
  /** Probability of a uniform action at each step of the on-policy and tempered rows. Default: 0. */
  readonly epsilon?: number;
}

/** The composition of one batch, one entry per row, [B] each. */
export interface BatchRows {
  readonly temperature: Float32Array;
  readonly epsilon: Float32Array;
  /** 1 for rows that follow an off-policy path. */
  readonly offPolicy: Float32Array;
}

/** The composition with its defaults. */
function withDefaults({
  uniformShare = 0,
  temperedShare = 0,
  offPolicyShare = 0,
  temperature = 2,
  epsilon = 0,
}: BatchComposition): Required<BatchComposition> {
  return { uniformShare, temperedShare, offPolicyShare, temperature, epsilon };
}

/** Everything that is wrong with a composition. */
export function batchCompositionIssues(composition: BatchComposition): Issue[] {
  const { uniformShare, temperedShare, offPolicyShare, temperature, epsilon } = withDefaults(composition);
  const issues: Issue[] = [];
  const shares = [offPolicyShare, ...[uniformShare, temperedShare].flatMap(endsOf)];
  const sum = offPolicyShare + Math.max(...endsOf(uniformShare)) + Math.max(...endsOf(temperedShare));
  if (shares.some((share) => !(share >= 0)) || sum > 1) {
    issues.push({
      path: "batchComposition",
      code: "range",
      message: `uniformShare, temperedShare and offPolicyShare must be at least 0 and sum to at most 1, got a sum of ${sum}`,
    });
  }
  if (!(temperature > 0)) {
    const message = `must be positive, got ${temperature}`;
    issues.push({ path: "batchComposition.temperature", code: "range", message });
  }
  if (!(epsilon >= 0 && epsilon <= 1)) {
    const message = `must be from 0 to 1, got ${epsilon}`;
    issues.push({ path: "batchComposition.epsilon", code: "range", message });
  }
  return issues;
}

/** The rows of a batch of size B in the order off-policy, uniform, tempered, on-policy. */
export function batchRows(composition: BatchComposition, B: number, progress: number): BatchRows {
  const { uniformShare, temperedShare, offPolicyShare, temperature, epsilon } = withDefaults(composition);
  const shares = [offPolicyShare, scheduleAt(uniformShare, progress), scheduleAt(temperedShare, progress)];
  const counts = shares.map((share) => Math.round(share * B));
  const ends = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count));
  const perRow = (of: (row: number) => number) => Float32Array.from({ length: B }, (_, row) => of(row));
  return {
    offPolicy: perRow((row) => (row < ends[0] ? 1 : 0)),
    epsilon: perRow((row) => (row < ends[0] ? 0 : row < ends[1] ? 1 : epsilon)),
    temperature: perRow((row) => (row >= ends[1] && row < ends[2] ? temperature : 1)),
  };
}

function endsOf(schedule: Schedule): number[] {
  return typeof schedule === "number" ? [schedule] : [schedule.from, schedule.to];
}
