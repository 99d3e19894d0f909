// Figures as the page shows them: the fixed colours of src/report become CSS variables, so that dark mode applies, and the
// figure has one label for all of it.

import { INK, styleOf } from "../src/report/theme.ts";

/** Number of different colours of series. */
const SERIES = 8;

/** The CSS variable of each colour that figures use. `style.css` defines them for light and dark pages. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(INK).map(([name, colour]) => [colour, `var(--figure-${name})`] as const),
  ...Array.from({ length: SERIES }, (_, i) => [styleOf(i).colour, `var(--series-${i + 1})`] as const),
]);

/** An attribute that holds nothing but a colour, or a colour inside a style. Texts of a figure have `&quot;` for quotes. */
const COLOUR = /(["':]\s*)(#[0-9a-fA-F]{6})(?=\s*["';])/g;

/** The SVG text as part of the page. A screen reader gets the label of the figure, and none of its lines. */
export function pageFigure(svg: string): string {
  return withPageColours(svg).replaceAll(/<[^>]*>/g, (tag, at: number) =>
    at === 0 ? tag : tag.replace(/ aria-label="[^"]*"/, ""),
  );
}

/** The SVG text with variables in place of the colours of `src/report/theme.ts`; other colours stay. */
export function withPageColours(svg: string): string {
  return svg.replaceAll(/<[^>]*>/g, (tag) =>
    tag.replaceAll(COLOUR, (whole, before: string, colour: string) => {
      const variable = VARIABLES.get(colour.toLowerCase());
      return variable === undefined ? whole : `${before}${variable}`;
    }),
  );
}

/** The CSS variable of the n-th series, counted from 0. */
export function seriesVariable(index: number): string {
  return `--series-${(index % SERIES) + 1}`;
}
