// Plot marks for axes: grid, frame, tick labels and titles. Tick labels are computed here, so that they are the same on every machine.

import { axisX, axisY, frame, gridX, gridY, type Markish } from "@observablehq/plot";
import type { Scale, Tick } from "./axis.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";

/** Margins of a panel, in pixels: the title of y is at the top, the tick labels and the title of x at the bottom. */
export const PANEL_MARGINS = { marginTop: 24, marginRight: 14, marginBottom: 40 } as const;

/** Left margin that fits the tick labels of y, in pixels. */
export function marginLeft({ ticks }: Scale): number {
  return 14 + Math.max(14, ...ticks.map(({ text }) => textWidth(text, FONT_SIZE.note)));
}

/**
 * Grid, frame, tick labels and titles; titles are shortened to fit the panel. With `rows`, y has one named row per
 * item, and x has grid lines.
 */
export function axisMarks(
  { x, y }: { readonly x: Scale; readonly y: Scale },
  {
    width,
    yTitle,
    rows = false,
    left = marginLeft(y),
  }: {
    readonly width: number;
    readonly yTitle: boolean;
    readonly rows?: boolean;
    /** Left margin in pixels; the title of y starts at its left end. */
    readonly left?: number;
  },
): Markish[] {
  const grid = { stroke: INK.grid, strokeOpacity: 1 };
  const common = { labelArrow: "none", tickPadding: 3, color: INK.text } as const;
  return [
    gridY(valuesOf(y), grid),
    ...(rows ? [gridX(valuesOf(x), grid)] : []),
    frame({ stroke: INK.frame }),
    axisX(valuesOf(x), {
      ...{ ...common, tickSize: 4, text: textOf(x.ticks) },
      ...{ label: fitText(x.title, FONT_SIZE.note, width), labelAnchor: "center", labelOffset: 34 },
    }),
    axisY(valuesOf(y), {
      ...{ ...common, tickSize: rows ? 0 : 4, text: textOf(y.ticks) },
      ...{
        label: yTitle ? fitText(y.title, FONT_SIZE.note, width) : null,
        labelAnchor: "top",
        labelOffset: left - 2,
      },
    }),
  ];
}

function valuesOf({ ticks }: Scale): number[] {
  return ticks.map(({ value }) => value);
}

/** Passed to Plot as `text`, because Plot omits some `tickFormat` labels on a logarithmic axis. */
function textOf(ticks: readonly Tick[]) {
  const texts = new Map(ticks.map(({ value, text }) => [value, text]));
  return (value: number) => texts.get(value) ?? "";
}
