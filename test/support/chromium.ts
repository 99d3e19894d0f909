// A headless Chromium for tests, and a page that Vite has built, served on loopback and opened in it.

import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { preview } from "vite";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // No name leads anywhere, so nothing leaves the machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Graphics processors are not used by default, so that pages are drawn alike on all machines. */
const WITHOUT_GPU = ["--disable-gpu"];
/** On Linux, Chromium has WebGPU only if it is asked for. */
export const WITH_GPU = ["--enable-unsafe-webgpu", "--enable-features=Vulkan"];

/** Headers of a page that is cross-origin isolated, so that its threads can share memory. */
const ISOLATED: Readonly<Record<string, string>> = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export interface Opened<T> {
  readonly result: T;
  /** Uncaught errors of the page, and errors on its console. */
  readonly problems: readonly string[];
}

/** Starts Chromium. Throws a sentence with the remedy if it is missing. `flags`: others than `WITHOUT_GPU`. */
export async function launchChromium(flags: readonly string[] = WITHOUT_GPU): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM} is missing: install chromium, or set CHROMIUM to a browser`);
  }
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
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

export interface OpenOptions {
  readonly root: string;
  /** A folder below `root`. */
  readonly outDir: string;
  /** Whether the page is cross-origin isolated. Default: false. */
  readonly isolated?: boolean;
  /** Flags of Chromium. Default: `WITHOUT_GPU`. */
  readonly flags?: readonly string[];
}

/** The result of `read` on the page in `outDir`. */
export async function openPage<T>(
  { root, outDir, isolated = false, flags }: OpenOptions,
  read: (page: Page) => Promise<T>,
): Promise<Opened<T>> {
  const browser = await launchChromium(flags);
  const server = await preview({
    ...{ root, configFile: false, logLevel: "error", build: { outDir } },
    preview: { host: "127.0.0.1", port: 0, headers: isolated ? ISOLATED : {} },
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
