// What tests of pages look at: parts by their name, findings of axe-core, and colours of a canvas.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The parts of a page with this name in `data-test`. */
export const hook = (page: Page | Locator, name: string) => page.locator(`[data-test="${name}"]`);

/** Serious findings of axe-core on the page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // The page's policy forbids inline scripts; evaluation through the browser's own protocol is not one.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html] as const);
  });
  return found
    .filter(([, impact]) => impact === "serious" || impact === "critical")
    .map(([id, , html]) => `${id}: ${html}`);
}

/** Pixels by which the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
