// Charts of the residuals of a balance: their size by iteration and step, and the terms that they consist of.

import { dot, rectY, ruleY } from "@observablehq/plot";
import { type Scale, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { heatMap } from "./heat-map.ts";
import { lineChart } from "./line-chart.ts";
import { drawPlot } from "./plot.ts";
import { formatCount, shortNumber } from "./text-format.ts";
import { INK, styleOf } from "./theme.ts";
import { orNaN, type ViewNotes } from "./view-notes.ts";

type ByIterationAndStep = readonly (readonly (number | null)[])[];

export interface ResidualChartData extends ViewNotes {
  readonly iterations: readonly number[];
  /** Number of steps with a residual; 1 for balances of whole trajectories. */
  readonly steps: number;
  readonly rootMeanSquare: ByIterationAndStep;
  readonly mean: ByIterationAndStep;
  /** Mean of each term with its sign in the residual. */
  readonly terms: readonly { readonly name: string; readonly mean: ByIterationAndStep }[];
}

/** Terms as formulas. Their order decides their colours, so that a term has the same colour in every figure. */
const LABELS: Readonly<Record<string, string>> = {
  flow: "log F(s)",
  nextFlow: "−log F(s′)",
  policy: "log π(a | s)",
  dynamics: "log P̂(c | s, a)",
  backward: "−log P_B",
  reward: "−log R(x)",
  logZ: "log Z",
  outcome: "log Σ π(a | s) P̂(c | s, a)",
  // No balance has both a flow and the posterior of a thought, which have the same colour.
  thoughtPosterior: "−log P(thought | x)",
  margin: "−log r(s)",
};
const ORDER = Object.keys(LABELS);

/** A term of the balance as a formula; a name that is not known stays. */
export function termLabel(name: string): string {
  return LABELS[name] ?? name;
}

function colourOfTerm(name: string): string {
  if (name === "margin") return INK.past;
  const index = ORDER.indexOf(name);
  return styleOf(index < 0 ? ORDER.length : index).colour;
}

/** Root mean square of the residual by iteration and step; a line over iterations if a trajectory has one residual. */
export function residualChart({ iterations, steps, rootMeanSquare, mean, notes }: ResidualChartData): string {
  if (steps === 1) {
    const curve = (name: string, values: ByIterationAndStep) => ({
      name,
      points: iterations.map((x, i) => ({ x, y: orNaN(values[i]?.[0] ?? null) })),
    });
    return lineChart({
      title: "Residual of the balance over training",
      x: { label: "iterations" },
      y: { label: "residual", unit: "nats", include: [0] },
      panels: [{ curves: [curve("root mean square", rootMeanSquare), curve("mean", mean)] }],
      notes: [...notes, "There is one residual per trajectory."],
    });
  }
  const most = rootMeanSquare.flat().reduce((size: number, value) => Math.max(size, value ?? 0), 0);
  return heatMap({
    title: "Residual of the balance by step over training",
    rows: { label: "step", numbers: Array.from({ length: steps }, (_, t) => t + 1) },
    columns: { label: "iterations", numbers: iterations },
    panels: [
      {
        values: Array.from({ length: steps }, (_, t) => rootMeanSquare.map((row) => row[t] ?? null)),
        colours: {
          ...{ palette: "sequential", label: "root mean square of the residual (nats)" },
          ...{ most: most || 1, root: true },
        },
      },
    ],
    ...{ perRow: 1, squares: false },
    notes,
    emptyNote: "A cell without a colour: no trajectory of the batch runs at this step.",
  });
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly bottom: number;
  readonly top: number;
  readonly colour: string;
}

/** The terms of the residual by step at one iteration, stacked above and below zero, with their sum. */
export function residualTermsChart(data: ResidualChartData, iteration = data.iterations.at(-1)): string {
  const title = `Terms of the balance by step${iteration === undefined ? "" : `, iteration ${formatCount(iteration)}`}`;
  const at = iteration === undefined ? -1 : data.iterations.indexOf(iteration);
  const names = data.terms.map(({ name }) => name);
  const values = data.terms.map(({ mean }) => mean[at] ?? []);
  const steps = Math.max(0, ...values.map(({ length }) => length));
  const bars = values.flatMap((row, term) =>
    row.flatMap((value, t): Bar[] => {
      if (value === null || value === 0) return [];
      // Terms of the same sign stand upon each other, in their order.
      const before = values.slice(0, term).map((other) => other[t] ?? 0);
      const base = before.filter((other) => other > 0 === value > 0).reduce((a, b) => a + b, 0);
      return [
        {
          ...{ from: t + 0.6, to: t + 1.4, bottom: Math.min(base, base + value) },
          ...{ top: Math.max(base, base + value), colour: colourOfTerm(names[term]) },
        },
      ];
    }),
  );
  if (bars.length === 0) return emptyFigure(title, data.notes);
  const byStep = steps === data.steps;
  const residual = data.mean[at] ?? [];
  const sums = byStep ? residual.flatMap((y, t) => (y === null ? [] : [{ x: t + 1, y }])) : [];
  const scales: { x: Scale; y: Scale } = {
    x: {
      ...scaleOf({ label: "step", integerTicks: true }, "linear", [1, Math.max(2, steps)], {
        room: 0,
        count: 10,
      }),
      domain: [0.5, steps + 0.5],
    },
    y: scaleOf(
      { label: "mean of each term", unit: "nats", include: [0] },
      "linear",
      bars.flatMap(({ bottom, top }) => [bottom, top]),
      { room: 0.06, count: 6 },
    ),
  };
  return figure({
    ...{ title, columns: 1, panelHeight: 300 },
    legend: [
      ...names.map(
        (name): LegendEntry => ({
          name: termLabel(name),
          mark: "area",
          colour: colourOfTerm(name),
          dash: "",
        }),
      ),
      ...(byStep ? [{ name: "sum: mean residual", mark: "dot" as const, colour: INK.text, dash: "" }] : []),
    ],
    notes: [
      ...data.notes,
      ...(byStep
        ? ["The balance holds where the terms cancel, so that their sum is 0."]
        : [
            `One residual per trajectory: the terms of all steps sum to the mean residual, ${shortNumber(orNaN(residual[0] ?? null))}.`,
          ]),
    ],
    panels: [
      {
        draw: (rectangle) =>
          drawPlot(
            {
              ...{ ...PANEL_MARGINS, marginLeft: marginLeft(scales.y) },
              x: { domain: scales.x.domain },
              y: { domain: scales.y.domain },
              marks: [
                ...axisMarks(scales, { width: rectangle.width, yTitle: true }),
                rectY(bars, {
                  ...{ x1: "from", x2: "to", y1: "bottom", y2: "top" },
                  ...{
                    fill: (bar: Bar) => bar.colour,
                    fillOpacity: 0.85,
                    stroke: INK.ground,
                    strokeWidth: 0.4,
                  },
                }),
                ruleY([0], { stroke: INK.reference }),
                dot(sums, { x: "x", y: "y", r: 3.5, fill: INK.text, stroke: INK.ground, strokeWidth: 1.2 }),
              ],
            },
            rectangle,
          ),
      },
    ],
  });
}
