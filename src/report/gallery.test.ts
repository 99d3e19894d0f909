// Tests of every chart of the gallery: charts are deterministic, and no text extends beyond its figure.

import { expect, test } from "vitest";
import { gallery } from "../../scripts/report-gallery.ts";
import { drawSvg, type Surface } from "./draw-svg.ts";
import { htmlPage, plainFigure } from "./page.ts";
import { textWidth, WIDTH } from "./theme.ts";

const page = gallery();
const figures = page.sections.flatMap(({ figures: svgs = [] }) => svgs);
const titled = figures.map((svg): [string, string] => [/aria-label="([^"]+)"/.exec(svg)![1], svg]);

test("the page is deterministic", () => {
  expect(htmlPage(gallery())).toBe(htmlPage(page));
});

test.each(titled)("%s has at most three decimals, and no ids, scripts or styles", (_, svg) => {
  expect(svg.match(/="[^"]*\d\.\d{4,}|NaN|undefined|<script|<style| id=| class=/g)).toBeNull();
});

test.each(titled)("%s has all texts inside its frame", (_, svg) => {
  const height = Number(/viewBox="0 0 720 ([\d.]+)"/.exec(svg)![1]);
  const texts = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" font-size="(\d+)"([^>]*)>([^<]*)</g)];
  expect(texts.length).toBeGreaterThan(0);
  for (const [, x, y, size, more, text] of texts) {
    const width = textWidth(text.replaceAll(/&\w+;|&#\d+;/g, "n"), Number(size));
    const end = Number(x) + (more.includes("middle") ? width / 2 : width);
    expect(end).toBeLessThanOrEqual(WIDTH);
    expect(Number(y)).toBeLessThan(height);
  }
});

test.each(titled)("%s consists of shapes that can be drawn as PNG and PDF", (_, svg) => {
  expect(plainFigure(svg)).toBe(true);
  let drawn = 0;
  const count = () => {
    drawn++;
  };
  const surface: Surface = {
    ...{ fill: count, stroke: count, text: count, textWidth: (text) => text.length },
    transformed: (matrix, draw) => {
      expect(matrix.every(Number.isFinite)).toBe(true);
      draw();
    },
  };
  drawSvg(svg, surface);
  expect(drawn).toBeGreaterThan(2);
});
