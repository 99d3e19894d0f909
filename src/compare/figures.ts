// The figures of a comparison as SVG, each with its file name.

import { mean } from "../math/statistics.ts";
import {
  comparisonChart,
  distanceChart,
  dynamicsLossChart,
  modesFoundChart,
  type NoiseLevel,
  type ProgressUnit,
  progressAxis,
} from "../report/charts.ts";
import { lineChart } from "../report/line-chart.ts";
import { meanCurve } from "../report/series.ts";
import type { FinishedExperiment } from "./comparison-folder.ts";
import { type ExperimentData, experimentData } from "./experiment-data.ts";
import { type ExperimentGrid, stickText } from "./experiment-grid.ts";
import type { RecordField } from "./experiment-record.ts";
import { DEFAULT_GAMMA, GAMMA_METHOD } from "./method-names.ts";
import { parseMethod } from "./method-text.ts";

export interface Figure {
  /** File name without its extension. */
  readonly name: string;
  readonly svg: string;
}

/** Figures by section of the page; a section without data is empty. */
export interface Figures {
  readonly modes: readonly Figure[];
  readonly distances: readonly Figure[];
  readonly best: readonly Figure[];
  readonly entropyRatio: readonly Figure[];
  readonly dynamics: readonly Figure[];
}

export interface FigureOptions extends Pick<ExperimentGrid, "methods" | "sticks"> {
  readonly finished: readonly FinishedExperiment[];
  /** Unit of the budget, which most figures have on the x axis. */
  readonly progressUnit: BudgetUnit;
}

type BudgetUnit = Exclude<ProgressUnit, "iterations">;

export function figuresOf({ finished, progressUnit, ...grid }: FigureOptions): Figures {
  const data = experimentData(grid, finished);
  if (data.sticks.length === 0) {
    return { modes: [], distances: [], best: [], entropyRatio: [], dynamics: [] };
  }
  return {
    modes: modesFigures(data, progressUnit),
    distances: data.sticks.flatMap((stick) => distanceFigures(data, progressUnit, stick)),
    best: [
      {
        name: "best",
        svg: finalValuesChart(data, "topMean", {
          title: "Mean score of the best 100 objects",
          label: "score",
        }),
      },
      {
        name: "diversity",
        svg: finalValuesChart(data, "diversity", {
          title: "Diversity of the best 100 objects",
          label: "mean edit distance",
        }),
      },
    ],
    entropyRatio: entropyRatioFigures(data, progressUnit),
    dynamics: data.sticks.flatMap((stick) => dynamicsFigures(data, progressUnit, stick)),
  };
}

function modesFigures(data: ExperimentData, progressUnit: BudgetUnit): Figure[] {
  const levels = (field: "calls" | "seconds", from: number): NoiseLevel[] =>
    data.sticks.map((stick) => ({
      stick,
      methods: data.curves(stick, "modesFound", field).map(({ name, runs }) => ({
        name,
        runs: runs.map((run) => run.filter(({ x }) => x >= from)),
      })),
      limit: data.constant(stick, "modes"),
    }));
  const calls = { progressUnit: "oracle calls", order: data.methods } as const;
  if (progressUnit === "oracle calls") {
    return [{ name: "modes-found", svg: modesFoundChart({ ...calls, levels: levels("calls", 0) }) }];
  }
  // The axis of calls is logarithmic and starts at 1: in the same time, a search makes a hundred times as many calls as
  // a learned method.
  const axis = { label: "oracle calls", scale: "log" } as const;
  const seconds = { progressUnit, order: data.methods };
  return [
    { name: "modes-found", svg: modesFoundChart({ ...calls, levels: levels("calls", 1) }, axis) },
    { name: "modes-found_seconds", svg: modesFoundChart({ ...seconds, levels: levels("seconds", 0) }) },
  ];
}

const REFERENCES = {
  tv: { limit: "limitTv", uniform: "uniformTv" },
  kl: { limit: "limitKl", uniform: "uniformKl" },
} as const;

function distanceFigures(data: ExperimentData, progressUnit: BudgetUnit, stick: number | null): Figure[] {
  return (["tv", "kl"] as const).flatMap((measure): Figure[] => {
    const methods = data.curves(stick, measure, fieldOf(progressUnit));
    if (methods.length === 0) return [];
    const { limit, uniform } = REFERENCES[measure];
    const level: NoiseLevel = {
      ...{ stick, methods },
      limit: data.constant(stick, limit),
      uniform: data.constant(stick, uniform),
    };
    const svg = distanceChart(measure, { progressUnit, levels: [level], order: data.methods });
    return [{ name: fileName(measure, stick), svg }];
  });
}

/** Dot chart of the last value of a field, for each method and seed. */
function finalValuesChart(
  data: ExperimentData,
  field: RecordField,
  { title, label }: { readonly title: string; readonly label: string },
): string {
  return comparisonChart({
    title,
    value: { label },
    order: data.methods,
    levels: data.sticks.map((stick) => ({
      stick,
      methods: data.methods.map((name) => ({ name, values: data.finalValues(stick, name, field) })),
    })),
  });
}

/** One curve per γ, one panel per noise level. */
function entropyRatioFigures(data: ExperimentData, progressUnit: BudgetUnit): Figure[] {
  const panels = data.sticks.map((stick) => ({
    title: stickText(stick),
    curves: data
      .curves(stick, "entropyRatio", fieldOf(progressUnit))
      .map(({ name, runs }) => meanCurve({ name: gammaName(name), runs })),
  }));
  if (panels.every(({ curves }) => curves.length === 0)) return [];
  const svg = lineChart({
    title: "Entropy ratio over training",
    x: progressAxis(progressUnit),
    y: { label: "entropy ratio r", include: [1] },
    panels,
  });
  return [{ name: "entropy-ratio", svg }];
}

function dynamicsFigures(data: ExperimentData, progressUnit: BudgetUnit, stick: number | null): Figure[] {
  const methods = data.curves(stick, "dynamicsLoss", fieldOf(progressUnit));
  if (methods.length === 0) return [];
  // The floor is the same for all methods if the noise is the same in all states; otherwise it is nearly the same.
  const floors = methods.flatMap(({ name }) => data.finalValues(stick, name, "dynamicsFloor"));
  const level: NoiseLevel = { stick, methods, limit: mean(floors) };
  const svg = dynamicsLossChart({ progressUnit, levels: [level], order: data.methods });
  return [{ name: fileName("dynamics-loss", stick), svg }];
}

function gammaName(method: string): string {
  const { name, settings } = parseMethod(method);
  const { entropyGamma: gamma = DEFAULT_GAMMA, ...others } = settings;
  const isGamma = name === GAMMA_METHOD && typeof gamma === "number" && Object.keys(others).length === 0;
  return isGamma ? `γ = ${gamma}` : method;
}

function fieldOf(progressUnit: BudgetUnit): "calls" | "seconds" {
  return progressUnit === "seconds" ? "seconds" : "calls";
}

function fileName(measure: string, stick: number | null): string {
  return stick === null ? measure : `${measure}_stick=${stick}`;
}
