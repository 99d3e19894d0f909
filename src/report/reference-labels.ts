// Places the labels of horizontal reference lines: next to their line, far from the curves, without overlap.

import { FONT_SIZE, textWidth } from "./theme.ts";

/** A point in pixels from the upper left corner of the frame of a panel. */
export interface PixelPoint {
  readonly x: number;
  readonly y: number;
}

export interface Label extends PixelPoint {
  readonly text: string;
}

/** Height of a label with padding. */
const HEIGHT = 16;
/** Distance from the frame and from other labels. */
const ROOM = 4;
/** Number of candidate positions along a line. */
const CANDIDATES = 9;
/** Sufficient clearance from the curves: positions with a larger clearance are not preferred. */
const ENOUGH = 16;
/** With a smaller clearance than this, a curve runs through the label. */
const MIN_CLEARANCE = 6;
/** Dashed line drawn before a label that is placed away from its line. */
const LINE_SAMPLE = "– – ";

/**
 * The left end and the vertical middle of each label, in the order of the lines. `above` is the free width over the right
 * end of the frame, for labels that do not fit inside.
 */
export function placeLabels(
  lines: readonly { readonly text: string; readonly y: number }[],
  curves: readonly (readonly PixelPoint[])[],
  frame: { readonly width: number; readonly height: number; readonly above: number },
): Label[] {
  const curvePoints = curves.flatMap(dense);
  let freeAbove = frame.above;
  const placed: (Label & { readonly width: number })[] = [];
  for (const { text, y } of lines) {
    const width = textWidth(text, FONT_SIZE.note);
    const last = Math.max(ROOM, frame.width - width - ROOM);
    // The right end is the first candidate, so it is chosen among equally good positions.
    const candidates = Array.from(
      { length: CANDIDATES },
      (_, i) => last - ((last - ROOM) * i) / (CANDIDATES - 1),
    ).flatMap((x) => [y - HEIGHT / 2, y + HEIGHT / 2].map((middle) => ({ x, y: middle })));
    const clearances = candidates.map((point) => clearanceAt(point, width, y));
    const largest = Math.max(...clearances);
    const outsideWidth = textWidth(LINE_SAMPLE + text, FONT_SIZE.note) + ROOM;
    if (largest < MIN_CLEARANCE && outsideWidth <= freeAbove) {
      const x = frame.width - frame.above + freeAbove - outsideWidth;
      placed.push({ x, y: -HEIGHT / 2, text: LINE_SAMPLE + text, width: outsideWidth });
      freeAbove -= outsideWidth;
    } else {
      placed.push({ ...candidates[clearances.indexOf(largest)], text, width });
    }
  }
  return placed.map(({ x, y, text }) => ({ x, y, text }));

  function clearanceAt({ x, y }: PixelPoint, width: number, lineY: number): number {
    if (y < HEIGHT / 2 || y > frame.height - HEIGHT / 2) return -3 * ENOUGH;
    const overlaps = (other: PixelPoint & { readonly width: number }) =>
      Math.abs(other.y - y) < HEIGHT && other.x < x + width + ROOM && x < other.x + other.width + ROOM;
    if (placed.some(overlaps)) return -2 * ENOUGH;
    if (lines.some((line) => line.y !== lineY && Math.abs(line.y - y) < HEIGHT / 2)) return -ENOUGH;
    let clearance = ENOUGH;
    for (const point of curvePoints) {
      if (point.x > x - ROOM && point.x < x + width + ROOM)
        clearance = Math.min(clearance, Math.abs(point.y - y));
    }
    return clearance;
  }
}

/** Interpolates a curve to points every few pixels, because a label may lie between two of its points. */
function dense(curve: readonly PixelPoint[]): PixelPoint[] {
  return curve.flatMap((point, i) => {
    const next = curve[i + 1] ?? point;
    const steps = Math.max(1, Math.ceil(Math.hypot(next.x - point.x, next.y - point.y) / ROOM));
    return Array.from({ length: steps }, (_, k) => ({
      x: point.x + ((next.x - point.x) * k) / steps,
      y: point.y + ((next.y - point.y) * k) / steps,
    }));
  });
}
