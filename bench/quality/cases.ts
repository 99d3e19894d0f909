// The cases of the quality benchmark: what is trained or timed, for how long, and the requirements on the result.
//
// Training uses the default settings of src/gfn/training/defaults.ts, except for the fields of `Training`.

import type { Objective } from "../../src/gfn/objectives/objective.ts";
import type { Requirement } from "./requirements.ts";

export type Problem =
  /** The task tfbind8 with the measured binding table of the protein SIX6. */
  | { readonly task: "tfbind8"; readonly stick: number }
  | {
      readonly task: "hypergrid";
      readonly stick: number;
      readonly dimensions: number;
      readonly side: number;
      readonly r0: number;
    }
  | { readonly task: "bit-sequence"; readonly stick: number; readonly bits: number; readonly word: number };

export interface Training {
  readonly kind: "training";
  readonly problem: Problem;
  readonly rewardExponent: number;
  /** Whether the policy has a state table. If false, it is a multilayer perceptron only. */
  readonly stateTable: boolean;
  /** Optional objective that replaces the default objective. */
  readonly objective?: Objective;
}

/** Measures the duration of an exact evaluation or of the computation of the limit. */
export interface Timing {
  readonly kind: "timing";
  readonly what: "evaluation" | "limit";
  readonly problem: Problem;
}

/** The work of one process: training with a seed, or a timing. */
export type Measurement = (Training & { readonly seed: number; readonly seconds: number }) | Timing;

export interface QualityCase {
  readonly name: string;
  readonly measurement: Training | Timing;
  /** Training time in seconds; for a timing, its estimated duration. */
  readonly seconds: number;
  /** Empty if the case has no requirements. */
  readonly requirements: readonly Requirement[];
}

const TIMING_SECONDS = 10;
/** Allowed duration of a run relative to its training time. */
const TIME_TOLERANCE = 1.02;

/** Maximum distances from the limit for each noise level, after 60 and after 300 seconds. */
const TFBIND8 = [
  { stick: 0.1, after60: { tv: 0.04 }, after300: { tv: 0.015, kl: 0.005 } },
  { stick: 0.25, after60: { tv: 0.004 }, after300: { tv: 0.015, kl: 0.005 } },
  { stick: 0.5, after60: { tv: 0.05 }, after300: { tv: 0.02, kl: 0.006 } },
  { stick: 0.75, after60: { tv: 0.03 }, after300: { tv: 0.015, kl: 0.006 } },
] as const;

const WITHOUT_DYNAMICS: Objective = { balance: "db", dynamics: "none", loss: "kl" };

export const CASES: readonly QualityCase[] = [
  ...TFBIND8.flatMap(({ stick, after60, after300 }) => [
    tfbind8(stick, 60, {
      requirements: [...distanceFromLimit(after60), { measure: "dynamicsKl", atMost: 0.01 }],
    }),
    tfbind8(stick, 300, {
      requirements: [...distanceFromLimit(after300), { measure: "dynamicsKl", atMost: 0.01 }],
    }),
  ]),
  // The time to quality at the noise level of the default training.
  tfbind8(0.25, 30, { requirements: distanceFromLimit({ tv: 0.015 }) }),
  ...TFBIND8.flatMap(({ stick }) =>
    [60, 300].map((seconds) => tfbind8(stick, seconds, { stateTable: false })),
  ),
  ...[0.25, 0.5, 0.75].map((stick) =>
    trainingCase(`tfbind8, dynamics none, stick ${withoutLeadingZero(stick)}`, 120, {
      problem: { task: "tfbind8", stick },
      rewardExponent: 3,
      objective: WITHOUT_DYNAMICS,
      requirements: [{ measure: "tv", from: "prediction", atMost: 0.02 }],
    }),
  ),
  hypergrid(2, 0.25, { measure: "tv", atMost: 0.01 }),
  hypergrid(3, 0.25, { measure: "tv", atMost: 0.03 }),
  hypergrid(2, 0.5, { measure: "kl", from: "limit", atMost: 0.005 }),
  trainingCase("bit-sequence n=16 k=4, stick .25", 120, {
    problem: { task: "bit-sequence", stick: 0.25, bits: 16, word: 4 },
    rewardExponent: 1,
    requirements: [{ measure: "tv", from: "limit", atMost: 0.03 }],
  }),
  timingCase("exact evaluation of tfbind8", "evaluation"),
  timingCase("limit of tfbind8", "limit"),
];

function tfbind8(
  stick: number,
  seconds: number,
  { stateTable = true, requirements = [] }: { stateTable?: boolean; requirements?: readonly Requirement[] },
): QualityCase {
  return trainingCase(
    `tfbind8${stateTable ? "" : " without state table"}, stick ${withoutLeadingZero(stick)}, ${seconds} s`,
    seconds,
    { problem: { task: "tfbind8", stick }, rewardExponent: 3, stateTable, requirements },
  );
}

function hypergrid(dimensions: number, stick: number, requirement: Requirement): QualityCase {
  const shape = Array.from({ length: dimensions }, () => 8).join("x");
  return trainingCase(`hypergrid ${shape}, stick ${withoutLeadingZero(stick)}`, 60, {
    problem: { task: "hypergrid", stick, dimensions, side: 8, r0: 1e-3 },
    rewardExponent: 1,
    requirements: [requirement],
  });
}

function trainingCase(
  name: string,
  seconds: number,
  {
    requirements,
    stateTable = true,
    ...training
  }: Pick<Training, "problem" | "rewardExponent" | "objective"> & {
    readonly stateTable?: boolean;
    readonly requirements: readonly Requirement[];
  },
): QualityCase {
  const inTime: Requirement = { measure: "wallSeconds", atMost: TIME_TOLERANCE * seconds };
  return {
    name,
    seconds,
    measurement: { kind: "training", stateTable, ...training },
    requirements: requirements.length > 0 ? [...requirements, inTime] : [],
  };
}

function timingCase(name: string, what: Timing["what"]): QualityCase {
  return {
    name,
    seconds: TIMING_SECONDS,
    measurement: { kind: "timing", what, problem: { task: "tfbind8", stick: 0.25 } },
    requirements: [{ measure: "seconds", atMost: 1 }],
  };
}

function distanceFromLimit(allowed: Readonly<Partial<Record<"tv" | "kl", number>>>): Requirement[] {
  return (["tv", "kl"] as const).flatMap((measure): Requirement[] => {
    const atMost = allowed[measure];
    return atMost === undefined ? [] : [{ measure, from: "limit", atMost }];
  });
}

/** 0.25 as `.25`. */
function withoutLeadingZero(stick: number): string {
  return String(stick).replace(/^0/, "");
}
