// Titles of the views, and how to read them.

import type { ViewName } from "../../src/views/view-data.ts";

interface ViewText {
  readonly title: string;
  readonly explanation: string;
}

export const VIEW_TEXTS: Readonly<Record<ViewName, ViewText>> = {
  distribution: {
    title: "Distribution",
    explanation:
      "The target beside what the policy generates. In the first chart objects are sorted by their target probability: where the learned line lies on the target, the policy is right. In the second chart a perfect policy has all points on the line log P = log R − log Z. The limit is the best that any policy can reach under the noise.",
  },
  flow: {
    title: "Flow",
    explanation:
      "Where trajectories go: each node is a state, and the width of an edge is the probability that a trajectory passes along it. Choose a node to descend. Where the learned edge differs from the target's, the policy sends too much or too little into that part of the space.",
  },
  dynamics: {
    title: "Thought and outcome",
    explanation:
      "The thought is the action that the policy intends; noise may turn it into another outcome. Each row is an intended action, each column an outcome: without noise only the diagonal is dark. The learned matrix should equal the true one; the difference shows where it does not.",
  },
  logo: {
    title: "Sequence logo",
    explanation:
      "At each position a stack of letters. The height of a stack is the information at the position in bits, the height of a letter its share. Samples of a good policy have the logo of the target.",
  },
  grid: {
    title: "Grid",
    explanation:
      "Probabilities of the cells of the grid: target, learned, and their difference. A grid of more than two axes is shown as a slice, or summed over the other axes.",
  },
  entropy: {
    title: "Entropy",
    explanation:
      "How undecided the policy is at each step: its entropy over actions, in states that it visits, with the range of most states around the mean. The dashed line is the uniform policy, which knows nothing. An entropy of 0 means one sure action.",
  },
  residuals: {
    title: "Residuals",
    explanation:
      "The residual is the difference between the two sides of the balance, which training drives to 0. A step whose residual stays large is the part that is out of balance; the terms below tell which side it comes from. Terms have the sign that they have in the residual, so they cancel where the balance holds. Runs log them with --residuals.",
  },
  attention: {
    title: "Attention",
    explanation:
      "What the history encoder looks at: each row is a position that asks, each column an earlier position that it attends to; a row adds up to 1. Cells above the diagonal lie in the future and are empty.",
  },
  modes: {
    title: "Modes",
    explanation:
      "How many distinct good objects have been found over training. The dashed line is what a perfect sampler finds with as many samples.",
  },
  trajectories: {
    title: "Trajectories",
    explanation:
      "Sampled trajectories, step by step: the state, the probabilities of all actions, the action that was intended and what happened. Steps in which noise replaced the action are marked.",
  },
  candidates: {
    title: "Candidates",
    explanation:
      "The best objects that were found. Filter and sort them; the files have exactly the rows that pass the filter, in the order of the table.",
  },
  forecast: {
    title: "Forecast",
    explanation:
      "The history, the forecast median and its intervals from a cutoff on, and the values that came. About 80 % of the actual values should lie inside the 80 % interval.",
  },
  scenario: {
    title: "Forecast and scenario",
    explanation:
      "Sampled futures of the series, with the mean and the intervals of all of them. Scenario, if a question was asked, has the paths that it allows, in proportion to their probability; the model above it is without the question. The histogram has the quantity that the condition bounds: the share of the model's own paths on the allowed side of the bound is the probability of the condition.",
  },
  calibration: {
    title: "Calibration",
    explanation:
      "Whether intervals contain as many actual values as they claim: a calibrated model lies on the diagonal. Below it, forecasts are too sure. The second chart shows how errors grow with the steps ahead.",
  },
};
