// Compiles the package: npm run build
//
// The folder dist is replaced. After the compiler, `bin` files get their run bit, which the compiler does not set, and
// declarations that import jax-js get a reference to the global types that it needs.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWeb } from "./build-web.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Path in dist of the declarations below. */
const GLOBALS_FILE = "engine/jax-globals.d.ts";

/** Without these, users cannot compile with `skipLibCheck: false`. The interfaces merge with those of dom. */
const GLOBALS = `// Global types that the declarations of jax-js name, for programs whose lib lacks them.
/// <reference lib="esnext.float16" />
interface GPUBuffer {}
interface GPUDevice {}
`;

/** Replaces a folder `dist` with the compiled package and the web app. Throws if the compiler reports errors. */
export async function build(dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const project = join(ROOT, "tsconfig.build.json");
  const { status } = spawnSync(process.execPath, [compiler, "-p", project, "--outDir", resolve(dist)], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the sources do not compile; see the errors above");
  finishBuild(dist, JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).bin);
  await buildWeb(dist);
}

/** What the compiler leaves to do. `bin`: the commands of package.json. */
export function finishBuild(dist: string, bin: Readonly<Record<string, string>>): void {
  for (const file of Object.values(bin)) chmodSync(join(dist, relative("dist", file)), 0o755);

  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(dist, name);
    writeFileSync(file, withGlobals(name.replaceAll("\\", "/"), readFileSync(file, "utf8")));
  }
  mkdirSync(dirname(join(dist, GLOBALS_FILE)), { recursive: true });
  writeFileSync(join(dist, GLOBALS_FILE), GLOBALS);
}

/** A declaration file with a reference to the global types, if it imports jax-js. `name`: its path in dist. */
export function withGlobals(name: string, text: string): string {
  if (!text.includes('"@jax-js/jax"')) return text;
  return `/// <reference path="${posix.relative(posix.dirname(name), GLOBALS_FILE)}" />\n${text}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build("dist");
