// Programs as oracles, with real processes: every way to misbehave gives failures or another attempt, never a wrong score.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { DeadOracleError, type Oracle } from "./oracle.ts";
import { type ProgramOracleOptions, programOracle } from "./program-oracle.ts";
import type { ProgramProtocol } from "./program-protocols.ts";

const PROGRAM = fileURLToPath(new URL("../../test/support/oracle-program.mjs", import.meta.url));
const PROTOCOLS: readonly ProgramProtocol[] = ["json-lines", "plain-lines"];
const STRINGS = ["A", "CAA", "AAA", "C"];
const SCORES = [1, 2, 3, 0];

const folder = mkdtempSync(join(tmpdir(), "gflownet-programs-"));
const opened: Oracle[] = [];
let markers = 0;
afterAll(async () => {
  await Promise.all(opened.map((oracle) => oracle.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(
  protocol: ProgramProtocol,
  behaviour: string,
  options: Partial<ProgramOracleOptions> = {},
  marker?: string,
): Promise<Oracle> {
  const command = [process.execPath, PROGRAM, protocol, behaviour, ...(marker ? [marker] : [])];
  const oracle = await programOracle({ command, protocol, retries: 1, timeLimit: 20_000, ...options });
  opened.push(oracle);
  return oracle;
}

function freshMarker(): string {
  return join(folder, `marker-${markers++}`);
}

const scoresOf = async (oracle: Oracle, strings = STRINGS) =>
  (await oracle.score(strings)).map((answer) => ("score" in answer ? answer.score : answer.failure));

describe.concurrent.each(PROTOCOLS)("a program that speaks %s", (protocol) => {
  test("scores several batches in one process", async () => {
    const marker = freshMarker();
    const oracle = await open(protocol, "good", {}, marker);
    expect(await scoresOf(oracle)).toEqual(SCORES);
    expect(await scoresOf(oracle, ["AAAA", "N", "0110", "NAN"])).toEqual([4, 0, 0, 1]);
    expect(readFileSync(marker, "utf8").trim().split("\n")).toHaveLength(1);
  });

  test("runs as several processes at once, and no more than permitted", async () => {
    const marker = freshMarker();
    const oracle = await open(protocol, "good", { processes: 2 }, marker);
    const batches = [["A"], ["AA"], ["AAA"], ["AAAA"], ["AAAAA"]];
    const scores = await Promise.all(batches.map((batch) => scoresOf(oracle, batch)));
    expect(scores).toEqual([[1], [2], [3], [4], [5]]);
    expect(readFileSync(marker, "utf8").trim().split("\n")).toHaveLength(2);
  });

  test.each(protocol === "json-lines" ? ["crash", "text"] : ["banner", "too many", "two numbers"])(
    "and misbehaves once (%s) is started again, and the batch is asked again",
    async (behaviour) => {
      const oracle = await open(protocol, behaviour, {}, freshMarker());
      expect(await scoresOf(oracle)).toEqual(SCORES);
    },
  );

  test.each<[string, Partial<ProgramOracleOptions>, string]>([
    ["crash", {}, "it ended with exit code 3; its last lines on standard error: cannot score A"],
    ["text", {}, 'got "the score is high"'],
    ["flood", { retries: 0 }, "it printed a line of more than 1048576 bytes"],
  ])("and always misbehaves (%s) gives a failure for each string", async (behaviour, options, message) => {
    const oracle = await open(protocol, behaviour, options);
    for (const answer of await oracle.score(["A", "AA"])) {
      expect(answer).toEqual({ failure: expect.stringContaining(message) });
    }
  });

  test("and prints NaN fails for that string, and goes on", async () => {
    const marker = freshMarker();
    const oracle = await open(protocol, "nan", {}, marker);
    for (const answer of await oracle.score(STRINGS)) {
      expect(answer).toEqual({ failure: expect.stringContaining("must be a finite number, got") });
    }
    expect(readFileSync(marker, "utf8").trim().split("\n")).toHaveLength(1);
  });

  test("and crashes at some strings fails for these only", async () => {
    const oracle = await open(protocol, "crash at X", { retries: 0 });
    expect(await scoresOf(oracle, ["A", "AX", "AA", "XA", "AAA"])).toEqual([
      1,
      expect.stringContaining("cannot score AX"),
      2,
      expect.stringContaining("cannot score XA"),
      3,
    ]);
  });

  test("and answers too little gives no string the score of another", async () => {
    const oracle = await open(protocol, "too few", { timeLimit: 1500, retries: 0 });
    for (const [i, score] of (await scoresOf(oracle)).entries()) {
      expect([SCORES[i], expect.stringContaining("it gave no answer for 1.5 s")]).toContainEqual(score);
    }
  });

  test("and ends after each batch is started again", async () => {
    const oracle = await open(protocol, "once", { retries: 0 });
    for (let round = 0; round < 3; round++) expect(await scoresOf(oracle, ["A", "AA"])).toEqual([1, 2]);
  });

  test("and prints a line after its batch never gives this line to another string", async () => {
    const oracle = await open(protocol, "late", { retries: 3 }, freshMarker());
    expect(await scoresOf(oracle, ["A", "AA"])).toEqual([1, 2]);
    expect(await scoresOf(oracle, ["AAA", "C"])).toEqual([3, 0]);
    await new Promise((resolve) => setTimeout(resolve, 60)); // The late line has arrived while nothing was asked.
    expect(await scoresOf(oracle, ["AAAA", "G"])).toEqual([4, 0]);
  });

  test("and forks ends with all of its children", async () => {
    const marker = freshMarker();
    const oracle = await open(protocol, "fork", {}, marker);
    oracle.score(["A"]).catch(() => {});
    const child = await numberIn(`${marker}.child`);
    await oracle.close();
    expect(await hasEnded(child)).toBe(true);
  });

  test("ends when its batch is aborted", async () => {
    const marker = freshMarker();
    const oracle = await open(protocol, "hang", {}, marker);
    const controller = new AbortController();
    const asked = oracle.score(["A"], controller.signal);
    asked.catch(() => {});
    const pid = await numberIn(marker);
    controller.abort();
    await expect(asked).rejects.toThrow("aborted");
    expect(await hasEnded(pid)).toBe(true);
  });
});

test("answers in another order are matched by their strings", async () => {
  const oracle = await open("json-lines", "swapped");
  expect(await scoresOf(oracle)).toEqual(SCORES);
});

test("a score for another string is never used", async () => {
  const oracle = await open("json-lines", "another string");
  for (const answer of await oracle.score(STRINGS)) {
    expect(answer).toEqual({
      failure: expect.stringContaining("must be for a string that was asked, got one for"),
    });
  }
});

test("a program may say why a string has no score", async () => {
  const oracle = await open("json-lines", "error");
  expect(await oracle.score(["A"])).toEqual([{ failure: "not a molecule" }]);
});

test("a number before the first answer does not shift plain lines", async () => {
  const once = await open("plain-lines", "numeric banner", {}, freshMarker());
  expect(await scoresOf(once)).toEqual(SCORES);
  const always = await open("plain-lines", "numeric banner", { retries: 0 });
  for (const answer of await always.score(STRINGS)) {
    expect(answer).toEqual({ failure: expect.stringContaining("got more") });
  }
});

test("a number too many does not shift plain lines, even if the last line comes late", async () => {
  const once = await open("plain-lines", "shifted", {}, freshMarker());
  expect(await scoresOf(once)).toEqual(SCORES);
  const always = await open("plain-lines", "shifted", { retries: 0 });
  for (const answer of await always.score(STRINGS)) {
    expect(answer).toEqual({ failure: expect.stringContaining("got more") });
  }
});

describe.concurrent("a slow program of plain lines", () => {
  test.each([[["A"]], [["A", "AA"]], [STRINGS]])(
    "that prints a number when it starts gives no string the score of another: %j",
    async (strings) => {
      const once = await open("plain-lines", "slow banner", { retries: 0 });
      for (const answer of await once.score(strings)) {
        expect(answer).toEqual({ failure: expect.stringContaining("got more") });
      }
    },
    60_000,
  );

  test("that prints a line too many later gives no string the score of another", async () => {
    const oracle = await open("plain-lines", "slow surplus", { retries: 0 });
    expect(await scoresOf(oracle, ["A", "AA"])).toEqual([1, 2]);
    const later = await scoresOf(oracle, ["C", "A", "AAA"]);
    for (const [i, score] of later.entries()) {
      expect([[0, 1, 3][i], expect.stringContaining("got more")]).toContainEqual(score);
    }
  }, 60_000);
});

test("a number before the first answer is no score even if the program then crashes", async () => {
  const oracle = await open("plain-lines", "banner and crash", { retries: 0 });
  for (const [i, score] of (await scoresOf(oracle, ["AA", "AAA"])).entries()) {
    expect([2 + i, expect.stringMatching(/exit code 3|got more/)]).toContainEqual(score);
  }
});

test.each(PROTOCOLS)(
  "a program that never flushes its %s is given up after three time limits",
  async (protocol) => {
    const problems: string[] = [];
    const oracle = await open(protocol, "unflushed", {
      ...{ timeLimit: 300, retries: 2, batch: 4, onProblem: (problem: string) => problems.push(problem) },
    });
    await expect(oracle.score(STRINGS)).rejects.toThrow(
      /has never given a usable answer, so it is not asked again: it gave no answer for 0\.3 s; .*must flush/,
    );
    expect(problems).toHaveLength(3);
    await expect(oracle.score(["CC"])).rejects.toThrow(DeadOracleError);
    expect(problems).toHaveLength(3);
  },
);

test("a program that was silent once and has answered is asked on", async () => {
  const oracle = await open("json-lines", "hang", { timeLimit: 1500, retries: 0 }, freshMarker());
  expect(await scoresOf(oracle)).toEqual(SCORES);
});

test("what a program says is one short line without colours", async () => {
  const oracle = await open("json-lines", "colours");
  const [answer] = await oracle.score(["A"]);
  const { failure } = answer as { readonly failure: string };
  expect(failure).toMatch(/^\\u0007(no )+/);
  expect(failure).not.toMatch(/\p{Cc}/u);
  expect(failure.length).toBeLessThanOrEqual(300);
});

test("once a program has printed a line that nobody asked for, its later processes are not trusted either", async () => {
  const oracle = await open("plain-lines", "shifted later", { retries: 0 });
  expect(await scoresOf(oracle, ["A", "AA"])).toEqual([1, 2]);
  await oracle.score(STRINGS); // The process has proved itself, so its late line arrives when nobody asks.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await scoresOf(oracle, ["A", "AA"])).toEqual([1, 2]);
  for (const [i, score] of (await scoresOf(oracle)).entries()) {
    expect([SCORES[i], expect.stringContaining("got more")]).toContainEqual(score);
  }
});

test("a string with a line break is not sent as a plain line", async () => {
  const oracle = await open("plain-lines", "good");
  expect(await oracle.score(["A\nA", "AA"])).toEqual([
    { failure: expect.stringContaining("use the protocol json-lines") },
    { score: 2 },
  ]);
  expect(await scoresOf(await open("json-lines", "good"), ["A\nA"])).toEqual([2]);
});

test("a program that does not exist is named in one sentence", async () => {
  const oracle = await programOracle({ command: ["no-such-program-anywhere", "x"] });
  await expect(oracle.score(["A"])).rejects.toThrow(
    "no-such-program-anywhere cannot be started: it does not exist; check the command of the oracle",
  );
});

test("the environment of a program has no secrets, and Python does not buffer", async () => {
  process.env.SERVICE_TOKEN = "hidden-1";
  process.env.CONDA_API_KEY = "hidden-2";
  process.env.UNKNOWN_VARIABLE = "hidden-3";
  try {
    const file = freshMarker();
    const oracle = await open("json-lines", "environment", {
      environment: { MODEL: "large", ENVIRONMENT_FILE: file },
    });
    await oracle.score(["A"]);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain("hidden");
    expect(JSON.parse(text)).toMatchObject({
      ...{ PYTHONUNBUFFERED: "1", MODEL: "large", PATH: expect.anything() },
    });
  } finally {
    for (const name of ["SERVICE_TOKEN", "CONDA_API_KEY", "UNKNOWN_VARIABLE"]) delete process.env[name];
  }
});

test("the version changes with the command, the protocol and the files that the command names", async () => {
  const version = async (command: string[], protocol?: ProgramProtocol) =>
    (await programOracle({ command, protocol })).version;
  const versions = [
    await version(["python3", "score.py"]),
    await version(["python3", "other.py"]),
    await version(["python3", "score.py"], "plain-lines"),
    await version([process.execPath, PROGRAM]),
  ];
  expect(new Set(versions).size).toBe(4);
  expect(await version(["python3", "score.py"], "json-lines")).toBe(versions[0]);
});

/** The number that a program writes into a file, as soon as it is there. */
async function numberIn(path: string): Promise<number> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text !== "") return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process ends within two seconds. */
async function hasEnded(pid: number): Promise<boolean> {
  for (let i = 0; i < 200; i++) {
    try {
      process.kill(pid, 0);
      if (readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")) return true; // nobody has waited for it yet
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
