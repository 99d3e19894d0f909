// Style of figures: sizes, colours, line styles, and estimated text widths (without a browser, text cannot be measured).

import { printable } from "./escape.ts";

/** Width of every figure in pixels, before a page scales it. */
export const WIDTH = 720;
export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
export const FONT_SIZE = { title: 15, text: 12, note: 11 } as const;

/** Figures have a white background, also on a dark page. */
export const INK = {
  ground: "#ffffff",
  text: "#1f2328",
  faint: "#59636e",
  past: "#8b949e",
  frame: "#c4c9d0",
  grid: "#e8ebef",
  reference: "#3d444d",
} as const;

/** These colours can be distinguished with colour blindness, and are dark enough for thin lines on white. */
const COLOURS = ["#0067b1", "#c8500a", "#00805a", "#a3408f", "#8a6100", "#b3262e", "#3f6f80", "#5a4fcf"];
const DASHES = ["", "6 3", "2 3"];

export interface Style {
  readonly colour: string;
  /** Value of `stroke-dasharray`; empty for a solid line. */
  readonly dash: string;
}

/** Style of the n-th series: solid lines in all colours first, then dashed ones. */
export function styleOf(index: number): Style {
  return {
    colour: COLOURS[index % COLOURS.length],
    dash: DASHES[Math.floor(index / COLOURS.length) % DASHES.length],
  };
}

/** Opacity of a band; overlapping bands are darker. */
export const BAND_OPACITY = 0.18;

/** First code point of characters that are about as wide as high: Chinese, Japanese, emoji. */
const WIDE = 0x2e80;

/** Width of bold text relative to regular text. */
export const BOLD = 1.12;

/**
 * Estimated width of a text in pixels, in the widest of the usual fonts. The estimate is too large rather than too
 * small, so that texts do not overlap.
 */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const letter of text.replaceAll(/\p{Mark}/gu, "")) {
    if (letter.codePointAt(0)! >= WIDE) ems += 1.05;
    else if (/[mwMW@%—→<>=+±~]/.test(letter)) ems += 0.95;
    else if (/[iljtfrI.,:;'|!() ]/.test(letter)) ems += 0.4;
    else ems += /[A-Z]/.test(letter) ? 0.73 : 0.63;
  }
  return ems * size;
}

/** The text, shortened with "…" to fit the width. */
export function fitText(text: string, size: number, width: number): string {
  const clean = printable(text);
  if (textWidth(clean, size) <= width) return clean;
  const letters = [...clean];
  while (letters.length > 0 && textWidth(`${letters.join("")}…`, size) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** The text in lines that fit the width. */
export function wrapText(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(" ").filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitText(word, size, width));
  }
  return lines;
}
