// Numbers as people and files write them: decimal notation only.

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses decimal notation only: `Number` also accepts blanks, "0x10" and "Infinity". */
export function numberFrom(text: string): number | undefined {
  return DECIMAL.test(text.trim()) ? Number(text) : undefined;
}
