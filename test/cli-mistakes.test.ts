// Tests of commands with invalid flags, config files or run folders: a message on stderr, the right exit code, nothing
// on stdout, and no changed file. See cli-damage.test.ts for damaged files.

import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkpointOf } from "./support/command-line.ts";
import { failingCommands, GRID } from "./support/mistakes.ts";

const { cli, errorText, errorLine } = failingCommands();

describe("invalid arguments:", () => {
  test.each([
    [["trian"], "unknown command 'trian' (Did you mean train?)"],
    [["help", "smaple"], 'there is no command "smaple"; did you mean sample?'],
    [["help", "forecast", "predct"], 'there is no command "predct"; did you mean predict?'],
    [["forecast", "help", "fti"], 'there is no command "fti"; did you mean fit?'],
    [["help", "train", "hypergird"], 'task: there is no task "hypergird"; did you mean hypergrid?'],
    [["train", "--hiden", "64"], "there is no flag --hiden; did you mean --hidden?"],
    [["limit", "--batch", "8"], "there is no flag --batch"],
    [["train", "hypergird"], 'task: there is no task "hypergird"; did you mean hypergrid?'],
    [
      ["limit", "chess"],
      'task: there is no task "chess"; tasks are tfbind8, hypergrid, bit-sequence, regime, pricing, table',
    ],
    [
      ["train", "--task", "chess"],
      'task: must be one of tfbind8, hypergrid, bit-sequence, regime, pricing, table, got "chess"',
    ],
    [
      ["train", "regime", "--objective", "kl-thought"],
      "--encoder: must be thought or both with dynamics thought, got none",
    ],
    [
      ["compare", "regime", "--calls", "500", "--stick", "0.5"],
      "--stick: does not belong to the task regime; remove it",
    ],
    [
      ["train", "hypergrid", "--task", "tfbind8"],
      "task: the argument is hypergrid, but --task is tfbind8; give one of them",
    ],
    [["train", "tfbind8", "twice"], "too many arguments for 'train'. Expected 1 argument but got 2."],
    [["train", "table"], "--scores: must be given for the task table, as the path of a file"],
    [["train", "table", "--scores", "none.csv"], "--scores: @/none.csv cannot be read: it does not exist"],
    [["limit", "table", "--scores", "x.csv", "--stick", "2"], '--stick: must be a number in [0, 1), got "2"'],
    [
      ["train", "hypergrid", "--reward", "x1 + x3"],
      '--reward: unknown name "x3" at character 6; use x1, x2, i1, i2, pi or e',
    ],
    [
      ["limit", "hypergrid", "--reward", "1 / i2"],
      "--reward: must be finite and not negative in every cell, got Infinity in the cell 0,0 (x1 = 0, x2 = 0); change the formula",
    ],
    [
      ["train", "hypergrid", "--reward", "x1", "--picture", "a.png"],
      "--picture: excludes --reward; give one of them",
    ],
    [["import", "none.json"], "none.json cannot be read: it does not exist"],
    [["train", "--batch", "-3"], '--batch: must be a whole number from 1 to 2^31 - 1, got "-3"'],
    [["limit", "pricing", "--months", "7"], '--months: must be a whole number from 1 to 6, got "7"'],
    [["train", "pricing", "--profit-scale", "0"], '--profit-scale: must be a number above 0, got "0"'],
    [["train", "--claim-cost", "90"], "--claim-cost: belongs to the task pricing, and the task is tfbind8"],
    [["train", "--stick", "1"], '--stick: must be a number in [0, 1), got "1"'],
    [["train", "--engine", "abacus"], '--engine: must be one of native, jax, got "abacus"'],
    [
      ["train", "--hidden", "8,many"],
      '--hidden: must be a list of at most 32 whole numbers from 1 on, got "8,many"',
    ],
    [["train", "--seconds", "0"], '--seconds: must be a number in (0, 31536000], got "0"'],
    [["train", "--seconds", "1e99"], '--seconds: must be a number in (0, 31536000], got "1e99"'],
    [["train", "--seconds", "soon"], '--seconds: must be a number in (0, 31536000], got "soon"'],
    [["train", "--seconds", "9", "--iterations", "9"], "--seconds: excludes --iterations; give one of them"],
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
    [["train", "hypergrid", "--learn-log-z"], "--learn-log-z: requires the balance tb or subtb, got db"],
    [
      ["train", "hypergrid", "--samples", "2000000000"],
      /^--samples: 2000000000 would take about .* are available; at most \d+ fits$/,
    ],
    [["limit", "hypergrid", "--r0", "0", "--r1", "0", "--r2", "0"], /at least one score must be positive/],
    [["evaluate"], "missing required argument 'run'"],
    [["export", "run"], "required option '--onnx <file>' not specified"],
    [["sample", "run", "-n", "0"], '--count: must be a whole number from 1 to 2^53 - 1, got "0"'],
    [["sample", "run", "--format", "xml"], '--format: must be one of csv, jsonl, fasta, parquet, got "xml"'],
    [
      ["export", "run", "--onnx", "x.onnx", "--rows", "1e12"],
      '--rows: must be a whole number from 1 to 2^31 - 1, got "1e12"',
    ],
  ] as const)("%j", (args, message) => {
    const text = errorLine(args, 2);
    if (typeof message === "string") expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  test("without a command, the help is printed on stderr", () => {
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
        '--seconds: must be a number in (0, 31536000], got "x"',
      ],
    ],
    [
      ["train", "hypergird", "--batch", "x", "--learn-log-z"],
      [
        'task: there is no task "hypergird"; did you mean hypergrid?',
        '--batch: must be a whole number from 1 to 2^31 - 1, got "x"',
        "--learn-log-z: requires the balance tb or subtb, got db",
      ],
    ],
    [
      ["sample", "run", "-n", "x", "--seed", "-1"],
      [
        '--count: must be a whole number from 1 to 2^53 - 1, got "x"',
        '--seed: must be a whole number from 0 to 2^53 - 1, got "-1"',
      ],
    ],
  ])("all problems are reported at once: %j", (args, problems) => {
    const text = errorText(args, 2).split("\n");
    expect(text[0]).toBe(`the command line has ${problems.length} problems:`);
    expect(
      text
        .slice(1)
        .map((line) => line.trim())
        .sort(),
    ).toEqual([...problems].sort());
  });

  test("conflicts between flags are reported one per line", () => {
    const text = errorText(["train", "hypergrid", "--bits", "8", "--word", "2", "--learn-log-z"], 2);
    expect(text.split("\n")).toEqual([
      "the command line has 3 problems:",
      "  --bits: belongs to the task bit-sequence, and the task is hypergrid",
      "  --word: belongs to the task bit-sequence, and the task is hypergrid",
      "  --learn-log-z: requires the balance tb or subtb, got db",
    ]);
  });
});

describe("a config file", () => {
  test.each([
    ["that is not JSON", '{"task": ', /^config\.json: it is not JSON: /],
    ["that is not an object", "[1]", "config.json: must be an object of settings, got [1]"],
    [
      "of a newer version",
      '{"version": 9}',
      "config.json: it has version 9, but this gflownet reads version 2; use a newer gflownet",
    ],
    [
      "of an older version",
      '{"version": 1}',
      "config.json: it has version 1, but this gflownet reads version 2; train the run again, because its keys have changed",
    ],
    [
      "with an unknown key",
      '{"sead": 1}',
      "config.json: sead: there is no such setting; did you mean `seed`?",
    ],
    ["with an invalid value", '{"stick": 2}', "config.json: stick: must be a number in [0, 1), got 2"],
  ] as const)("%s is rejected", (_, content, message) => {
    writeFileSync(cli.at("config.json"), content);
    const text = errorLine(["train", "--config", "config.json", "--out", "new"], 2);
    if (typeof message === "string") expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  test("with several problems is reported with one line each", () => {
    const config = { task: "hypergrid", sead: 1, side: 1, learningRate: "fast", bits: 4 };
    writeFileSync(cli.at("config.json"), JSON.stringify(config));
    const [first, ...problems] = errorText(["train", "--config", "config.json"], 2).split("\n");
    expect(first).toBe("config.json has 4 problems:");
    expect(problems.map((line) => /^ {2}(\w+): /.exec(line)?.[1])).toEqual([
      "sead",
      "side",
      "learningRate",
      "bits",
    ]);
  });

  test("that does not exist or is a folder is rejected", () => {
    expect(errorLine(["train", "--config", "none.json"], 2)).toBe("none.json does not exist.");
    expect(errorLine(["train", "--config", "folder"], 2)).toBe("folder is a folder.");
    expect(errorLine(["train", "--config", "/dev/zero"], 2)).toBe(
      "/dev/zero is a device; give a regular file.",
    );
  });
});

describe("a run folder", () => {
  test.each([
    [
      "that already contains a run",
      "run",
      "@/run already contains a run; choose another name, or continue the run: gflownet train --resume run",
    ],
    ["that contains other files", "folder", "@/folder is not empty; choose another name for the run"],
    ["that is a file", "file.txt", "@/file.txt is a file; choose another name for the run"],
  ] as const)("%s is rejected by train --out", (_, name, message) => {
    expect(errorLine(["train", ...GRID, "--out", name], 2)).toBe(message);
    // The folder is checked before anything is compiled.
    expect(errorLine(["train", "hypergrid", "--seconds", "60", "--out", name], 2)).toBe(message);
  });

  test.each([["evaluate"], ["sample"], ["export", "--onnx", "new.onnx"], ["train", "--resume"]])(
    "that is not a run is rejected by %s",
    (...command) => {
      const open = (name: string) => errorLine([...command, name], 2);
      expect(open("nothing")).toBe(
        "there is no run at @/nothing; check the name, or start a run: gflownet train",
      );
      expect(open("file.txt")).toBe("@/file.txt is a file; give the folder of a run");
      expect(open("folder")).toBe(
        "@/folder is not a run, because it has no config.json; give the folder of a run",
      );
    },
  );

  test("that has nothing to report about is rejected by report", () => {
    const open = (name: string) => errorLine(["report", name], 2);
    expect(open("nothing")).toBe(
      "there is no run at @/nothing; check the name, or start a run: gflownet train",
    );
    expect(open("file.txt")).toBe("@/file.txt is a file; give the folder of a run");
    expect(open("folder")).toBe(
      "@/folder is not a run, a design, a comparison, a backtest or a forecast, and has none inside; give the folder of one",
    );
  });

  test("that does not exist is rejected by runs", () => {
    expect(errorLine(["runs", "nothing"], 2)).toBe("nothing does not exist.");
    expect(errorLine(["runs", "file.txt"], 2)).toBe("file.txt is a file; give a folder of runs");
  });

  test.each([["evaluate"], ["sample"], ["export", "--onnx", "new.onnx"]])(
    "without a checkpoint is rejected by %s",
    (...command) => {
      expect(errorLine([...command, "begun"], 1)).toBe(
        "@/begun has no checkpoint yet; train it first: gflownet train --resume begun",
      );
    },
  );

  test.each([
    ["--side", "5"],
    ["--config", "run/config.json"],
    ["--out", "elsewhere"],
    ["--repeat", "run"],
  ])("cannot be resumed with %s", (...setting) => {
    expect(errorLine(["train", "--resume", "run", ...setting], 2)).toBe(
      "--resume continues a run with its own config; give no other settings than --seconds or --iterations",
    );
  });

  test("cannot go on for less than it has, for both lengths, or before it has begun", () => {
    const { iteration } = checkpointOf(cli.at("run"));
    expect(errorLine(["train", "--resume", "run", "--iterations", "1"], 2)).toBe(
      `--iterations: must be above ${iteration}, the iterations that the run has, got 1`,
    );
    expect(errorLine(["train", "--resume", "run", "--iterations", "9", "--seconds", "9"], 2)).toBe(
      "--seconds: excludes --iterations; give one of them",
    );
    expect(errorLine(["train", "--resume", "begun", "--seconds", "9"], 2)).toBe(
      "@/begun has no checkpoint yet; resume it without a new length",
    );
  });

  test.each([
    ["--side", "5"],
    ["--config", "run/config.json"],
    ["--iterations", "9"],
  ])("cannot be repeated with %s", (...setting) => {
    expect(errorLine(["train", "--repeat", "run", ...setting], 2)).toBe(
      "--repeat trains a run again with its own config; give no other settings than --out",
    );
  });

  test("cannot be resumed with another task", () => {
    expect(errorLine(["train", "tfbind8", "--resume", "run"], 2)).toBe(
      "@/run is a run of hypergrid, not of tfbind8",
    );
  });

  const root = process.getuid?.() === 0;
  test.skipIf(root)(
    "without write permission is reported (skipped for root, who can write everywhere)",
    () => {
      cpSync(cli.at("run"), cli.at("locked"), { recursive: true });
      chmodSync(cli.at("locked"), 0o555);
      try {
        expect(errorLine(["train", "--resume", "locked"], 1)).toMatch(
          /^@\/locked\/\S+ cannot be written: permission denied$/,
        );
        expect(errorLine(["train", ...GRID, "--out", "locked/run"], 1)).toMatch(
          /cannot be written: permission denied$/,
        );
        expect(errorLine(["export", "run", "--onnx", "locked/x.onnx"], 1)).toBe(
          "locked cannot be accessed: permission denied.",
        );
      } finally {
        chmodSync(cli.at("locked"), 0o755);
      }
    },
  );
});

test("commands in a new process have the same exit codes and messages as in the reused process", () => {
  for (const [args, code] of [
    [["trian"], 2],
    [["inspect", "file.txt"], 1],
  ] as const) {
    const { status, stdout, stderr } = cli.alone(...args);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr).toBe(`gflownet: ${errorLine(args, code)}\n`);
  }
});
