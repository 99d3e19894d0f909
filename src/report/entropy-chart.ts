// Chart of the entropy of the policy by step, with quantiles and the entropy of the uniform policy.

import { lineChart } from "./line-chart.ts";
import { type ViewNotes, viewNotes } from "./view-notes.ts";

export interface EntropyChartData extends ViewNotes {
  /** In nats: mean over visits, quantiles 0.1 and 0.9, and the entropy of the uniform policy. */
  readonly steps: readonly {
    readonly step: number;
    readonly mean: number;
    readonly low: number;
    readonly high: number;
    readonly uniform: number;
  }[];
}

export function entropyChart(data: EntropyChartData): string {
  const { steps } = data;
  return lineChart({
    title: "Entropy of the policy by step",
    x: { label: "step", integerTicks: true },
    y: { label: "entropy", unit: "nats", include: [0] },
    panels: [
      {
        curves: [
          {
            name: "policy",
            points: steps.map(({ step, mean }) => ({ x: step, y: mean })),
            bands: [{ points: steps.map(({ step, low, high }) => ({ x: step, low, high })) }],
          },
          {
            name: "uniform policy",
            points: steps.map(({ step, uniform }) => ({ x: step, y: uniform })),
            isReference: true,
          },
        ],
      },
    ],
    notes: [...viewNotes(data), "Line: mean over visited states. Band: quantiles 0.1 to 0.9."],
  });
}
