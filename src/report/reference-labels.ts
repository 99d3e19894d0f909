// Where the name of a horizontal line can stand: beside it, where curves are farthest, and not on another name.

import { FONT_SIZE, textWidth } from "./theme.ts";

/** In pixels from the upper left corner of a panel's frame. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface Label extends Spot {
  readonly text: string;
}

/** Height of a line of text, with some room. */
const HEIGHT = 16;
/** From the frame, and from other names. */
const ROOM = 4;
/** How many places along a line are tried. */
const TRIED = 9;
/** More distance to a curve than this is no better. */
const ENOUGH = 16;

/** Less than this, and a curve runs through the text. */
const CROWDED = 6;
/** Before a name that stands away from its line. */
const SIGN = "– – ";

/**
 * Labels by the left end and the middle of their text, in the order of the lines. `above` is the width that is free over
 * the right end of the frame, for names that find no room inside.
 */
export function placeLabels(
  lines: readonly { readonly text: string; readonly y: number }[],
  curves: readonly (readonly Spot[])[],
  frame: { readonly width: number; readonly height: number; readonly above: number },
): Label[] {
  const drawn = curves.flatMap(dense);
  let free = frame.above;
  const placed: (Label & { readonly width: number })[] = [];
  for (const { text, y } of lines) {
    const width = textWidth(text, FONT_SIZE.note);
    const last = Math.max(ROOM, frame.width - width - ROOM);
    // The right end first: it stays where all are alike.
    const spots = Array.from({ length: TRIED }, (_, i) => last - ((last - ROOM) * i) / (TRIED - 1)).flatMap(
      (x) => [y - HEIGHT / 2, y + HEIGHT / 2].map((middle) => ({ x, y: middle })),
    );
    const rooms = spots.map((spot) => roomAt(spot, width, y));
    const most = Math.max(...rooms);
    const signed = textWidth(SIGN + text, FONT_SIZE.note) + ROOM;
    if (most < CROWDED && signed <= free) {
      const x = frame.width - frame.above + free - signed;
      placed.push({ x, y: -HEIGHT / 2, text: SIGN + text, width: signed });
      free -= signed;
    } else {
      placed.push({ ...spots[rooms.indexOf(most)], text, width });
    }
  }
  return placed.map(({ x, y, text }) => ({ x, y, text }));

  function roomAt({ x, y }: Spot, width: number, own: number): number {
    if (y < HEIGHT / 2 || y > frame.height - HEIGHT / 2) return -3 * ENOUGH;
    const meets = (other: Spot & { readonly width: number }) =>
      Math.abs(other.y - y) < HEIGHT && other.x < x + width + ROOM && x < other.x + other.width + ROOM;
    if (placed.some(meets)) return -2 * ENOUGH;
    if (lines.some((line) => line.y !== own && Math.abs(line.y - y) < HEIGHT / 2)) return -ENOUGH;
    let room = ENOUGH;
    for (const spot of drawn) {
      if (spot.x > x - ROOM && spot.x < x + width + ROOM) room = Math.min(room, Math.abs(spot.y - y));
    }
    return room;
  }
}

/** A curve with points every few pixels, for a label may lie between two of its own. */
function dense(curve: readonly Spot[]): Spot[] {
  return curve.flatMap((spot, i) => {
    const next = curve[i + 1] ?? spot;
    const steps = Math.max(1, Math.ceil(Math.hypot(next.x - spot.x, next.y - spot.y) / ROOM));
    return Array.from({ length: steps }, (_, k) => ({
      x: spot.x + ((next.x - spot.x) * k) / steps,
      y: spot.y + ((next.y - spot.y) * k) / steps,
    }));
  });
}
