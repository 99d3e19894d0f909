// The only file that knows linkedom: has Observable Plot draw without a browser, and gives what it drew as text.
//
// Both packages are large. Nothing on the way to `gflownet --help` imports this file.

import type { PlotOptions } from "@observablehq/plot";
import { plot } from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { FONT, FONT_SIZE, INK } from "./theme.ts";

/** Where a drawing stands in its figure. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Attributes that hold places and sizes. */
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

/** An `<svg>` element to stand inside another. The same options give the same text. */
export function drawPlot(options: PlotOptions, { x, y, width, height }: Place): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const svg = plot({ ...options, width, height, document }) as unknown as SVGSVGElement;
  // Plot's style sheet is for pages that resize; its class would be the same for all figures of a page.
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

/** Three digits after the point are more than a screen shows, and the same on every machine. */
function rounded(text: string): string {
  return String(Number(Number(text).toFixed(3)) + 0);
}
