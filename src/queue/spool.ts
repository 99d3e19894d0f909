// Results of finished units on the disk of a worker, until the broker has them. A worker that lost its connection, or was
// killed, gives a result of its spool when it gets the unit again, instead of computing it again.

import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../executor/json-text.ts";
import type { StoredResult } from "./payload.ts";

const KEPT_MS = 7 * 24 * 3600 * 1000;
const FILE_NAME = /^[0-9a-f]{64}\.json(\.\d+\.tmp)?$/;

export class Spool {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      // Results that another worker gave, too, or whose command was never started again.
      const path = join(folder, name);
      const isOld = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs > KEPT_MS,
        () => false,
      );
      if (isOld && FILE_NAME.test(name)) await rm(path, { force: true }).catch(() => {});
    }
    return new Spool(folder);
  }

  /** Synchronous, because the many steps of an asynchronous write took a fifth of the time of a short unit. */
  put(id: string, result: StoredResult): void {
    // Not flushed: it must survive the end of this process, and after a power failure the unit is computed again.
    const path = this.#path(id);
    const temporary = `${path}.${process.pid}.tmp`; // several workers may share the folder
    writeFileSync(temporary, JSON.stringify(result), { mode: 0o600 });
    renameSync(temporary, path);
  }

  /** The result of a unit; null if it is not here or damaged. */
  async get(id: string): Promise<StoredResult | null> {
    if (!existsSync(this.#path(id))) return null; // as nearly always
    try {
      const given: unknown = JSON.parse(await readFile(this.#path(id), "utf8"));
      return isObject(given) && typeof given.text === "string" && typeof given.signature === "string"
        ? { text: given.text, signature: given.signature }
        : null;
    } catch {
      return null;
    }
  }

  remove(id: string): void {
    rmSync(this.#path(id), { force: true });
  }

  #path(id: string): string {
    // An id is the hexadecimal SHA-256 of its unit, which was checked before.
    return join(this.#folder, `${id}.json`);
  }
}
