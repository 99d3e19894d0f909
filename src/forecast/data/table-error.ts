// What is wrong with a table or a panel, in one sentence: the place, the rule and what was found.

export class TableError extends Error {
  override readonly name: string = "TableError";
}

/** Something out of a file as it may stand in a sentence: quoted, on one line, not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

/** Names as they stand in a sentence; of many, the first. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names.slice(0, 12).map(quoted).join(", ");
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}
