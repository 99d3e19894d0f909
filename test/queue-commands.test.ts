// Commands on a queue, with real servers and processes that are killed: a comparison has the same bytes as in processes of one
// machine, and every experiment runs once.

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { freePort, STORES, startBroker, type TestBroker } from "./support/brokers.ts";
import { buildCommandLine, type CommandLine, jsonLines, type Started } from "./support/command-line.ts";
import { eachStore } from "./support/queue-parts.ts";

const TASK = [
  "compare",
  "hypergrid",
  "--side",
  "3",
  "--hidden",
  "8",
  "--batch",
  "8",
  "--evaluations",
  "2",
  "--quiet",
];
const GRID = ["--methods", "random,kl", "--stick", "0.25,0.5", "--seeds", "1", "--calls", "400"];
const SEARCHES = ["--methods", "random,metropolis", "--seeds", "2", "--calls", "400"];
const LONG = ["--methods", "kl", "--seeds", "1", "--calls", "24000"];

let cli: CommandLine;
const tables = { grid: "", long: "", searches: "" };
const tableOf = (folder: string) => readFileSync(cli.at(folder, "table.csv"), "utf8");

beforeAll(() => {
  if (STORES.length === 0) return;
  cli = buildCommandLine();
  for (const [name, grid] of Object.entries({ grid: GRID, long: LONG, searches: SEARCHES })) {
    expect(cli.alone(...TASK, ...grid, "--out", name)).toMatchObject({ status: 0, stderr: "" });
    tables[name as keyof typeof tables] = tableOf(name);
  }
}, 180_000);
afterAll(() => cli?.remove());
vi.setConfig({ testTimeout: 180_000 }); // on a machine that others use, too

eachStore((store) => {
  let server: TestBroker;
  const workers = new Set<Started>();
  let number = 0;

  beforeAll(async () => {
    server = await startBroker(store);
  });
  afterEach(async () => {
    for (const { child } of workers) child.kill("SIGKILL");
    await Promise.all([...workers].map(({ ended }) => ended));
    workers.clear();
  });
  afterAll(() => server.remove());

  /** A new queue, its workers, and a comparison on it. */
  function parts() {
    const [name, file] = [`${store}-${number}`, server.queueFile(`commands${number}`)];
    number++;
    const flags = (place: string) => [
      ...["worker", "--queue", file, "--slots", "1", "--lock-seconds", "3", "--json"],
      ...["--spool", cli.at(`${name}-${place}`)],
    ];
    const watched = (worker: Started) => {
      workers.add(worker);
      return worker;
    };
    return {
      file,
      name,
      flags,
      worker: (place = "spool") => watched(cli.start(...flags(place))),
      compare: (grid: readonly string[]) => cli.start(...TASK, ...grid, "--queue", file, "--out", name),
    };
  }

  const kindsOf = (stdout: string) => jsonLines(stdout).map(({ kind }) => kind);
  const count = (stdout: string, kind: string) => kindsOf(stdout).filter((each) => each === kind).length;
  const stop = async (worker: Started) => {
    worker.child.kill("SIGTERM");
    const ended = await worker.ended;
    expect(ended.status).toBe(0);
    return ended;
  };

  test("a comparison has the bytes of one in processes; the command that was killed adopts its experiments", async () => {
    const { worker, compare, name } = parts();
    const only = worker();
    const killed = compare(GRID);
    await only.printed(/("finished"[\s\S]*){2}/);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await compare(GRID).ended).toMatchObject({ status: 0, stderr: "" });
    expect(tableOf(name)).toBe(tables.grid);
    const { stdout } = await stop(only);
    expect([count(stdout, "started"), count(stdout, "finished")]).toEqual([4, 4]);
  });

  test("an experiment of workers that were killed and pre-empted, by signals to all processes, has the same bytes", async () => {
    const { worker, compare, name } = parts();
    const running = compare(LONG);
    const killed = worker("killed");
    await killed.printed(/"started"/);
    killed.child.kill("SIGKILL");
    await killed.ended;
    for (const [place, signal] of [["one", "SIGUSR1"] as const, ["two", "SIGTERM"] as const]) {
      const each = worker(place);
      await each.printed(/"started"/);
      await sleep(700);
      const start = performance.now();
      for (const pid of [...childrenOf(each.child.pid as number), each.child.pid as number])
        process.kill(pid, signal);
      const { status, stdout } = await each.ended;
      expect({ status, kinds: kindsOf(stdout) }).toEqual({
        status: 0,
        kinds: ["ready", "started", "paused"],
      });
      expect(performance.now() - start).toBeLessThan(10_000);
    }
    const last = worker("three");
    expect(await running.ended).toMatchObject({ status: 0 });
    expect(tableOf(name)).toBe(tables.long);
    expect(kindsOf((await stop(last)).stdout)).toEqual(["ready", "started", "finished"]);
  });

  test("a worker whose clock is a day ahead takes nothing from others, and loses nothing", async () => {
    const { worker, compare, name, flags } = parts();
    const ahead = cli.startAfter("test/support/clock-ahead.mjs", ...flags("ahead"));
    workers.add(ahead);
    if (store === "postgresql") {
      expect(await ahead.ended).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(
          /^gflownet: postgresql:\S+ has a clock that is 8\d{4} s behind .* set the clocks.*\n$/,
        ),
      });
    } else await ahead.printed(/"ready"/);
    const running = compare(SEARCHES);
    const ordinary = worker("ordinary");
    expect(await running.ended).toMatchObject({ status: 0, stderr: "" });
    expect(tableOf(name)).toBe(tables.searches);
    const ends = [await stop(ordinary), ...(store === "redis" ? [await stop(ahead)] : [])];
    const starts = ends.map(({ stdout }) => count(stdout, "started"));
    expect(starts.reduce((sum, each) => sum + each, 0)).toBe(4);
  });

  test("two commands on one folder are told apart, and the first goes on", async () => {
    const { worker, compare, name, file } = parts();
    const first = compare(SEARCHES);
    await expect.poll(() => existsSync(cli.at(name, "run.lock")), { timeout: 60_000 }).toBe(true);
    const second = cli.alone("compare", "--resume", name, "--queue", file);
    expect(second.status).toBe(1);
    expect(second.stderr).toMatch(new RegExp(`^gflownet: .* is in use by process ${first.child.pid}.*\\n$`));
    worker();
    expect(await first.ended).toMatchObject({ status: 0 });
    expect(tableOf(name)).toBe(tables.searches);
  });

  test("queue status, retry, drain and test say what they find", async () => {
    const { file, worker } = parts();
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = cli.alone("queue", ...args, "--queue", file, "--json");
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    const empty = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0 };
    expect(run("status")).toMatchObject({ workers: 0, ...empty });
    const idle = worker();
    await idle.printed(/"ready"/);
    expect(run("test", "--units", "20")).toMatchObject({ units: 20, failed: 0 });
    expect(run("status")).toMatchObject({ workers: 1, ...empty });
    await stop(idle);
    expect(run("retry")).toMatchObject({ retried: 0 });
    expect(run("drain")).toMatchObject({ removed: 0 });
  });
});

test.runIf(STORES.length > 0)(
  "a queue that cannot be used is refused with one sentence and exit code 2",
  async () => {
    const port = await freePort();
    const nowhere = `redis://127.0.0.1:${port}`;
    const sweep = [
      "sweep",
      ...TASK.slice(1),
      "--vary",
      "gamma=0.1,0.5",
      "--calls",
      "400",
      "--out",
      "nowhere",
    ];
    const compare = [...TASK, ...GRID, "--out", "nowhere"];
    for (const args of [compare, sweep, ["worker"], ["queue", "status"]]) {
      expect(cli.alone(...args, "--queue", nowhere)).toEqual(
        expect.objectContaining({
          status: 2,
          stderr: `gflownet: there is no Redis or Valkey at ${nowhere}: the connection was refused; start it, or correct --queue\n`,
        }),
      );
    }
    expect(existsSync(cli.at("nowhere"))).toBe(false);
    const withPassword = cli.alone("worker", "--queue", `redis://:hidden@127.0.0.1:${port}`);
    expect(withPassword.status).toBe(2);
    expect(withPassword.stderr).toMatch(/^gflownet: --queue must have no password.*\n$/);
    const missing = cli.alone("queue", "status", "--queue", "no-such-file.json");
    expect(missing).toMatchObject({ status: 2, stderr: "gflownet: no-such-file.json does not exist.\n" });
    expect(cli.alone("worker", "--queue", nowhere, "--allow-exec")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^gflownet: --allow-exec needs --problem FILE, .*\n$/),
    });
    expect(cli.alone("worker", "--queue", nowhere, "--data", "nothing")).toMatchObject({
      status: 2,
      stderr: "gflownet: nothing does not exist.\n",
    });
  },
);

function childrenOf(pid: number): number[] {
  if (process.platform !== "linux") return [];
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
}
