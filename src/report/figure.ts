// Layout of a figure as SVG: title, legend, panels in rows, and notes below. The charts draw the panels.

import { BAR_HEIGHT, type ColourScale, colourBarAt } from "./colour-bar.ts";
import { escapeText } from "./escape.ts";
import type { Rectangle } from "./rectangle.ts";
import { round, textAt } from "./svg-text.ts";
import { BOLD, FONT, FONT_SIZE, fitText, INK, type Style, textWidth, WIDTH, wrapText } from "./theme.ts";

export interface LegendEntry extends Style {
  readonly name: string;
  readonly mark: "line" | "dot" | "area";
  /** Opacity of an area. Default: 1. */
  readonly opacity?: number;
}

export interface FigureContents {
  readonly title: string;
  readonly legend: readonly LegendEntry[];
  /** Colours of numbers, below the legend. Default: none. */
  readonly bars?: readonly ColourScale[];
  /** Sentences below the panels. */
  readonly notes: readonly string[];
  readonly panels: readonly FigurePanel[];
  readonly panelHeight: number;
  /** Maximum number of panels in a row. */
  readonly columns: number;
  /** Extra width of the first panel of each row, at its left, in pixels. Default: 0. */
  readonly rowMargin?: number;
}

export interface FigurePanel {
  readonly title?: string;
  /** The panel as an SVG element inside `rectangle`; `first` is true for the first panel of a row. */
  draw(rectangle: Rectangle, first: boolean): string;
}

const MARGIN = 14;
const GAP = 12;
const LINE = 17;
const SWATCH = 20;

/** Width of a panel in a figure with this many panels in a row, in pixels. */
export function panelWidth(perRow: number): number {
  return (WIDTH - 2 * MARGIN - (perRow - 1) * GAP) / perRow;
}

/** The figure as the text of an SVG file, which can also be embedded in an HTML page. */
export function figure(contents: FigureContents): string {
  const { title, notes, panels, panelHeight, columns, rowMargin = 0, bars = [] } = contents;
  const inner = WIDTH - 2 * MARGIN;
  const parts: string[] = [];
  let y = MARGIN;
  for (const line of wrapText(title, FONT_SIZE.title * BOLD, inner)) {
    y += FONT_SIZE.title;
    parts.push(textAt(MARGIN, y, line, { size: FONT_SIZE.title, bold: true }));
    y += 4;
  }
  const legend = legendAt(contents.legend, y + 2, inner);
  parts.push(legend.svg);
  y = legend.end + 6;
  const barWidth = inner / Math.max(1, bars.length);
  bars.forEach((bar, i) => {
    parts.push(colourBarAt(bar, MARGIN + i * barWidth, y, barWidth));
  });
  if (bars.length > 0) y += BAR_HEIGHT;

  const perRow = Math.max(1, Math.min(columns, panels.length));
  const width = (inner - rowMargin - (perRow - 1) * GAP) / perRow;
  const titled = panels.some((panel) => panel.title);
  for (let i = 0; i < panels.length; i += perRow) {
    if (titled) y += LINE;
    panels.slice(i, i + perRow).forEach((panel, column) => {
      const x = MARGIN + rowMargin + column * (width + GAP);
      if (panel.title) {
        const text = fitText(panel.title, FONT_SIZE.text * BOLD, width);
        parts.push(textAt(x + 2, y - 3, text, { size: FONT_SIZE.text, bold: true }));
      }
      const first = column === 0;
      const rectangle = {
        y,
        height: panelHeight,
        x: first ? x - rowMargin : x,
        width: first ? width + rowMargin : width,
      };
      parts.push(panel.draw(rectangle, first));
    });
    y += panelHeight + (i + perRow < panels.length ? GAP : 0);
  }

  for (const line of notes.flatMap((note) => wrapText(note, FONT_SIZE.note, inner))) {
    y += 15;
    parts.push(textAt(MARGIN, y, line, { colour: INK.faint }));
  }
  return svg(title, y + MARGIN, parts.join(""));
}

/** A figure with the text "no data" and the notes that explain it. */
export function emptyFigure(title: string, notes: readonly string[]): string {
  const height = 72;
  return figure({
    ...{ title, notes, legend: [], columns: 1, panelHeight: height },
    panels: [
      {
        draw: ({ x, y, width }) =>
          `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="${INK.frame}" stroke-dasharray="4 4"/>${textAt(x + width / 2, y + height / 2 + 4, "no data", { size: FONT_SIZE.text, colour: INK.faint, anchor: "middle" })}`,
      },
    ],
  });
}

/** The legend: names beside a sample of their line or area, wrapped to several rows. */
function legendAt(
  entries: readonly LegendEntry[],
  top: number,
  width: number,
): { readonly svg: string; readonly end: number } {
  if (entries.length === 0) return { svg: "", end: top };
  let [x, y] = [MARGIN, top];
  const parts = entries.map((entry) => {
    const { name } = entry;
    const text = fitText(name, FONT_SIZE.text, width - SWATCH - 6);
    const needed = SWATCH + 6 + textWidth(text, FONT_SIZE.text) + 14;
    if (x > MARGIN && x + needed - 14 > MARGIN + width) [x, y] = [MARGIN, y + LINE];
    const [left, middle] = [round(x), y + 9];
    x += needed;
    return (
      swatchAt(entry, left, middle) + textAt(left + SWATCH + 6, middle + 4, text, { size: FONT_SIZE.text })
    );
  });
  return { svg: `<g aria-label="legend">${parts.join("")}</g>`, end: y + LINE };
}

/** The symbol of a legend entry: a short line, a dot or a filled rectangle. */
function swatchAt({ mark, colour, dash, opacity = 1 }: LegendEntry, left: number, middle: number): string {
  if (mark === "dot") return `<circle cx="${left + SWATCH / 2}" cy="${middle}" r="4" fill="${colour}"/>`;
  if (mark === "area") {
    const size = `width="${SWATCH}" height="10" fill="${colour}"`;
    return `<rect x="${left}" y="${middle - 5}" ${size}${opacity < 1 ? ` fill-opacity="${round(opacity)}"` : ""}/>`;
  }
  const dashes = dash ? ` stroke-dasharray="${dash}"` : "";
  return `<path d="M${left},${middle}h${SWATCH}" stroke="${colour}" stroke-width="2.5"${dashes}/>`;
}

function svg(title: string, height: number, content: string): string {
  const size = `width="${WIDTH}" height="${round(height)}" viewBox="0 0 ${WIDTH} ${round(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeText(title)}" font-family="${FONT}"><rect width="${WIDTH}" height="${round(height)}" fill="${INK.ground}"/>${content}</svg>`;
}
