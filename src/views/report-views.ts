// The views of a report: each view of an entry once, and those that a reader would choose from with other options.

import type { ViewData, ViewName, ViewOptions } from "./view-data.ts";

/** Computes a view of a folder. */
export type ComputeView = (folder: string, view: ViewName, options: ViewOptions) => Promise<ViewData>;

/** Levels of the flow, which a reader can descend. */
const LEVELS = 3;
/** Pairs of axes of a grid, and series of forecasts. */
const [MOST_PAIRS, MOST_SERIES] = [6, 12];

/** The data of a view for a report: as the dashboard opens it first, then with other options. */
export async function reportViews(folder: string, view: ViewName, compute: ComputeView): Promise<ViewData[]> {
  const first = await compute(folder, view, view === "flow" ? { levels: LEVELS } : {});
  const others: ViewData[] = [];
  for (const options of otherOptions(first)) others.push(await compute(folder, view, options));
  return [first, ...others];
}

function otherOptions(data: ViewData): ViewOptions[] {
  if (data.view === "grid") {
    const axes = Array.from({ length: data.dimensions }, (_, axis) => axis);
    const pairs = axes.flatMap((a) => axes.filter((b) => b > a).map((b): [number, number] => [a, b]));
    return pairs
      .filter((pair) => pair.join() !== data.axes.join())
      .slice(0, MOST_PAIRS - 1)
      .map((pair) => ({ axes: pair }));
  }
  if (data.view === "forecast" || data.view === "scenario") {
    const others = data.series.filter((name) => name !== data.chosen);
    return others.slice(0, MOST_SERIES - 1).map((series) => ({ series }));
  }
  return [];
}
