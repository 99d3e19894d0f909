// Files that a config names: read once, with a SHA-256 of their content.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { readRegularFile } from "../disk/regular-file.ts";
import { fileProblem, UserError } from "../issues.ts";
import { fingerprintKey } from "./config.ts";

export interface NamedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The bytes as a text. */
  readonly text: string;
  readonly sha256: string;
}

/** Larger files are refused: no table or list of objects needs more, and the path is probably wrong. */
const LARGEST = 2 ** 28;

/**
 * Reads the file that the option `key` names. Throws a UserError if the file cannot be read, or if its content differs
 * from the expected SHA-256.
 */
export async function readNamedFile(key: string, path: string, expected?: unknown): Promise<NamedFile> {
  const full = resolve(path);
  const refuse = (message: string, cause?: unknown): never => {
    throw new UserError([{ path: key, code: "file", message: `${full} ${message}` }], { cause });
  };
  const bytes = await readRegularFile(full, LARGEST).catch((error: unknown) =>
    refuse(
      `cannot be read: ${error instanceof UserError ? error.issues[0].message : fileProblem(error)}`,
      error,
    ),
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (typeof expected === "string" && expected !== sha256) {
    refuse(
      `has changed (sha256 ${sha256.slice(0, 12)}… instead of ${expected.slice(0, 12)}…); ` +
        `restore the old file, or start a new run without ${fingerprintKey(key)}`,
    );
  }
  return { path: full, bytes, text: new TextDecoder().decode(bytes), sha256 };
}
