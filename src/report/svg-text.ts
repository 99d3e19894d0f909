// Elements of SVG as text, for charts that Plot does not draw. Coordinates are rounded to three decimals.

import { escapeText } from "./escape.ts";
import { FONT_SIZE, INK } from "./theme.ts";

export interface TextOptions {
  readonly size?: number;
  readonly colour?: string;
  /** Default: "start". */
  readonly anchor?: "start" | "middle" | "end";
  readonly bold?: boolean;
}

/** A text whose base line begins, is centred or ends at a point. */
export function textAt(
  x: number,
  y: number,
  text: string,
  { size = FONT_SIZE.note, colour = INK.text, anchor = "start", bold = false }: TextOptions = {},
): string {
  const more = `${anchor === "start" ? "" : ` text-anchor="${anchor}"`}${bold ? ' font-weight="600"' : ""}`;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${colour}"${more}>${escapeText(text)}</text>`;
}

/** Three decimals: finer than a pixel, and the same on every machine. */
export function round(value: number): number {
  return Number(value.toFixed(3)) + 0;
}
