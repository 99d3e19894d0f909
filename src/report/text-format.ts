// Plain-text output: aligned tables, numbers, counts and durations.

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

/** Number of characters, not counting combining marks such as the hat of P̂. */
function width(text: string): number {
  return [...text.replaceAll(/\p{Mark}/gu, "")].length;
}

/** A number as text, such as "0.1235", or "1.2e-9" for small numbers; a dash for null, undefined and NaN. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  return size > 0 && size < 1e-4 ? value.toExponential(1) : value.toFixed(4);
}

/** A number with three significant digits, such as "0.0459", "12,346" or "2.6e-5"; "not a number" for NaN. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(1).replace(".0e", "e");
  return (size >= 1000 ? WHOLE : SIGNIFICANT).format(value);
}

// Making a format takes much longer than using it, and a page shows hundreds of numbers.
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SIGNIFICANT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** "12,345" */
export function formatCount(value: number): string {
  return WHOLE.format(Math.round(value));
}

/** "1 row", "12,345 rows" */
export function formatCountOf(value: number, one: string): string {
  return `${formatCount(value)} ${one}${value === 1 ? "" : "s"}`;
}

/** "45 s", "3 min 5 s", "2 h 10 min" */
export function formatDuration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  return `${Math.floor(rounded / 3600)} h ${Math.floor((rounded % 3600) / 60)} min`;
}
