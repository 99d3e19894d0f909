// Definition of the task `hypergrid`, and how to build it.

import { defineTask } from "../task-definition.ts";
import {
  HYPERGRID_DEFAULTS,
  HYPERGRID_KEYS,
  type HypergridConfigOptions,
  hypergridIssues,
} from "./options.ts";

export const hypergrid = defineTask<HypergridConfigOptions>({
  name: "hypergrid",
  summary: "cells of a grid, with high reward in small regions far from the start",
  keys: HYPERGRID_KEYS,
  issues: hypergridIssues,
  async load() {
    const [{ hypergridTask }, { hypergridEnvironment }] = await Promise.all([
      import("./index.ts"),
      import("../../gfn/environment/hypergrid.ts"),
    ]);
    const { dimensions: usualDimensions, side: usualSide } = HYPERGRID_DEFAULTS;
    return {
      // Along each axis, about a fifth of the cells lie between 0.3 and 0.4 from the centre.
      sizes: ({ dimensions = usualDimensions, side = usualSide }) => ({
        objects: side ** dimensions,
        modes: Math.ceil(side / 5 + 1) ** dimensions,
      }),
      environment: ({ dimensions = usualDimensions, side = usualSide, stick }) =>
        hypergridEnvironment({ dimensions, side, stick }),
      async task({ picture: _, ...options }, { picture: file }) {
        if (!file) return hypergridTask(options);
        const { decodePng } = await import("./decode-png.ts");
        return hypergridTask({ ...options, picture: decodePng(file.bytes, file.path) });
      },
    };
  },
});
