// Draws the SVG of a figure on a surface that knows paths and texts: a bitmap or a page of a PDF file.
//
// It knows the elements and attributes that the charts of this folder use. What it does not know is an error, so that no
// figure loses a part without notice.

import { parseSvg } from "./plot.ts";

/** Something to draw on. Coordinates are those of the SVG, under all transforms so far. */
export interface Surface {
  /** Draws inside a transform, the matrix of which is [a b c d e f] as in SVG. */
  transformed(matrix: Matrix, draw: () => void): void;
  fill(path: string, paint: Paint): void;
  stroke(path: string, paint: Paint, line: Line): void;
  /** A text whose base line begins at (x, y). With `outline`, only its outline of this width is drawn. */
  text(text: string, x: number, y: number, font: Font, paint: Paint, outline?: number): void;
  textWidth(text: string, font: Font): number;
}

export type Matrix = readonly [number, number, number, number, number, number];

export interface Paint {
  /** As `#rrggbb`. */
  readonly colour: string;
  readonly opacity: number;
}

export interface Line {
  readonly width: number;
  readonly dash: readonly number[];
  readonly cap: "butt" | "round" | "square";
  readonly join: "miter" | "round" | "bevel";
}

export interface Font {
  readonly size: number;
  readonly bold: boolean;
}

/** Attributes that child elements inherit. */
const INHERITED = [
  ...["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "color"],
  ...["stroke-linecap", "stroke-linejoin", "font-size", "font-weight", "text-anchor", "paint-order"],
] as const;
type Inherited = Readonly<Partial<Record<(typeof INHERITED)[number], string>>>;

/** From this weight on, the bold font is used. */
const BOLD_FROM = 600;

/** Width and height of the SVG of a figure, in its pixels. */
export function svgSize(svg: string): { readonly width: number; readonly height: number } {
  const root = parseSvg(svg);
  return { width: numberOf(root, "width"), height: numberOf(root, "height") };
}

export function drawSvg(svg: string, surface: Surface): void {
  drawChildren(parseSvg(svg), {}, surface);
}

function drawChildren(element: Element, above: Inherited, surface: Surface): void {
  const style = inheritedBy(element, above);
  for (const child of element.children) {
    const matrix = matrixOf(child);
    if (matrix) surface.transformed(matrix, () => drawElement(child, style, surface));
    else drawElement(child, style, surface);
  }
}

function drawElement(element: Element, above: Inherited, surface: Surface): void {
  const style = inheritedBy(element, above);
  switch (element.localName) {
    case "g":
    case "svg":
      drawChildren(element, above, surface);
      return;
    case "text":
      drawText(element, style, surface);
      return;
    case "title":
      return;
    default:
      drawPath(pathOf(element), style, surface);
  }
}

function drawPath(path: string, style: Inherited, surface: Surface): void {
  const fill = paintOf(style, "fill", "#000000");
  if (fill) surface.fill(path, fill);
  const stroke = paintOf(style, "stroke", "none");
  if (!stroke) return;
  surface.stroke(path, stroke, {
    width: Number(style["stroke-width"] ?? 1),
    dash: (style["stroke-dasharray"] ?? "").split(/[\s,]+/).flatMap((part) => (part ? [Number(part)] : [])),
    cap: (style["stroke-linecap"] ?? "butt") as Line["cap"],
    join: (style["stroke-linejoin"] ?? "miter") as Line["join"],
  });
}

function drawText(element: Element, style: Inherited, surface: Surface): void {
  const text = element.textContent ?? "";
  if (text.trim() === "") return;
  const font = {
    size: Number(style["font-size"] ?? 16),
    bold: Number(style["font-weight"] === "bold" ? BOLD_FROM : style["font-weight"]) >= BOLD_FROM,
  };
  const at = (name: string) => lengthOf(element.getAttribute(name), font.size);
  const [x, y] = [at("x") + at("dx"), at("y") + at("dy")];
  const natural = surface.textWidth(text, font);
  // A letter of a logo is stretched to the width of its column.
  const asked = element.getAttribute("textLength");
  const stretch = asked === null || natural === 0 ? 1 : Number(asked) / natural;
  const anchor = { start: 0, middle: 0.5, end: 1 }[style["text-anchor"] ?? "start"] ?? 0;
  const left = -anchor * natural;
  surface.transformed([stretch, 0, 0, 1, x, y], () => {
    const stroke = paintOf(style, "stroke", "none");
    const fill = paintOf(style, "fill", "#000000");
    // The outline of a label keeps it legible above lines, so it is drawn first.
    if (stroke) surface.text(text, left, 0, font, stroke, Number(style["stroke-width"] ?? 1));
    if (fill) surface.text(text, left, 0, font, fill);
  });
}

function inheritedBy(element: Element, above: Inherited): Inherited {
  const own = INHERITED.flatMap((name) => {
    const value = element.getAttribute(name);
    return value === null ? [] : [[name, value] as const];
  });
  return own.length === 0 ? above : { ...above, ...Object.fromEntries(own) };
}

/** The paint of a fill or a stroke; null if there is none. */
function paintOf(style: Inherited, name: "fill" | "stroke", byDefault: string): Paint | null {
  const given = style[name] ?? byDefault;
  const colour = given === "currentColor" ? (style.color ?? "#000000") : given;
  if (colour === "none" || colour === "transparent") return null;
  const hex = NAMED[colour] ?? colour;
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new TypeError(`drawSvg: ${name} must be #rrggbb, got ${colour}`);
  return { colour: hex, opacity: Number(style[`${name}-opacity`] ?? 1) };
}

const NAMED: Readonly<Record<string, string>> = { white: "#ffffff", black: "#000000" };

/** A basic shape as the data of a path. */
function pathOf(element: Element): string {
  const number = (name: string) => numberOf(element, name);
  switch (element.localName) {
    case "path":
      return element.getAttribute("d") ?? "";
    case "line":
      return `M${number("x1")},${number("y1")}L${number("x2")},${number("y2")}`;
    case "rect": {
      const [width, height] = [number("width"), number("height")];
      return `M${number("x")},${number("y")}h${width}v${height}h${-width}Z`;
    }
    case "circle": {
      const r = number("r");
      const half = `a${r},${r} 0 1,0`;
      return `M${number("cx") - r},${number("cy")}${half} ${2 * r},0${half} ${-2 * r},0Z`;
    }
    default:
      throw new TypeError(`drawSvg: there is no element ${element.localName} in figures`);
  }
}

/** The transform of an element; null if it has none. A nested svg stands at its x and y. */
function matrixOf(element: Element): Matrix | null {
  if (element.localName === "svg") return [1, 0, 0, 1, numberOf(element, "x"), numberOf(element, "y")];
  const text = element.getAttribute("transform");
  if (!text) return null;
  return [...text.matchAll(/(\w+)\(([^)]*)\)/g)]
    .map(([whole, name, values]) => transformOf(name, values.split(/[\s,]+/).map(Number), whole))
    .reduce(product);
}

function transformOf(name: string, [a, b = 0, ...rest]: readonly number[], text: string): Matrix {
  if (name === "translate") return [1, 0, 0, 1, a, b];
  if (name === "scale") return [a, 0, 0, b || a, 0, 0];
  if (name === "rotate" && rest.length === 0) {
    const [cos, sin] = [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)];
    return [cos, sin, -sin, cos, 0, 0];
  }
  throw new TypeError(`drawSvg: there is no transform ${text} in figures`);
}

function product([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [
    ...([a * g + c * h, b * g + d * h, a * i + c * j] as const),
    ...([b * i + d * j, a * k + c * l + e, b * k + d * l + f] as const),
  ];
}

function numberOf(element: Element, name: string): number {
  return Number(element.getAttribute(name) ?? 0);
}

/** A length in pixels; `0.32em` counts in font sizes. */
function lengthOf(text: string | null, size: number): number {
  if (text === null) return 0;
  return text.endsWith("em") ? Number(text.slice(0, -2)) * size : Number(text);
}
