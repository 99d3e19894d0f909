// Definition of the task `hypergrid`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { HYPERGRID_KEYS, type HypergridTaskOptions, hypergridIssues } from "./options.ts";

export const hypergrid = defineTask<Required<HypergridTaskOptions>>({
  name: "hypergrid",
  summary: "cells of a grid, with high reward in small regions far from the start",
  keys: HYPERGRID_KEYS,
  issues: hypergridIssues,
  async load() {
    const [{ hypergridTask }, { hypergridEnvironment }] = await Promise.all([
      import("./index.ts"),
      import("../../gfn/environment/hypergrid.ts"),
    ]);
    return {
      // Along each axis, about a fifth of the cells lie between 0.3 and 0.4 from the centre.
      sizes: ({ dimensions, side }) => ({
        objects: side ** dimensions,
        modes: Math.ceil(side / 5 + 1) ** dimensions,
      }),
      environment: ({ dimensions, side, stick }) => hypergridEnvironment({ dimensions, side, stick }),
      task: hypergridTask,
    };
  },
});
