// Colours of numbers in heat maps: from light to dark, and from orange through grey to blue for differences.
//
// Lightness falls with the size of a number, so that the order is kept in print and with colour blindness. Colours between
// the given ones are mixed in OKLab, where equal steps look about equal.

/** "sequential" for numbers from 0 on, "difference" for numbers of both signs. */
export type Palette = "sequential" | "difference";

const SEQUENTIAL = ["#fbf7dc", "#c3e0b0", "#66b8a0", "#2a819c", "#1f4f87", "#1a1d50"];
const NEGATIVE = ["#f1f1ef", "#f2c79b", "#d98335", "#a44a00", "#5c2600"];
const POSITIVE = ["#f1f1ef", "#a8c9ea", "#4a8bcb", "#175799", "#0b2e5c"];

/** Number of different colours of a palette, in each direction. */
const LEVELS = 64;

const sequential = rampOf(SEQUENTIAL);
const [negative, positive] = [rampOf(NEGATIVE), rampOf(POSITIVE)];

/** The colour at a position: from 0 to 1, or from −1 to 1 for a difference. Positions outside have the last colour. */
export function colourAt(palette: Palette, position: number): string {
  const level = Math.round(Math.min(1, Math.abs(position)) * (LEVELS - 1));
  if (palette === "sequential") return sequential[position < 0 ? 0 : level];
  return (position < 0 ? negative : positive)[level];
}

/** Colours of text on colours. They are not those of the theme, because a cell keeps its colour on a dark page. */
const [DARK, LIGHT] = ["#101418", "#fdfdfd"];

/** The colour of text that is most readable on a colour. */
export function textColourOn(colour: string): string {
  return contrast(DARK, colour) >= contrast(LIGHT, colour) ? DARK : LIGHT;
}

/** Contrast of two colours as WCAG defines it, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [a, b].map(luminance).sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r, g, b] = linearParts(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Lightness in OKLab, from 0 for black to 1 for white. */
export function lightness(colour: string): number {
  return toOklab(colour)[0];
}

type Triple = readonly [number, number, number];

/** All levels between the given colours. */
function rampOf(colours: readonly string[]): string[] {
  const anchors = colours.map(toOklab);
  return Array.from({ length: LEVELS }, (_, level) => {
    const at = (level / (LEVELS - 1)) * (anchors.length - 1);
    const from = Math.min(Math.floor(at), anchors.length - 2);
    const mixed = anchors[from].map((part, i) => part + (at - from) * (anchors[from + 1][i] - part));
    return toHex(mixed as unknown as Triple);
  });
}

/** Red, green and blue as shares of light. */
function linearParts(colour: string): number[] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

function toOklab(colour: string): Triple {
  const [r, g, b] = linearParts(colour);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toHex([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const parts = linear.map((part) => {
    const encoded = part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(1, Math.max(0, encoded)));
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
