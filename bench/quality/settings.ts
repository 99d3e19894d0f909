// What the quality benchmark trains and times, for how long, and what must come of it.
//
// Everything is trained with the default settings of src/gfn/defaults.ts; only what stands in `Training` differs.

import type { Objective } from "../../src/gfn/objectives/choice.ts";
import type { Requirement } from "./requirements.ts";

export type Problem =
  /** With the measured table of SIX6. */
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
  /** Of the reward. */
  readonly exponent: number;
  /** Without it the policy is a perceptron alone. */
  readonly memory: boolean;
  /** Instead of the default. */
  readonly objective?: Objective;
}

/** How long one of these takes. */
export interface Timing {
  readonly kind: "timing";
  readonly what: "evaluation" | "limit";
  readonly problem: Problem;
}

/** What one process does. */
export type Assignment = (Training & { readonly seed: number; readonly seconds: number }) | Timing;

export interface Setting {
  readonly name: string;
  readonly work: Training | Timing;
  /** Time to train; of a timing, about how long it takes. */
  readonly seconds: number;
  /** Empty where results are only shown. */
  readonly requirements: readonly Requirement[];
}

const TIMING_SECONDS = 10;
/** Time over the budget that a run may take, as a factor. */
const LATENESS = 1.02;

/** Distance from the limit that is allowed at each noise. */
const TFBIND8 = [
  { stick: 0.1, after60: { tv: 0.04 }, after300: { tv: 0.015, kl: 0.005 } },
  { stick: 0.25, after60: { tv: 0.04 }, after300: { tv: 0.015, kl: 0.005 } },
  { stick: 0.5, after60: { tv: 0.05 }, after300: { tv: 0.02, kl: 0.006 } },
  { stick: 0.75, after60: { tv: 0.03 }, after300: { tv: 0.015, kl: 0.006 } },
] as const;

const WITHOUT_DYNAMICS: Objective = { balance: "db", dynamics: "none", loss: "kl" };

export const SETTINGS: readonly Setting[] = [
  ...TFBIND8.flatMap(({ stick, after60, after300 }) => [
    tfbind8(stick, 60, { requirements: [...overLimit(after60), { measure: "dynamicsKl", atMost: 0.01 }] }),
    tfbind8(stick, 300, { requirements: [...overLimit(after300), { measure: "dynamicsKl", atMost: 0.01 }] }),
  ]),
  ...TFBIND8.flatMap(({ stick }) => [60, 300].map((seconds) => tfbind8(stick, seconds, { memory: false }))),
  ...[0.25, 0.5, 0.75].map((stick) =>
    trained(`tfbind8, dynamics none, stick ${written(stick)}`, 120, {
      problem: { task: "tfbind8", stick },
      exponent: 3,
      objective: WITHOUT_DYNAMICS,
      requirements: [{ measure: "tv", from: "prediction", atMost: 0.02 }],
    }),
  ),
  hypergrid(2, 0.25, { measure: "tv", atMost: 0.01 }),
  hypergrid(3, 0.25, { measure: "tv", atMost: 0.03 }),
  hypergrid(2, 0.5, { measure: "kl", from: "limit", atMost: 0.005 }),
  trained("bit-sequence n=16 k=4, stick .25", 120, {
    problem: { task: "bit-sequence", stick: 0.25, bits: 16, word: 4 },
    exponent: 1,
    requirements: [{ measure: "tv", from: "limit", atMost: 0.03 }],
  }),
  timed("exact evaluation of tfbind8", "evaluation"),
  timed("limit of tfbind8", "limit"),
];

function tfbind8(
  stick: number,
  seconds: number,
  { memory = true, requirements = [] }: { memory?: boolean; requirements?: readonly Requirement[] },
): Setting {
  return trained(
    `tfbind8${memory ? "" : " without memory"}, stick ${written(stick)}, ${seconds} s`,
    seconds,
    { problem: { task: "tfbind8", stick }, exponent: 3, memory, requirements },
  );
}

function hypergrid(dimensions: number, stick: number, requirement: Requirement): Setting {
  const shape = Array.from({ length: dimensions }, () => 8).join("x");
  return trained(`hypergrid ${shape}, stick ${written(stick)}`, 60, {
    problem: { task: "hypergrid", stick, dimensions, side: 8, r0: 1e-3 },
    exponent: 1,
    requirements: [requirement],
  });
}

function trained(
  name: string,
  seconds: number,
  {
    requirements,
    memory = true,
    ...training
  }: Pick<Training, "problem" | "exponent" | "objective"> & {
    readonly memory?: boolean;
    readonly requirements: readonly Requirement[];
  },
): Setting {
  const inTime: Requirement = { measure: "wallSeconds", atMost: LATENESS * seconds };
  return {
    name,
    seconds,
    work: { kind: "training", memory, ...training },
    requirements: requirements.length > 0 ? [...requirements, inTime] : [],
  };
}

function timed(name: string, what: Timing["what"]): Setting {
  return {
    name,
    seconds: TIMING_SECONDS,
    work: { kind: "timing", what, problem: { task: "tfbind8", stick: 0.25 } },
    requirements: [{ measure: "seconds", atMost: 1 }],
  };
}

function overLimit(allowed: Readonly<Partial<Record<"tv" | "kl", number>>>): Requirement[] {
  return (["tv", "kl"] as const).flatMap((measure): Requirement[] => {
    const atMost = allowed[measure];
    return atMost === undefined ? [] : [{ measure, from: "limit", atMost }];
  });
}

/** `.25`. */
function written(stick: number): string {
  return String(stick).replace(/^0/, "");
}
