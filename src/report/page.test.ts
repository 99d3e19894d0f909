// Tests of the HTML page: it is self-contained, and all text is escaped.

import { expect, test } from "vitest";
import { htmlPage, isReportPage } from "./page.ts";

const page = htmlPage({
  title: "A <b>run</b>",
  intro: "First & foremost.\n\nSecond.",
  sections: [
    {
      heading: "One",
      text: "</section><script>x()</script>",
      figures: ['<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    },
    { heading: "Two", tables: [{ columns: ["name", "value"], rows: [{ name: "<i>", cells: [1] }] }] },
  ],
});

test("it has title, paragraphs, figures and tables in order", () => {
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(page).toContain("<title>A &lt;b&gt;run&lt;/b&gt;</title>");
  expect(page).toContain("<p>First &amp; foremost.</p>\n<p>Second.</p>");
  const order = ["<h1>", "First", "<h2>One", "<svg", "<h2>Two", "<table>"].map((part) => page.indexOf(part));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
});

test("untrusted text cannot become an element", () => {
  expect(page).toContain("&lt;/section&gt;&lt;script&gt;");
  expect(page).not.toMatch(/<script|<b>|<i>/);
});

test("its security policy allows only its own style, and it references no other resource", () => {
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
  );
  expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
    /https?:|url\(|@import|src=|href=/,
  );
});

test("generated pages are recognised, and other pages are not", () => {
  expect(isReportPage(page)).toBe(true);
  expect(isReportPage("<!doctype html><title>gflownet report</title>")).toBe(false);
  expect(isReportPage("")).toBe(false);
});
