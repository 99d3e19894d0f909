// Escapes untrusted text for HTML and SVG.

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for element content or a quoted attribute value. */
export function escapeText(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (letter) => NAMES[letter]);
}

/** Removes control characters, which XML forbids and which can move the cursor of a terminal; line breaks and tabs become spaces. */
export function printable(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, " ").replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "");
}
