// Tabular environments: programs store each table once, and describe refuses what is not a trajectory.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { randomPlainEnvironment } from "../../../test/support/random-plain-environment.ts";
import { spec, trace } from "../../engine/index.ts";
import { flattenTrajectories } from "../sampling/batch.ts";
import { rollout, uniformsPerStep } from "../sampling/rollout.ts";

test("a program stores every large table once, however many steps look it up", () => {
  const world = randomPlainEnvironment({ seed: 2, noise: true, states: 200, steps: 8 });
  const { actions, maxSteps } = world;
  const graph = () =>
    trace(
      ({ uniform }) => {
        const trajectories = rollout(world, () => np.zeros([1, actions]), uniform);
        const { features, backwardAction, outcomeAllowed } = flattenTrajectories(world, trajectories);
        return { features, backwardAction, outcomeAllowed };
      },
      { uniform: spec([maxSteps, 4, uniformsPerStep(world)]) },
    );
  // A second program uses the tables again.
  for (const { nodes } of [graph(), graph()]) {
    const large = nodes.flatMap(({ op, attributes }) =>
      op === "constant" && "data" in attributes && attributes.data.length > 1024
        ? [attributes.data.length]
        : [],
    );
    // Next nodes, two masks, parent edges, feature blocks, and the outcomes and probabilities of the kernel.
    expect(large).toHaveLength(7);
  }
});

test("outcomes that are not possible, or end too early, have no object", () => {
  const world = randomPlainEnvironment({ seed: 2, noise: false });
  const { outcomes } = world;
  expect(() => world.describe([outcomes])).toThrow(`outcome ${outcomes} is not possible at step 0`);
  expect(() => world.describe([])).toThrow("the outcomes [] do not lead to an object");
});
