// The figures of a comparison, each as SVG under the name of its file.

import {
  comparison,
  distance,
  dynamicsLoss,
  type Level,
  modesFound,
  type Progress,
} from "../report/charts.ts";
import { lineChart } from "../report/line-chart.ts";
import { curveOfSeeds, mean, type Point, type Seeds } from "../report/series.ts";
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
  /** What distances are drawn against. */
  readonly progress: Exclude<Progress, "iterations">;
}

export function figuresOf({ methods, sticks, finished, progress }: FigureOptions): Figures {
  const order = methods;
  const x = progress === "seconds" ? "seconds" : "calls";

  /** The courses of a number, for the methods that have it. */
  function courses(stick: number, y: RecordField, against: RecordField): Seeds[] {
    return methods.flatMap((name): Seeds[] => {
      const runs = cellsAt(stick, name).map(({ records }) => course({ records }, against, y));
      const some = runs.filter((run) => run.length > 0);
      return some.length > 0 ? [{ name, runs: some }] : [];
    });
  }

  function cellsAt(stick: number, method: string): FinishedCell[] {
    return finished.filter((cell) => cell.stick === stick && cell.method === method);
  }

  function lastOf(stick: number, method: string, field: RecordField): number[] {
    return cellsAt(stick, method).flatMap(({ records }) => records.at(-1)?.[field] ?? []);
  }

  /** A number that is the same in all cells of a level. */
  function constant(stick: number, field: RecordField): number | undefined {
    return methods.flatMap((method) => lastOf(stick, method, field))[0];
  }

  const shown = sticks.filter((stick) => finished.some((cell) => cell.stick === stick));
  const distances = shown.flatMap((stick) =>
    (["tv", "kl"] as const).flatMap((measure): Figure[] => {
      const found = courses(stick, measure, x);
      if (found.length === 0) return [];
      const names = { tv: ["limitTv", "uniformTv"], kl: ["limitKl", "uniformKl"] } as const;
      const [limit, uniform] = names[measure].map((field) => constant(stick, field));
      const level: Level = { stick, methods: found, limit, uniform };
      return [
        { name: `${measure}_stick=${stick}`, svg: distance(measure, { progress, levels: [level], order }) },
      ];
    }),
  );

  function modesFigures(): Figure[] {
    const against = (field: "calls" | "seconds", from: number): Level[] =>
      shown.map((stick) => ({
        stick,
        methods: courses(stick, "modesFound", field).map(({ name, runs }) => ({
          name,
          runs: runs.map((run) => run.filter(({ x: at }) => at >= from)),
        })),
        limit: constant(stick, "modes"),
      }));
    const byCalls = { progress: "oracle calls", order } as const;
    if (progress === "oracle calls") {
      return [{ name: "modes-found", svg: modesFound({ ...byCalls, levels: against("calls", 0) }) }];
    }
    // In the same time searches ask a hundred times as often as what learns; a logarithm has no place for 0 calls.
    const axis = { label: "oracle calls", scale: "log" } as const;
    return [
      { name: "modes-found", svg: modesFound({ ...byCalls, levels: against("calls", 1) }, axis) },
      { name: "modes-found_seconds", svg: modesFound({ progress, order, levels: against("seconds", 0) }) },
    ];
  }

  const dots = (field: RecordField, title: string, label: string): string =>
    comparison({
      title,
      value: { label },
      order,
      levels: shown.map((stick) => ({
        stick,
        methods: methods.map((name) => ({ name, values: lastOf(stick, name, field) })),
      })),
    });

  const ratios = shown.map((stick) => ({ stick, found: courses(stick, "entropyRatio", x) }));
  const losses = shown.map((stick) => ({ stick, found: courses(stick, "dynamicsLoss", x) }));
  return {
    modes: shown.length === 0 ? [] : modesFigures(),
    distances,
    best:
      shown.length === 0
        ? []
        : [
            { name: "best", svg: dots("topMean", "Mean score of the best 100 objects", "score") },
            {
              name: "diversity",
              svg: dots("diversity", "Diversity of the best 100 objects", "mean edit distance"),
            },
          ],
    entropyRatio: ratios.every(({ found }) => found.length === 0)
      ? []
      : [{ name: "entropy-ratio", svg: ratioFigure(ratios, progress) }],
    dynamics: losses.every(({ found }) => found.length === 0)
      ? []
      : losses.map(({ stick, found }) => {
          const floors = found.flatMap(({ name }) => lastOf(stick, name, "dynamicsFloor"));
          const level: Level = { stick, methods: found, limit: mean(floors) };
          return {
            name: `dynamics-loss_stick=${stick}`,
            svg: dynamicsLoss({ progress, levels: [level], order }),
          };
        }),
  };
}

/** One line for each γ, levels of noise side by side. */
function ratioFigure(
  levels: readonly { readonly stick: number; readonly found: readonly Seeds[] }[],
  progress: FigureOptions["progress"],
): string {
  return lineChart({
    title: "Entropy ratio over training",
    x:
      progress === "seconds" ? { label: "time", unit: "s", include: [0] } : { label: progress, include: [0] },
    y: { label: "entropy ratio r", include: [1] },
    panels: levels.map(({ stick, found }) => ({
      title: `stick ${stick}`,
      curves: found.map(({ name, runs }) => curveOfSeeds({ name: gammaName(name), runs })),
    })),
  });
}

function gammaName(method: string): string {
  const { name, gamma } = partsOf(method);
  return name === GAMMA_METHOD ? `γ = ${gamma ?? DEFAULT_GAMMA}` : method;
}

/** A number of a cell's records over another, where it has one. */
function course({ records }: Pick<FinishedCell, "records">, x: RecordField, y: RecordField): Point[] {
  return records.flatMap((record) => {
    const [across, up] = [record[x], record[y]];
    return across === null || up === null ? [] : [{ x: across, y: up }];
  });
}
