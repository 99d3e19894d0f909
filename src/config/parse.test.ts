import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { issueText, UserError } from "../issues.ts";
import { completeConfig } from "./complete.ts";
import type { Config } from "./config.ts";
import { mergeConfig, parseConfig, parseConfigText, readConfig } from "./parse.ts";
import { taskOf, trainOptionsOf } from "./train-options.ts";
import { unusedSettings } from "./unused-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet config "));
afterAll(() => rmSync(folder, { recursive: true }));

async function errorOf(promise: Promise<unknown>): Promise<UserError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}

async function issuesOf(value: unknown): Promise<string[]> {
  return (await errorOf(parseConfig(value, { source: "test.json" }))).issues.map((issue) => issueText(issue));
}

const messageOf = async (promise: Promise<unknown>) => (await errorOf(promise)).message;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("issues", () => {
  test("are all reported at once, one line each", async () => {
    const config = { task: "hypergrid", stick: 1, batch: 0.5, hiden: [64], bits: 8, epsilon: Number.NaN };
    const issues = [
      "stick: must be a number in [0, 1), got 1",
      "batch: must be a whole number from 1 to 2^31 - 1, got 0.5",
      "hiden: there is no such setting; did you mean `hidden`?",
      "epsilon: must be a number in [0, 1], or a schedule from one such number to another, got NaN",
      "bits: belongs to the task bit-sequence, and the task is hypergrid",
    ];
    expect(await issuesOf(config)).toEqual(issues);
    expect(await messageOf(parseConfig(config, { source: "test.json" }))).toBe(
      `test.json has 5 problems:\n  ${issues.join("\n  ")}`,
    );
    expect(await messageOf(parseConfig({ stick: 1 }, { source: "test.json" }))).toBe(
      "test.json: stick: must be a number in [0, 1), got 1",
    );
  });

  test.each<[Record<string, unknown>, string]>([
    [{ hidden: 64 }, "hidden: must be a list of at most 32 whole numbers from 1 on, got 64"],
    [{ hidden: [64, null] }, "hidden: must be a list of at most 32 whole numbers from 1 on, got [64,null]"],
    [
      { hidden: new Array(2) },
      "hidden: must be a list of at most 32 whole numbers from 1 on, got [null,null]",
    ],
    [{ batch: "64" }, 'batch: must be a whole number from 1 to 2^31 - 1, got "64"'],
    [{ batch: 3n }, "batch: must be a whole number from 1 to 2^31 - 1, got 3"],
    [{ seed: 2 ** 53 }, "seed: must be a whole number from 0 to 2^53 - 1, got 9007199254740992"],
    [{ lambda: Number.POSITIVE_INFINITY }, "lambda: must be a number of at least 0, got Infinity"],
    [{ lambda: 1e39 }, "lambda: must be at most 3.4e+38 (float32), got 1e+39"],
    [{ lambda: null }, "lambda: must be a number of at least 0, got null"],
    [{ learnLogZ: 1 }, "learnLogZ: must be true or false, got 1"],
    [{ epsilon: {} }, "epsilon: must be a schedule with from and to, got no from"],
    [
      { epsilon: { from: 0, to: 1, til: 1 } },
      'epsilon: must be a schedule of from, to, shape, until, got the field "til"',
    ],
    [
      { epsilon: { from: 0, to: "1" } },
      'epsilon: must be a schedule whose to is a number in [0, 1], got "1"',
    ],
    [
      { epsilon: [0, 1] },
      "epsilon: must be a number in [0, 1], or a schedule from one such number to another, got [0,1]",
    ],
    [{ offlineFile: "a\0b" }, 'offlineFile: must be the path of a file, got "a\\u0000b"'],
    [{ tableSha256: "abc" }, 'tableSha256: must be 64 hexadecimal digits, got "abc"'],
    [{ "learning-rate": 1 }, "learning-rate: there is no such setting; did you mean `learningRate`?"],
    [{ lerningRat: 1 }, "lerningRat: there is no such setting; did you mean `learningRate`?"],
    [{ constructor: 1 }, "constructor: there is no such setting"],
    [{ somethingElse: 1 }, "somethingElse: there is no such setting"],
    [{ x: 1 }, "x: there is no such setting"],
    [{ side: 4 }, "side: belongs to the task hypergrid, and the task is tfbind8"],
    [
      { task: "regime", stick: 0.5 },
      "stick: does not belong to the task regime, which has `quietStick`, `noisyStick`, `quietShare`",
    ],
    [
      { task: "regime", uniformShare: 0.5 },
      expect.stringMatching(
        /^uniformShare: must be 0 because the objects of .* are not enumerated; use `epsilon`$/,
      ),
    ],
    [
      { task: "regime", objective: "kl-literal", noisyStick: 0 },
      "loss: kl-literal is infinite without noise, because every outcome is the action; use kl",
    ],
    [{ encoderWidth: 5, encoderHeads: 1 }, "encoderWidth: must be even, got 5"],
    [{ encoderHeads: 3 }, "encoderHeads: must divide `encoderWidth`, got 3 heads for a width of 64"],
    [{ state: "none" }, "state: none requires an `encoder`, because the policy would have no input"],
    [
      { objective: "kl-thought", encoder: "outcomes" },
      "encoder: must be thought or both with dynamics thought, got outcomes",
    ],
    [
      { objective: "kl-thought", encoder: "both", balance: "db" },
      "dynamics: thought requires balance tb and loss kl, got db and kl",
    ],
    [
      { objective: "sdb", encoder: "thought" },
      "dynamics: joint has a backward policy that would have to be conditioned on the thought too; use marginal or thought",
    ],
    [
      { dynamicsEncoder: "both", uniformShare: 0.5 },
      "uniformShare: must be 0 for networks conditioned on the thought, because such objects come without it; use `epsilon` or `replayShare`",
    ],
    [
      { encoder: "both", offlineShare: 0.5, offlineFile: "package.json" },
      "offlineShare: must be 0 for networks conditioned on the thought, because such objects come without it; use `epsilon` or `replayShare`",
    ],
    [{ task: "bit-sequence", bits: 10 }, "bits: must be divisible by `word`, got 10 bits in words of 4"],
    [{ task: "bit-sequence", bits: 2, word: 1 }, "modes: must be at most the 4 strings of 2 `bits`, got 8"],
    [
      { task: "hypergrid", dimensions: 9 },
      "side: must give at most 2^24 cells, got 8^9; lower it or `dimensions`",
    ],
    [
      { replayShare: 0.75 },
      "uniformShare: must leave room for the other shares: together they take up to 1.25 of the batch (`uniformShare` 0.5:0:linear:0.6, `offlineShare` 0, `replayShare` 0.75)",
    ],
    [
      { offlineShare: 0.1 },
      "offlineShare: needs offline objects (`offlineFile`); give some, or set the share to 0",
    ],
    [{ learnLogZ: true }, "learnLogZ: requires the balance tb or subtb, got db"],
    [
      { loss: "kl-literal" },
      "loss: kl-literal sums over the actions of each step and requires balance db and dynamics joint, got db and marginal",
    ],
    [
      { objective: "kl-literal", residuals: true },
      "loss: kl-literal compares two policies and has no residuals of a balance; omit `residuals`",
    ],
    [
      { objective: "kl-literal", stick: 0 },
      "loss: kl-literal is infinite without noise, because every outcome is the action; use kl",
    ],
    [
      { objective: "kl-literal", task: "hypergrid" },
      expect.stringMatching(/^loss: kl-literal needs a tree, .* is not a tree; use kl$/),
    ],
    [
      { entropyGamma: 1 },
      "entropyGamma: must be above 0 and below 1, except that a schedule may end at 1, got 1",
    ],
    [
      { entropyRatio: "margin" },
      "entropyRatio: margin needs a ratio per state, but the estimator quantile gives one per batch; use state or clamp",
    ],
    [
      { entropyRatio: "potential", entropyEstimator: "state", objective: "stb" },
      "entropyRatio: potential has no effect with tb, because it cancels over a whole trajectory; use db, fl-db or subtb",
    ],
    [
      { entropyRatio: "behaviour", entropyRegulariser: { from: 1, to: 0 } },
      "entropyRatio: behaviour leaves no on-policy trajectories, but `entropyRegulariser` counts only those; use one of them",
    ],
    [
      { balance: "fl-db" },
      expect.stringMatching(/^balance: fl-db needs rewards of unfinished objects, but .* has none; use db$/),
    ],
    [{ objective: "soft-q", balance: "tb" }, "balance: must be db with dynamics expected, got tb"],
    [
      { objective: "eflow", loss: "huber" },
      "loss: must be squared (soft Q-learning) or kl (expected flows) with dynamics expected, got huber",
    ],
    [
      { dynamics: "expected", uniformShare: 0.5 },
      "uniformShare: must be 0 with dynamics expected, because such objects come without actions; use `epsilon` or `replayShare`",
    ],
    [
      { objective: "soft-q", offlineShare: 0.5, offlineFile: "package.json" },
      "offlineShare: must be 0 with dynamics expected, because such objects come without actions; use `epsilon` or `replayShare`",
    ],
    [
      { objective: "eflow", replayShare: 0.5, replayPriority: 2 },
      "replayPriority: must be 0 with dynamics expected, because replay by score favours lucky outcomes, got 2",
    ],
  ])("%o", async (config, issue) => {
    expect(await issuesOf(config)).toEqual([issue]);
  });

  test("between keys are skipped while one of them is invalid", async () => {
    expect(await issuesOf({ offlineFile: 1, offlineShare: 0.1 })).toEqual([
      "offlineFile: must be the path of a file, got 1",
    ]);
    expect(await issuesOf({ task: "grid", side: 1000, dimensions: 20 })).toHaveLength(1);
    expect(await issuesOf({ task: "bit-sequence", bits: 6, word: 0, learnLogZ: true })).toEqual([
      "word: must be a whole number from 1 to 8, got 0",
      "learnLogZ: requires the balance tb or subtb, got db",
    ]);
  });

  test.each([null, [], 3, "x", undefined])("%j is not a config", async (value) => {
    expect((await issuesOf(value))[0]).toContain("must be an object of settings");
  });

  test("do not pollute prototypes", async () => {
    const value = JSON.parse('{"__proto__": {"batch": 3}, "epsilon": {"from": 0, "to": 1, "__proto__": 1}}');
    expect(await issuesOf(value)).toHaveLength(2);
    expect(({} as Config).batch).toBeUndefined();
  });

  test("shorten a config that contains itself", async () => {
    const loop: Record<string, unknown> = {};
    loop.hidden = loop;
    expect((await issuesOf({ hidden: loop }))[0]).toContain("got an object");
  });
});

describe("a config file", () => {
  test("of another version is refused in one sentence", async () => {
    expect(await issuesOf({ version: 3, foo: 1 })).toEqual([
      "it has version 3, but this gflownet reads version 2; use a newer gflownet",
    ]);
    expect(await issuesOf({ version: 1, memoryRows: 1 })).toEqual([
      "it has version 1, but this gflownet reads version 2; train the run again, because its keys have changed",
    ]);
    expect(await issuesOf({ version: "1" })).toEqual(['version: must be 2, got "1"']);
    expect(await parseConfig({ version: 2, seed: 3 })).toEqual({ seed: 3 });
  });

  test("is read with its name in errors", async () => {
    const path = file("config.json", '\uFEFF{"seed": 3}');
    expect(await readConfig(path)).toEqual({ seed: 3 });
    expect(await messageOf(parseConfigText('{"seed": 3', "runs/a/config.json"))).toMatch(
      /^runs\/a\/config.json: it is not JSON: /,
    );
    await expect(readConfig(folder)).rejects.toMatchObject({ code: "EISDIR", path: folder });
  });

  test("is described in short and printable errors, whatever it contains", async () => {
    expect(await messageOf(parseConfigText('{"seed": \u001b[31m3}', "it"))).toMatch(
      /it is not JSON: [^\p{Cc}]*\\u001b[^\p{Cc}]*$/u,
    );
    const names = ["\u001b[2J", "x".repeat(1e6)];
    for (const name of names) {
      expect(await messageOf(parseConfig({ [name]: 1 }, { source: "it" }))).toMatch(
        /^it: [^\p{Cc}]{1,90}: there is no such setting$/u,
      );
    }
  });

  test("is copied from the object that it came from", async () => {
    const hidden = [64];
    const config = await parseConfig({ hidden });
    hidden.push(-1);
    expect(config.hidden).toEqual([64]);
  });
});

describe("one config on top of another", () => {
  test("changes its own keys", () => {
    expect(mergeConfig({ seed: 1, batch: 2 }, { batch: 3, stick: undefined })).toEqual({ seed: 1, batch: 3 });
  });

  test("the name of an objective replaces single choices", () => {
    const base = { objective: "kl", balance: "db", dynamics: "marginal", loss: "kl" } as const;
    expect(mergeConfig(base, { objective: "tb", loss: "huber" })).toEqual({ objective: "tb", loss: "huber" });
    expect(mergeConfig(base, { loss: "huber" })).toEqual({ ...base, loss: "huber" });
  });

  test("another file drops the fingerprint", () => {
    const base = { table: "/a", tableSha256: "0".repeat(64) };
    expect(mergeConfig(base, { table: "/b" })).toEqual({ table: "/b" });
    expect(mergeConfig(base, { seed: 1 })).toEqual({ ...base, seed: 1 });
  });
});

describe("files that a config names", () => {
  const letters = "ACGT";
  const strings = Array.from({ length: 4 ** 8 }, (_, i) =>
    Array.from({ length: 8 }, (_, place) => letters[(i >> (2 * (7 - place))) & 3]).join(""),
  );
  const other = (s: string) =>
    [...s]
      .map((c) => letters[3 - letters.indexOf(c)])
      .reverse()
      .join("");
  const rows = strings.filter((s) => s <= other(s)).map((s, i) => `${s}\t${other(s)}\t${(i % 100) / 100}`);
  const table = file("table é.txt", ["8-mer\t8-mer\tE-score", ...rows].join("\n"));

  test("a table is stored with its absolute path, and a change of it is noticed", async () => {
    const complete = await completeConfig({ table: relative(process.cwd(), table) });
    expect(complete).toMatchObject({ table, tableSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await taskOf(complete)).label).toBe(`scores from ${table}`);
    writeFileSync(table, ["8-mer\t8-mer\tE-score", ...rows, ""].join("\r\n"));
    const changed = /^table: .* has changed \(sha256 .*\); restore the old file, or start a new run/;
    expect(await messageOf(taskOf(complete))).toMatch(changed);
    expect(await messageOf(completeConfig(complete))).toMatch(changed);
    const { tableSha256: _, ...without } = complete;
    expect((await completeConfig(without)).tableSha256).not.toBe(complete.tableSha256);
  });

  test.each([
    [join(folder, "none.txt"), "cannot be read: it does not exist"],
    [folder, "cannot be read: it is a folder"],
    ["/dev/null", "cannot be read: it is a device; give a regular file"],
    [join(table, "x"), "cannot be read: a part of its path is not a folder"],
    [`/${"x".repeat(300)}`, "cannot be read: its name is too long"],
  ])("%s %s", async (path, message) => {
    expect(await messageOf(taskOf({ table: path }))).toBe(`table: ${path} ${message}`);
    expect(await messageOf(completeConfig({ offlineFile: path }))).toBe(`offlineFile: ${path} ${message}`);
  });

  test("a damaged table is refused with its file and line", async () => {
    const damaged = file("damaged.txt", "8-mer\t8-mer\tE-score\nAAAAAAAA\tTTTTTTTT\tx\n");
    expect(await messageOf(taskOf({ table: damaged }))).toContain(`${damaged}, line 2: the E-score of`);
  });

  test("offline objects are written as the task writes them", async () => {
    const offlineFile = file("offline.txt", "\uFEFF0000\r\n\r\n 0110 \n");
    const config = await completeConfig({ task: "bit-sequence", bits: 4, word: 2, modes: 2, offlineFile });
    const options = await trainOptionsOf(config, await taskOf(config));
    expect(options.offlineObjects).toEqual(["0000", "0110"]);
    writeFileSync(offlineFile, "0000\n");
    expect(await messageOf(trainOptionsOf(config, await taskOf(config)))).toContain("has changed");
  });

  test("invalid offline objects are named with their lines", async () => {
    const offlineFile = file("wrong.txt", `ACGTACGT\nACGT\n${"X\n".repeat(20)}`);
    const config = await completeConfig({ offlineFile });
    const { issues } = await errorOf(trainOptionsOf(config, await taskOf(config)));
    expect(issues[0].message).toContain(`${offlineFile}, line 2: `);
    expect(issues).toHaveLength(11);
    expect(issues.at(-1)?.message).toBe("and 11 more lines");
    const empty = await completeConfig({ offlineFile: file("empty.txt", "\n") });
    expect(await messageOf(trainOptionsOf(empty, await taskOf(empty)))).toContain("has no objects");
  });
});

describe("settings without effect", () => {
  const unused = async (given: Config) => unusedSettings(given, await completeConfig(given));

  test("are listed if the user gave them", async () => {
    const given: Config = { objective: "tb", lambda: 0.5, logZInitial: 3, dynamicsHidden: [8], hidden: [8] };
    expect(await unused(given)).toEqual([
      "`lambda` has no effect without the balance subtb",
      "`logZInitial` has no effect without `learnLogZ`",
      "`dynamicsHidden` has no effect with an objective that learns no dynamics",
    ]);
    expect(await unused({})).toEqual([]);
    const entropies: Config = { entropyEstimator: "clamp", entropyQuantile: 0.1 };
    expect(await unused(entropies)).toEqual([
      "`entropyEstimator` has no effect without `entropyRatio` or `entropyRegulariser`",
      "`entropyQuantile` has no effect unless `entropyRatio` or `entropyRegulariser` is set and `entropyEstimator` is quantile or state",
    ]);
    expect(await unused({ ...entropies, entropyRegulariser: 0.1 })).toHaveLength(1);
    const blind: Config = { encoderWidth: 8, dynamicsEncoder: "outcomes", objective: "db" };
    expect(await unused(blind)).toEqual([
      "`dynamicsEncoder` has no effect with an objective that learns no dynamics",
      "`encoderWidth` has no effect without an encoder",
    ]);
    expect(await unused({ ...blind, objective: "kl-thought", encoder: "thought" })).toEqual([]);
  });
});

test("unusable rewards are refused before training", async () => {
  const none = await completeConfig({ task: "hypergrid", r0: 0, r1: 0, r2: 0 });
  expect(await messageOf(trainOptionsOf(none, await taskOf(none)))).toContain(
    "at least one score must be positive",
  );
  const zero = await completeConfig({ task: "hypergrid", r0: 0, rewardFloor: 0 });
  expect(await messageOf(trainOptionsOf(zero, await taskOf(zero)))).toContain("set a floor above 0");
});

test("a table of strings gives a config its letters and length, and another table gives it others", async () => {
  const scores = resolve("examples/table/codons.csv");
  const complete = await completeConfig({ task: "table", scores });
  expect(complete).toMatchObject({ alphabet: "ACGU", length: 3, variable: false, missing: 0 });
  const { alphabet, length, scoresSha256, ...others } = mergeConfig(complete, { scores: "other.csv" });
  expect([alphabet, length, scoresSha256]).toEqual([undefined, undefined, undefined]);
  expect(others).toMatchObject({ task: "table", scores: "other.csv", missing: 0 });
  expect(mergeConfig(complete, { scores, stick: 0 })).toMatchObject({
    alphabet: "ACGU",
    length: 3,
    stick: 0,
  });
});
