// Renders Observable Plot charts to SVG text without a browser. This is the only file that imports linkedom.
//
// Plot and linkedom are large packages, so `gflownet --help` must not load this file.

import type { PlotOptions } from "@observablehq/plot";
import { plot } from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Rectangle } from "./rectangle.ts";
import { FONT, FONT_SIZE, INK } from "./theme.ts";

/** SVG attributes that hold positions and sizes. */
const GEOMETRY = [
  "d",
  "transform",
  "viewBox",
  "x",
  "y",
  "x1",
  "x2",
  "y1",
  "y2",
  "cx",
  "cy",
  "r",
  "width",
  "height",
];
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/g;

/** An `<svg>` element that can be nested in another one. Deterministic. */
export function drawPlot(options: PlotOptions, { x, y, width, height }: Rectangle): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const svg = plot({ ...options, width, height, document }) as unknown as SVGSVGElement;
  // Plot adds a style sheet for resizable pages and a class name, which would clash between the figures of a page.
  svg.querySelector("style")?.remove();
  svg.removeAttribute("class");
  const attributes = {
    x,
    y,
    fill: INK.text,
    color: INK.text,
    "font-family": FONT,
    "font-size": FONT_SIZE.note,
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, String(value));
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of GEOMETRY) {
      const value = element.getAttribute(name);
      if (value !== null) element.setAttribute(name, value.replaceAll(NUMBER, rounded));
    }
  }
  return svg.outerHTML;
}

/** The root element of an SVG text that a chart of this folder drew. */
export function parseSvg(svg: string): Element {
  const { document } = parseHTML(svg);
  const root = document.querySelector("svg");
  if (root === null) throw new TypeError("parseSvg: the text must have an svg element");
  return root;
}

/** Rounds to three decimals: finer than a pixel, and the same on every machine. */
function rounded(text: string): string {
  return String(Number(Number(text).toFixed(3)) + 0);
}
