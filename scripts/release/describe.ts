// Says what a release would publish: names, versions, sizes and files of its tarballs.

import { join } from "node:path";
import type { PackResult } from "./npm.ts";

/** Files of a package with more are counted by folder. */
const MAX_LISTED = 30;

export function describeRelease(out: string, tarballs: readonly PackResult[]): string {
  const publish = tarballs.map(({ filename }) => `  npm publish ${join(out, filename)} --access public`);
  return [
    ...tarballs.map(describeTarball),
    "Nothing was published. To publish, in this order (a version that is published already is left out):",
    ...publish,
  ].join("\n");
}

function describeTarball({ name, version, filename, size, unpackedSize, files }: PackResult): string {
  return [
    `${name}@${version}`,
    `  ${filename}: ${formatSize(size)}, unpacked ${formatSize(unpackedSize)}, ${files.length} files`,
    ...(files.length > MAX_LISTED ? byFolder(files) : files.map(({ path, size }) => line(path, size))),
    "",
  ].join("\n");
}

/** One line for each file and folder at the top. */
function byFolder(files: PackResult["files"]): string[] {
  const tops = [...new Set(files.map(({ path }) => path.split("/")[0]))];
  return tops.map((top) => {
    const group = files.filter(({ path }) => path === top || path.startsWith(`${top}/`));
    const size = group.reduce((sum, file) => sum + file.size, 0);
    return group[0].path === top ? line(top, size) : line(`${top}/ (${group.length} files)`, size);
  });
}

function line(name: string, size: number): string {
  return `  ${formatSize(size).padStart(8)}  ${name}`;
}

function formatSize(bytes: number): string {
  return bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
