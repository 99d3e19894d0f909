// The view `entropy`: how undecided the policy is at each step, under its own visits.

import { entropy } from "../math/distances.ts";
import { softmax } from "../math/softmax.ts";
import { visitsByStep } from "./enumerated-flows.ts";
import { short, spacedIndices } from "./numbers.ts";
import type { OpenedRun, PolicyTables } from "./opened-run.ts";
import { followSamples } from "./sampled-steps.ts";
import type { EntropyView } from "./view-data.ts";

/** Samples of an estimate, and steps that are shown. */
const [SAMPLES, MOST_STEPS] = [512, 400];

/** The entropy of the policy in a state, that of the uniform policy, and the probability of the visit. */
interface Visit {
  readonly entropy: number;
  readonly uniform: number;
  readonly weight: number;
}

export async function entropyView(run: OpenedRun): Promise<EntropyView> {
  const tables = await run.tables();
  const steps = tables ? exactVisits(tables) : await sampledVisits(run);
  const shown = spacedIndices(steps.length, MOST_STEPS);
  return {
    view: "entropy",
    exact: tables !== null,
    notes: [
      "Entropies of the policy over its actions, in nats, averaged over the states that it visits at each step.",
      ...(tables ? [] : [`They are estimated from ${SAMPLES} sampled trajectories.`]),
      ...(shown.length < steps.length ? [`${shown.length} of ${steps.length} steps are shown.`] : []),
    ],
    steps: shown.map((step) => ({ step: step + 1, ...summary(steps[step]) })),
  };
}

function exactVisits({ enumeration, policy }: PolicyTables): Visit[][] {
  const { actions, offsets } = enumeration;
  const steps: Visit[][] = [];
  visitsByStep(enumeration, policy, (step, state, weight) => {
    const [start, end] = [state * actions, (state + 1) * actions];
    let legal = 0;
    for (let row = start; row < end; row++) if (offsets[row + 1] > offsets[row]) legal++;
    steps[step] ??= [];
    steps[step].push({ entropy: entropy(policy.subarray(start, end)), uniform: Math.log(legal), weight });
  });
  return steps;
}

async function sampledVisits(run: OpenedRun): Promise<Visit[][]> {
  const steps: Visit[][] = [];
  await followSamples(run, await run.samples(SAMPLES), ({ step, logits, isLegal }) => {
    const legal = Array.from(logits.keys()).filter(isLegal).length;
    steps[step] ??= [];
    steps[step].push({
      entropy: entropy(softmax(logits, isLegal)),
      uniform: Math.log(legal),
      weight: 1,
    });
  });
  return steps;
}

/** Means, and quantiles 0.1 and 0.9 of the entropy, weighted by visits. */
function summary(visits: readonly Visit[]): Omit<EntropyView["steps"][number], "step"> {
  const total = visits.reduce((sum, { weight }) => sum + weight, 0);
  const meanOf = (value: (visit: Visit) => number) =>
    visits.reduce((sum, visit) => sum + visit.weight * value(visit), 0) / total;
  const sorted = visits.toSorted((a, b) => a.entropy - b.entropy);
  const quantile = (level: number) => {
    let below = 0;
    for (const visit of sorted) {
      below += visit.weight;
      if (below >= level * total) return visit.entropy;
    }
    return sorted[sorted.length - 1].entropy;
  };
  return {
    mean: short(meanOf((visit) => visit.entropy)),
    low: short(quantile(0.1)),
    high: short(quantile(0.9)),
    uniform: short(meanOf((visit) => visit.uniform)),
  };
}
