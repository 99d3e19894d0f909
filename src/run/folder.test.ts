import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createRun, nextRunFolder, openRun, viewRun } from "./folder.ts";
import { listRuns } from "./list.ts";
import { diskError, RunError, RunLockedError } from "./run-error.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet runs é "));
afterAll(() => rmSync(base, { recursive: true }));

const CONFIG = '{"version": 1, "task": "hypergrid"}\n';
const WRITER = ["--import", "tsx", "test/support/run-process.ts"];
const iteration = (number: number) => ({ kind: "iteration", iteration: number, loss: 0.5 });
const evaluation = (number: number) => ({ kind: "evaluation", iteration: number, exact: true });
let made = 0;
const fresh = () => join(base, `run ${++made} ü`);

async function run(...events: { kind: string }[]): Promise<string> {
  const folder = fresh();
  const created = await createRun(folder, CONFIG);
  for (const event of events) created.appendMetrics(event);
  await created.close();
  return folder;
}

function inProcess(what: string, folder: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [...WRITER, what, folder], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("a new run", () => {
  test("has its files, whatever is in its name, and can be opened again", async () => {
    const folder = join(base, "new", "a run with ünïcödé ★ and 'quotes'");
    const created = await createRun(folder, CONFIG);
    created.appendMetrics(iteration(1));
    await created.writeCheckpoint(Uint8Array.of(1, 2, 3));
    await created.writeSamples("object\nACGT\n");
    await created.close();
    await created.close();
    expect(readdirSync(folder).sort()).toEqual([
      "checkpoint.safetensors",
      "config.json",
      "metrics.jsonl",
      "samples.csv",
    ]);
    const opened = await openRun(folder);
    expect(opened.configText).toBe(CONFIG);
    expect(await opened.readCheckpoint()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await opened.readMetrics()).toEqual([iteration(1)]);
    expect(await opened.readSamples()).toBe("object\nACGT\n");
    await opened.close();
  });

  test("may take an empty folder, and no other", async () => {
    const folder = fresh();
    mkdirSync(folder);
    await (await createRun(folder, CONFIG)).close();
    await expect(createRun(folder, CONFIG)).rejects.toThrow(`${folder} is a run already; go on with it`);
    const other = fresh();
    mkdirSync(other);
    writeFileSync(join(other, "thesis.txt"), "");
    await expect(createRun(other, CONFIG)).rejects.toThrow(`${other} is not empty; choose another name`);
    expect(readdirSync(other)).toEqual(["thesis.txt"]);
    await expect(createRun(join(other, "thesis.txt"), CONFIG)).rejects.toThrow(
      "is a file; choose another name",
    );
    await expect(createRun(join(other, "thesis.txt", "x"), CONFIG)).rejects.toThrow(RunError);
  });

  test("may take what a process left that was killed while it made the run", async () => {
    const folder = fresh();
    mkdirSync(folder);
    for (const name of ["config.json", "run.lock", ".run.lock.takeover"]) {
      writeFileSync(join(folder, `.${name}.01234567-89ab-cdef-0123-456789abcdef.tmp`), "{");
    }
    writeFileSync(
      join(folder, "run.lock"),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: "x" }),
    );
    await (await createRun(folder, CONFIG)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("loses what a process left that was killed while it wrote a file", async () => {
    const folder = await run();
    for (const name of ["checkpoint.safetensors", "samples.csv", "run.lock"]) {
      writeFileSync(join(folder, `.${name}.01234567-89ab-cdef-0123-456789abcdef.tmp`), "{");
    }
    await (await openRun(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("gets the next number, and none gets the same", async () => {
    const runs = join(base, "numbered", "runs");
    expect(await nextRunFolder(runs, "tfbind8")).toBe(join(runs, "tfbind8-1"));
    mkdirSync(join(runs, "tfbind8-7"));
    mkdirSync(join(runs, "tfbind8-x9"));
    const folders = await Promise.all(Array.from({ length: 8 }, () => nextRunFolder(runs, "tfbind8")));
    expect(new Set(folders)).toEqual(
      new Set([8, 9, 10, 11, 12, 13, 14, 15].map((n) => join(runs, `tfbind8-${n}`))),
    );
    expect(await nextRunFolder(runs, "hypergrid")).toBe(join(runs, "hypergrid-1"));
    await (await createRun(folders[0], CONFIG)).close();
  });
});

describe("what is no run is refused in one sentence that says what to do:", () => {
  test("nothing, a file, a folder of something else", async () => {
    await expect(openRun(join(base, "none"))).rejects.toThrow(
      `there is no run at ${join(base, "none")}; check the name, or begin one with gflownet train`,
    );
    await expect(openRun("package.json")).rejects.toThrow("package.json is a file; give the folder of a run");
    await expect(openRun("src")).rejects.toThrow(
      "src is not a run, for it has no config.json; give a folder that gflownet train made",
    );
    await expect(openRun("package.json/x")).rejects.toThrow("a part of its path is not a folder");
    await expect(openRun("x".repeat(300))).rejects.toThrow("its name is too long");
    expect(existsSync("src/run.lock")).toBe(false);
  });

  test("files that are links to somewhere else, or no files", async () => {
    const secret = join(base, "secret");
    writeFileSync(secret, "secret\n");
    for (const name of ["config.json", "metrics.jsonl", "checkpoint.safetensors", "run.lock"]) {
      const folder = await run();
      rmSync(join(folder, name), { force: true });
      symlinkSync(secret, join(folder, name));
      const use = async () => {
        const opened = await openRun(folder);
        await opened.readCheckpoint().finally(() => opened.close());
      };
      await expect(use()).rejects.toThrow(`${join(folder, name)} cannot be`);
      await expect(use()).rejects.toThrow("it is a symbolic link, and a run's files are its own");
    }
    const folder = await run();
    symlinkSync(secret, join(folder, "samples.csv"));
    await (await viewRun(folder)).writeSamples("object\n");
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
    rmSync(join(folder, "metrics.jsonl"));
    mkdirSync(join(folder, "metrics.jsonl"));
    await expect(openRun(folder)).rejects.toThrow("metrics.jsonl cannot be written: it is a folder");
    await expect((await viewRun(folder)).readMetrics()).rejects.toThrow("cannot be read: it is a folder");
    expect(existsSync(join(folder, "run.lock"))).toBe(false);
  });
});

describe("metrics", () => {
  test("keep numbers that are not finite", async () => {
    const event = {
      kind: "iteration",
      iteration: 1,
      loss: Number.NaN,
      nested: { a: [-Infinity, Infinity, 0.1] },
    };
    const folder = await run(event);
    expect(readFileSync(join(folder, "metrics.jsonl"), "utf8")).toBe(
      '{"kind":"iteration","iteration":1,"loss":"NaN","nested":{"a":["-Infinity","Infinity",0.1]}}\n',
    );
    expect(await (await viewRun(folder)).readMetrics()).toEqual([event]);
  });

  test("of iterations wait for a moment, others and those before a checkpoint do not", async () => {
    const folder = fresh();
    const created = await createRun(folder, CONFIG);
    const lines = () => readFileSync(join(folder, "metrics.jsonl"), "utf8").split("\n").length - 1;
    created.appendMetrics(iteration(1));
    expect(lines()).toBe(0);
    expect(await created.readMetrics()).toHaveLength(1);
    created.appendMetrics(iteration(2));
    created.appendMetrics(evaluation(2));
    expect(lines()).toBe(3);
    created.appendMetrics(iteration(3));
    await created.writeCheckpoint(Uint8Array.of(3));
    expect(lines()).toBe(4);
    for (let i = 4; i < 2000; i++) created.appendMetrics(iteration(i));
    expect(lines()).toBeGreaterThan(1000);
    await created.close();
    expect(lines()).toBe(2000);
    expect(await (await viewRun(folder)).readMetrics()).toHaveLength(2000);
  });

  test("after an iteration are dropped, and so is everything after them", async () => {
    const start = { kind: "start", iterations: 900 };
    const kept = [start, evaluation(0), iteration(1), iteration(2), evaluation(2)];
    const folder = await run(...kept, iteration(3), start, evaluation(3), {
      kind: "end",
      ...{ iterations: 3 },
    });
    const opened = await openRun(folder);
    await opened.truncateMetrics(3);
    expect(await opened.readMetrics()).toHaveLength(9);
    await opened.truncateMetrics(2);
    expect(await opened.readMetrics()).toEqual(kept);
    opened.appendMetrics(iteration(3));
    await opened.close();
    expect(await (await viewRun(folder)).readMetrics()).toEqual([...kept, iteration(3)]);
  });

  test.each([
    ["half a line", '{"kind":"iteration","itera'],
    ["a line without its end", '{"kind":"iteration","iteration":3}'],
    ["what a power failure leaves", "\0".repeat(100_000)],
    ["half a letter", Buffer.from("é").subarray(0, 1)],
  ])("torn by a crash are whole again: %s", async (_, torn) => {
    const folder = await run(iteration(1), iteration(2));
    appendFileSync(join(folder, "metrics.jsonl"), torn);
    expect(await (await viewRun(folder)).readMetrics()).toEqual([iteration(1), iteration(2)]);
    const opened = await openRun(folder);
    opened.appendMetrics(iteration(3));
    expect(await opened.readMetrics()).toEqual([1, 2, 3].map(iteration));
    await opened.truncateMetrics(1);
    expect(await opened.readMetrics()).toEqual([iteration(1)]);
    await opened.close();
  });

  test("that are damaged in the middle are not thrown away, but named", async () => {
    const folder = await run(iteration(1));
    appendFileSync(join(folder, "metrics.jsonl"), `{"kind":\n${JSON.stringify(iteration(2))}\n`);
    const opened = await openRun(folder);
    await opened.truncateMetrics(5);
    await opened.close();
    await expect(opened.readMetrics()).rejects.toThrow();
    await expect((await viewRun(folder)).readMetrics()).rejects.toThrow(
      "metrics.jsonl, line 2 is damaged; remove that line",
    );
  });

  test("are read in pieces, wherever these end", async () => {
    const events = Array.from({ length: 3000 }, (_, i) => ({
      kind: "iteration",
      iteration: i,
      text: "é".repeat(i % 97),
    }));
    const folder = await run(...events);
    expect(statSync(join(folder, "metrics.jsonl")).size).toBeGreaterThan(3 * 2 ** 16);
    expect(await (await viewRun(folder)).readMetrics()).toEqual(events);
    const opened = await openRun(folder);
    await opened.truncateMetrics(1500);
    expect(await opened.readMetrics()).toEqual(events.slice(0, 1501));
    await opened.close();
  });
});

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

describe("all runs", () => {
  test("are listed with what they are, broken ones too", async () => {
    const runs = join(base, "listed");
    expect(await listRuns(runs)).toEqual([]);
    const make = async (name: string, ...events: { kind: string }[]) => {
      const created = await createRun(join(runs, name), CONFIG);
      for (const event of events) created.appendMetrics(event);
      return created;
    };
    await (
      await make("a-2", evaluation(0), iteration(1), evaluation(1), { kind: "end", ...{ iterations: 1 } })
    ).close();
    const many = Array.from({ length: 3000 }, (_, i) => iteration(i + 1));
    await (await make("a-10", evaluation(0), ...many)).close();
    const running = await make("b", iteration(1));
    await (await make("c")).close();
    for (const name of ["d-lost", "d-notes", "e-text", "f-loop", ".hidden"]) mkdirSync(join(runs, name));
    writeFileSync(join(runs, "d-lost", "metrics.jsonl"), "");
    writeFileSync(join(runs, "d-notes", "notes.txt"), "of no run");
    writeFileSync(join(runs, "e-text", "config.json"), "hello");
    writeFileSync(join(runs, "notes.txt"), "");
    symlinkSync("config.json", join(runs, "f-loop", "config.json"));
    symlinkSync(join(runs, "a-2"), join(runs, "g-link"));
    const listed = await listRuns(runs);
    await running.close();
    expect(listed.map(({ name, state, iteration }) => [name, state, iteration])).toEqual([
      ["a-2", "finished", 1],
      ["a-10", "interrupted", 3000],
      ["b", "running", null],
      ["c", "interrupted", null],
      ["d-lost", "broken", null],
      ["e-text", "broken", null],
      ["f-loop", "broken", null],
    ]);
    expect(listed.map(({ lastEvaluation }) => lastEvaluation?.iteration)).toEqual([1, 0, ...Array(5)]);
    expect(listed.map(({ task }) => task)).toEqual([...Array(4).fill("hypergrid"), null, null, null]);
    expect(listed.slice(4).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("is not a run, for it has no config.json"),
      "its config.json is not JSON",
      expect.stringContaining("it is a symbolic link"),
    ]);
  });
});
