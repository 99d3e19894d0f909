// Numbers of the events of a run, which may come from another version: what is missing is NaN.

/** The number at a path; NaN if there is none. */
export function field(value: unknown, ...path: readonly string[]): number {
  let inner = value;
  for (const name of path) inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof inner === "number" ? inner : Number.NaN;
}
