// Scores on disk: what is sent, counted and kept, whatever happens to the process, the disk and the oracle.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { functionOracle } from "./function-oracle.ts";
import type { Answer, Oracle } from "./oracle.ts";
import { openScoreStore, type ScoreStore, type ScoreStoreOptions } from "./score-store.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-scores-"));
const PROCESS = ["--import", "tsx", "test/support/score-store-process.ts"];
const opened: ScoreStore[] = [];
let folders = 0;
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const fresh = () => join(base, `${folders++}`);
const journalOf = (folder: string) => readFileSync(join(folder, "scores.jsonl"), "utf8");

async function open(options: Partial<ScoreStoreOptions> & Pick<ScoreStoreOptions, "oracle">) {
  const store = await openScoreStore({ folder: fresh(), ...options });
  opened.push(store);
  return store;
}

/** An oracle whose score is the length, with a record of its batches. */
function recording(
  answer: (string: string) => Answer = (string) => ({ score: string.length }),
  { batch = 4, concurrency = 1, version = "1" } = {},
): Oracle & { readonly batches: string[][] } {
  const batches: string[][] = [];
  return {
    ...{ label: "lengths", version, batch, concurrency, batches },
    async score(strings) {
      batches.push([...strings]);
      await new Promise((resolve) => setImmediate(resolve));
      return strings.map(answer);
    },
    async close() {},
  };
}

const scored = (score: number) => ({ status: "scored", score });

describe("the cache", () => {
  test("sends each string once, and gives repetitions for free", async () => {
    const oracle = recording();
    const store = await open({ oracle });
    expect(await store.score(["a", "bb", "a"])).toEqual([scored(1), scored(2), scored(1)]);
    expect(await store.score(["bb", "ccc"])).toEqual([scored(2), scored(3)]);
    expect(oracle.batches).toEqual([["a", "bb"], ["ccc"]]);
    expect(store.calls).toBe(3);
  });

  test("gives a string that is in flight to all who ask for it", async () => {
    const oracle = recording();
    const store = await open({ oracle });
    const results = await Promise.all([
      store.score(["a", "bb"]),
      store.score(["bb", "c"]),
      store.score(["a"]),
    ]);
    expect(results.map((each) => each.map((one) => "score" in one && one.score))).toEqual([
      [1, 2],
      [2, 1],
      [1],
    ]);
    expect(oracle.batches.flat().sort()).toEqual(["a", "bb", "c"]);
  });

  test("lasts until the next process, with the number of calls, for the same version of the oracle", async () => {
    const folder = fresh();
    const first = await openScoreStore({
      folder,
      oracle: recording((string) => ({ score: 1 / string.length })),
    });
    await first.score(["a", "bbb"]);
    await first.close();
    const other = recording(undefined, { version: "2" });
    const second = await openScoreStore({ folder, oracle: other });
    expect(await second.score(["bbb"])).toEqual([scored(3)]);
    await second.close();
    const again = recording();
    const third = await openScoreStore({ folder, oracle: again });
    expect(await third.score(["a", "bbb"])).toEqual([scored(1), scored(1 / 3)]);
    expect(again.batches).toEqual([]);
    expect(third.calls).toBe(3);
    expect(third.scored()).toEqual([
      { string: "a", score: 1 },
      { string: "bbb", score: 1 / 3 },
    ]);
    await third.close();
  });

  test("takes scores that did not come from the oracle, for any version", async () => {
    const folder = fresh();
    const first = await openScoreStore({ folder, oracle: recording() });
    await first.tell([{ string: "a", score: -4, uncertainty: 0.5 }]);
    await expect(first.tell([{ string: "b", score: Number.NaN }])).rejects.toThrow('"b" cannot be added');
    await first.close();
    const store = await open({ folder, oracle: recording(undefined, { version: "2" }) });
    expect(await store.score(["a"])).toEqual([{ status: "scored", score: -4, uncertainty: 0.5 }]);
    expect(store.calls).toBe(0);
  });
});

test("told and failed strings are known, also to the next process", async () => {
  const folder = fresh();
  const oracle = recording((string) => (string === "bad" ? { failure: "no" } : { score: 1 }));
  const options = { folder, oracle, onFailure: "skip" } as const;
  const store = await openScoreStore(options);
  await store.score(["a", "bad"]);
  await store.tell([{ string: "t", score: 2 }]);
  await store.tell([
    { string: "t", score: 3 },
    { string: "u", score: 4 },
  ]);
  await store.close();
  for (const each of [store, await open(options)]) {
    expect([...each.told]).toEqual(["t", "u"]);
    expect(each.tellings).toBe(3);
    expect(each.failed()).toEqual([{ string: "bad", failure: "no" }]);
  }
});

test("a string is in the journal before it is sent, and its score before anybody gets it", async () => {
  const folder = fresh();
  const store = await open({
    folder,
    oracle: recording((string) => {
      expect(journalOf(folder)).toContain(JSON.stringify({ sent: [string] }));
      expect(journalOf(folder)).not.toContain('"score"');
      return { score: 0.5 };
    }),
  });
  await store.score(["a"]);
  expect(journalOf(folder)).toContain('{"answers":[{"string":"a","score":0.5}]}\n');
});

describe("the budget", () => {
  test("is never exceeded, and the strings beyond it are not scored", async () => {
    const oracle = recording(undefined, { batch: 2, concurrency: 3 });
    const store = await open({ oracle, budget: 5 });
    const strings = ["1", "2", "3", "4", "5", "6", "7"];
    const [first, second] = await Promise.all([store.score(strings), store.score(["8", "1"])]);
    const unscored = { status: "unscored", reason: "the budget of 5 calls is used up" };
    expect(first.map(({ status }) => status)).toEqual([...Array(5).fill("scored"), "unscored", "unscored"]);
    expect(second).toEqual([unscored, scored(1)]);
    expect(oracle.batches.flat()).toHaveLength(5);
    expect([store.calls, store.remaining]).toEqual([5, 0]);
    expect(await store.score(["2", "9"])).toEqual([scored(1), unscored]);
  });

  test("counts the calls of earlier processes, also those without an answer", async () => {
    const folder = fresh();
    await (await openScoreStore({ folder, oracle: recording() })).close();
    writeFileSync(join(folder, "scores.jsonl"), `${journalOf(folder)}{"sent":["x","y"]}\n`);
    const oracle = recording();
    const store = await open({ folder, oracle, budget: 3 });
    expect((await store.score(["x", "y"])).map(({ status }) => status)).toEqual(["scored", "unscored"]);
    expect(store.calls).toBe(3);
  });
});

describe("failures", () => {
  const unlucky = (string: string): Answer =>
    string.includes("x") ? { failure: "no such molecule" } : { score: string.length };

  test.each(["skip", "floor"] as const)(
    "with the policy %s are remembered and not sent again",
    async (policy) => {
      const folder = fresh();
      const oracle = recording(unlucky);
      const first = await openScoreStore({ folder, oracle, onFailure: policy });
      const expected = [scored(1), { status: policy, failure: "no such molecule" }];
      expect(await first.score(["a", "x"])).toEqual(expected);
      await first.close();
      const second = await openScoreStore({ folder, oracle, onFailure: policy });
      expect(await second.score(["a", "x"])).toEqual(expected);
      expect([oracle.batches.length, second.calls]).toEqual([1, 2]);
      await second.close();
      const third = await open({ folder, oracle, onFailure: policy, forgetFailures: true });
      expect(await third.score(["x"])).toEqual([expected[1]]);
      expect(third.calls).toBe(3);
    },
  );

  test("with the policy stop end the call with one sentence, and the other answers are kept", async () => {
    const oracle = recording(unlucky, { batch: 2, concurrency: 2 });
    const store = await open({ oracle });
    await expect(store.score(["a", "x", "ccc", "dddd"])).rejects.toThrow(
      'lengths gave no score for "x": no such molecule',
    );
    const sent = oracle.batches.flat();
    expect(store.scored().map(({ string }) => string)).toEqual(
      sent.filter((string) => string !== "x").sort(),
    );
    expect(await store.score(["a"])).toEqual([scored(1)]);
  });

  test.each<[string, Answer[] | Error, string]>([
    [
      "a score that is not finite",
      [{ score: Number.POSITIVE_INFINITY }, { score: 1 }],
      "must be a finite number",
    ],
    ["too few answers", [{ score: 1 }], "it gave 1 answers for 2 strings"],
    ["an error", new Error("connection lost"), "connection lost"],
  ])("are made of %s", async (_, answers, message) => {
    const oracle = {
      ...recording(),
      score: async () => (answers instanceof Error ? Promise.reject(answers) : answers),
    };
    const store = await open({ oracle, onFailure: "skip" });
    const [first] = await store.score(["a", "b"]);
    expect(first).toEqual({ status: "skip", failure: expect.stringContaining(message) });
  });

  test("of a whole batch are asked again without new calls", async () => {
    let attempts = 0;
    const oracle = functionOracle({
      scores: (strings) => {
        if (++attempts < 3) throw new Error("busy");
        return strings.map((string) => string.length);
      },
    });
    const store = await open({ oracle, retries: 2 });
    expect(await store.score(["a", "bb"])).toEqual([scored(1), scored(2)]);
    expect([attempts, store.calls]).toEqual([3, 2]);
  });

  test("include a batch that takes too long", async () => {
    const oracle = functionOracle({ score: () => new Promise<number>(() => {}) });
    const store = await open({ oracle, timeLimit: 20, onFailure: "floor" });
    expect(await store.score(["a"])).toEqual([
      { status: "floor", failure: "it gave no answer within 0.02 s" },
    ]);
  });
});

test("all workers are kept busy, in batches that become smaller", async () => {
  let [running, most] = [0, 0];
  const sizes: number[] = [];
  const oracle: Oracle = {
    ...recording(undefined, { batch: 10, concurrency: 4 }),
    async score(strings) {
      most = Math.max(most, ++running);
      sizes.push(strings.length);
      await new Promise((resolve) => setTimeout(resolve, strings.length / 4));
      running--;
      return strings.map((string) => ({ score: string.length }));
    },
  };
  const store = await open({ oracle });
  await store.score(Array.from({ length: 100 }, (_, i) => `${i}`));
  expect(most).toBe(4);
  expect(Math.max(...sizes)).toBe(10);
  expect(sizes.slice(-4)).toEqual([1, 1, 1, 1]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(100);
});

test("a call that is aborted releases the strings that were not sent, and the oracle is interrupted", async () => {
  const controller = new AbortController();
  const oracle: Oracle = {
    ...recording(undefined, { batch: 2 }),
    score: (_, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        controller.abort(new Error("Ctrl-C"));
      }),
  };
  const store = await open({ oracle, budget: 10 });
  await expect(store.score(["a", "b", "c", "d", "e"], controller.signal)).rejects.toThrow("Ctrl-C");
  expect([store.calls, store.remaining]).toEqual([2, 8]);
});

describe("the journal", () => {
  test("cut off at any byte has only right scores, and counts the strings of complete lines", async () => {
    const folder = fresh();
    const whole = await openScoreStore({ folder, oracle: recording(undefined, { batch: 2 }) });
    await whole.score(["a", "bb", "ccc"]);
    await whole.close();
    const bytes = readFileSync(join(folder, "scores.jsonl"));
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(join(folder, "scores.jsonl"), bytes.subarray(0, length));
      const store = await openScoreStore({ folder, oracle: recording() });
      const complete = bytes.subarray(0, length).toString().split("\n").slice(0, -1);
      const sent = complete.flatMap((line) => JSON.parse(line).sent ?? []);
      expect(store.calls).toBe(sent.length);
      for (const { string, score } of store.scored()) expect(score).toBe(string.length);
      expect(store.scored().length).toBe(complete.flatMap((line) => JSON.parse(line).answers ?? []).length);
      await store.close();
    }
  });

  test("with a line that is none is refused with its number", async () => {
    const folder = fresh();
    await (await openScoreStore({ folder, oracle: recording() })).close();
    writeFileSync(
      join(folder, "scores.jsonl"),
      `${journalOf(folder)}{"answers":[{"string":"a","score":"1"}]}\n`,
    );
    await expect(openScoreStore({ folder, oracle: recording() })).rejects.toThrow(
      "scores.jsonl, line 3 is not a line of a journal of scores; remove that line",
    );
    writeFileSync(join(folder, "scores.jsonl"), "a,b\n1,2\n");
    await expect(openScoreStore({ folder, oracle: recording() })).rejects.toThrow(
      "must be a journal of scores",
    );
    expect(readdirSync(folder)).toEqual(["scores.jsonl"]);
  });
});

test("a folder that is in use is refused", async () => {
  const folder = fresh();
  const store = await openScoreStore({ folder, oracle: recording() });
  await expect(openScoreStore({ folder, oracle: recording() })).rejects.toThrow(
    `${folder} is in use by process ${process.pid}`,
  );
  await store.close();
  await (await openScoreStore({ folder, oracle: recording() })).close();
});

test("after kill -9 at most one batch per worker has no answer, and scoring goes on", async () => {
  const folder = fresh();
  const child = spawn(process.execPath, [...PROCESS, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let reported = "";
  child.stdout.on("data", (chunk: Buffer) => {
    reported += chunk;
    if (reported.split("\n").length > 5) child.kill("SIGKILL");
  });
  await once(child, "exit");
  const store = await open({ folder, oracle: recording(undefined, { version: "1" }) });
  const known = store.scored();
  expect(store.calls - known.length).toBeGreaterThanOrEqual(0);
  expect(store.calls - known.length).toBeLessThanOrEqual(4 * 3);
  expect(known.length).toBeGreaterThanOrEqual(5 * 40); // everything that was used
  for (const { string, score } of known) expect(score).toBe(string.length + Number(string.slice(1)) / 1e6);
  const calls = store.calls;
  await store.score(["s0", "new"]);
  expect(store.calls).toBe(calls + 1);
});

// The limit of the file size stands for a full disk.
test.skipIf(process.platform === "win32")("a full disk gives one sentence and loses nothing", async () => {
  const folder = fresh();
  const { stdout, stderr, status } = spawnSync(
    "sh",
    ["-c", `ulimit -f 8; exec "$@"`, "sh", process.execPath, ...PROCESS, folder],
    { encoding: "utf8", env: { ...process.env, TSX_DISABLE_CACHE: "1" } },
  );
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  const lines = stdout.trim().split("\n");
  expect(lines.at(-1)).toContain(
    `RunError: ${join(folder, "scores.jsonl")} cannot be written: it would exceed the file size limit`,
  );
  const used = 40 * (lines.length - 1);
  const store = await open({ folder, oracle: recording(undefined, { version: "1" }) });
  expect(store.scored().length).toBeGreaterThanOrEqual(used);
  for (const { string, score } of store.scored()) {
    expect(score).toBe(string.length + Number(string.slice(1)) / 1e6);
  }
  expect(await store.score(["new"])).toEqual([scored(3)]);
});
