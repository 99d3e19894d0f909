// Units on real servers: every unit runs once, whatever happens to commands, workers, processes and the server.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startBroker, type TestBroker } from "../../test/support/brokers.ts";
import {
  eachStore,
  endsInProcesses,
  endsOf,
  eventsOf,
  TestQueue,
  VERSION,
} from "../../test/support/queue-parts.ts";
import type { Provenance, Unit } from "../executor/unit.ts";
import type { UnitJob } from "./broker.ts";
import { InputFiles } from "./input-files.ts";
import { payloadOf } from "./payload.ts";

const unit = (kind: string, settings: Unit["settings"] = {}): Unit => ({ kind, settings });

eachStore((store) => {
  let server: TestBroker;
  let queue: TestQueue;
  let number = 0;
  beforeAll(async () => {
    server = await startBroker(store);
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    queue = await TestQueue.open(server, `units${number++}`);
  });
  afterEach(() => queue.close());

  /** A unit that says in a file that it started. */
  const counting = (name: string, milliseconds = 0) =>
    unit("count", { name, milliseconds, file: join(queue.folder, "starts") });
  const starts = () => {
    const file = join(queue.folder, "starts");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").sort() : [];
  };
  const untilStarted = async (count: number) => {
    while (starts().length < count) await sleep(20);
  };

  test("units give the same results as in processes, equal units run once, and nothing stays behind", async () => {
    const units = [unit("steps", { steps: 5 }), counting("a"), unit("fail"), counting("b"), counting("a")];
    await queue.worker({ slots: 2 });
    const executor = queue.executor();
    const ends = endsOf(await eventsOf(executor, units));
    expect(starts()).toEqual(["a", "b"]);
    expect(ends).toEqual(await endsInProcesses(units));
    await executor.close();
    const counts = await queue.raw().getJobCounts("waiting", "active", "completed", "failed", "delayed");
    expect(Object.values(counts)).toEqual([0, 0, 0, 0, 0]);
  });

  test("a unit that ends its process three times fails with its error, and the rest goes on", async () => {
    const worker = await queue.worker();
    const events = await eventsOf(queue.executor(), [unit("crash"), counting("after")]);
    expect(endsOf(events)).toEqual(["its process ended with exit code 3: out of luck", [{ name: "after" }]]);
    expect(worker.events.filter(({ kind }) => kind === "crashed")).toHaveLength(3);
  });

  test("a unit that exhausts its memory fails with that sentence, and the rest goes on", async () => {
    await queue.worker({ memory: 2 ** 28 });
    const [memory, after] = endsOf(await eventsOf(queue.executor(), [unit("eat"), counting("after")]));
    expect(memory).toMatch(/^it used \d+ MiB of memory, more than the limit of 256 MiB$/);
    expect(after).toEqual([{ name: "after" }]);
  });

  test("a failure with characters that a database or a terminal cannot take is told without them", async () => {
    await queue.worker();
    const [failure] = endsOf(await eventsOf(queue.executor(), [unit("fail-strangely")]));
    expect(failure).toBe("bad byte and  [31mcolour");
  });

  test("a stopped worker gives its unit back with a checkpoint, and another one continues it", async () => {
    const long = unit("steps", { steps: 60 });
    const first = await queue.worker();
    const running = eventsOf(queue.executor(), [long]);
    const raw = queue.raw();
    const saved = async () => {
      const job = (await raw.getJob(payloadOf(long, VERSION).id)) as UnitJob | undefined;
      return job?.data.checkpoint ? JSON.parse(job.data.checkpoint.records).length : 0;
    };
    await expect.poll(saved, { timeout: 20_000 }).toBeGreaterThan(9);
    const start = performance.now();
    await first.stop();
    expect(performance.now() - start).toBeLessThan(5000);
    expect(first.events.at(-1)).toMatchObject({ kind: "paused" });
    expect(await saved()).toBeLessThan(60);
    const second = await queue.worker();
    expect(endsOf(await running)).toEqual(await endsInProcesses([long]));
    expect(second.events.map(({ kind }) => kind)).toEqual(["started", "finished"]);
  });

  test("a unit whose checkpoint is garbage starts anew", async () => {
    const long = unit("steps", { steps: 3 });
    const { id, text } = payloadOf(long, VERSION);
    const checkpoint = { bytes: "/////w==", records: "[7]", instructions: "none", signature: "" };
    await queue.raw().add("unit", { payload: text, checkpoint } as never, { jobId: id });
    const worker = await queue.worker();
    expect(endsOf(await eventsOf(queue.executor(), [long]))).toEqual(await endsInProcesses([long]));
    expect(worker.events.map(({ kind }) => kind)).toEqual(["started", "warning", "finished"]);
    expect(worker.events[1]).toMatchObject({
      message: "starts anew without its checkpoint: the checkpoint is damaged",
    });
  });

  test("a command that comes again adopts what has finished and what runs", async () => {
    const units = [counting("done"), counting("running", 1500), counting("new")];
    await queue.worker({ slots: 2 });
    // As a command that was killed has left them.
    for (const each of units.slice(0, 2)) {
      const { id, text } = payloadOf(each, VERSION);
      await queue.raw().add("unit", { payload: text } as never, { jobId: id });
    }
    await untilStarted(2);
    await expect.poll(async () => (await queue.raw().getJobCounts("completed")).completed).toBe(1);
    const ends = endsOf(await eventsOf(queue.executor(), units));
    expect(ends).toEqual([[{ name: "done" }], [{ name: "running" }], [{ name: "new" }]]);
    expect(starts()).toEqual(["done", "new", "running"]);
  });

  test("a unit that failed while nobody waited runs again in the next command", async () => {
    const input = { ...counting("a"), inputs: { table: createHash("sha256").update("table").digest("hex") } };
    const { id, text } = payloadOf(input, VERSION);
    const raw = queue.raw();
    await raw.add("unit", { payload: text } as never, { jobId: id });
    const worker = await queue.worker({ files: new InputFiles(queue.folder) });
    await expect.poll(async () => (await raw.getJobCounts("failed")).failed, { timeout: 10_000 }).toBe(1);
    expect(worker.events).toMatchObject([{ message: expect.stringMatching(/has no file with the SHA-256/) }]);
    writeFileSync(join(queue.folder, "table.csv"), "table");
    expect(endsOf(await eventsOf(queue.executor(), [input]))).toEqual([[{ name: "a" }]]);
  });

  test("two commands that need the same unit share it", async () => {
    await queue.worker();
    const shared = counting("shared", 300);
    const both = await Promise.all([
      eventsOf(queue.executor(), [shared]),
      eventsOf(queue.executor(), [counting("own"), shared]),
    ]);
    expect(both.map(endsOf)).toEqual([[[{ name: "shared" }]], [[{ name: "own" }], [{ name: "shared" }]]]);
    expect(starts()).toEqual(["own", "shared"]);
  });

  test("a server that is killed and started again in the middle loses nothing", async () => {
    await queue.worker({ slots: 2 });
    const names = Array.from({ length: 12 }, (_, i) => `${i}`);
    const running = eventsOf(
      queue.executor(),
      names.map((name) => counting(name, 200)),
    );
    await untilStarted(3);
    await server.kill();
    await sleep(300);
    await server.restart();
    expect(endsOf(await running)).toEqual(names.map((name) => [{ name }]));
    // Each of the two slots may have run one unit again.
    expect(starts().length).toBeLessThanOrEqual(names.length + 2);
  });

  test("a worker of another version takes no units", async () => {
    const old = await queue.worker({ version: "0.9.0" });
    const stop = new AbortController();
    const running = eventsOf(queue.executor(), [counting("a")], undefined, stop.signal);
    await sleep(1000);
    expect([old.events, starts()]).toEqual([[], []]);
    await queue.worker();
    expect(endsOf(await running)).toEqual([[{ name: "a" }]]);
  });

  test("a spool that cannot be written is told, and the result arrives", async () => {
    const worker = await queue.worker();
    rmSync(join(queue.folder, "spool"), { recursive: true });
    writeFileSync(join(queue.folder, "spool"), "a file");
    expect(endsOf(await eventsOf(queue.executor(), [counting("a")]))).toEqual([[{ name: "a" }]]);
    expect(worker.events.map(({ kind }) => kind)).toEqual(["started", "warning", "finished"]);
    expect(worker.events[1]).toMatchObject({
      message: expect.stringMatching(/^its result cannot be kept on disk until the broker has it: /),
    });
  });

  /** Puts a result into the spool of a worker, as one that was killed leaves it. */
  function spool(given: Unit, name: string, provenance: Partial<Provenance> = {}): string {
    const { id } = payloadOf(given, VERSION);
    const whole = { version: VERSION, engine: null, threads: 1, instructions: "none", ...provenance };
    const text = JSON.stringify({ records: [{ name }], provenance: whole });
    const file = join(queue.folder, "spool", `${id}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ text, signature: "" }));
    return file;
  }

  test("a result in the spool is given instead of computing the unit again", async () => {
    const given = counting("spooled");
    const file = spool(given, "spooled");
    await queue.worker();
    expect(endsOf(await eventsOf(queue.executor(), [given]))).toEqual([[{ name: "spooled" }]]);
    expect(starts()).toEqual([]);
    await expect.poll(() => existsSync(file)).toBe(false);
  });

  test("results of machines with different instruction sets are told once", async () => {
    const units = ["x64 avx2", "x64 avx512f", "arm64 sve"].map((instructions) => {
      const given = counting(instructions);
      spool(given, instructions, { engine: "native", instructions });
      return given;
    });
    await queue.worker();
    expect(endsOf(await eventsOf(queue.executor(), units))).toHaveLength(3);
    expect(queue.warnings).toEqual([
      expect.stringMatching(
        /^machines with different instruction sets work on this queue, ".+" and ".+"; last digits may differ$/,
      ),
    ]);
  });

  test("different results of one unit on equal machines fail the command at its end", async () => {
    const random = unit("random", { milliseconds: 1200 });
    const { id } = payloadOf(random, VERSION);
    await queue.worker();
    const running = eventsOf(queue.executor(), [random]);
    const raw = queue.raw();
    await expect.poll(async () => (await raw.getJobCounts("active")).active, { timeout: 10_000 }).toBe(1);
    // Another worker had the unit, too, and reports a result that comes too late.
    const provenance = { version: "1.0.0", engine: null, threads: 1, instructions: "none" };
    const job = await raw.getJob(id);
    await (job as { updateProgress(report: object): Promise<void> }).updateProgress({
      ...{ kind: "result", hash: "0".repeat(64), provenance },
    });
    await expect(running).rejects.toThrow(
      `the unit ${id} gave different results on equal machines; results are not reproducible`,
    );
  });

  test("an aborted command removes the units that have not begun", async () => {
    await queue.worker();
    const stop = new AbortController();
    // Long enough that its start is found without its event, which may be lost.
    const units = [counting("running", 2000), counting("waiting"), counting("never")];
    const running = eventsOf(
      queue.executor(),
      units,
      ({ kind }) => kind === "started" && stop.abort(),
      stop.signal,
    );
    expect(endsOf(await running)).toEqual([]);
    await untilStarted(1);
    await sleep(2500);
    expect(starts()).toEqual(["running"]);
  });
});
