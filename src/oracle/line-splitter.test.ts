// Lines from chunks of bytes: any cut gives the same lines, and lines that are too long are refused.

import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

/** All lines of a text that arrives in chunks of this many bytes. */
function linesOf(text: string, size: number, longest = 20): string[] {
  const splitter = new LineSplitter(longest);
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    lines.push(...splitter.add(bytes.subarray(from, from + size)));
  }
  return lines;
}

test("a text gives the same lines however it is cut, also within a letter or a line end", () => {
  const text = "0.5\r\n\nβ→€ 😀\n\r\r\n  x \n😀😀😀😀😀\nincomplete";
  const lines = ["0.5", "", "β→€ 😀", "\r", "  x ", "😀😀😀😀😀"];
  for (let size = 1; size <= Buffer.byteLength(text); size++) {
    expect(linesOf(text, size)).toEqual(lines);
  }
});

test.each([1, 2, 3, 5, 100])("a line may have the most bytes but not one more, in chunks of %i", (size) => {
  expect(linesOf("a\n12345\n1234\n", size, 5)).toEqual(["a", "12345", "1234"]);
  for (const text of ["123456\n", "1\n2\n123456\n3\n", "1\n123456", "€€\n"]) {
    expect(() => linesOf(text, size, 5)).toThrow("a line must have at most 5 bytes");
  }
});
