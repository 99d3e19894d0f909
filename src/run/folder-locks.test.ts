// One process at a time writes to a run; and what is said where the disk refuses.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG, iteration, runFolders } from "../../test/support/run-folders.ts";
import { createRun, openRun, viewRun } from "./folder.ts";
import { listRuns } from "./list.ts";
import { diskError, RunError, RunLockedError } from "./run-error.ts";

const { base, fresh, run } = runFolders();
const WRITER = ["--import", "tsx", "test/support/run-process.ts"];

function inProcess(what: string, folder: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [...WRITER, what, folder], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("one process at a time:", () => {
  test("a run that is open cannot be opened, only looked at", async () => {
    const folder = fresh();
    const created = await createRun(folder, CONFIG);
    const refused = `${folder} is in use by process ${process.pid}; wait until it ends, or stop it`;
    await expect(openRun(folder)).rejects.toThrow(new RunLockedError(refused, process.pid));
    expect(inProcess("open", folder)).toEqual([`RunLockedError: ${refused}`]);
    expect((await viewRun(folder)).configText).toBe(CONFIG);
    await created.close();
    await (await openRun(folder)).close();
  });

  test("what a killed process leaves is taken over, as far as its checkpoint", async () => {
    const folder = await run();
    const child = spawn(process.execPath, [...WRITER, "hold", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    await expect(openRun(folder)).rejects.toMatchObject({ name: "RunLockedError", pid: child.pid });
    expect((await listRuns(base)).find((each) => each.folder === folder)).toMatchObject({ state: "running" });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(folder, "run.lock"))).toBe(true);
    const opened = await openRun(folder);
    expect(await opened.readCheckpoint()).toEqual(Uint8Array.of(3));
    await opened.truncateMetrics(3);
    expect((await opened.readMetrics()).map((event) => "iteration" in event && event.iteration)).toEqual([
      1, 2, 3,
    ]);
    await opened.close();
    expect(readdirSync(folder).sort()).toEqual(["checkpoint.safetensors", "config.json", "metrics.jsonl"]);
  });

  test("of many that find a lock whose process is gone, one gets the run", async () => {
    const folder = await run();
    writeFileSync(
      join(folder, "run.lock"),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: "x" }),
    );
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => openRun(folder)));
    const opened = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(opened).toHaveLength(1);
    for (const each of tries) {
      if (each.status === "rejected") expect(each.reason).toBeInstanceOf(RunLockedError);
    }
    await opened[0].close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("a number that another process has now is no lock", async () => {
    const folder = await run();
    const lock = { pid: process.pid, host: hostname(), boot: null, space: null, started: "1", token: "x" };
    writeFileSync(join(folder, "run.lock"), JSON.stringify(lock));
    if (process.platform === "linux") await (await openRun(folder)).close();
    writeFileSync(join(folder, "run.lock"), JSON.stringify({ ...lock, boot: "another" }));
    if (process.platform === "linux") await (await openRun(folder)).close();
  });

  test("a process on another machine cannot be asked, so its lock holds until someone removes it", async () => {
    const folder = await run();
    const lock = join(folder, "run.lock");
    writeFileSync(lock, JSON.stringify({ pid: 12, host: "elsewhere", token: "x" }));
    await expect(openRun(folder)).rejects.toThrow(
      `${folder} is in use by process 12 on elsewhere; if that has ended, remove ${lock}`,
    );
    rmSync(lock);
    await (await openRun(folder)).close();
  });

  test("a lock that was never finished, and a takeover that was not, do not last", async () => {
    const folder = await run();
    const long = new Date(Date.now() - 60_000);
    for (const name of ["run.lock", ".run.lock.takeover"]) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), long, long);
    }
    await (await openRun(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("a takeover whose process was killed is over at once", async () => {
    const folder = await run();
    const gone = { pid: 2 ** 22 + 1, host: hostname(), token: "x" };
    writeFileSync(join(folder, "run.lock"), JSON.stringify(gone));
    writeFileSync(join(folder, ".run.lock.takeover"), JSON.stringify({ ...gone, token: "y" }));
    await (await openRun(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("who has lost the run is told so, and leaves the lock of the other alone", async () => {
    const folder = await run();
    const first = await openRun(folder);
    rmSync(join(folder, "run.lock"));
    const second = await openRun(folder);
    await expect(first.writeCheckpoint(Uint8Array.of(1))).rejects.toThrow("has taken it over");
    await first.close();
    await second.writeCheckpoint(Uint8Array.of(2));
    await second.close();
    expect(await (await viewRun(folder)).readCheckpoint()).toEqual(Uint8Array.of(2));
  });
});

describe("the disk refuses:", () => {
  test.each([
    ["ENOSPC", "the disk is full; what was written before is unharmed"],
    ["EACCES", "permission denied"],
    ["EROFS", "the disk is read-only"],
    ["EFBIG", "it would be larger than files may be here"],
    ["ENAMETOOLONG", "its name is too long"],
    ["EMFILE", "too many files are open (see ulimit -n)"],
  ])("%s is said in one sentence with the path", (code, reason) => {
    const error = diskError("written", "/a/b", Object.assign(new Error("x"), { code }));
    expect(error).toBeInstanceOf(RunError);
    expect((error as Error).message).toContain(`/a/b cannot be written: ${reason}`);
  });

  // Root may write anywhere; the process becomes another user then, so nothing is skipped.
  test.skipIf(process.platform === "win32")(
    "a folder that may not be written to can be looked at",
    async () => {
      const folder = await run(iteration(1));
      chmodSync(base, 0o755); // to be reached by the other user
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
    },
  );

  test.skipIf(process.platform === "win32")(
    "a limit on the size of files ends a run cleanly, and it goes on without",
    async () => {
      const folder = await run();
      const command = `ulimit -f 8; exec "$@"`; // blocks of 512 or 1024 bytes
      const { stdout, stderr, status } = spawnSync(
        "sh",
        ["-c", command, "sh", process.execPath, ...WRITER, "fill", folder],
        { encoding: "utf8", env: { ...process.env, TSX_DISABLE_CACHE: "1" } },
      );
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      const tooLarge = "cannot be written: it would be larger than files may be here";
      const [metrics, after, closing, checkpoint] = stdout.trim().split("\n");
      expect(metrics).toContain(`RunError: ${join(folder, "metrics.jsonl")} ${tooLarge}`);
      expect(after).toContain(`RunError: ${join(folder, "metrics.jsonl")} ${tooLarge}`);
      expect(closing).toBe("no complaint");
      expect(checkpoint).toContain(`RunError: ${join(folder, "checkpoint.safetensors")} ${tooLarge}`);

      const opened = await openRun(folder);
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
