// Text that may come from anyone, made harmless inside HTML and SVG.

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For the inside of an element or of a quoted attribute. */
export function escapeText(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (letter) => NAMES[letter]);
}

/** Without control characters, which no XML may have and which move a terminal's cursor; breaks become blanks. */
export function printable(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, " ").replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "");
}
