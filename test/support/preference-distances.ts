// Exact distances of policies from the targets of several preferences.

import type { EnumerableEnvironment, Trained } from "gflownet";
import { RandomStream } from "gflownet/engine";
import { normaliseRewards, type PreferenceEnvironment, totalVariation } from "gflownet/gfn";

/** The preferences of two objectives at which policies are compared. */
export const FIVE_PREFERENCES = [0, 0.25, 0.5, 0.75, 1].map((weight) => [weight, 1 - weight] as const);

/** Total variation and the error of log Z at each preference, for a policy that takes the preference as input. */
export async function conditionedDistances(
  trained: Trained,
): Promise<{ readonly tv: number; readonly logZError: number }[]> {
  const results: { tv: number; logZError: number }[] = [];
  for (const preference of FIVE_PREFERENCES) {
    const evaluation = await trained.evaluate({ preference });
    if (!evaluation.exact) throw new Error("all objects have scores, so the evaluation is exact");
    const { tv, logZError } = evaluation.reached;
    results.push({ tv, logZError: logZError ?? Number.NaN });
  }
  return results;
}

/** Total variation between the one distribution of an ordinary policy and the target of each preference, with R = y^β. */
export async function fixedDistances(
  trained: Trained,
  environment: PreferenceEnvironment,
  exponent: number,
): Promise<number[]> {
  const base = trained.environment as EnumerableEnvironment;
  const { terminals } = base.enumerate();
  const stream = RandomStream.fromSeed(0);
  const texts = Array.from({ length: terminals }, (_, terminal) =>
    base.describe(base.sampleTrajectoryTo(terminal, stream)),
  );
  const logs = await trained.logProbabilities(texts);
  const policy = Float64Array.from(logs, ({ logProbability }) => Math.exp(logProbability ?? Number.NaN));
  return FIVE_PREFERENCES.map((preference) => {
    const rewards = environment.at(preference).scores.map((score) => score ** exponent);
    return totalVariation(normaliseRewards(rewards).target, policy);
  });
}
