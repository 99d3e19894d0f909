// The files of a folder by the SHA-256 of their content, which is how units name their inputs. Only files inside the folder are
// found: symbolic links are not followed, and a unit never names a path.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

interface KnownFile {
  readonly size: number;
  readonly modified: number;
  readonly hash: string;
}

export class InputFiles {
  readonly #folder: string | null;
  readonly #known = new Map<string, KnownFile>();

  /** Without a folder there are no files. */
  constructor(folder: string | null) {
    this.#folder = folder;
  }

  /** The path of a file with this SHA-256; null if the folder has none. Files that have not changed are not read again. */
  async find(hash: string): Promise<string | null> {
    if (this.#folder === null) return null;
    // With types, links to folders are not followed either.
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const path of paths.sort()) {
      // A file that is gone or cannot be read is not there for units.
      if ((await this.#hashOf(path).catch(() => null)) === hash) return path;
    }
    return null;
  }

  async #hashOf(path: string): Promise<string | null> {
    const info = await lstat(path);
    if (!info.isFile()) return null;
    let known = this.#known.get(path);
    if (known?.size !== info.size || known.modified !== info.mtimeMs) {
      known = { size: info.size, modified: info.mtimeMs, hash: await sha256OfFile(path) };
      this.#known.set(path, known);
    }
    return known.hash;
  }
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
