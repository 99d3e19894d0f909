// The words of the playground's controls: what each setting is called, and what it does.

import type { ObjectiveName } from "../../src/gfn/objectives/objective.ts";
import type { ProblemName } from "../../src/playground/settings.ts";

export const PROBLEM_TEXTS: Readonly<Record<ProblemName, { readonly name: string; readonly text: string }>> =
  {
    hypergrid: {
      name: "Hypergrid",
      text: "An object is a cell of a grid. A trajectory starts in a corner, moves along one axis at a time, and stops. The corners have high rewards.",
    },
    formula: {
      name: "A formula on a grid",
      text: "An object is a cell of a grid, and its reward is your formula. The formula is part of the address of this page.",
    },
    picture: {
      name: "A picture on a grid",
      text: "An object is a cell of a grid, and its reward is the brightness of your picture there.",
    },
    table: {
      name: "Your table of strings",
      text: "An object is a string. Letters, length and scores are those of your table, which stays in this page.",
    },
    tfbind8: {
      name: "TFBind8: DNA of eight letters",
      text: "An object is a string of eight letters, 65,536 in all, scored by a model of how strongly a transcription factor binds it.",
    },
  };

interface ObjectiveText {
  readonly name: string;
  readonly text: string;
}

/** Objectives by what they know about the noise. */
export const OBJECTIVE_GROUPS: readonly {
  readonly label: string;
  readonly objectives: readonly (readonly [name: ObjectiveName, text: ObjectiveText])[];
}[] = [
  {
    label: "plain: as if there were no noise",
    objectives: [
      [
        "db",
        {
          name: "detailed balance (db)",
          text: "Flow forward equals flow backward on every step. The noise is ignored.",
        },
      ],
      [
        "tb",
        {
          name: "trajectory balance (tb)",
          text: "One condition for each whole trajectory. The noise is ignored.",
        },
      ],
      [
        "subtb",
        {
          name: "sub-trajectory balance (subtb)",
          text: "Conditions for all parts of a trajectory. The noise is ignored.",
        },
      ],
    ],
  },
  {
    label: "stochastic: learns the noise",
    objectives: [
      [
        "kl",
        {
          name: "KL, marginal (kl)",
          text: "Learns the dynamics and sums over intended actions; its solution is the best reachable policy.",
        },
      ],
      [
        "sdb",
        {
          name: "stochastic detailed balance (sdb)",
          text: "Learns the dynamics; the balance has the action and its outcome.",
        },
      ],
      [
        "sdb-marginal",
        {
          name: "sdb, marginal",
          text: "Learns the dynamics; squared residuals, summed over intended actions.",
        },
      ],
      [
        "stb",
        {
          name: "stochastic trajectory balance (stb)",
          text: "Learns the dynamics; one condition for each whole trajectory.",
        },
      ],
      [
        "ssubtb",
        {
          name: "stochastic subtb (ssubtb)",
          text: "Learns the dynamics; conditions for all parts of a trajectory.",
        },
      ],
    ],
  },
  {
    label: "in expectation over the noise",
    objectives: [
      ["eflow", { name: "expected flow (eflow)", text: "Knows the kernel and balances expected flows." }],
      [
        "soft-q",
        { name: "soft Q-learning (soft-q)", text: "Knows the kernel and backs up expected values." },
      ],
    ],
  },
];

export const OBJECTIVE_TEXTS: ReadonlyMap<ObjectiveName, ObjectiveText> = new Map(
  OBJECTIVE_GROUPS.flatMap(({ objectives }) => objectives),
);

/** "13.6 MB" */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
