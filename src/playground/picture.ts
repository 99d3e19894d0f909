// What the page draws at one moment of a training: the views of a policy that is known in every state.

import { isGrid } from "../gfn/environment/capabilities.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import type { ExactEvaluationEvent } from "../gfn/training/events.ts";
import { knownView } from "../views/distribution-view.ts";
import { exactDynamicsView } from "../views/dynamics-view.ts";
import { flowView } from "../views/flow-view.ts";
import { gridView } from "../views/grid-view.ts";
import { labelsOf } from "../views/labels.ts";
import type { EnumeratedRun, PolicyTables } from "../views/opened-run.ts";
import type { DistributionView, DynamicsView, FlowView, GridView } from "../views/view-data.ts";
import type { Problem } from "./problem.ts";

export interface Picture {
  readonly distribution: DistributionView;
  /** Null if the objects are not cells of a grid. */
  readonly grid: GridView | null;
  readonly dynamics: DynamicsView;
}

/** The policy and the dynamics model in every state; null stands for the uniform policy, before any training. */
export type Tables = NonNullable<ExactEvaluationEvent["tables"]> | null;

/** What the views are drawn from. */
export interface Drawn {
  picture(): Promise<Picture>;
  /** The flow below the node that a path of outcomes leads to. Throws a UserError if there is none. */
  flow(path: readonly number[]): Promise<FlowView>;
}

export function drawn(problem: Problem, given: Tables): Drawn {
  const { task, enumeration, known, limit } = problem;
  const policy = given?.policy ?? uniformPolicy(enumeration);
  const tables: PolicyTables = {
    ...{ policy, enumeration, visits: visitation(enumeration, policy) },
    ...{ logDynamics: given?.logDynamics ?? null, logFlow: Number.NaN },
  };
  const run: EnumeratedRun = {
    ...{ task, known, labels: labelsOf(task.environment) },
    tables: async () => tables,
    limit: () => limit,
    objectEnumeration: () => enumeration,
    samples: () => Promise.reject(new Error("internal: the policy is known, so nothing is sampled")),
  };
  return {
    async picture() {
      return {
        distribution: await knownView(run, known),
        grid: isGrid(task.environment) ? await gridView(run, {}) : null,
        dynamics: exactDynamicsView(run, tables),
      };
    },
    flow: (path) => flowView(run, { path }),
  };
}
