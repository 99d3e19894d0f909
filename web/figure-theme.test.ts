import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lineChart } from "../src/report/line-chart.ts";
import { INK, styleOf } from "../src/report/theme.ts";
import { pageFigure, seriesVariable, withPageColours } from "./figure-theme.ts";

const style = readFileSync(new URL("style.css", import.meta.url), "utf8");

test("attributes and styles with a colour of the theme get its variable", () => {
  expect(withPageColours(`<path stroke="${INK.text}" fill="${styleOf(1).colour}"/>`)).toBe(
    '<path stroke="var(--figure-text)" fill="var(--series-2)"/>',
  );
  expect(withPageColours(`<g style="fill:${INK.faint};stroke: ${INK.grid}"/>`)).toBe(
    '<g style="fill:var(--figure-faint);stroke: var(--figure-grid)"/>',
  );
  expect(withPageColours(`<rect fill="${INK.text.toUpperCase()}"/>`)).toBe(
    '<rect fill="var(--figure-text)"/>',
  );
});

test("texts and other colours stay", () => {
  const svg = `<text fill="#123456">colour "${INK.text}" or :${INK.ground};</text>`;
  expect(withPageColours(svg)).toBe(svg);
});

test("no fixed colour of the theme remains in a chart", () => {
  const svg = lineChart({
    title: "loss",
    x: { label: "iteration" },
    y: { label: "loss" },
    panels: [
      {
        curves: [
          {
            name: "a",
            points: [
              { x: 0, y: 1 },
              { x: 1, y: 2 },
            ],
          },
        ],
      },
    ],
  });
  const themed = withPageColours(svg);
  expect(themed).toContain("var(--series-1)");
  for (const colour of [INK.ground, INK.text, INK.grid, styleOf(0).colour]) {
    expect(svg).toContain(colour);
    expect(themed).not.toContain(colour);
  }
});

test("a figure of the page has one label", () => {
  const svg = `<svg aria-label="loss"><rect aria-label="frame" fill="${INK.ground}"/><text> aria-label="a"</text></svg>`;
  expect(pageFigure(svg)).toBe(
    '<svg aria-label="loss"><rect fill="var(--figure-ground)"/><text> aria-label="a"</text></svg>',
  );
});

test("the style sheet defines every variable, for light and for dark pages", () => {
  const names = [
    ...Object.keys(INK).map((name) => `--figure-${name}`),
    ...Array.from({ length: 8 }, (_, i) => seriesVariable(i)),
  ];
  const defined = [...style.matchAll(/(--[\w-]+): light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\);/g)].map(
    ([, name]) => name,
  );
  expect(defined).toEqual(expect.arrayContaining(names));
});
