// Makes the tarballs of a release and says what it would publish; publishes nothing.
//
//   npm run release -- --out FOLDER
//
// The main package, and one package for each platform of onnxruntime-node. FOLDER must be new or empty.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeRelease } from "./describe.ts";
import { type PackResult, pack } from "./npm.ts";
import { PLATFORMS } from "./platforms.ts";
import { stageMain, stagePlatform } from "./stage.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Writes all tarballs into a folder. The main package is the last, because it needs the others. */
export async function release(out: string): Promise<PackResult[]> {
  const staging = mkdtempSync(join(tmpdir(), "gflownet-release-"));
  try {
    const platforms = PLATFORMS.map((platform) => {
      const folder = newFolder(join(staging, `${platform.os}-${platform.cpu}`));
      stagePlatform(platform, ROOT, folder);
      return pack(folder, out);
    });
    const folder = newFolder(join(staging, "main"));
    await stageMain(platforms, ROOT, folder);
    return [...platforms, pack(folder, out)];
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function newFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** The folder of the flag --out, as an absolute path; or what is wrong with the flags. */
export function parseOut(args: readonly string[]): { out: string } | { problem: string } {
  let out: string | undefined;
  try {
    out = parseArgs({ args: [...args], options: { out: { type: "string" } } }).values.out;
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (!out) return { problem: "the folder of the tarballs must be given: npm run release -- --out FOLDER" };
  if (existsSync(out) && readdirSync(out).length > 0) {
    return { problem: `--out must be a new or empty folder, got ${out} with files; choose another` };
  }
  return { out: resolve(out) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parsed = parseOut(process.argv.slice(2));
  if ("problem" in parsed) {
    console.error(`release: ${parsed.problem}`);
    process.exitCode = 2;
  } else {
    console.log(describeRelease(parsed.out, await release(newFolder(parsed.out))));
  }
}
