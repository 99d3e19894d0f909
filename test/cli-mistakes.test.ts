// Mistakes: one sentence on stderr, the right exit code, nothing on stdout, and every file as it was. Files that are
// damaged: cli-damage.test.ts.

import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { GRID, mistakes } from "./support/mistakes.ts";

const { cli, complaint, sentence } = mistakes();

describe("what was typed:", () => {
  test.each([
    [["trian"], "unknown command 'trian' (Did you mean train?)"],
    [["train", "--hiden", "64"], "there is no flag --hiden; did you mean --hidden?"],
    [["limit", "--batch", "8"], "there is no flag --batch"],
    [["train", "hypergird"], 'task: there is no "hypergird"; did you mean hypergrid?'],
    [
      ["limit", "chess"],
      'task: there is no "chess"; there are tfbind8, hypergrid, bit-sequence, regime, pricing',
    ],
    [
      ["train", "--task", "chess"],
      'task: must be one of tfbind8, hypergrid, bit-sequence, regime, pricing, got "chess"',
    ],
    [
      ["train", "regime", "--objective", "kl-thought"],
      "encoder: must be thought or both with the dynamics thought, got none",
    ],
    [
      ["compare", "regime", "--calls", "500"],
      /^task: methods are compared under levels of --stick, which regime/,
    ],
    [
      ["train", "hypergrid", "--task", "tfbind8"],
      "task: it is hypergrid, and --task says tfbind8; give one of them",
    ],
    [["train", "tfbind8", "twice"], "too many arguments for 'train'. Expected 1 argument but got 2."],
    [["train", "--batch", "-3"], '--batch: must be a whole number from 1 to 2^31 - 1, got "-3"'],
    [["limit", "pricing", "--months", "7"], '--months: must be a whole number from 1 to 6, got "7"'],
    [["train", "pricing", "--profit-scale", "0"], '--profit-scale: must be a number above 0, got "0"'],
    [["train", "--claim-cost", "90"], "--claim-cost: belongs to the task pricing, and the task is tfbind8"],
    [["train", "--stick", "1"], '--stick: must be a number in [0, 1), got "1"'],
    [["train", "--engine", "abacus"], '--engine: must be one of native, jax, got "abacus"'],
    [["train", "--hidden", "8,many"], '--hidden: must be at most 32 whole numbers from 1 on, got "8,many"'],
    [["train", "--seconds", "0"], '--seconds: must be a number above 0, got "0"'],
    [["train", "--seconds", "soon"], '--seconds: must be a number above 0, got "soon"'],
    [
      ["train", "--seconds", "9", "--iterations", "9"],
      "--seconds: says how long, and --iterations does too; give one of them",
    ],
    [["train", "--json", "--quiet"], "option '--json' cannot be used with option '--quiet'"],
    [["train", "--resume", ""], '--resume: must be a name, got ""'],
    [
      ["train", "hypergrid", "--bits", "8"],
      "--bits: belongs to the task bit-sequence, and the task is hypergrid",
    ],
    [
      ["limit", "hypergrid", "--table", "x"],
      "--table: belongs to the task tfbind8, and the task is hypergrid",
    ],
    [["train", "hypergrid", "--own-log-z"], "--own-log-z: goes with the balances tb and subtb, not with db"],
    [["limit", "hypergrid", "--r0", "0", "--r1", "0", "--r2", "0"], /^reward: every score is 0/],
    [["evaluate"], "missing required argument 'run'"],
    [["export", "run"], "required option '--onnx <file>' not specified"],
    [["sample", "run", "-n", "0"], '--count: must be a whole number from 1 to 2^53 - 1, got "0"'],
    [["sample", "run", "--format", "xml"], '--format: must be one of csv, jsonl, fasta, got "xml"'],
    [
      ["export", "run", "--onnx", "x.onnx", "--rows", "1e12"],
      '--rows: must be a whole number from 1 to 2147483647, got "1e12"',
    ],
  ] as const)("%j", (args, message) => {
    const said = sentence(args, 2);
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test("nothing at all: help on stderr", () => {
    const { status, stdout, stderr } = cli.alone();
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: gflownet /);
  });

  test.each([
    [
      ["train", "--hiden", "64", "--stick", "2", "--qiet", "hypergrid", "--seconds", "x"],
      [
        "there is no flag --hiden; did you mean --hidden?",
        "there is no flag --qiet; did you mean --quiet?",
        '--stick: must be a number in [0, 1), got "2"',
        '--seconds: must be a number above 0, got "x"',
      ],
    ],
    [
      ["train", "hypergird", "--batch", "x", "--own-log-z"],
      [
        'task: there is no "hypergird"; did you mean hypergrid?',
        '--batch: must be a whole number from 1 to 2^31 - 1, got "x"',
        "--own-log-z: goes with the balances tb and subtb, not with db",
      ],
    ],
    [
      ["sample", "run", "-n", "x", "--seed", "-1"],
      [
        '--count: must be a whole number from 1 to 2^53 - 1, got "x"',
        '--seed: must be a whole number from 0 to 2^53 - 1, got "-1"',
      ],
    ],
  ])("everything wrong is said at once: %j", (args, problems) => {
    const said = complaint(args, 2).split("\n");
    expect(said[0]).toBe(`the command line has ${problems.length} problems:`);
    expect(
      said
        .slice(1)
        .map((line) => line.trim())
        .sort(),
    ).toEqual([...problems].sort());
  });

  test("several that do not go together, one line each", () => {
    const said = complaint(["train", "hypergrid", "--bits", "8", "--word", "2", "--own-log-z"], 2);
    expect(said.split("\n")).toEqual([
      "the command line has 3 problems:",
      "  --bits: belongs to the task bit-sequence, and the task is hypergrid",
      "  --word: belongs to the task bit-sequence, and the task is hypergrid",
      "  --own-log-z: goes with the balances tb and subtb, not with db",
    ]);
  });
});

describe("a config file", () => {
  test.each([
    ["that is not JSON", '{"task": ', /^config\.json: it is not JSON: /],
    ["that is no object", "[1]", "config.json: must be an object of settings, got [1]"],
    [
      "of a newer version",
      '{"version": 9}',
      "config.json: it has version 9, and this gflownet reads version 1; use a newer gflownet",
    ],
    [
      "with a key that does not exist",
      '{"sead": 1}',
      "config.json: sead: there is no such setting; did you mean seed?",
    ],
    ["with a wrong value", '{"stick": 2}', "config.json: stick: must be a number in [0, 1), got 2"],
  ] as const)("%s", (_, text, message) => {
    writeFileSync(cli.at("config.json"), text);
    const said = sentence(["train", "--config", "config.json", "--out", "new"], 2);
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test("with several problems, one line each", () => {
    const config = { task: "hypergrid", sead: 1, side: 1, learningRate: "fast", bits: 4 };
    writeFileSync(cli.at("config.json"), JSON.stringify(config));
    const [first, ...problems] = complaint(["train", "--config", "config.json"], 2).split("\n");
    expect(first).toBe("config.json has 4 problems:");
    expect(problems.map((line) => /^ {2}(\w+): /.exec(line)?.[1])).toEqual([
      "sead",
      "side",
      "learningRate",
      "bits",
    ]);
  });

  test("that is missing, or a folder", () => {
    expect(sentence(["train", "--config", "none.json"], 2)).toBe("none.json does not exist.");
    expect(sentence(["train", "--config", "folder"], 2)).toBe("folder is a folder, not a file.");
  });
});

describe("the folder of a run", () => {
  test.each([
    [
      "that is a run already",
      "run",
      "@/run is a run already; go on with it (gflownet train --resume @/run), or choose another name",
    ],
    ["that has something else in it", "folder", "@/folder is not empty; choose another name for the run"],
    ["that is a file", "file.txt", "@/file.txt is a file; choose another name for the run"],
  ] as const)("%s", (_, name, message) => {
    expect(sentence(["train", ...GRID, "--out", name], 2)).toBe(message);
    // Before anything is measured.
    expect(sentence(["train", "hypergrid", "--seconds", "60", "--out", name], 2)).toBe(message);
  });

  test.each([["evaluate"], ["sample"], ["export", "--onnx", "new.onnx"], ["report"], ["train", "--resume"]])(
    "that is none, for %s",
    (...command) => {
      const use = (name: string) => sentence([...command, name], 2);
      expect(use("nothing")).toBe(
        "there is no run at @/nothing; check the name, or begin one with gflownet train",
      );
      expect(use("file.txt")).toBe("@/file.txt is a file; give the folder of a run");
      expect(use("folder")).toBe(
        "@/folder is not a run, for it has no config.json; give a folder that gflownet train made",
      );
    },
  );

  test("that does not exist, to list runs in", () => {
    expect(sentence(["runs", "nothing"], 2)).toBe("nothing does not exist.");
    expect(sentence(["runs", "file.txt"], 2)).toBe("file.txt is a file; give a folder of runs");
  });

  test.each([["evaluate"], ["sample"], ["export", "--onnx", "new.onnx"]])(
    "that has no checkpoint yet, for %s",
    (...command) => {
      expect(sentence([...command, "begun"], 1)).toBe(
        "@/begun has no checkpoint yet; train it first: gflownet train --resume begun",
      );
    },
  );

  test.each([
    ["--side", "5"],
    ["--iterations", "9"],
    ["--seconds", "1"],
    ["--config", "run/config.json"],
    ["--out", "elsewhere"],
  ])("to be resumed with %s", (...setting) => {
    expect(sentence(["train", "--resume", "run", ...setting], 2)).toBe(
      "--resume goes on with a run as its config says; give no other settings",
    );
  });

  test("to be resumed as another task", () => {
    expect(sentence(["train", "tfbind8", "--resume", "run"], 2)).toBe(
      "@/run is a run of hypergrid, not of tfbind8",
    );
  });

  const root = process.getuid?.() === 0;
  test.skipIf(root)("that may not be written to (not as root, who may write everywhere)", () => {
    cpSync(cli.at("run"), cli.at("locked"), { recursive: true });
    chmodSync(cli.at("locked"), 0o555);
    try {
      expect(sentence(["train", "--resume", "locked"], 1)).toMatch(
        /^@\/locked\/\S+ cannot be written: permission denied$/,
      );
      expect(sentence(["train", ...GRID, "--out", "locked/run"], 1)).toMatch(
        /cannot be written: permission denied$/,
      );
      expect(sentence(["export", "run", "--onnx", "locked/x.onnx"], 1)).toBe(
        "locked cannot be accessed: permission denied.",
      );
    } finally {
      chmodSync(cli.at("locked"), 0o755);
    }
  });
});

test("a process of its own ends with the same codes and the same words", () => {
  for (const [args, code] of [
    [["trian"], 2],
    [["inspect", "file.txt"], 1],
  ] as const) {
    const { status, stdout, stderr } = cli.alone(...args);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr).toBe(`gflownet: ${sentence(args, code)}\n`);
  }
});
