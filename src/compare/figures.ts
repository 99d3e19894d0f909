// The figures of a comparison, each as SVG under the name of its file.

import {
  comparison,
  distance,
  dynamicsLoss,
  type Level,
  modesFound,
  type Progress,
  progressAxis,
} from "../report/charts.ts";
import { lineChart } from "../report/line-chart.ts";
import { curveOfSeeds, mean } from "../report/series.ts";
import { type CellData, cellData } from "./cell-data.ts";
import type { FinishedCell } from "./folder.ts";
import type { Grid } from "./grid.ts";
import { DEFAULT_GAMMA, GAMMA_METHOD, partsOf } from "./method-names.ts";
import type { RecordField } from "./record.ts";

export interface Figure {
  /** Without the ending. */
  readonly name: string;
  readonly svg: string;
}

/** Figures in groups, as a page shows them; a group without data is empty. */
export interface Figures {
  readonly modes: readonly Figure[];
  readonly distances: readonly Figure[];
  readonly best: readonly Figure[];
  readonly entropyRatio: readonly Figure[];
  readonly dynamics: readonly Figure[];
}

export interface FigureOptions extends Pick<Grid, "methods" | "sticks"> {
  readonly finished: readonly FinishedCell[];
  /** What the budget counts: what most is drawn against. */
  readonly progress: Budgeted;
}

type Budgeted = Exclude<Progress, "iterations">;

export function figuresOf({ finished, progress, ...grid }: FigureOptions): Figures {
  const data = cellData(grid, finished);
  if (data.sticks.length === 0) {
    return { modes: [], distances: [], best: [], entropyRatio: [], dynamics: [] };
  }
  return {
    modes: modesFigures(data, progress),
    distances: data.sticks.flatMap((stick) => distanceFigures(data, progress, stick)),
    best: [
      {
        name: "best",
        svg: dots(data, "topMean", { title: "Mean score of the best 100 objects", label: "score" }),
      },
      {
        name: "diversity",
        svg: dots(data, "diversity", {
          title: "Diversity of the best 100 objects",
          label: "mean edit distance",
        }),
      },
    ],
    entropyRatio: ratioFigures(data, progress),
    dynamics: data.sticks.flatMap((stick) => dynamicsFigures(data, progress, stick)),
  };
}

function modesFigures(data: CellData, progress: Budgeted): Figure[] {
  const levels = (field: "calls" | "seconds", from: number): Level[] =>
    data.sticks.map((stick) => ({
      stick,
      methods: data.courses(stick, "modesFound", field).map(({ name, runs }) => ({
        name,
        runs: runs.map((run) => run.filter(({ x }) => x >= from)),
      })),
      limit: data.constant(stick, "modes"),
    }));
  const calls = { progress: "oracle calls", order: data.methods } as const;
  if (progress === "oracle calls") {
    return [{ name: "modes-found", svg: modesFound({ ...calls, levels: levels("calls", 0) }) }];
  }
  // In the same time searches ask a hundred times as often as what learns; a logarithm has no place for 0 calls.
  const axis = { label: "oracle calls", scale: "log" } as const;
  const seconds = { progress, order: data.methods };
  return [
    { name: "modes-found", svg: modesFound({ ...calls, levels: levels("calls", 1) }, axis) },
    { name: "modes-found_seconds", svg: modesFound({ ...seconds, levels: levels("seconds", 0) }) },
  ];
}

const REFERENCES = {
  tv: { limit: "limitTv", uniform: "uniformTv" },
  kl: { limit: "limitKl", uniform: "uniformKl" },
} as const;

function distanceFigures(data: CellData, progress: Budgeted, stick: number): Figure[] {
  return (["tv", "kl"] as const).flatMap((measure): Figure[] => {
    const methods = data.courses(stick, measure, fieldOf(progress));
    if (methods.length === 0) return [];
    const { limit, uniform } = REFERENCES[measure];
    const level: Level = {
      ...{ stick, methods },
      limit: data.constant(stick, limit),
      uniform: data.constant(stick, uniform),
    };
    const svg = distance(measure, { progress, levels: [level], order: data.methods });
    return [{ name: `${measure}_stick=${stick}`, svg }];
  });
}

/** A number at the end, for each method and seed. */
function dots(
  data: CellData,
  field: RecordField,
  { title, label }: { readonly title: string; readonly label: string },
): string {
  return comparison({
    title,
    value: { label },
    order: data.methods,
    levels: data.sticks.map((stick) => ({
      stick,
      methods: data.methods.map((name) => ({ name, values: data.last(stick, name, field) })),
    })),
  });
}

/** One line for each γ, levels of noise side by side. */
function ratioFigures(data: CellData, progress: Budgeted): Figure[] {
  const panels = data.sticks.map((stick) => ({
    title: `stick ${stick}`,
    curves: data
      .courses(stick, "entropyRatio", fieldOf(progress))
      .map(({ name, runs }) => curveOfSeeds({ name: gammaName(name), runs })),
  }));
  if (panels.every(({ curves }) => curves.length === 0)) return [];
  const svg = lineChart({
    title: "Entropy ratio over training",
    x: progressAxis(progress),
    y: { label: "entropy ratio r", include: [1] },
    panels,
  });
  return [{ name: "entropy-ratio", svg }];
}

function dynamicsFigures(data: CellData, progress: Budgeted, stick: number): Figure[] {
  const methods = data.courses(stick, "dynamicsLoss", fieldOf(progress));
  if (methods.length === 0) return [];
  // The same for all where noise is the same everywhere, else about the same.
  const floors = methods.flatMap(({ name }) => data.last(stick, name, "dynamicsFloor"));
  const level: Level = { stick, methods, limit: mean(floors) };
  const svg = dynamicsLoss({ progress, levels: [level], order: data.methods });
  return [{ name: `dynamics-loss_stick=${stick}`, svg }];
}

function gammaName(method: string): string {
  const { name, gamma } = partsOf(method);
  return name === GAMMA_METHOD ? `γ = ${gamma ?? DEFAULT_GAMMA}` : method;
}

function fieldOf(progress: Budgeted): "calls" | "seconds" {
  return progress === "seconds" ? "seconds" : "calls";
}
