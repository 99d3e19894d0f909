// A report as one self-contained HTML file: it loads no other resource and runs no script.

import { escapeText } from "./escape.ts";
import { htmlTable, type Table } from "./tables.ts";

export interface Page {
  readonly title: string;
  /** Plain text; an empty line starts a new paragraph. */
  readonly intro: string;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly heading: string;
  readonly text?: string;
  /** The charts, as SVG text. */
  readonly figures?: readonly string[];
  readonly tables?: readonly Table[];
}

/** Marks a page as generated, so that a later report may overwrite it. */
export const GENERATOR_TAG = '<meta name="generator" content="gflownet report">';

/** The page as the text of an HTML file. Deterministic. */
export function htmlPage({ title, intro, sections }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${GENERATOR_TAG}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${paragraphs(intro)}
${sections.map(sectionHtml).join("\n")}
</main>
</body>
</html>
`;
}

/** Elements of figures. */
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "line", "text", "title"]);

/** Whether an SVG text has only shapes and texts, as all figures of this folder: no script, style, link or image. */
export function plainFigure(svg: string): boolean {
  if (!svg.startsWith("<svg ")) return false;
  const rest = svg.replaceAll(
    /<\/?([a-z]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*\/?>/g,
    (tag, name: string, attributes) =>
      SHAPES.has(name) && !/\s(on\w+|\w*:?href|src|style)=|url\(/i.test(attributes) ? "" : tag,
  );
  return !/[<>]/.test(rest);
}

/** Whether the text of a file is a report: a page of `htmlPage`, or one with its data inside. */
export function isReportPage(html: string): boolean {
  return html.slice(0, 400).includes(GENERATOR_TAG);
}

function sectionHtml({ heading, text = "", figures = [], tables = [] }: Section): string {
  return [
    "<section>",
    `<h2>${escapeText(heading)}</h2>`,
    paragraphs(text),
    ...tables.map((table) => `<div class="wide">${htmlTable(table)}</div>`),
    ...figures.map((svg) => `<figure class="wide">${svg}</figure>`),
    "</section>",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => `<p>${escapeText(paragraph.trim())}</p>`)
    .join("\n");
}

/** Figures have a white background in dark mode too; on a narrow screen they scroll sideways instead of becoming too small to read. */
const STYLE = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #ffffff; --ink: #1f2328; --faint: #59636e; --rule: #d6dae0; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --card: #1d2127; --ink: #e6e9ed; --faint: #a2abb6; --rule: #3a414a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 880px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 36px 0 8px; }
p { margin: 0 0 12px; max-width: 70ch; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 14px 0; }
figure { border: 1px solid var(--rule); border-radius: 8px; background: #ffffff; }
figure > svg { display: block; width: 100%; min-width: 560px; height: auto; }
table { border-collapse: collapse; background: var(--card); font-size: 13px; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 0 0 6px; color: var(--faint); }
th, td { padding: 4px 7px; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; }
td { white-space: nowrap; }
th:first-child, .text { text-align: left; overflow-wrap: anywhere; white-space: normal; }
tbody th { font-weight: 400; min-width: 8.5em; }
@media print {
  :root { --ground: #ffffff; --card: #ffffff; --ink: #000000; --faint: #444444; --rule: #bbbbbb; }
  main { max-width: none; padding: 0; }
  .wide { overflow: visible; }
  figure > svg { min-width: 0; border-radius: 8px; }
  figure, table, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;
