// Colour bar: the colours of a heat map with the numbers that they stand for.

import { type Scale, scaleOf } from "./axis.ts";
import { colourAt, type Palette } from "./colour-scale.ts";
import { round, textAt } from "./svg-text.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";

/** How numbers become colours. */
export interface ColourScale {
  readonly palette: Palette;
  /** Name of the quantity with its unit. */
  readonly label: string;
  /** The largest number; a difference goes from minus this to this, other numbers from 0 to this. */
  readonly most: number;
  /** Whether colours follow the square root of a number, which makes small ones visible. Default: false. */
  readonly root?: boolean;
}

/** Height of a bar with its label and numbers, in pixels. */
export const BAR_HEIGHT = 34;
const [THICKNESS, STEPS] = [10, 40];

/** The colour of a number. */
export function colourOf(scale: ColourScale, value: number): string {
  return colourAt(scale.palette, positionOf(scale, value));
}

/** The bar at the right of its label, as SVG. */
export function colourBarAt(scale: ColourScale, x: number, y: number, width: number): string {
  const least = scale.palette === "difference" ? -1 : 0;
  const label = fitText(scale.label, FONT_SIZE.note, width / 2);
  const left = x + textWidth(label, FONT_SIZE.note) + 10;
  const length = Math.min(220, x + width - left - 16);
  const at = (position: number) => left + ((position - least) / (1 - least)) * length;
  const step = (1 - least) / STEPS;
  const cells = Array.from({ length: STEPS }, (_, i) => {
    const from = least + i * step;
    const colour = colourAt(scale.palette, from + step / 2);
    return `<rect x="${round(at(from))}" y="${y}" width="${round(length / STEPS + 0.4)}" height="${THICKNESS}" fill="${colour}"/>`;
  });
  const ticks = apart(
    ticksOf(scale).map(({ value, text }) => ({ x: at(positionOf(scale, value)), text })),
  ).map(
    (tick) =>
      `<path d="M${round(tick.x)},${y + THICKNESS}v3" stroke="${INK.faint}"/>${textAt(tick.x, y + THICKNESS + 14, tick.text, { anchor: "middle" })}`,
  );
  return `<g aria-label="colours">${textAt(x, y + THICKNESS - 1, label)}${cells.join("")}<rect x="${round(left)}" y="${y}" width="${round(length)}" height="${THICKNESS}" fill="none" stroke="${INK.frame}"/>${ticks.join("")}</g>`;
}

/** The texts that do not touch each other. The largest numbers have precedence. */
function apart<T extends { readonly x: number; readonly text: string }>(texts: readonly T[]): T[] {
  let free = Number.POSITIVE_INFINITY;
  return texts
    .toSorted((a, b) => b.x - a.x)
    .filter(({ x, text }) => {
      const half = textWidth(text, FONT_SIZE.note) / 2 + 2;
      if (x + half > free) return false;
      free = x - half;
      return true;
    });
}

/** Position on the palette, from 0 or −1 to 1. */
function positionOf({ most, root = false }: ColourScale, value: number): number {
  const share = most > 0 ? value / most : 0;
  return root ? Math.sign(share) * Math.sqrt(Math.abs(share)) : share;
}

function ticksOf({ palette, most, root, label }: ColourScale): Scale["ticks"] {
  const values = palette === "difference" ? [-most, most] : [0, most];
  const { ticks } = scaleOf({ label, include: values }, "linear", values, { room: 0, count: 4 });
  // The square root spreads small numbers, which would have no tick otherwise.
  const small = ticks.find(({ value }) => value > 0)?.value ?? 0;
  if (!root || palette === "difference" || small === 0) return ticks;
  const smaller = scaleOf({ label, include: [0, small] }, "linear", [0, small], { room: 0, count: 2 }).ticks;
  return [...new Map([...ticks, ...smaller.slice(0, 2)].map((tick) => [tick.value, tick])).values()];
}
