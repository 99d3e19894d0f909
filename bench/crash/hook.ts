// Loaded before the command line (node --import): ends the process at a given change of the disk, as SIGKILL does.
//
// CRASH_AT=17 ends it before the 17th change, or in the middle of it: a write counts twice, and the second time half of
// its bytes are there. CRASH_COUNT=file writes how many changes there were, when the process ends by itself.

import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.CRASH_AT ?? 0);
let changes = 0;

/** Whether the process ends here. */
function isDue(): boolean {
  return ++changes === at;
}

function end(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("crash/hook: still alive");
}

type Action = (...parameters: never[]) => unknown;

/** Replaces functions of an object; each is counted before it is called. */
function count<T extends object>(target: T, names: readonly (keyof T)[], counts = (..._: unknown[]) => true) {
  for (const name of names) {
    const original = target[name] as Action;
    target[name] = function (this: unknown, ...parameters: never[]) {
      if (counts(...parameters) && isDue()) end();
      return original.apply(this, parameters);
    } as T[typeof name];
  }
}

/** Whether opening with these flags may make a file. */
function makes(_path: unknown, flags: unknown = "r"): boolean {
  return typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : flags !== "r";
}

const handle = await open(process.execPath);
const handles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();

count(fs.promises, ["rename", "rm", "link", "mkdir", "rmdir", "writeFile"]);
count(fs.promises, ["open"], makes);
count(fs, ["ftruncateSync"]);
count(handles, ["sync", "truncate"]);

const { writeFile } = handles;
handles.writeFile = async function (this: FileHandle, data: Uint8Array | string) {
  if (isDue()) end();
  if (isDue()) {
    await writeFile.call(this, data.slice(0, data.length >> 1));
    end();
  }
  return writeFile.call(this, data);
} as FileHandle["writeFile"];

const { writeSync } = fs;
fs.writeSync = ((file: number, bytes: Uint8Array, from: number = 0) => {
  if (isDue()) end();
  if (isDue()) {
    writeSync(file, bytes, from, (bytes.length - from) >> 1);
    end();
  }
  return writeSync(file, bytes, from);
}) as typeof fs.writeSync;

syncBuiltinESMExports();

const { CRASH_COUNT } = process.env;
if (CRASH_COUNT) process.on("exit", () => fs.writeFileSync(CRASH_COUNT, String(changes)));
