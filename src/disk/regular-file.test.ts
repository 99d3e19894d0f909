// Regular files are read; devices, pipes, sockets and folders are refused at once, with what they are.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fileProblem } from "../issues.ts";
import { openRegularFile, readRegularFile } from "./regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-regular-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function problemOf(path: string): Promise<string> {
  const error = await openRegularFile(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return fileProblem(error);
}

test("a regular file is read up to its largest size", async () => {
  const path = join(folder, "x");
  writeFileSync(path, "abc");
  expect(String(await readRegularFile(path, 3))).toBe("abc");
  await expect(readRegularFile(path, 2)).rejects.toThrow(
    `${path}: at most 2 bytes can be read, got 3; check the path`,
  );
});

test("a folder and a missing file are refused", async () => {
  expect(await problemOf(folder)).toBe("it is a folder");
  expect(await problemOf(join(folder, "none"))).toBe("it does not exist");
});

test.skipIf(process.platform === "win32")(
  "a device, a pipe and a socket are refused without waiting",
  async () => {
    expect(await problemOf("/dev/zero")).toBe("it is a device; give a regular file");
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect(await problemOf(join(folder, "pipe"))).toBe("it is a pipe; give a regular file");
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(folder, "socket"), done));
    expect(await problemOf(join(folder, "socket"))).toBe("it is a socket; give a regular file");
    await new Promise((done) => server.close(done));
  },
);
