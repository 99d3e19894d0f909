// Files that a config names: read once, with a fingerprint of what is in them.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "./error.ts";

export interface NamedFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

/** Far more than any table or list of objects needs; a mistaken path to something huge is not read. */
const LARGEST = 2 ** 28;

/**
 * The file that `key` names. Throws a ConfigError that names it if it cannot be read, or if it is no longer what it was
 * when its fingerprint was taken.
 */
export async function readNamedFile(key: string, path: string, expected?: string): Promise<NamedFile> {
  const full = resolve(path);
  const bytes = await read(full).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(key, [`${full} cannot be read: ${reasonOf(error)}`], { cause: error });
  });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (expected !== undefined && expected !== sha256) {
    throw new ConfigError(key, [
      `${full} is not what it was (sha256 ${sha256.slice(0, 12)}… instead of ${expected.slice(0, 12)}…); ` +
        `put the old file back, or begin a new run without ${key}Sha256`,
    ]);
  }
  return { path: full, text: new TextDecoder().decode(bytes), sha256 };
}

async function read(path: string): Promise<Uint8Array> {
  // A named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = await file.stat();
    if (info.isDirectory()) throw new Error("it is a folder");
    if (!info.isFile()) throw new Error("it is not a file");
    if (info.size > LARGEST) throw new Error(`it has ${info.size} bytes, more than ${LARGEST}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "ENOTDIR":
      return "a part of its path is not a folder";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "ENAMETOOLONG":
      return "its name is too long";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open";
    default:
      return message.split("\n")[0];
  }
}
