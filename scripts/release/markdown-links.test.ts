// Tests of links in packed Markdown.

import { expect, test } from "vitest";
import { deadLinks, withoutDeadLinks } from "./markdown-links.ts";

const PACKED = [
  "README.md",
  "docs/README.md",
  "docs/engine.md",
  "docs/mathematics/method.md",
  "examples/own.ts",
];

test("links to packed files, folders, headings and other sites stay", () => {
  const text =
    "[a](engine.md) [b](engine.md#views) [c](../examples) [d](../examples/) [e](#here) " +
    "[f](https://onnxruntime.ai) [g](mathematics/method.md) [h](mailto:x@y.z)";
  expect(deadLinks("docs/README.md", text, PACKED)).toEqual([]);
  expect(withoutDeadLinks("docs/README.md", text, PACKED)).toBe(text);
});

test("links to files that are not packed become their text", () => {
  const text = "See [the results](../bench/results/engine.md#speed) and [example](../examples/own.ts).";
  expect(deadLinks("docs/README.md", text, PACKED)).toEqual([
    "[the results](../bench/results/engine.md#speed)",
  ]);
  expect(withoutDeadLinks("docs/README.md", text, PACKED)).toBe(
    "See the results and [example](../examples/own.ts).",
  );
});

test("a name that only begins like a packed folder is not packed", () => {
  expect(deadLinks("README.md", "[x](docs/math) [y](doc)", PACKED)).toEqual(["[x](docs/math)", "[y](doc)"]);
});

test("an image that is not packed is an error", () => {
  expect(() => withoutDeadLinks("README.md", "![curve](bench/curve.svg)", PACKED)).toThrow(
    "README.md shows bench/curve.svg, which is not in the package; add it to files in package.json",
  );
});
