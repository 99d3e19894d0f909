// Locks of runs, and the error messages of file-system problems.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG, iteration, runFolders } from "../../test/support/run-folders.ts";
import { diskError, RunError, RunLockedError } from "../disk/run-error.ts";
import { listRuns } from "./list-runs.ts";
import { createRun, openForWriting, viewRun } from "./run-folder.ts";

const { base, fresh, run } = runFolders();
const WRITER = ["--import", "tsx", "test/support/run-process.ts"];

function inProcess(what: string, folder: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [...WRITER, what, folder], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("only one process writes to a run:", () => {
  test("an open run can be viewed, but not opened", async () => {
    const folder = fresh();
    const created = await createRun(folder, CONFIG);
    const refused = `${folder} is in use by process ${process.pid}; wait until it ends, or stop it`;
    await expect(openForWriting(folder)).rejects.toThrow(new RunLockedError(refused, process.pid));
    expect(inProcess("open", folder)).toEqual([`RunLockedError: ${refused}`]);
    expect((await viewRun(folder)).configText).toBe(CONFIG);
    await created.close();
    await (await openForWriting(folder)).close();
  });

  test("the run of a killed process is taken over at its last checkpoint", async () => {
    const folder = await run();
    const child = spawn(process.execPath, [...WRITER, "hold", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    await expect(openForWriting(folder)).rejects.toMatchObject({ name: "RunLockedError", pid: child.pid });
    expect((await listRuns(base)).find((each) => each.folder === folder)).toMatchObject({ state: "running" });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(folder, "run.lock"))).toBe(true);
    const opened = await openForWriting(folder);
    expect(await opened.readCheckpoint()).toEqual(Uint8Array.of(3));
    await opened.truncateMetrics(3);
    expect((await opened.readMetrics()).map((event) => "iteration" in event && event.iteration)).toEqual([
      1, 2, 3,
    ]);
    await opened.close();
    expect(readdirSync(folder).sort()).toEqual(["checkpoint.safetensors", "config.json", "metrics.jsonl"]);
  });

  test("one of many processes takes over the lock of a process that has ended", async () => {
    const folder = await run();
    writeFileSync(
      join(folder, "run.lock"),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: "x" }),
    );
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => openForWriting(folder)));
    const opened = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(opened).toHaveLength(1);
    for (const each of tries) {
      if (each.status === "rejected") expect(each.reason).toBeInstanceOf(RunLockedError);
    }
    await opened[0].close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("a lock does not count if its process number now belongs to another process", async () => {
    const folder = await run();
    const lock = {
      pid: process.pid,
      host: hostname(),
      bootId: null,
      pidNamespace: null,
      startTime: "1",
      token: "x",
    };
    writeFileSync(join(folder, "run.lock"), JSON.stringify(lock));
    if (process.platform === "linux") await (await openForWriting(folder)).close();
    writeFileSync(join(folder, "run.lock"), JSON.stringify({ ...lock, bootId: "another" }));
    if (process.platform === "linux") await (await openForWriting(folder)).close();
  });

  test("the lock of a process on another machine holds until somebody removes it", async () => {
    const folder = await run();
    const lock = join(folder, "run.lock");
    writeFileSync(lock, JSON.stringify({ pid: 12, host: "elsewhere", token: "x" }));
    await expect(openForWriting(folder)).rejects.toThrow(
      `${folder} is in use by process 12 on elsewhere; if that process has ended, remove ${lock}`,
    );
    rmSync(lock);
    await (await openForWriting(folder)).close();
  });

  test("an old lock without content and an old takeover are abandoned", async () => {
    const folder = await run();
    const long = new Date(Date.now() - 60_000);
    for (const name of ["run.lock", ".run.lock.takeover"]) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), long, long);
    }
    await (await openForWriting(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("the takeover of a killed process is abandoned at once", async () => {
    const folder = await run();
    const gone = { pid: 2 ** 22 + 1, host: hostname(), token: "x" };
    writeFileSync(join(folder, "run.lock"), JSON.stringify(gone));
    writeFileSync(join(folder, ".run.lock.takeover"), JSON.stringify({ ...gone, token: "y" }));
    await (await openForWriting(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("a process that lost its lock cannot write, and does not remove the lock of another", async () => {
    const folder = await run();
    const first = await openForWriting(folder);
    rmSync(join(folder, "run.lock"));
    const second = await openForWriting(folder);
    await expect(first.writeCheckpoint(Uint8Array.of(1))).rejects.toThrow("has taken it over");
    await first.close();
    await second.writeCheckpoint(Uint8Array.of(2));
    await second.close();
    expect(await (await viewRun(folder)).readCheckpoint()).toEqual(Uint8Array.of(2));
  });
});

describe("file-system errors:", () => {
  test.each([
    ["ENOSPC", "the disk is full; files written before are intact"],
    ["EACCES", "permission denied"],
    ["EROFS", "the disk is read-only"],
    ["EFBIG", "it would exceed the file size limit"],
    ["ENAMETOOLONG", "its name is too long"],
    ["EMFILE", "too many files are open (see ulimit -n)"],
  ])("%s becomes one sentence with the path", (code, reason) => {
    const error = diskError("written", "/a/b", Object.assign(new Error("x"), { code }));
    expect(error).toBeInstanceOf(RunError);
    expect((error as Error).message).toContain(`/a/b cannot be written: ${reason}`);
  });

  // Root may write anywhere, so the process changes its user.
  test.skipIf(process.platform === "win32")("a run in a read-only folder can be viewed", async () => {
    const folder = await run(iteration(1));
    chmodSync(base, 0o755); // lets the other user reach it
    chmodSync(folder, 0o555);
    try {
      expect(inProcess("forbidden", folder)).toEqual([
        `RunError: ${join(folder, "run.lock")} cannot be written: permission denied`,
        `RunError: ${join(folder, "inside")} cannot be written: permission denied`,
      ]);
      expect(await (await viewRun(folder)).readMetrics()).toHaveLength(1);
    } finally {
      chmodSync(folder, 0o755);
    }
  });

  test.skipIf(process.platform === "win32")(
    "a file size limit ends a run cleanly, and the run continues without the limit",
    async () => {
      const folder = await run();
      const command = `ulimit -f 8; exec "$@"`; // blocks of 512 or 1024 bytes
      const { stdout, stderr, status } = spawnSync(
        "sh",
        ["-c", command, "sh", process.execPath, ...WRITER, "fill", folder],
        { encoding: "utf8", env: { ...process.env, TSX_DISABLE_CACHE: "1" } },
      );
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      const tooLarge = "cannot be written: it would exceed the file size limit";
      const [metrics, after, closing, checkpoint] = stdout.trim().split("\n");
      expect(metrics).toContain(`RunError: ${join(folder, "metrics.jsonl")} ${tooLarge}`);
      expect(after).toContain(`RunError: ${join(folder, "metrics.jsonl")} ${tooLarge}`);
      expect(closing).toBe("no error");
      expect(checkpoint).toContain(`RunError: ${join(folder, "checkpoint.safetensors")} ${tooLarge}`);

      const opened = await openForWriting(folder);
      const [last] = (await opened.readCheckpoint()) as Uint8Array;
      const events = await opened.readMetrics();
      expect(last).toBeGreaterThan(0);
      expect(events.length).toBeGreaterThanOrEqual(last);
      expect(events).toEqual(
        events.map((_, i) => ({ kind: "iteration", iteration: i + 1, loss: 1 / (i + 1) })),
      );
      await opened.truncateMetrics(last);
      opened.appendMetrics(iteration(last + 1));
      await opened.writeCheckpoint(Uint8Array.of(last + 1));
      expect(await opened.readMetrics()).toHaveLength(last + 1);
      await opened.close();
      expect(readdirSync(folder).sort()).toEqual(["checkpoint.safetensors", "config.json", "metrics.jsonl"]);
    },
  );
});
