// The guided tour: what each step sets up, what the visitor does, and when it has been seen.

import type { EvaluationPoint, ShownProblem, TrainingState } from "../../src/playground/messages.ts";
import { type PlaygroundSettings, settingsFor } from "../../src/playground/settings.ts";

/** What a step looks at to say that it has been seen. */
export interface Seen {
  readonly settings: PlaygroundSettings;
  readonly problem: ShownProblem | null;
  readonly state: TrainingState;
  readonly last: EvaluationPoint | undefined;
}

export interface TourStep {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** What to do. */
  readonly task: string;
  readonly settings: PlaygroundSettings;
  /** Whether the step has the noise slider. */
  readonly hasNoise?: boolean;
  isSeen(seen: Seen): boolean;
  /** What has been seen then. */
  readonly conclusion: string;
}

const GRID = settingsFor("hypergrid");

export const TOUR: readonly TourStep[] = [
  {
    title: "Objects in proportion to their reward",
    paragraphs: [
      "An object is a cell of a grid. A policy starts in the corner 0,0, moves along one axis at a time, and stops somewhere. It should stop in each cell in proportion to the cell's reward: that is the target.",
      "There is no noise yet. Detailed balance, a plain objective, asks that on every step the flow forward equals the flow backward.",
    ],
    task: "Press Train, and watch the learned map become the target.",
    settings: { ...GRID, stick: 0, objective: "db" },
    isSeen: ({ last, settings }) => settings.stick === 0 && last !== undefined && last.tv < 0.05,
    conclusion: "The total variation falls to 0: the policy draws every cell as often as it should.",
  },
  {
    title: "Noise changes what can be reached",
    paragraphs: [
      "Now the environment replaces some of the intended moves by a random one. The kernel shows what becomes of an intended move.",
      "Some noise can be made up for by aiming differently. With more of it, no policy reaches the target: the limit is the smallest distance that any policy has. Nothing is trained for it.",
    ],
    task: "Move the noise up until the limit leaves 0, and look at the map of the best reachable distribution.",
    settings: { ...GRID, stick: 0, objective: "db" },
    hasNoise: true,
    isSeen: ({ problem }) => problem !== null && problem.limit.tv > 0.02,
    conclusion:
      "Above this noise even the best policy misses the target. The limit is what to compare with, not 0.",
  },
  {
    title: "A plain GFlowNet does not see the noise",
    paragraphs: [
      "At this noise the limit is still 0. The plain objective takes every move for the one that was intended, so its balance holds for an environment that is not there.",
    ],
    task: "Press Train, and compare the curve with the limit when it has become flat.",
    settings: { ...GRID, stick: 0.25, objective: "db" },
    isSeen: ({ settings, state, last, problem }) =>
      isPlain(settings) && settings.stick > 0 && state === "finished" && isAbove(last, problem, 0.04),
    conclusion:
      "The curve stays above the limit, and more iterations do not help: the training has converged to another distribution.",
  },
  {
    title: "The stochastic GFlowNet learns the noise",
    paragraphs: [
      "The same environment, another objective: a second, small network learns what becomes of each move, and the balance has it on both sides. This page uses its KL form, which sums over the moves that may have been intended.",
    ],
    task: "Press Train. The curve of the step before stays for comparison; the learned kernel appears beside the true one.",
    settings: { ...GRID, stick: 0.25, objective: "kl" },
    isSeen: ({ settings, last, problem }) =>
      !isPlain(settings) && settings.stick > 0 && last !== undefined && !isAbove(last, problem, 0.03),
    conclusion: "The policy reaches the limit, because it aims with the noise in mind.",
  },
  {
    title: "Your hand on the noise",
    paragraphs: [
      "At this noise the limit is above 0. Change the noise while it trains: the training starts anew, and its curve is drawn beside the earlier ones. Switch the objective back to detailed balance to see how the gap grows.",
      "Then try your own: a picture, a formula, or a table of strings with scores, under Problem.",
    ],
    task: "Train with a noise of 0.5 or more, with either kind of objective.",
    settings: { ...GRID, stick: 0.5, objective: "kl" },
    hasNoise: true,
    isSeen: ({ settings, state }) => settings.stick >= 0.5 && state === "finished",
    conclusion:
      "However strong the noise: the stochastic objective ends near its limit, the plain one does not.",
  },
];

function isPlain({ objective }: PlaygroundSettings): boolean {
  return ["db", "tb", "subtb"].includes(objective);
}

function isAbove(last: EvaluationPoint | undefined, problem: ShownProblem | null, by: number): boolean {
  return last !== undefined && problem !== null && last.tv > problem.limit.tv + by;
}
