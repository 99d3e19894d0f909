// Aligned columns for people.

/** Rows of cells; the first column is left-aligned, the others right-aligned. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const blanks = " ".repeat(widths[column] - width(cell));
          return column === 0 ? cell + blanks : blanks + cell;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Letters that take a place: the hat of P̂ takes none. */
function width(text: string): number {
  return [...text.replaceAll(/\p{Mark}/gu, "")].length;
}

/** Four digits after the point, or as many as show something; a dash for what there is none of. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  return size > 0 && size < 1e-4 ? value.toExponential(1) : value.toFixed(4);
}

/** Whole numbers with thousands apart: 12,345. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** 1 row, 12,345 rows. */
export function countOf(value: number, one: string): string {
  return `${count(value)} ${one}${value === 1 ? "" : "s"}`;
}

/** 45 s, 3 min 5 s, 2 h 10 min. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
