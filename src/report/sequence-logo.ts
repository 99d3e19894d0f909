// Sequence logo (Schneider and Stephens 1990): at each position a stack of letters, as high as the position has
// information, in which each letter has its fraction of the height.

import type { Scale } from "./axis.ts";
import { scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { escapeText } from "./escape.ts";
import { emptyFigure, figure } from "./figure.ts";
import { letterColours } from "./letter-colours.ts";
import {
  type Letters,
  letterFrequencies,
  type PositionFrequencies,
  positionTicks,
} from "./letter-frequencies.ts";
import { drawPlot } from "./plot.ts";
import type { Rectangle } from "./rectangle.ts";
import { shortNumber } from "./text-format.ts";

export interface SequenceLogo {
  readonly title: string;
  /** The tokens of the alphabet, by index. */
  readonly tokens: readonly string[];
  readonly strings: readonly Letters[];
  readonly notes?: readonly string[];
}

/** Positions in one row. Longer strings take several rows. */
const ROW = 50;
/** Positions that are drawn at most. */
const MOST = 400;
/** Top and bottom of letters above the base line relative to the font size, in the usual sans-serif fonts. */
const CAPITAL = { top: 0.72, bottom: 0 };
const ANY_LETTERS = { top: 0.76, bottom: -0.22 };
/** Letters that would turn into a block at the full width. */
const NARROW = /^[Iil1|]$/;
/** If the highest stack is lower than this share of the panel, the scale is enlarged. */
const LEAST_SHARE = 0.4;
/** Letters of less height than this, in pixels, are not drawn. */
const LEAST_HEIGHT = 0.6;

/** The logo of a set of strings as SVG. */
export function sequenceLogo({ strings, ...logo }: SequenceLogo): string {
  return sequenceLogos({ ...logo, logos: [{ positions: letterFrequencies(strings, logo.tokens.length) }] });
}

/** Several logos of the same alphabet, one below the other with a common position axis. */
export interface SequenceLogos extends Pick<SequenceLogo, "title" | "tokens" | "notes"> {
  readonly logos: readonly { readonly title?: string; readonly positions: readonly PositionFrequencies[] }[];
}

export function sequenceLogos({ title, tokens, logos, notes = [] }: SequenceLogos): string {
  const length = Math.max(0, ...logos.map(({ positions }) => positions.length));
  if (length === 0) return emptyFigure(title, notes);
  const shown = Math.min(length, MOST);
  const perRow = Math.min(ROW, shown);
  const rows = Array.from({ length: Math.ceil(shown / perRow) }, (_, i) => i * perRow);
  const most = Math.log2(tokens.length);
  const highest = Math.max(
    ...logos.flatMap(({ positions }) => positions.map(({ bits, reached }) => bits * reached)),
  );
  // Strings of many different letters have little information: at the scale of all bits, nothing would be seen.
  const isEnlarged = highest < LEAST_SHARE * most && highest > 1e-6;
  const top = isEnlarged ? 1.15 * highest : most;
  const y = scaleOf(
    { label: "information", unit: "bits", include: [0, top] },
    ...(["linear", [0, top], { room: 0, count: 3 }] as const),
  );
  const colours = letterColours(tokens);
  return figure({
    ...{ title, columns: 1, panelHeight: 180, legend: [] },
    notes: [
      ...notes,
      ...(logos.some(({ positions }) => positions.some(({ reached }) => reached < 1))
        ? ["Where some strings have ended, stacks are lower by the fraction that has ended."]
        : []),
      ...(isEnlarged
        ? [
            `Enlarged: the highest stack has ${shortNumber(highest)} bits; a position that always has the same letter would have ${shortNumber(most)}.`,
          ]
        : []),
      ...(shown < length ? [`The first ${MOST} of ${length} positions are shown.`] : []),
    ],
    panels: rows.flatMap((from) =>
      logos.map(({ title: name, positions }) => ({
        title: name,
        draw: (rectangle) =>
          drawRow(
            positions.slice(from, Math.min(from + perRow, shown)),
            { from, perRow, y, tokens, colours },
            rectangle,
          ),
      })),
    ),
  });
}

function drawRow(
  row: readonly PositionFrequencies[],
  {
    from,
    perRow,
    y,
    tokens,
    colours,
  }: {
    readonly from: number;
    readonly perRow: number;
    readonly y: Scale;
    readonly tokens: readonly string[];
    readonly colours: readonly string[];
  },
  rectangle: Rectangle,
): string {
  const margins = { ...PANEL_MARGINS, marginLeft: marginLeft(y) };
  const x: Scale = {
    ...{ type: "linear", domain: [from + 0.5, from + perRow + 0.5], title: "position" },
    ticks: positionTicks(from + 1, from + row.length, perRow),
  };
  const axes = drawPlot(
    {
      ...margins,
      x: { domain: x.domain },
      y: { domain: y.domain },
      marks: axisMarks({ x, y }, { width: rectangle.width, yTitle: from === 0 }),
    },
    rectangle,
  );
  const column = (rectangle.width - margins.marginLeft - margins.marginRight) / perRow;
  const height = rectangle.height - margins.marginTop - margins.marginBottom;
  const perBit = height / (y.domain[1] - y.domain[0]);
  const letters = row.flatMap(({ fractions, bits, reached }, i) => {
    const middle = rectangle.x + margins.marginLeft + (i + 0.5) * column;
    let bottom = rectangle.y + rectangle.height - margins.marginBottom;
    // The most frequent letter stands on top.
    return [...fractions.keys()]
      .sort((a, b) => fractions[a] - fractions[b] || b - a)
      .flatMap((letter) => {
        const size = fractions[letter] * bits * reached * perBit;
        const base = bottom;
        bottom -= size;
        return size < LEAST_HEIGHT
          ? []
          : [letterAt(tokens[letter], colours[letter], { x: middle, y: base, width: 0.94 * column, size })];
      });
  });
  return `${axes}<g font-weight="700" font-size="10" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" text-anchor="middle">${letters.join("")}</g>`;
}

/** A letter that is stretched to a width and height. */
function letterAt(
  token: string,
  colour: string,
  {
    x,
    y,
    width,
    size,
  }: { readonly x: number; readonly y: number; readonly width: number; readonly size: number },
): string {
  const { top, bottom } = /^[A-Z0-9]$/.test(token) ? CAPITAL : ANY_LETTERS;
  const stretch = size / (10 * (top - bottom));
  const base = y + 10 * bottom * stretch;
  return `<text transform="translate(${round(x)},${round(base)}) scale(1,${round(stretch)})" textLength="${round(NARROW.test(token) ? 0.4 * width : width)}" lengthAdjust="spacingAndGlyphs" fill="${colour}">${escapeText(token)}</text>`;
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
