// Numbers in the narrow room of a figure or a line of text: three digits that count.

/** 0.0459, 12,300, 2.6e-5; NaN and infinities by their names. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(1).replace(".0e", "e");
  const digits = size >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
  return value.toLocaleString("en-US", digits);
}
