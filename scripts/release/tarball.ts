// Reads the files of an npm tarball: a gzipped tar archive in which every path begins with `package/`.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export interface PackedFile {
  /** Path in the package. */
  readonly path: string;
  /** Permissions, such as 0o755. */
  readonly mode: number;
  readonly bytes: Buffer;
}

const BLOCK = 512;

/** The files, in the order of the archive. Long paths, which npm stores in a header of their own, are supported. */
export function readTarball(file: string): PackedFile[] {
  const archive = gunzipSync(readFileSync(file));
  const files: PackedFile[] = [];
  let longPath: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const field = (start: number, length: number) =>
      archive.toString("utf8", at + start, at + start + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(field(124, 12), 8);
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + size);
    const type = field(156, 1);
    if (type === "x") {
      longPath = /\d+ path=([^\n]+)\n/.exec(bytes.toString("utf8"))?.[1];
    } else if (type === "0" || type === "") {
      const prefix = field(345, 155);
      const path = longPath ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
      files.push({ path: path.replace(/^package\//, ""), mode: Number.parseInt(field(100, 8), 8), bytes });
      longPath = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
