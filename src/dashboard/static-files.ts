// The files of a page, which the build writes. They are listed when the server starts, and a request gets a listed file or
// nothing.

import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MiddlewareHandler } from "hono";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** Where the build puts a page: beside the compiled sources. A clone that runs its sources has it in `dist`. */
export function builtPage(name: "dashboard" | "playground"): string {
  const isCompiled = import.meta.url.endsWith(".js");
  return fileURLToPath(new URL(isCompiled ? `../web/${name}` : `../../dist/web/${name}`, import.meta.url));
}

/** `startPage` is the file that the address of the server itself stands for. */
export function staticFiles(folder: string, startPage: string): MiddlewareHandler {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const files = new Map(
    names
      .filter((name) => extname(name) in TYPES)
      .map((name) => [`/${name.replaceAll("\\", "/")}`, join(folder, name)]),
  );
  const start = files.get(`/${startPage}`);
  if (start) files.set("/", start);
  return async (c, next) => {
    const file = c.req.method === "GET" || c.req.method === "HEAD" ? files.get(c.req.path) : undefined;
    if (!file) {
      if (c.req.path === "/" && !start) {
        return c.text("gflownet: the page is not built; run `npm run build` in the clone.\n", 503);
      }
      return next();
    }
    // Names of assets have a hash of their content, so they never change.
    if (c.req.path.startsWith("/assets/")) c.header("Cache-Control", "private, max-age=31536000, immutable");
    return c.body(await readFile(file), 200, { "Content-Type": TYPES[extname(file)] });
  };
}
