// The candidate table with filter, sort and export.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatCount, shortNumber } from "../../src/report/text-format.ts";
import type { CandidatesView } from "../../src/views/view-data.ts";
import { ScrollArea } from "../components/scroll-area.tsx";
import { saveText } from "../download.ts";
import { candidatesCsv, candidatesFasta, filteredRows, sortedRows, stringColumn } from "./candidate-rows.ts";
import type { ViewProps } from "./view-props.ts";

/** Rows of the first page, and of each further one. */
const PAGE = 50;

export function Candidates({ data, choice, choose }: ViewProps<CandidatesView>) {
  const { columns } = data;
  const text = typeof choice.text === "string" ? choice.text : "";
  const { sort, isDescending = false } = choice;
  const shown = useSignal(PAGE);
  const rows = useMemo(
    () => sortedRows(columns, filteredRows(data, text), { column: sort, isDescending }),
    [data, text, sort, isDescending],
  );
  const string = stringColumn(columns);
  const areSequences =
    string >= 0 && data.rows.every((row) => /^[A-Za-z*-]+$/.test(String(row[string] ?? "")));
  return (
    <div class="stack" data-test="candidates">
      <div class="line controls">
        <label class="field">
          <span>Filter</span>
          <input
            type="search"
            value={text}
            placeholder="ACG score>0.5"
            onInput={(event) => choose({ text: event.currentTarget.value })}
          />
        </label>
        <button
          type="button"
          onClick={() => saveText("candidates.csv", "text/csv", candidatesCsv(columns, rows))}
          data-test="save-csv"
        >
          Save as CSV
        </button>
        {areSequences && (
          <button
            type="button"
            onClick={() => saveText("candidates.fasta", "text/plain", candidatesFasta(columns, rows))}
            data-test="save-fasta"
          >
            Save as FASTA
          </button>
        )}
        <span class="faint small" role="status">
          {formatCount(rows.length)} of {formatCount(data.rows.length)}
        </span>
      </div>
      <ScrollArea label="Candidates">
        <table>
          <thead>
            <tr>
              {columns.map(({ name, label, kind }) => (
                <th
                  key={name}
                  scope="col"
                  class={kind === "number" ? "number" : ""}
                  aria-sort={sort === name ? (isDescending ? "descending" : "ascending") : undefined}
                >
                  <button
                    type="button"
                    class="plain"
                    onClick={() =>
                      choose({ sort: name, isDescending: sort === name ? !isDescending : kind === "number" })
                    }
                  >
                    {label}
                    {sort === name ? (isDescending ? " ↓" : " ↑") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={columns[j].name} class={typeof cell === "number" ? "number" : "mono"}>
                    {cell === null ? "–" : typeof cell === "number" ? shortNumber(cell) : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {rows.length > shown.value && (
        <div>
          <button
            type="button"
            onClick={() => {
              shown.value += PAGE;
            }}
          >
            Show {Math.min(PAGE, rows.length - shown.value)} more of {formatCount(rows.length - shown.value)}
          </button>
        </div>
      )}
    </div>
  );
}
