// Tables and figures that the command of an entry has made, in the colours of the page.

import type { Page, Section } from "../src/report/page.ts";
import { type Table, tableTexts } from "../src/report/tables.ts";
import { ScrollArea } from "./components/scroll-area.tsx";
import { Drawing } from "./components/svg-figure.tsx";
import { pageFigure } from "./figure-theme.ts";

export function PageSections({ page }: { readonly page: Page }) {
  return (
    <>
      {page.sections.map((section) => (
        <PageSection key={section.heading} section={section} />
      ))}
    </>
  );
}

function PageSection({ section }: { readonly section: Section }) {
  const { heading, text = "", tables = [], figures = [] } = section;
  return (
    <section class="card stack breaks" aria-label={heading} data-test="page-section">
      <h2>{heading}</h2>
      <Paragraphs text={text} />
      {tables.map((table, i) => (
        <StaticTable key={i} table={table} label={table.caption ?? heading} />
      ))}
      <div class={figures.length > 1 ? "columns" : ""}>
        {figures.map((svg, i) => (
          // SVG of our own: figures that have anything but shapes are no part of a report.
          <Drawing key={i} svg={pageFigure(svg)} />
        ))}
      </div>
    </section>
  );
}

/** An empty line starts a paragraph. */
function Paragraphs({ text }: { readonly text: string }) {
  const all = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  return (
    <>
      {all.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </>
  );
}

function StaticTable({ table, label }: { readonly table: Table; readonly label: string }) {
  const [heading, ...rows] = tableTexts(table);
  const isText = (row: number, column: number) =>
    column === 0 || typeof table.rows[row].cells[column - 1] === "string";
  const isNumberColumn = heading.map((_, j) => j > 0 && !table.rows.every((_, i) => isText(i, j)));
  return (
    <ScrollArea label={label}>
      <table>
        {table.caption !== undefined && <caption>{table.caption}</caption>}
        <thead>
          <tr>
            {heading.map((text, j) => (
              <th key={j} scope="col" class={isNumberColumn[j] ? "number" : ""}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              {cells.map((text, j) => (
                <td key={j} class={isText(i, j + 1) ? "" : "number"}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
