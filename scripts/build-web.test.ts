// Tests what the web app is built into: small files that load nothing from elsewhere.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWeb } from "./build-web.ts";

const dist = mkdtempSync(join(tmpdir(), "gflownet-web-"));
const dashboard = join(dist, "web", "dashboard");

beforeAll(() => buildWeb(dist));
afterAll(() => rmSync(dist, { recursive: true }));

test("the dashboard's page is less than 250 kB gzipped, with all of its files", () => {
  const files = readdirSync(dashboard, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const size = files.reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(file.parentPath, file.name))).length,
    0,
  );
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThan(250_000);
});

test("the dashboard's page has no script of its own, which its content security policy would refuse", () => {
  const html = readFileSync(join(dashboard, "dashboard.html"), "utf8");
  const scripts = [...html.matchAll(/<script[^>]*>([^<]*)</g)];
  expect(scripts.length).toBeGreaterThan(0);
  for (const [tag, content] of scripts) {
    expect(tag).toContain('src="./assets/');
    expect(content).toBe("");
  }
});

test("the playground without its engine is less than 600 kB gzipped, and all of it works without a network", () => {
  const folder = join(dist, "web", "playground");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.endsWith("onnxruntime"))
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  const kept = files.filter((file) => !["widget.js", "service-worker.js"].includes(file));
  const size = kept
    .filter((file) => !file.endsWith(".wasm"))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  expect(size).toBeLessThan(600_000);
  const worker = readFileSync(join(folder, "service-worker.js"), "utf8");
  for (const file of kept) expect(worker).toContain(file);
  expect(worker).not.toContain("widget.js");
});

test("the widget of notebooks is one module of at most 7 MB that imports nothing", () => {
  const text = readFileSync(join(dist, "web", "playground", "widget.js"), "utf8");
  expect(text.length).toBeLessThan(7_000_000);
  expect(text).not.toMatch(/^import /m);
  expect(text).toMatch(/^export default \{ render \};$/m);
  expect(text).not.toContain("__PAGE__");
});

test("the report's page is one file that names no other", () => {
  expect(readdirSync(join(dist, "web")).sort()).toEqual(["dashboard", "playground", "report.html"]);
  const html = readFileSync(join(dist, "web", "report.html"), "utf8");
  const head =
    html.slice(0, html.indexOf("<style>")) + html.slice(html.lastIndexOf("</style>"), html.indexOf("<body>"));
  expect(head).not.toMatch(/src=|href="(?!data:)/);
  expect(html).toContain('<div id="app"></div>');
  expect(html).not.toMatch(/\bimport\(|\bfrom"\./);
});
