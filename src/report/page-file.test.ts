import { expect, test } from "vitest";
import { type Page, plainFigure } from "./page.ts";
import { pageText, parsePage } from "./page-file.ts";

const PAGE: Page = {
  title: "<b>",
  intro: "One.\n\nTwo.",
  sections: [
    {
      heading: "Figures",
      text: "Text.",
      figures: ['<svg width="1"><line x1="2"/><text>a &lt; b</text></svg>'],
    },
    {
      heading: "Tables",
      tables: [
        {
          caption: "c",
          columns: ["a", "b", "c", "d"],
          rows: [{ name: "x", cells: ["text", 0.1, { seeds: [1, 2], digits: 2, mark: "*" }] }],
        },
      ],
    },
  ],
};

test("a page is read as it was written", () => {
  expect(parsePage(pageText(PAGE))).toEqual(PAGE);
});

test("numbers that JSON does not have are written as a table shows them", () => {
  const cells = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, [1, Number.NaN]];
  const table = { columns: ["a", "b", "c", "d", "e"], rows: [{ name: "x", cells }] };
  const page: Page = { title: "t", intro: "", sections: [{ heading: "h", tables: [table] }] };
  expect(parsePage(pageText(page))?.sections[0].tables?.[0].rows[0].cells).toEqual([
    "∞",
    "−∞",
    null,
    [1, null],
  ]);
});

test.each([
  '<svg width="1"><script>alert(1)</script></svg>',
  '<svg width="1" onload="alert(1)"></svg>',
  '<svg width="1"><a href="x"></a></svg>',
  '<svg width="1"><g style="position:fixed"></g></svg>',
  '<svg width="1"><rect fill="url(http://x)"/></svg>',
  '<svg width="1"><text>a</text></svg><img src="x">',
  '<svg width="1"><text>a</text><text ',
  '<svg width="1"><foreignObject></foreignObject></svg>',
  "<svg onload=alert(1)></svg>",
  "no figure",
])("%s is no plain figure, and no part of a page that is read", (svg) => {
  expect(plainFigure(svg)).toBe(false);
  const page: Page = { title: "t", intro: "", sections: [{ heading: "h", figures: [svg] }] };
  expect(parsePage(pageText(page))?.sections).toEqual([{ heading: "h", figures: [] }]);
});

test("a file of another kind is no page", () => {
  const wrong = [
    "",
    "{}",
    "[]",
    JSON.stringify({ format: "gflownet page", version: 2, title: "", intro: "", sections: [] }),
    JSON.stringify({ format: "gflownet page", version: 1, title: "", intro: "", sections: [{}] }),
    pageText({
      title: "t",
      intro: "",
      sections: [{ heading: "h", tables: [{ columns: ["a"], rows: [{ name: "x", cells: [1] }] }] }],
    }),
  ];
  expect(wrong.map(parsePage)).toEqual(wrong.map(() => null));
});
