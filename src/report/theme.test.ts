// Texts in the room they have.

import { expect, test } from "vitest";
import { escapeText } from "./escape.ts";
import { shortNumber } from "./short-number.ts";
import { fitText, styleOf, textWidth, wrapText } from "./theme.ts";

test("a text that is too long ends in …, within its room", () => {
  expect(fitText("short", 10, 100)).toBe("short");
  const fitted = fitText("a name that is much too long", 10, 60);
  expect(fitted).toMatch(/^a name.*…$/);
  expect(textWidth(fitted, 10)).toBeLessThanOrEqual(60);
  expect(fitText("wide", 10, 0)).toBe("…");
});

test("lines are broken between words, and a word that is too long is cut", () => {
  const lines = wrapText("one two three four wwwwwwwwwwwwwwwwwwwwwwwwwwww five", 10, 80);
  for (const line of lines) expect(textWidth(line, 10)).toBeLessThanOrEqual(80);
  expect(lines[0]).toBe("one two three");
  expect(lines.at(-1)).toBe("five");
  expect(wrapText("", 10, 80)).toEqual([]);
});

test("series look different from one another", () => {
  const looks = Array.from({ length: 24 }, (_, i) => JSON.stringify(styleOf(i)));
  expect(new Set(looks).size).toBe(24);
});

test("text cannot leave its element or attribute", () => {
  expect(escapeText(`<a b="c" d='e'>&`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  expect(escapeText("a\u0000b\u001bc\nd\ud800e")).toBe("abc de");
});

test("numbers are short", () => {
  expect([0.04591, 12345.6, 2.6135e-5, 0, 57, -0.5, 1e12].map(shortNumber)).toEqual([
    ...["0.0459", "12,346", "2.6e-5", "0", "57", "-0.5", "1e+12"],
  ]);
  expect([Number.NaN, Number.POSITIVE_INFINITY].map(shortNumber)).toEqual(["not a number", "∞"]);
});
