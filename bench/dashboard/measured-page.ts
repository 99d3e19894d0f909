// A page of the dashboard in Chromium, with the recorder of its changes.

import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { watchedPage } from "../../test/support/chromium.ts";
import type { Interaction } from "./interactions.ts";

const RECORDER = fileURLToPath(new URL("page-recorder.js", import.meta.url));
const VIEWPORT = { width: 1280, height: 900 };
/** A page that has changed nothing for this time, in milliseconds, and has no request under way, is complete. */
const QUIET = 300;
/** Milliseconds until something must be shown at the latest. */
const TIME_LIMIT = 120_000;

/** Runs an action on a new page. Throws if the page has logged an error or requested anything from another machine. */
export async function withPage<T>(browser: Browser, action: (page: Page) => Promise<T>): Promise<T> {
  const { page, problems } = await watchedPage(browser, { viewport: VIEWPORT });
  page.setDefaultTimeout(TIME_LIMIT);
  await page.addInitScript({ path: RECORDER });
  try {
    const result = await action(page);
    if (problems.length > 0) throw new Error(`the page has problems: ${problems.join("; ")}`);
    return result;
  } finally {
    await page.context().close();
  }
}

/** Milliseconds from the start of the navigation until a part of the page is painted. */
export async function firstShown(page: Page, part: string): Promise<number> {
  const found = await page.waitForFunction((name) => recorder.firstOf(name), part);
  return (await found.jsonValue()) as number;
}

export function quiet(page: Page): Promise<void> {
  return page.evaluate((time) => recorder.quiet(time), QUIET);
}

/** Milliseconds from the input until its result is painted. */
export async function shownAfter(
  page: Page,
  { event, shows, act }: Interaction,
  turn: number,
): Promise<number> {
  await page.evaluate((type) => recorder.expect(type), event);
  await act(page, turn);
  return page.evaluate((kind) => recorder.shown(kind), shows);
}

/** The same, and the time until everything is painted that the input causes, with the answers of the server. */
export async function timesOf(page: Page, interaction: Interaction, turn: number) {
  const shown = await shownAfter(page, interaction, turn);
  await quiet(page);
  return { shown, complete: await page.evaluate(() => recorder.complete()) };
}

/** What `page-recorder.js` adds to the page. */
declare const recorder: {
  expect(event: string): void;
  shown(kind: string): Promise<number>;
  complete(): number;
  quiet(time: number): Promise<void>;
  firstOf(kind: string): number | null;
};
