// Tests the HTML file of a report: its data, its escaping, and that it can neither request nor run anything else.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { end, evaluation, watchedFolder } from "../../test/support/entry-folders.ts";
import { isReportPage } from "../report/page.ts";
import { unpackReport } from "./packed-report.ts";
import { reportData } from "./report-data.ts";
import { entriesAt } from "./report-entries.ts";
import { LARGEST_REPORT, reportTemplate } from "./report-file.ts";
import { viewData } from "./views.ts";

const NAME = "script><script>alert(1)<"; // a folder's name has no slash
const folder = watchedFolder();
folder.run(`runs/${NAME}`, { seed: 1, task: "</script><script>alert(2)</script>" }, [
  ...[evaluation(0, 1, 0.5), end(1, 2)],
]);

async function htmlOf(): Promise<string> {
  const template = await reportTemplate();
  const { chosen, all } = await entriesAt([folder.at("runs")]);
  const options = { largest: template.largestData, version: "1", view: viewData };
  return template.html(await reportData(chosen, all, options));
}

test("the page has its data inside, with names that cannot end its script", async () => {
  const html = await htmlOf();
  const scripts = [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
  expect(scripts.map(([, attributes]) => attributes)).toEqual([
    ' type="application/json" id="report-data"',
    ' type="module"',
  ]);
  const report = unpackReport(scripts[0][2]);
  expect(report.title).toBe(`Run ${NAME}`);
  expect(report.details[0].entry).toMatchObject({ name: NAME, task: "</script><script>alert(2)</script>" });
  expect(html).toContain("<title>Run script&gt;&lt;script&gt;alert(1)&lt;</title>");
});

test("the page allows its own script by hash, and no request", async () => {
  const html = await htmlOf();
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "";
  const script = /<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    ...["style-src 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'"],
  ]);
  // The policy stands before everything that it applies to.
  expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.search(/<(script|style|link)/));
  const outside = html.replaceAll(/<script[\s\S]*?<\/script>/g, "");
  expect(outside).not.toMatch(/https?:|url\(|@import|src=/);
});

test("the page is marked as a report, small, and the same every time", async () => {
  const html = await htmlOf();
  expect(isReportPage(html)).toBe(true);
  expect(Buffer.byteLength(html)).toBeLessThan(LARGEST_REPORT);
  expect(await htmlOf()).toBe(html);
});

test("a page that is not built, or another page, is said in one sentence", async () => {
  await expect(reportTemplate(folder.at("none.html"))).rejects.toThrow(
    `${folder.at("none.html")} does not exist; run \`npm run build\` in the clone to make it`,
  );
  writeFileSync(folder.at("other.html"), "<p>");
  await expect(reportTemplate(folder.at("other.html"))).rejects.toThrow("is not the page of reports");
});
