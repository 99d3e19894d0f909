// Runs on disk are created, opened, written and listed. See run-folder-locks.test.ts for locks and file-system errors.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG, evaluation, iteration, runFolders } from "../../test/support/run-folders.ts";
import { RunError } from "../disk/run-error.ts";
import { listRuns } from "./list-runs.ts";
import { createRun, nextRunFolder, openForWriting, viewRun } from "./run-folder.ts";

const { base, fresh, run } = runFolders();

describe("a new run", () => {
  test("has all files, whatever its name, and can be opened again", async () => {
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
    const opened = await openForWriting(folder);
    expect(opened.configText).toBe(CONFIG);
    expect(await opened.readCheckpoint()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await opened.readMetrics()).toEqual([iteration(1)]);
    expect(await opened.readSamples()).toBe("object\nACGT\n");
    await opened.close();
  });

  test("can use an empty folder, and no other", async () => {
    const folder = fresh();
    mkdirSync(folder);
    await (await createRun(folder, CONFIG)).close();
    await expect(createRun(folder, CONFIG)).rejects.toThrow(
      `${folder} already contains a run; choose another name`,
    );
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

  test("can use a folder with files of a process that was killed while it created a run", async () => {
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

  test("removes the temporary files of a process that was killed while it wrote", async () => {
    const folder = await run();
    for (const name of ["checkpoint.safetensors", "samples.csv", "run.lock"]) {
      writeFileSync(join(folder, `.${name}.01234567-89ab-cdef-0123-456789abcdef.tmp`), "{");
    }
    await (await openForWriting(folder)).close();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("gets the next free number, also concurrently", async () => {
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

describe("opening refuses:", () => {
  test("a missing folder, a file, and a folder without a run", async () => {
    await expect(openForWriting(join(base, "none"))).rejects.toThrow(
      `there is no run at ${join(base, "none")}; check the name, or start a run`,
    );
    await expect(openForWriting("package.json")).rejects.toThrow(
      "package.json is a file; give the folder of a run",
    );
    await expect(openForWriting("src")).rejects.toThrow(
      "src is not a run, because it has no config.json; give the folder of a run",
    );
    await expect(openForWriting("package.json/x")).rejects.toThrow("a part of its path is not a folder");
    await expect(openForWriting("x".repeat(300))).rejects.toThrow("its name is too long");
    expect(existsSync("src/run.lock")).toBe(false);
  });

  test("symbolic links and folders in place of files", async () => {
    const secret = join(base, "secret");
    writeFileSync(secret, "secret\n");
    for (const name of ["config.json", "metrics.jsonl", "checkpoint.safetensors", "run.lock"]) {
      const folder = await run();
      rmSync(join(folder, name), { force: true });
      symlinkSync(secret, join(folder, name));
      const use = async () => {
        const opened = await openForWriting(folder);
        await opened.readCheckpoint().finally(() => opened.close());
      };
      await expect(use()).rejects.toThrow(`${join(folder, name)} cannot be`);
      await expect(use()).rejects.toThrow("it is a symbolic link, but the files of a run must not be links");
    }
    const folder = await run();
    symlinkSync(secret, join(folder, "samples.csv"));
    await (await viewRun(folder)).writeSamples("object\n");
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
    rmSync(join(folder, "metrics.jsonl"));
    mkdirSync(join(folder, "metrics.jsonl"));
    await expect(openForWriting(folder)).rejects.toThrow("metrics.jsonl cannot be written: it is a folder");
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

  test("of iterations are buffered; other events, and a checkpoint, write the buffer", async () => {
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

  test("are truncated at the first event after an iteration", async () => {
    const start = { kind: "start", iterations: 900 };
    const kept = [start, evaluation(0), iteration(1), iteration(2), evaluation(2)];
    const folder = await run(...kept, iteration(3), start, evaluation(3), {
      kind: "end",
      ...{ iterations: 3 },
    });
    const opened = await openForWriting(folder);
    await opened.truncateMetrics(3);
    expect(await opened.readMetrics()).toHaveLength(9);
    await opened.truncateMetrics(2);
    expect(await opened.readMetrics()).toEqual(kept);
    opened.appendMetrics(iteration(3));
    await opened.close();
    expect(await (await viewRun(folder)).readMetrics()).toEqual([...kept, iteration(3)]);
  });

  test.each([
    ["a part of a line", '{"kind":"iteration","itera'],
    ["a line without a line break", '{"kind":"iteration","iteration":3}'],
    ["zeros after a power failure", "\0".repeat(100_000)],
    ["a part of a character", Buffer.from("é").subarray(0, 1)],
  ])("are repaired after a crash: %s", async (_, torn) => {
    const folder = await run(iteration(1), iteration(2));
    appendFileSync(join(folder, "metrics.jsonl"), torn);
    expect(await (await viewRun(folder)).readMetrics()).toEqual([iteration(1), iteration(2)]);
    const opened = await openForWriting(folder);
    opened.appendMetrics(iteration(3));
    expect(await opened.readMetrics()).toEqual([1, 2, 3].map(iteration));
    await opened.truncateMetrics(1);
    expect(await opened.readMetrics()).toEqual([iteration(1)]);
    await opened.close();
  });

  test("that are damaged in the middle are kept, and the error names the line", async () => {
    const folder = await run(iteration(1));
    appendFileSync(join(folder, "metrics.jsonl"), `{"kind":\n${JSON.stringify(iteration(2))}\n`);
    const opened = await openForWriting(folder);
    await opened.truncateMetrics(5);
    await opened.close();
    await expect(opened.readMetrics()).rejects.toThrow();
    await expect((await viewRun(folder)).readMetrics()).rejects.toThrow(
      "metrics.jsonl, line 2 is not an event; remove that line",
    );
  });

  test("are read in chunks, wherever these end", async () => {
    const events = Array.from({ length: 3000 }, (_, i) => ({
      kind: "iteration",
      iteration: i,
      text: "é".repeat(i % 97),
    }));
    const folder = await run(...events);
    expect(statSync(join(folder, "metrics.jsonl")).size).toBeGreaterThan(3 * 2 ** 16);
    expect(await (await viewRun(folder)).readMetrics()).toEqual(events);
    const opened = await openForWriting(folder);
    await opened.truncateMetrics(1500);
    expect(await opened.readMetrics()).toEqual(events.slice(0, 1501));
    await opened.close();
  });
});

describe("listRuns", () => {
  test("summarises all runs, including broken ones", async () => {
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
    const summaries = await listRuns(runs);
    await running.close();
    expect(summaries.map(({ name, state, iteration }) => [name, state, iteration])).toEqual([
      ["a-2", "finished", 1],
      ["a-10", "interrupted", 3000],
      ["b", "running", null],
      ["c", "interrupted", null],
      ["d-lost", "broken", null],
      ["e-text", "broken", null],
      ["f-loop", "broken", null],
    ]);
    expect(summaries.map(({ lastEvaluation }) => lastEvaluation?.iteration)).toEqual([1, 0, ...Array(5)]);
    expect(summaries.map(({ task }) => task)).toEqual([...Array(4).fill("hypergrid"), null, null, null]);
    expect(summaries.slice(4).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("is not a run, because it has no config.json"),
      "its config.json is not JSON",
      expect.stringContaining("it is a symbolic link"),
    ]);
  });
});
