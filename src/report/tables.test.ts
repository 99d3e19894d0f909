// Tests of one table in three formats: aligned text, Markdown and HTML.

import { expect, test } from "vitest";
import { htmlTable, markdownTable, meanAndDeviation, plainTable, settingText, type Table } from "./tables.ts";

const table: Table = {
  caption: "TV after 60 s",
  columns: ["method", "stick 0.25", "seeds", "note"],
  rows: [
    { name: "kl", cells: [[0.1, 0.2, 0.3], 3, "best"] },
    { name: "db", cells: [0.5, 12345, ""] },
    { name: "none", cells: [null, Number.NaN, "–"] },
  ],
};

test("as aligned text", () => {
  expect(plainTable(table)).toBe(
    [
      "TV after 60 s",
      "method       stick 0.25   seeds  note",
      "kl      0.2000 ± 0.1000       3  best",
      "db               0.5000  12,345",
      "none                  –       –     –",
    ].join("\n"),
  );
});

test("as Markdown", () => {
  expect(markdownTable(table)).toBe(
    [
      "TV after 60 s",
      "",
      "| method | stick 0.25 | seeds | note |",
      "| --- | ---: | ---: | ---: |",
      "| kl | 0.2000 ± 0.1000 | 3 | best |",
      "| db | 0.5000 | 12,345 |  |",
      "| none | – | – | – |",
      "",
    ].join("\n"),
  );
});

test("as HTML, with text columns left-aligned", () => {
  const html = htmlTable(table);
  expect(html).toContain("<caption>TV after 60 s</caption>");
  expect(html).toContain(
    '<tr><th scope="row">kl</th><td>0.2000 ± 0.1000</td><td>3</td><td class="text">best</td></tr>',
  );
  expect(html).toContain('<th scope="col">seeds</th><th scope="col" class="text">note</th>');
});

test("untrusted names are escaped", () => {
  const untrusted = '<b onclick="x()">a|b*c_[d](javascript:e)`&\u001b[31m\nf';
  const one: Table = { columns: ["", "x"], rows: [{ name: untrusted, cells: [untrusted] }] };
  const html = htmlTable(one);
  expect(html).not.toContain("<b");
  expect(html).toContain("&lt;b onclick=&quot;x()&quot;&gt;a|b");
  const markdown = markdownTable(one);
  expect(markdown.split("\n")).toHaveLength(4);
  expect(markdown).toContain('&lt;b onclick="x()"&gt;a\\|b\\*c\\_\\[d\\](javascript:e)\\`&amp;');
  expect(plainTable(one)).not.toContain("\u001b");
});

test("mean and deviation omit non-finite values and say how many are finite", () => {
  expect(meanAndDeviation([1, 3])).toBe("2.0000 ± 1.4142");
  expect(meanAndDeviation([1])).toBe("1.0000");
  expect(meanAndDeviation([1, Number.NaN, 3])).toBe("2.0000 ± 1.4142 (2 of 3)");
  expect(meanAndDeviation([Number.POSITIVE_INFINITY])).toBe("– (0 of 1)");
  expect(meanAndDeviation([])).toBe("–");
  expect(plainTable({ columns: ["a", "b"], rows: [{ name: "x", cells: [Number.POSITIVE_INFINITY] }] })).toBe(
    "a  b\nx  ∞",
  );
});

test("a row with too few cells is refused", () => {
  expect(() => plainTable({ columns: ["a", "b"], rows: [{ name: "x", cells: [] }] })).toThrow(
    'table: row "x" must have 1 cells, got 0',
  );
});

test.each([
  ["kl", "kl"],
  [0.25, "0.25"],
  [[128, 64], "128,64"],
  [["a", "b"], "a,b"],
  [[], "none"],
  [{ from: 0.003, to: 0.00003, shape: "cosine" }, "0.003:0.00003:cosine"],
  [{ from: 0.5, to: 0, until: 0.6 }, "0.5:0:linear:0.6"],
  [{ from: 1, to: 0, other: 2 }, '{"from":1,"to":0,"other":2}'],
  [[[1]], "[[1]]"],
  [null, "–"],
  [undefined, "–"],
])("the setting %j is written as %s", (value, text) => {
  expect(settingText(value)).toBe(text);
});
