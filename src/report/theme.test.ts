// Tests of texts fitted to a width, series styles, escaping and short numbers.

import { expect, test } from "vitest";
import { escapeText } from "./escape.ts";
import { shortNumber } from "./text-format.ts";
import { fitText, styleOf, textWidth, wrapText } from "./theme.ts";

test("a text that is too long ends in … and fits the width", () => {
  expect(fitText("short", 10, 100)).toBe("short");
  const fitted = fitText("a name that is much too long", 10, 60);
  expect(fitted).toMatch(/^a name.*…$/);
  expect(textWidth(fitted, 10)).toBeLessThanOrEqual(60);
  expect(fitText("wide", 10, 0)).toBe("…");
});

test("lines break between words, and a word that is too long is shortened", () => {
  const lines = wrapText("one two three four wwwwwwwwwwwwwwwwwwwwwwwwwwww five", 10, 80);
  for (const line of lines) expect(textWidth(line, 10)).toBeLessThanOrEqual(80);
  expect(lines[0]).toBe("one two three");
  expect(lines.at(-1)).toBe("five");
  expect(wrapText("", 10, 80)).toEqual([]);
});

test("24 series have different styles", () => {
  const styles = Array.from({ length: 24 }, (_, i) => JSON.stringify(styleOf(i)));
  expect(new Set(styles).size).toBe(24);
});

test("escaped text cannot end its element or attribute", () => {
  expect(escapeText(`<a b="c" d='e'>&`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  expect(escapeText("a\u0000b\u001bc\nd\ud800e")).toBe("abc de");
});

test("short numbers have three significant digits", () => {
  expect([0.04591, 12345.6, 2.6135e-5, 0, 57, -0.5, 1e12].map(shortNumber)).toEqual([
    ...["0.0459", "12,346", "2.6e-5", "0", "57", "-0.5", "1e+12"],
  ]);
  expect([Number.NaN, Number.POSITIVE_INFINITY].map(shortNumber)).toEqual(["not a number", "∞"]);
});
