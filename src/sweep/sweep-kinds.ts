// The options of a sweep and their rules. The module loads quickly, because `--help` needs it.

import type { RecordField } from "../compare/experiment-record.ts";
import { choice, whole } from "../settings/kinds.ts";

export const STRATEGIES = ["grid", "random", "halving"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The fields of a record by which settings can be ranked, and whether more is better. */
export const METRICS = {
  tv: "least",
  kl: "least",
  sampledTv: "least",
  expectedReward: "most",
  modesFound: "most",
  modesScored: "most",
  best: "most",
  topMean: "most",
  diversity: "most",
  callsToHalf: "least",
  callsToAll: "least",
} as const satisfies Partial<Record<RecordField, "least" | "most">>;
export type Metric = keyof typeof METRICS;

export const SWEEP_KINDS = {
  strategy: choice(STRATEGIES),
  metric: choice(Object.keys(METRICS) as Metric[]),
  samples: whole(1, 10_000),
  eta: whole(2, 1000),
  sampleSeed: whole(0, Number.MAX_SAFE_INTEGER),
} as const;
