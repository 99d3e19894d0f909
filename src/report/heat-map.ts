// Heat maps: numbers of rows and columns as colours, in one or more panels with common axes. Where cells have room, they
// also show their numbers.

import { scaleOf } from "./axis.ts";
import { type ColourScale, colourOf } from "./colour-bar.ts";
import { textColourOn } from "./colour-scale.ts";
import { emptyFigure, figure, panelWidth } from "./figure.ts";
import type { Rectangle } from "./rectangle.ts";
import { round, textAt } from "./svg-text.ts";
import { formatCount } from "./text-format.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";

/** What the rows or columns are, with a name or a number for each. Of many, some are shown: round numbers. */
export type HeatAxis = { readonly label: string } & (
  | { readonly names: readonly string[] }
  | { readonly numbers: readonly number[] }
);

export interface HeatPanel {
  readonly title?: string;
  /** [row][column], the first row at the top; null if there is no number. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly colours: ColourScale;
}

export interface HeatMap {
  readonly title: string;
  readonly rows: HeatAxis;
  readonly columns: HeatAxis;
  readonly panels: readonly HeatPanel[];
  /** Panels in a row. */
  readonly perRow: number;
  /** Whether cells are squares; otherwise they fill the panel. Default: true. */
  readonly squares?: boolean;
  /** Whether cells show their numbers if these fit. Default: false. */
  readonly numbers?: boolean;
  readonly notes?: readonly string[];
  /** Why some cells have no number. Default: that they have none. */
  readonly emptyNote?: string;
}

/** Sizes in pixels. */
const [MOST_CELL, LEAST_HEIGHT, MOST_HEIGHT, FILLED_HEIGHT] = [54, 18, 520, 260];
const [TOP, RIGHT, BOTTOM] = [18, 8, 36];
/** Width of a row's name at most. */
const MOST_NAME = 90;

/** The figure as SVG. */
export function heatMap(map: HeatMap): string {
  const {
    title,
    panels,
    squares = true,
    notes = [],
    emptyNote = "A cell without a colour has no number.",
  } = map;
  const rows = { label: map.rows.label, names: namesOf(map.rows) };
  const columns = { label: map.columns.label, names: namesOf(map.columns) };
  const numbers = panels.flatMap(({ values }) => values.flat());
  if (rows.names.length === 0 || columns.names.length === 0 || !numbers.some((value) => value !== null)) {
    return emptyFigure(title, notes);
  }
  const perRow = Math.min(map.perRow, panels.length);
  const names = rows.names.map((name) => fitText(name, FONT_SIZE.note, MOST_NAME));
  const left = 10 + Math.max(14, ...names.map((name) => textWidth(name, FONT_SIZE.note)));
  const room = panelWidth(perRow) - left - RIGHT;
  const cell = Math.min(MOST_CELL, room / columns.names.length, MOST_HEIGHT / rows.names.length);
  const height = squares ? Math.max(LEAST_HEIGHT, cell * rows.names.length) : FILLED_HEIGHT;
  const size = squares
    ? { width: cell, height: cell }
    : { width: room / columns.names.length, height: height / rows.names.length };
  const layout = { left, names, size, rows: map.rows, columns: map.columns, numbers: map.numbers === true };
  return figure({
    ...{ title, legend: [], columns: perRow, panelHeight: TOP + height + BOTTOM },
    bars: [...new Map(panels.map(({ colours }) => [JSON.stringify(colours), colours])).values()],
    notes: [...notes, ...(numbers.some((value) => value === null) ? [emptyNote] : [])],
    panels: panels.map((panel) => ({
      title: panel.title,
      draw: (rectangle) => drawPanel(panel, layout, rectangle),
    })),
  });
}

interface Layout {
  readonly left: number;
  readonly names: readonly string[];
  readonly size: { readonly width: number; readonly height: number };
  readonly rows: HeatAxis;
  readonly columns: HeatAxis;
  readonly numbers: boolean;
}

function drawPanel({ values, colours }: HeatPanel, layout: Layout, rectangle: Rectangle): string {
  const { left, names, size, rows, columns } = layout;
  const [x, y] = [rectangle.x + left, rectangle.y + TOP];
  const columnNames = namesOf(columns);
  const [width, height] = [size.width * columnNames.length, size.height * names.length];
  const cells = values.flatMap((row, i) =>
    row.flatMap((value, j) =>
      value === null ? [] : [{ x: x + j * size.width, y: y + i * size.height, value }],
    ),
  );
  const texts = layout.numbers ? cells.map(({ value }) => cellText(value)) : [];
  const fitting = NUMBER_SIZES.find(
    (font) => size.height >= font + 5 && texts.every((text) => textWidth(text, font) <= size.width - 2),
  );
  const numbers =
    fitting === undefined || texts.length === 0
      ? []
      : cells.map((cell, i) =>
          textAt(cell.x + size.width / 2, cell.y + size.height / 2 + 4, texts[i], {
            ...{ anchor: "middle", size: fitting, colour: textColourOn(colourOf(colours, cell.value)) },
          }),
        );
  const rowTicks = shownTicks(rows, size.height, () => FONT_SIZE.note + 2).map(({ at, text }) =>
    textAt(x - 5, y + (at + 0.5) * size.height + 4, fitText(text, FONT_SIZE.note, MOST_NAME), {
      anchor: "end",
    }),
  );
  const widthOf = (name: string) => textWidth(name, FONT_SIZE.note) + 6;
  const columnTicks = shownTicks(columns, size.width, widthOf).map(({ at, text }) =>
    textAt(x + (at + 0.5) * size.width, y + height + 14, text, { anchor: "middle" }),
  );
  const across = fitText(columns.label, FONT_SIZE.note, rectangle.width - left);
  const middle = Math.max(x + width / 2, x + textWidth(across, FONT_SIZE.note) / 2);
  return [
    `<g shape-rendering="crispEdges" transform="translate(${round(x)},${round(y)}) scale(${round(size.width)},${round(size.height)})">${pathsOf(values, colours)}</g>`,
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="none" stroke="${INK.frame}"/>`,
    ...numbers,
    ...rowTicks,
    ...columnTicks,
    textAt(rectangle.x, y - 6, fitText(rows.label, FONT_SIZE.note, rectangle.width), { colour: INK.faint }),
    textAt(middle, y + height + 30, across, { anchor: "middle", colour: INK.faint }),
  ].join("");
}

/** Font sizes of numbers in cells, the first that fits. */
const NUMBER_SIZES = [11, 10, 9];

/** One path for all cells of a colour, in units of cells, where neighbours in a row are one rectangle: large maps stay small. */
function pathsOf(values: HeatPanel["values"], colours: ColourScale): string {
  const byColour = new Map<string, string[]>();
  for (const [i, row] of values.entries()) {
    const fills = row.map((value) => (value === null ? null : colourOf(colours, value)));
    for (let j = 0, end = 0; j < fills.length; j = end) {
      const fill = fills[j];
      end = j + 1;
      while (end < fills.length && fills[end] === fill) end++;
      if (fill === null) continue;
      const paths = byColour.get(fill) ?? [];
      byColour.set(fill, paths);
      paths.push(`M${j},${i}h${end - j}v1h${j - end}z`);
    }
  }
  return [...byColour].map(([fill, paths]) => `<path fill="${fill}" d="${paths.join("")}"/>`).join("");
}

function namesOf(axis: HeatAxis): readonly string[] {
  return "names" in axis ? axis.names : axis.numbers.map(formatCount);
}

/** The names that fit beside each other, with their indices: all of them, round numbers, those that leave room, or every
 * second, fifth, tenth … `extentOf` is the room that a name takes. */
function shownTicks(
  axis: HeatAxis,
  size: number,
  extentOf: (name: string) => number,
): { readonly at: number; readonly text: string }[] {
  const names = namesOf(axis);
  const needed = Math.max(...names.map(extentOf));
  if (size >= needed || names.length === 1) return names.map((text, at) => ({ at, text }));
  if ("names" in axis) {
    // A few long names, such as that of the start, do not hide all others.
    const short = [...names].map(extentOf).sort((a, b) => a - b)[Math.floor(0.8 * (names.length - 1))];
    if (size >= short) return namesWithRoom(names, size, extentOf);
    const stride = [2, 5, 10, 20, 50, 100, 200, 500].find((each) => each * size >= needed) ?? names.length;
    return names.flatMap((text, at) => (at % stride === 0 ? [{ at, text }] : []));
  }
  const ends = [axis.numbers[0], axis.numbers[names.length - 1]].sort((a, b) => a - b);
  const count = Math.max(1, Math.min(10, Math.floor((size * names.length) / (1.5 * needed))));
  const scale = scaleOf({ label: "", include: ends, integerTicks: true }, "linear", ends, { room: 0, count });
  return scale.ticks.map(({ value, text }) => ({ at: nearest(axis.numbers, value), text }));
}

/** From left to right, each name that does not reach into the one before it. */
function namesWithRoom(names: readonly string[], size: number, extentOf: (name: string) => number) {
  let end = Number.NEGATIVE_INFINITY;
  return names.flatMap((text, at) => {
    const [middle, half] = [(at + 0.5) * size, extentOf(text) / 2];
    if (middle - half < end) return [];
    end = middle + half;
    return [{ at, text }];
  });
}

/** Index of the number that is nearest to a value. */
function nearest(numbers: readonly number[], value: number): number {
  return numbers.reduce(
    (best, each, i) => (Math.abs(each - value) < Math.abs(numbers[best] - value) ? i : best),
    0,
  );
}

/** Two digits, or one of a small number: "0.25", "−0.031", "4e−5", "0". */
function cellText(value: number): string {
  const size = Math.abs(value);
  if (size < 1e-9) return "0";
  const digits = Math.max(0, 1 - Math.floor(Math.log10(size)));
  const text =
    size < 1e-3 ? size.toExponential(0).replace("-", "−") : String(Number(size.toFixed(Math.min(digits, 3))));
  return value < 0 ? `−${text}` : text;
}
