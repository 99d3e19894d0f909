// Axes as marks of Plot, with numbers and titles of our own: the same on every machine.

import { axisX, axisY, frame, gridX, gridY, type Markish } from "@observablehq/plot";
import type { Scale, Tick } from "./axis.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";

/** Room around a panel. At the top stands the title of y, at the bottom the numbers and the title of x. */
export const PANEL = { marginTop: 24, marginRight: 14, marginBottom: 40 } as const;

/** Room for the numbers of y. */
export function marginLeft({ ticks }: Scale): number {
  return 14 + Math.max(14, ...ticks.map(({ text }) => textWidth(text, FONT_SIZE.note)));
}

/** Grid, frame, numbers and titles, none wider than the panel; `rows` for y that has names, and a grid along x. */
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
    /** Room at the left of the frame, where the title of y begins. */
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

/** Given as `text`: of what `tickFormat` gives, Plot leaves out some on a logarithmic axis. */
function textOf(ticks: readonly Tick[]) {
  const texts = new Map(ticks.map(({ value, text }) => [value, text]));
  return (value: number) => texts.get(value) ?? "";
}
