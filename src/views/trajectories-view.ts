// The view `trajectories`: sampled trajectories, step by step.

import { isSequence } from "../gfn/environment/capabilities.ts";
import { softmax } from "../math/softmax.ts";
import { abbreviated, rounded, short } from "./numbers.ts";
import type { OpenedRun } from "./opened-run.ts";
import { followSamples } from "./sampled-steps.ts";
import type { TrajectoriesView, ViewOptions } from "./view-data.ts";

/** Trajectories of an answer, probabilities in all their steps, and actions of a step. */
const [TRAJECTORIES, MOST_PROBABILITIES, MOST_ACTIONS] = [20, 12_000, 24];

type Step = TrajectoriesView["trajectories"][number]["steps"][number];

export async function trajectoriesView(
  run: OpenedRun,
  { seed = 0 }: Pick<ViewOptions, "seed">,
): Promise<TrajectoriesView> {
  const { labels, task } = run;
  const { environment } = task;
  const { outcomes: C, maxSteps, actions: A } = environment;
  const perTrajectory = maxSteps * Math.min(A, MOST_ACTIONS);
  const count = Math.max(1, Math.min(TRAJECTORIES, Math.floor(MOST_PROBABILITIES / perTrajectory)));
  const samples = await run.samples(count, seed);
  const logs = await run.logProbabilities(samples);
  const isIntended = isSequence(environment) || !environment.outcomeAllowed;
  const steps: Step[][] = samples.map(() => []);
  await followSamples(run, samples, ({ sample, action, outcome, path, logits, isLegal, logDynamics }) => {
    const policy = softmax(logits, isLegal);
    steps[sample].push({
      state: abbreviated(labels.state(path)),
      action: labels.actions[action],
      outcome: labels.outcomeAfter(path, outcome),
      isNoise: isIntended && outcome >= 0 && outcome !== action,
      policy: policyOf(policy, isLegal, action, labels.actions),
      outcomeProbability:
        logDynamics && outcome >= 0 ? rounded(Math.exp(logDynamics[action * C + outcome]), 5) : null,
    });
  });
  return {
    view: "trajectories",
    exact: true,
    notes: [
      "Samples of the policy, with the noise of the environment.",
      ...(count < TRAJECTORIES ? [`${count} trajectories are shown, because they are long.`] : []),
      ...(A > MOST_ACTIONS ? [`A step shows its ${MOST_ACTIONS} most probable actions.`] : []),
    ],
    trajectories: samples.map((sample, i) => {
      const score = run.scoreOf(sample);
      const log = logs[i];
      return {
        object: sample.object,
        score: score === null ? null : rounded(score),
        logProbability: log === null ? null : rounded(log),
        steps: steps[i],
      };
    }),
  };
}

/** The legal actions with their probabilities; the most probable ones, and the one that was taken, if there are many. */
function policyOf(
  policy: Float64Array,
  isLegal: (action: number) => boolean,
  taken: number,
  labels: readonly string[],
): (readonly [string, number])[] {
  const legal = [...policy.keys()].filter(isLegal);
  const pairOf = (action: number) => [labels[action], short(policy[action], 5)] as const;
  if (legal.length <= MOST_ACTIONS) return legal.map(pairOf);
  const best = legal.toSorted((a, b) => policy[b] - policy[a]).slice(0, MOST_ACTIONS - 1);
  const shown = best.includes(taken) ? best : [...best.slice(0, -1), taken];
  const rest = 1 - shown.reduce((sum, action) => sum + policy[action], 0);
  return [...shown.map(pairOf), ["all others", short(Math.max(0, rest), 5)] as const];
}
