// JSON has no NaN and no infinities. The strings "NaN", "Infinity" and "-Infinity" stand for them.

/** JSON of a value, with strings for numbers that are not finite. */
export function finiteJson(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === "number" && !Number.isFinite(each) ? String(each) : each,
  );
}
