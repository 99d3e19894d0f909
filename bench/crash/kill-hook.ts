// Kills the process by SIGKILL at a given disk operation. Node loads this file before the command line (node --import).
//
// CRASH_AT=17 kills the process before its 17th operation. A write counts as two operations: before it, and after half of
// its bytes. CRASH_COUNT=file writes the number of operations to a file when the process ends by itself.

import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";

const killAt = Number(process.env.CRASH_AT ?? 0);
let operations = 0;

/** Counts an operation and returns whether to kill the process at it. */
function isDue(): boolean {
  return ++operations === killAt;
}

function kill(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("crash/kill-hook: SIGKILL did not end the process");
}

type Action = (...parameters: never[]) => unknown;

/** Replaces methods of an object by versions that count each call before it is made. */
function count<T extends object>(target: T, names: readonly (keyof T)[], counts = (..._: unknown[]) => true) {
  for (const name of names) {
    const original = target[name] as Action;
    target[name] = function (this: unknown, ...parameters: never[]) {
      if (counts(...parameters) && isDue()) kill();
      return original.apply(this, parameters);
    } as T[typeof name];
  }
}

/** Whether opening a file with these flags may create it. */
function mayCreate(_path: unknown, flags: unknown = "r"): boolean {
  return typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : flags !== "r";
}

const handle = await open(process.execPath);
const handles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();

count(fs.promises, ["rename", "rm", "link", "mkdir", "rmdir", "writeFile"]);
count(fs.promises, ["open"], mayCreate);
count(fs, ["ftruncateSync"]);
count(handles, ["sync", "truncate"]);

const { writeFile } = handles;
handles.writeFile = async function (this: FileHandle, data: Uint8Array | string) {
  if (isDue()) kill();
  if (isDue()) {
    await writeFile.call(this, data.slice(0, data.length >> 1));
    kill();
  }
  return writeFile.call(this, data);
} as FileHandle["writeFile"];

const { writeSync } = fs;
fs.writeSync = ((file: number, bytes: Uint8Array, from: number = 0) => {
  if (isDue()) kill();
  if (isDue()) {
    writeSync(file, bytes, from, (bytes.length - from) >> 1);
    kill();
  }
  return writeSync(file, bytes, from);
}) as typeof fs.writeSync;

syncBuiltinESMExports();

const { CRASH_COUNT } = process.env;
// The training thread writes no files.
if (CRASH_COUNT && isMainThread) process.on("exit", () => fs.writeFileSync(CRASH_COUNT, String(operations)));
