// Predicted against measured scores: each prediction with its interval, and whether the score lies inside.

import { dot, line, link } from "@observablehq/plot";
import { isPlottable, scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import { omittedCountNotes } from "./plottable.ts";
import { INK, styleOf } from "./theme.ts";

/** A prediction that was made before its score was known. */
export interface ScoredInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly score: number;
}

/** Whether the interval holds the score. */
export function isHeld({ low, high, score }: ScoredInterval): boolean {
  return score >= low && score <= high;
}

/** The chart as SVG. Predictions that are not finite are omitted; a note counts them. */
export function intervalChart({
  title,
  predictions,
  scoreName = "score",
  notes = [],
}: {
  readonly title: string;
  readonly predictions: readonly ScoredInterval[];
  readonly scoreName?: string;
  readonly notes?: readonly string[];
}): string {
  const [inside, outside] = [styleOf(0), styleOf(1)];
  const plotted = predictions
    .filter(({ mean, low, high, score }) =>
      [mean, low, high, score].every((value) => isPlottable(value, "linear")),
    )
    .map((each) => ({ ...each, colour: (isHeld(each) ? inside : outside).colour }));
  const omitted = omittedCountNotes(
    predictions.length - plotted.length,
    predictions.length,
    "predictions",
    "linear",
  );
  if (plotted.length === 0) return emptyFigure(title, [...notes, ...omitted]);
  const means = plotted.map(({ mean }) => mean);
  const heights = plotted.flatMap(({ low, high, score }) => [low, high, score]);
  const scales = {
    x: scaleOf({ label: `predicted ${scoreName}` }, "linear", means, { room: 0.06, count: 8 }),
    y: scaleOf({ label: `measured ${scoreName}` }, "linear", heights, { room: 0.06, count: 6 }),
  };
  const from = Math.max(scales.x.domain[0], scales.y.domain[0]);
  const to = Math.min(scales.x.domain[1], scales.y.domain[1]);
  const diagonal = from < to ? [from, to].map((each) => ({ x: each, y: each })) : [];
  return figure({
    ...{ title, notes: [...notes, ...omitted], columns: 1, panelHeight: 340 },
    legend: [
      { name: "score inside the interval", mark: "dot", ...inside },
      { name: "score outside", mark: "dot", ...outside },
      { name: "80 % interval", mark: "line", colour: INK.past, dash: "" },
      { name: "predicted = measured", mark: "line", colour: INK.reference, dash: "5 3" },
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
                link(plotted, {
                  ...{ x1: "mean", x2: "mean", y1: "low", y2: "high" },
                  ...{ stroke: INK.past, strokeOpacity: 0.45 },
                }),
                line(diagonal, { x: "x", y: "y", stroke: INK.reference, strokeDasharray: "5 3" }),
                dot(plotted, {
                  ...{ x: "mean", y: "score", r: 3, fillOpacity: 0.75 },
                  fill: (each: { readonly colour: string }) => each.colour,
                }),
              ],
            },
            rectangle,
          ),
      },
    ],
  });
}
