// Tests that scripts/draw-sentences.ts finds the sentences of documents, messages and comments, and draws the same
// sentences for the same seed.

import { describe, expect, test } from "vitest";
import { codePieces, draw, markdownPieces, splitSentences } from "../scripts/draw-sentences.ts";

const texts = (pieces: readonly Parameters<typeof splitSentences>[0][]) =>
  pieces.flatMap((piece) => splitSentences(piece)).map(({ line, text }) => `${line}: ${text}`);

describe("sentences are found in", () => {
  test("Markdown, without headings, code, formulas and numbers", () => {
    const document = [
      "# A heading of several words",
      "One sentence of a paragraph, which",
      "goes on. A [second one](link.md) is here too.",
      "```sh",
      "code is not a sentence at all",
      "```",
      "$$a formula is not a sentence$$",
      "| cell with four words | 0.1 |",
    ].join("\n");
    expect(texts(markdownPieces(document))).toEqual([
      "2: One sentence of a paragraph, which goes on.",
      "3: A second one is here too.",
      "8: cell with four words",
    ]);
  });

  test("comments, whose lines are joined, and in messages if wanted, but not in SQL", () => {
    const source = [
      "// A comment that runs",
      "// over two lines. Its second sentence is here.",
      'const url = "https://example.com"; // [B, T]',
      'throw new Error("the value must be positive");',
      'const query = "SELECT every column of the rows FROM that table";',
      "/** Documentation of the function f. */",
    ].join("\n");
    const comments = [
      "1: A comment that runs over two lines.",
      "2: Its second sentence is here.",
      "6: Documentation of the function f.",
    ];
    expect(texts(codePieces(source, true))).toEqual(comments);
    expect(texts(codePieces(source, false))).toEqual([
      ...comments.slice(0, 2),
      "4: the value must be positive",
      comments[2],
    ]);
  });
});

test("the same seed draws the same items, each at most once", () => {
  const items = Array.from({ length: 100 }, (_, i) => i);
  expect(draw(items, 20, 1)).toEqual(draw(items, 20, 1));
  expect(draw(items, 20, 1)).not.toEqual(draw(items, 20, 2));
  expect(draw(items, 200, 1).sort((a, b) => a - b)).toEqual(items);
});
