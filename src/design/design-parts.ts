// The parts of a design: its folder, its scores, its oracle and its environment, open while an action uses them.

import type { Constraint } from "../constraints/index.ts";
import {
  type ConstrainedSequenceEnvironment,
  constrainedSequenceEnvironment,
} from "../gfn/environment/constrained-sequence.ts";
import type { Landscape } from "../landscapes/landscape.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { openScoreStore, type ScoreStore } from "../oracle/score-store.ts";
import type { Problem } from "../problem/problem.ts";
import { type DesignKey, openDesignFolder } from "./design-folder.ts";
import { problemOracle } from "./problem-oracle.ts";

/** What a design works with. */
export interface DesignParts {
  readonly environment: ConstrainedSequenceEnvironment;
  readonly store: ScoreStore;
  /** Null if the scores come from the laboratory. */
  readonly oracle: Oracle | null;
  /** What the last run of the folder started from; null if there was none. */
  readonly before: DesignKey | null;
}

/** What to design, and where. */
export interface DesignPlace {
  readonly problem: Problem;
  /** The text of the problem file. */
  readonly problemText: string;
  readonly folder: string;
  /** The environment of the problem, if it was built before. */
  readonly environment?: ConstrainedSequenceEnvironment;
  /** Most strings that are sent to the oracle; 0 learns from known scores only. */
  readonly budget: number;
  /** Whether strings that failed before are sent again. */
  readonly retryFailed?: boolean;
  /** Is told at once why a batch of the oracle got no answers, before it is asked again. */
  readonly onProblem?: (message: string) => void;
  /** Scores the strings instead of the oracle of the problem, which is not opened then. */
  readonly oracle?: Oracle;
  /** Ends the loading of a module. */
  readonly signal?: AbortSignal;
  /** Throws a UserError if the action is impossible; called before the folder is made. */
  readonly check?: (environment: ConstrainedSequenceEnvironment) => void;
}

/** Opens the folder of a design with its scores and its oracle, runs an action, and closes them. A problem that cannot be
 * solved, for example because its constraints clash, leaves no folder behind. */
export async function withScores<T>(
  place: DesignPlace,
  action: (parts: DesignParts) => Promise<T>,
): Promise<T> {
  const {
    problem,
    problemText,
    folder,
    budget,
    retryFailed,
    oracle: given,
    onProblem,
    check,
    signal,
  } = place;
  const own = await problemOracle(
    given && problem.oracle?.kind !== "landscape" ? { ...problem, oracle: null } : problem,
    onProblem,
    signal,
  );
  const { landscape } = own;
  const oracle = given ?? own.oracle;
  try {
    const environment = place.environment ?? problemEnvironment(problem, landscape);
    check?.(environment);
    const before = await openDesignFolder(folder, problemText);
    const store = await openScoreStore({
      folder,
      oracle: oracle ?? NO_ORACLE,
      budget: oracle ? budget : 0,
      onFailure: problem.failures,
      forgetFailures: retryFailed,
    });
    try {
      return await action({ environment, store, oracle, before });
    } finally {
      await store.close();
    }
  } finally {
    await oracle?.close();
  }
}

/** For problems whose scores come from the laboratory. The budget of 0 keeps it from being asked. */
const NO_ORACLE: Oracle = {
  label: "measurements",
  version: "measurements",
  batch: 1,
  concurrency: 1,
  async score() {
    throw new Error("internal: there is no oracle to ask");
  },
  async close() {},
};

/** The environment of a problem. The allowed pairs of a landscape are constraints too. */
export function problemEnvironment(
  { space, constraints, noise }: Pick<Problem, "space" | "constraints" | "noise">,
  landscape: Landscape | null,
): ConstrainedSequenceEnvironment {
  const pairs: Constraint[] =
    landscape?.pairs && !constraints.some(({ kind }) => kind === "pairs")
      ? [{ ...landscape.pairs, name: "pairs of the landscape" }]
      : [];
  return constrainedSequenceEnvironment({
    space,
    constraints: [...constraints, ...pairs],
    noise: noise.when === "building" ? noise.letters : { kind: "none" },
  });
}
