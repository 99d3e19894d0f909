// A headless Chromium for tests, and a page that Vite has built, served on loopback and opened in it.

import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { preview } from "vite";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // No name leads anywhere, so nothing leaves the machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

export interface Opened<T> {
  readonly result: T;
  /** Uncaught errors of the page, and errors on its console. */
  readonly problems: readonly string[];
}

/** Starts Chromium. Throws a sentence with the remedy if it is missing. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM} is missing: install chromium, or set CHROMIUM to a browser`);
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A page whose problems are collected: uncaught errors, errors on the console, and requests to other machines. */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: string[]; readonly requests: string[] }> {
  const page = await (await browser.newContext(options)).newPage();
  const [problems, requests]: [string[], string[]] = [[], []];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol === "data:" || protocol === "blob:") return;
    requests.push(request.url());
    if (protocol !== "file:" && hostname !== "127.0.0.1") problems.push(`request to ${request.url()}`);
  });
  return { page, problems, requests };
}

/** The result of `read` on the page in `outDir`, a folder below `root`. */
export async function openPage<T>(
  { root, outDir }: { readonly root: string; readonly outDir: string },
  read: (page: Page) => Promise<T>,
): Promise<Opened<T>> {
  const browser = await launchChromium();
  const server = await preview({
    ...{ root, configFile: false, logLevel: "error", build: { outDir } },
    preview: { host: "127.0.0.1", port: 0 },
  });
  try {
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.resolvedUrls?.local[0] ?? "");
    return { result: await read(page), problems };
  } finally {
    await browser.close();
    await server.close();
  }
}
