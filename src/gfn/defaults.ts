// Settings that work: one set for all environments, in proportion to their size.

import { type Environment, isEnumerable } from "./environment.ts";
import { OBJECTIVES } from "./objectives/choice.ts";
import { isThoughtful, type Settings } from "./settings.ts";

/** Most intentions for which the marginal form sums over all of them. */
const MOST_MARGINAL = 64;
/** Numbers in the memory at most: updating more takes longer than it is worth. */
const MOST_REMEMBERED = 2 ** 20;
/** With it rows move at a rate that would be too high for weights. */
const MEMORY_RATE_SCALE = 7;

/**
 * Settings for an environment, with changes of your own on top. States that can be listed are remembered, each in a row
 * of its own. Training starts with half of the batch on uniformly drawn objects, which is fast, and ends with the
 * policy's own alone, where the KL form settles at the best reachable policy, or very near it. Objectives that must know
 * what was intended explore by uniform intentions instead; and where histories balance, the policy is alone from the
 * start, and goes slowly, since what it is weighed against must follow it.
 */
export function defaultSettings(environment: Environment, changes: Partial<Settings> = {}): Settings {
  const listed = isEnumerable(environment);
  const outputs = environment.actions + environment.backwardClasses + 1;
  const remembers = listed && environment.states * outputs <= MOST_REMEMBERED;
  const explore = { from: 0.5, to: 0, until: 0.6 };
  const thoughtful = isThoughtful(changes);
  const uniform = listed && !thoughtful && changes.objective?.dynamics !== "expected";
  return {
    objective: environment.outcomes <= MOST_MARGINAL ? OBJECTIVES.kl : OBJECTIVES.sdb,
    batch: 128,
    policy: {
      hidden: [128, 128],
      ...(remembers && { memoryRows: environment.states, memoryRateScale: MEMORY_RATE_SCALE }),
    },
    dynamics: { hidden: [16] },
    learningRate: { from: 3e-3, to: 3e-5, shape: "cosine" },
    dynamicsLearningRate: { from: 3e-3, to: 3e-5, shape: "cosine" },
    lambda: 0.9,
    exploration: { epsilon: uniform ? 0 : explore, temperature: 1 },
    mixture: { uniform: uniform ? explore : 0, offline: 0, replay: 0 },
    replay: { capacity: 10_000, priority: 0 },
    reward: { exponent: 1, floor: 1e-4, ramp: 0 },
    ...(changes.objective?.dynamics === "thought" && {
      learningRate: { from: 1e-3, to: 1e-5, shape: "cosine" },
      clip: 0.5,
      exploration: { epsilon: 0, temperature: 1 },
      ...(changes.objective.balance === "tb" && { logZ: {} }),
      objectLaw: { hidden: [64] },
    }),
    ...changes,
  };
}
