import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { completeConfig } from "./complete.ts";
import { withoutEffect } from "./effect.ts";
import { ConfigError } from "./error.ts";
import type { Config } from "./keys.ts";
import { settingsOf, trainOptionsOf } from "./options.ts";
import { mergeConfig, parseConfig, parseConfigText, readConfig } from "./parse.ts";
import { taskOf } from "./task.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet config "));
afterAll(() => rmSync(folder, { recursive: true }));

function problemsOf(value: unknown): readonly string[] {
  try {
    parseConfig(value, "test.json");
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("problems", () => {
  test("are all said at once, one line each", () => {
    const config = { task: "hypergrid", stick: 1, batch: 0.5, hiden: [64], bits: 8, epsilon: Number.NaN };
    const problems = [
      "stick: must be a number in [0, 1), got 1",
      "batch: must be a whole number from 1 to 2^31 - 1, got 0.5",
      "hiden: there is no such setting; did you mean hidden?",
      "epsilon: must be a number in [0, 1], or a course from one such number to another, got NaN",
      "bits: belongs to the task bit-sequence, and the task is hypergrid",
    ];
    expect(problemsOf(config)).toEqual(problems);
    expect(() => parseConfig(config, "test.json")).toThrow(
      `test.json has 5 problems:\n  ${problems.join("\n  ")}`,
    );
    expect(() => parseConfig({ stick: 1 }, "test.json")).toThrow(
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
    [{ ownLogZ: 1 }, "ownLogZ: must be true or false, got 1"],
    [{ epsilon: {} }, "epsilon: must be a course with from and to, got none for from"],
    [
      { epsilon: { from: 0, to: 1, til: 1 } },
      'epsilon: must be a course of from, to, shape, until, got a "til" in it',
    ],
    [{ epsilon: { from: 0, to: "1" } }, 'epsilon: must be a course whose to is a number in [0, 1], got "1"'],
    [
      { epsilon: [0, 1] },
      "epsilon: must be a number in [0, 1], or a course from one such number to another, got [0,1]",
    ],
    [{ known: "a\0b" }, 'known: must be the path of a file, got "a\\u0000b"'],
    [{ tableSha256: "abc" }, 'tableSha256: must be 64 hexadecimal digits, got "abc"'],
    [{ "learning-rate": 1 }, "learning-rate: there is no such setting; did you mean learningRate?"],
    [{ lerningRat: 1 }, "lerningRat: there is no such setting; did you mean learningRate?"],
    [{ constructor: 1 }, "constructor: there is no such setting"],
    [{ somethingElse: 1 }, "somethingElse: there is no such setting"],
    [{ x: 1 }, "x: there is no such setting"],
    [{ side: 4 }, "side: belongs to the task hypergrid, and the task is tfbind8"],
    [
      { task: "regime", stick: 0.5 },
      "stick: does not belong to the task regime, which has quietStick, noisyStick, quietShare",
    ],
    [
      { task: "regime", uniformShare: 0.5 },
      "uniformShare: must be 0 with the task regime, whose objects are not listed; use epsilon",
    ],
    [
      { task: "regime", objective: "kl-literal", noisyStick: 0 },
      "loss: kl-literal is infinite without noise, for what came was intended; use kl",
    ],
    [{ encoderWidth: 5, encoderHeads: 1 }, "encoderWidth: must be even, got 5"],
    [{ encoderHeads: 3 }, "encoderHeads: must divide encoderWidth, got 3 heads for a width of 64"],
    [{ state: "none" }, "state: none needs an encoder, else the policy sees nothing"],
    [
      { objective: "kl-thought", encoder: "realised" },
      "encoder: must be thought or both with the dynamics thought, got realised",
    ],
    [
      { objective: "kl-thought", encoder: "both", balance: "db" },
      "dynamics: thought goes with the balance tb and the loss kl, got db and kl",
    ],
    [
      { objective: "sdb", encoder: "thought" },
      "dynamics: joint has a backward policy that would have to read the thought as well; use marginal or thought",
    ],
    [
      { dynamicsEncoder: "both", uniformShare: 0.5 },
      "uniformShare: must be 0 where the thought is read, for such objects come without it; use epsilon or replayShare",
    ],
    [
      { encoder: "both", offlineShare: 0.5, known: "package.json" },
      "offlineShare: must be 0 where the thought is read, for such objects come without it; use epsilon or replayShare",
    ],
    [{ task: "bit-sequence", bits: 10 }, "bits: must be divisible by word, got 10 bits in words of 4"],
    [{ task: "bit-sequence", bits: 2, word: 1 }, "modes: must be at most the 4 strings of 2 bits, got 8"],
    [
      { task: "hypergrid", dimensions: 9 },
      "side: must be smaller or have fewer dimensions: 8^9 cells are more than 2^24",
    ],
    [
      { replayShare: 0.75 },
      "uniformShare: must leave room for the other shares: they may be 1.25 of the batch together (uniformShare 0.5:0:linear:0.6, offlineShare 0, replayShare 0.75)",
    ],
    [{ offlineShare: 0.1 }, "offlineShare: needs known, a file of known objects"],
    [{ ownLogZ: true }, "ownLogZ: goes with the balances tb and subtb, not with db"],
    [
      { loss: "kl-literal" },
      "loss: kl-literal is a sum over intentions at every step and goes with db and joint, not with db and marginal",
    ],
    [
      { objective: "kl-literal", stick: 0 },
      "loss: kl-literal is infinite without noise, for what came was intended; use kl",
    ],
    [
      { objective: "kl-literal", task: "hypergrid" },
      "loss: kl-literal needs a tree, where ways into a state differ by intention only, and hypergrid is none; use kl",
    ],
    [{ entropyGamma: 1 }, "entropyGamma: must be in (0, 1), and only a change of it may end at 1, got 1"],
    [
      { entropyRatio: "margin" },
      "entropyRatio: margin needs a ratio per state, and the estimator quantile gives one per batch; use state or clamp",
    ],
    [
      { entropyRatio: "potential", entropyEstimator: "state", objective: "stb" },
      "entropyRatio: potential does nothing with tb, for it cancels over whole episodes; use db, fl-db or subtb",
    ],
    [
      { entropyRatio: "behaviour", entropyRegulariser: { from: 1, to: 0 } },
      "entropyRatio: behaviour leaves no episodes that the policy itself drew, and entropyRegulariser counts only those; use one of them",
    ],
    [
      { balance: "fl-db" },
      "balance: fl-db needs rewards of unfinished objects, and tfbind8 has none; use db",
    ],
    [{ objective: "soft-q", balance: "tb" }, "balance: must be db with the dynamics expected, got tb"],
    [
      { objective: "eflow", loss: "huber" },
      "loss: must be squared or kl with the dynamics expected, got huber",
    ],
    [
      { dynamics: "expected", uniformShare: 0.5 },
      "uniformShare: must be 0 with the dynamics expected, for such objects come without intentions; use epsilon or replayShare",
    ],
    [
      { objective: "soft-q", offlineShare: 0.5, known: "package.json" },
      "offlineShare: must be 0 with the dynamics expected, for such objects come without intentions; use epsilon or replayShare",
    ],
    [
      { objective: "eflow", replayShare: 0.5, replayPriority: 2 },
      "replayPriority: must be 0 with the dynamics expected, for scores favour lucky outcomes, got 2",
    ],
  ])("%o", (config, problem) => {
    expect(problemsOf(config)).toEqual([problem]);
  });

  test("between keys are left out while one of these is wrong by itself", () => {
    expect(problemsOf({ known: 1, offlineShare: 0.1 })).toEqual(["known: must be the path of a file, got 1"]);
    expect(problemsOf({ task: "grid", side: 1000, dimensions: 20 })).toHaveLength(1);
    expect(problemsOf({ task: "bit-sequence", bits: 6, word: 0, ownLogZ: true })).toEqual([
      "word: must be a whole number from 1 to 8, got 0",
      "ownLogZ: goes with the balances tb and subtb, not with db",
    ]);
  });

  test.each([null, [], 3, "x", undefined])("%j is no config", (value) => {
    expect(problemsOf(value)[0]).toContain("must be an object of settings");
  });

  test("prototypes are not written to", () => {
    const value = JSON.parse('{"__proto__": {"batch": 3}, "epsilon": {"from": 0, "to": 1, "__proto__": 1}}');
    expect(problemsOf(value)).toHaveLength(2);
    expect(({} as Config).batch).toBeUndefined();
  });

  test("a config that holds itself is shown shortly", () => {
    const loop: Record<string, unknown> = {};
    loop.hidden = loop;
    expect(problemsOf({ hidden: loop })[0]).toContain("got an object");
  });
});

describe("a config file", () => {
  test("of a newer version is refused in one sentence", () => {
    expect(problemsOf({ version: 2, foo: 1 })).toEqual([
      "it has version 2, and this gflownet reads version 1; use a newer gflownet",
    ]);
    expect(problemsOf({ version: "1" })).toEqual(['version: must be 1, got "1"']);
    expect(parseConfig({ version: 1, seed: 3 }, "test")).toEqual({ seed: 3 });
  });

  test("is read with its name in errors", async () => {
    const path = file("config.json", '\uFEFF{"seed": 3}');
    expect(await readConfig(path)).toEqual({ seed: 3 });
    expect(() => parseConfigText('{"seed": 3', "runs/a/config.json")).toThrow(
      /^runs\/a\/config.json: it is not JSON: /,
    );
    await expect(readConfig(folder)).rejects.toMatchObject({ code: "EISDIR", path: folder });
  });

  test("says in plain and short words what is wrong, whatever is in it", () => {
    expect(() => parseConfigText('{"seed": \u001b[31m3}', "it")).toThrow(
      /it is not JSON: [^\p{Cc}]*\\u001b[^\p{Cc}]*$/u,
    );
    const names = ["\u001b[2J", "x".repeat(1e6)];
    for (const name of names) {
      expect(() => parseConfig({ [name]: 1 }, "it")).toThrow(
        /^it: [^\p{Cc}]{1,90}: there is no such setting$/u,
      );
    }
  });

  test("keeps nothing of the object it came from", () => {
    const hidden = [64];
    const config = parseConfig({ hidden }, "test");
    hidden.push(-1);
    expect(config.hidden).toEqual([64]);
  });
});

describe("one config on top of another", () => {
  test("changes what it says", () => {
    expect(mergeConfig({ seed: 1, batch: 2 }, { batch: 3, stick: undefined })).toEqual({ seed: 1, batch: 3 });
  });

  test("a name of an objective puts single choices below it out of force", () => {
    const base = { objective: "kl", balance: "db", dynamics: "marginal", loss: "kl" } as const;
    expect(mergeConfig(base, { objective: "tb", loss: "huber" })).toEqual({ objective: "tb", loss: "huber" });
    expect(mergeConfig(base, { loss: "huber" })).toEqual({ ...base, loss: "huber" });
  });

  test("another file has no fingerprint yet", () => {
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

  test("a table is found again by its absolute path, and is noticed if it has changed", async () => {
    const complete = await completeConfig({ table: relative(process.cwd(), table) });
    expect(complete).toMatchObject({ table, tableSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await taskOf(complete)).label).toBe(`scores from ${table}`);
    writeFileSync(table, ["8-mer\t8-mer\tE-score", ...rows, ""].join("\r\n"));
    const changed = /^table: .* is not what it was \(sha256 .*\); put the old file back, or begin a new run/;
    expect(await refusal(taskOf(complete))).toMatch(changed);
    expect(await refusal(completeConfig(complete))).toMatch(changed);
    const { tableSha256: _, ...without } = complete;
    expect((await completeConfig(without)).tableSha256).not.toBe(complete.tableSha256);
  });

  test.each([
    [join(folder, "none.txt"), "cannot be read: there is no such file"],
    [folder, "cannot be read: it is a folder"],
    ["/dev/null", "cannot be read: it is not a file"],
    [join(table, "x"), "cannot be read: a part of its path is not a folder"],
    [`/${"x".repeat(300)}`, "cannot be read: its name is too long"],
  ])("%s %s", async (path, message) => {
    expect(await refusal(taskOf({ table: path }))).toBe(`table: ${path} ${message}`);
    expect(await refusal(completeConfig({ known: path }))).toBe(`known: ${path} ${message}`);
  });

  test("a damaged table is refused with its file and line", async () => {
    const damaged = file("damaged.txt", "8-mer\t8-mer\tE-score\nAAAAAAAA\tTTTTTTTT\tx\n");
    expect(await refusal(taskOf({ table: damaged }))).toContain(`table: ${damaged}, line 2: the E-score of`);
  });

  test("known objects are written as the task writes them", async () => {
    const known = file("known.txt", "\uFEFF0000\r\n\r\n 0110 \n");
    const config = await completeConfig({ task: "bit-sequence", bits: 4, word: 2, modes: 2, known });
    const options = await trainOptionsOf(config, await taskOf(config));
    expect(options.known).toEqual(["0000", "0110"]);
    writeFileSync(known, "0000\n");
    expect(await refusal(trainOptionsOf(config, await taskOf(config)))).toContain("is not what it was");
  });

  test("known objects that are none are named with their lines", async () => {
    const known = file("wrong.txt", `ACGTACGT\nACGT\n${"X\n".repeat(20)}`);
    const config = await completeConfig({ known });
    const error = await trainOptionsOf(config, await taskOf(config)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.problems[0]).toContain(`${known}, line 2: `);
    expect(error.problems).toHaveLength(11);
    expect(error.problems.at(-1)).toBe("and 11 lines more");
    const empty = await completeConfig({ known: file("empty.txt", "\n") });
    expect(await refusal(trainOptionsOf(empty, await taskOf(empty)))).toContain("has no objects");
  });
});

describe("settings without effect", () => {
  test("are named, if they were given", async () => {
    const given: Config = { objective: "tb", lambda: 0.5, logZInitial: 3, dynamicsHidden: [8], hidden: [8] };
    expect(withoutEffect(given, await completeConfig(given))).toEqual([
      "lambda has no effect without the balance subtb",
      "logZInitial has no effect without ownLogZ",
      "dynamicsHidden has no effect with an objective that learns no dynamics",
    ]);
    expect(withoutEffect({}, await completeConfig({}))).toEqual([]);
    const entropies: Config = { entropyEstimator: "clamp", entropyQuantile: 0.1 };
    expect(withoutEffect(entropies, await completeConfig(entropies))).toEqual([
      "entropyEstimator has no effect without entropyRatio or entropyRegulariser",
      "entropyQuantile has no effect without entropyRatio or entropyRegulariser, and an estimator by quantiles",
    ]);
    const regularised: Config = { ...entropies, entropyRegulariser: 0.1 };
    expect(withoutEffect(regularised, await completeConfig(regularised))).toHaveLength(1);
    const blind: Config = { encoderWidth: 8, dynamicsEncoder: "realised", objective: "db" };
    expect(withoutEffect(blind, await completeConfig(blind))).toEqual([
      "dynamicsEncoder has no effect with an objective that learns no dynamics",
      "encoderWidth has no effect without an encoder",
    ]);
    const reading: Config = { ...blind, objective: "kl-thought", encoder: "thought" };
    expect(withoutEffect(reading, await completeConfig(reading))).toEqual([]);
  });

  test("of entropies, the regulariser takes what is said of the ratio", async () => {
    const settings = async (config: Config) => settingsOf(await completeConfig(config));
    expect(await settings({ entropyGamma: 0.3 })).not.toHaveProperty("entropyRatio");
    expect(await settings({ entropyRegulariser: 0.1, entropyGamma: 0.3 })).toMatchObject({
      entropyRatio: { use: "observe", estimator: "quantile", gamma: 0.3, quantile: 0.25 },
      entropyRegulariser: { coefficient: 0.1 },
    });
    const margin = await settings({ entropyRatio: "margin", entropyEstimator: "state" });
    expect(margin.entropyRatio?.use).toBe("margin");
    expect(margin).not.toHaveProperty("entropyRegulariser");
  });
});

test("rewards that cannot be used are refused before training", async () => {
  const none = await completeConfig({ task: "hypergrid", r0: 0, r1: 0, r2: 0 });
  expect(await refusal(trainOptionsOf(none, await taskOf(none)))).toMatch(/^reward: every score is 0/);
  const zero = await completeConfig({ task: "hypergrid", r0: 0, rewardFloor: 0 });
  expect(await refusal(trainOptionsOf(zero, await taskOf(zero)))).toContain("give a floor above 0");
});
