// Opens a page that Vite has built: served on loopback, in a headless Chromium.

import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { preview } from "vite";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export interface Opened<T> {
  readonly result: T;
  /** Uncaught errors of the page, and errors on its console. */
  readonly problems: readonly string[];
}

/** The result of `read` on the page in `outDir`, a folder below `root`. */
export async function openPage<T>(
  { root, outDir }: { readonly root: string; readonly outDir: string },
  read: (page: Page) => Promise<T>,
): Promise<Opened<T>> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM} is missing: install chromium, or set CHROMIUM to a browser`);
  }
  const server = await preview({
    ...{ root, configFile: false, logLevel: "error", build: { outDir } },
    preview: { host: "127.0.0.1", port: 0 },
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(server.resolvedUrls?.local[0] ?? "");
    return { result: await read(page), problems };
  } finally {
    await browser.close();
    await server.close();
  }
}
