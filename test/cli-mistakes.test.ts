// Mistakes and damage: one sentence on stderr, the right exit code, nothing on stdout, and every file as it was.

import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors } from "../src/gfn/safetensors.ts";
import { EIGHT_MERS, reverseComplement, sequenceAt } from "../src/tasks/tfbind8/eight-mers.ts";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";

const GRID = [
  "hypergrid",
  "--side",
  "4",
  "--hidden",
  "8",
  "--batch",
  "8",
  "--iterations",
  "5",
  "--samples",
  "5",
];

let cli: CommandLine;
let table: string[];

beforeAll(() => {
  cli = buildCommandLine();
  const { status, stderr } = cli.gflownet("train", ...GRID, "--out", "run", "--quiet");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(cli.gflownet("train", ...GRID, "--seed", "1", "--out", "other-seed", "--quiet").status).toBe(0);
  mkdirSync(cli.at("folder"));
  writeFileSync(cli.at("folder", "thesis.txt"), "years of work");
  writeFileSync(cli.at("file.txt"), "not a model");
  mkdirSync(cli.at("begun"));
  copyFileSync(cli.at("run", "config.json"), cli.at("begun", "config.json"));
  table = bindingTable();
});
afterAll(() => cli?.remove());

/** Lines of a whole file, one for each pair of strands. */
function bindingTable(): string[] {
  const lines = ["8-mer\t8-mer\tE-score\tMedian\tZ-score"];
  for (let index = 0; index < EIGHT_MERS; index++) {
    const other = reverseComplement(index);
    if (index <= other) lines.push(`${sequenceAt(index)}\t${sequenceAt(other)}\t${index / EIGHT_MERS}\t1\t0`);
  }
  return lines;
}

/** Every file with a fingerprint of what is in it. */
function everything(): Record<string, string> {
  const paths = readdirSync(cli.folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const full = join(cli.folder, path);
      if (statSync(full).isDirectory()) return [path, "folder"];
      return [path, createHash("sha256").update(readFileSync(full)).digest("hex")];
    }),
  );
}

/** Runs a command that must fail, and gives what it says without its name. */
function complaint(args: readonly string[], code: 1 | 2): string {
  const before = everything();
  const { status, stdout, stderr } = cli.gflownet(...args);
  expect({ status, stdout, stderr }).toEqual({
    status: code,
    stdout: "",
    stderr: expect.stringMatching(/^gflownet: .*\n/),
  });
  expect(everything()).toEqual(before);
  return stderr.slice("gflownet: ".length).trimEnd();
}

/** The same for one sentence; `at` is put in for paths. */
function sentence(args: readonly string[], code: 1 | 2): string {
  const said = complaint(args, code);
  expect(said).not.toContain("\n");
  return said.replaceAll(`${cli.folder}/`, "@/");
}

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
    const { status, stdout, stderr } = cli.gflownet();
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

describe("a run that is damaged", () => {
  const FILE = "@/damaged/checkpoint.safetensors";
  const checkpoint = (name: string) => readFileSync(cli.at(name, "checkpoint.safetensors"));

  function damage(bytes: Uint8Array): void {
    rmSync(cli.at("damaged"), { recursive: true, force: true });
    cpSync(cli.at("run"), cli.at("damaged"), { recursive: true });
    writeFileSync(cli.at("damaged", "checkpoint.safetensors"), bytes);
  }
  /** Whoever reads the checkpoint says the same. */
  function said(): string {
    const [first, ...others] = [["evaluate"], ["sample"], ["train", "--resume"]].map((command) =>
      sentence([...command, "damaged"], 1),
    );
    expect(others).toEqual([first, first]);
    return first;
  }

  test("by a changed byte in its checkpoint", () => {
    const bytes = checkpoint("run");
    bytes[bytes.length - 5] ^= 1;
    damage(bytes);
    expect(said()).toBe(`${FILE} is a damaged checkpoint: its checksum is wrong.`);
  });

  test("by a checkpoint that is cut off", () => {
    damage(checkpoint("run").subarray(0, 1000));
    expect(said()).toMatch(/^@\/damaged\/checkpoint\.safetensors is not a whole safetensors file: /);
    damage(new Uint8Array());
    expect(said()).toBe(`${FILE} is not a whole safetensors file: it has 0 bytes and no header.`);
  });

  test("by the checkpoint of another config", () => {
    damage(checkpoint("other-seed"));
    expect(said()).toBe(
      `${FILE}: the checkpoint does not fit this run: seed is 1 in the checkpoint and 0 here`,
    );
  });

  test("by a checkpoint of a newer version", () => {
    const { tensors, metadata } = decodeSafetensors(checkpoint("run"), "run");
    damage(encodeSafetensors(tensors, { ...metadata, version: "2" }));
    expect(said()).toBe(
      `${FILE} is a checkpoint of version 2, and this gflownet reads up to version 1; use a newer one.`,
    );
  });

  test("by another file in its place", () => {
    damage(encodeSafetensors({}));
    expect(said()).toBe(`${FILE} is a safetensors file, but not a checkpoint of gflownet.`);
  });

  test("by a config that is wrong", () => {
    damage(checkpoint("run"));
    const config = JSON.parse(readFileSync(cli.at("run", "config.json"), "utf8"));
    writeFileSync(cli.at("damaged", "config.json"), JSON.stringify({ ...config, version: 9 }));
    for (const command of [["evaluate"], ["train", "--resume"]]) {
      expect(sentence([...command, "damaged"], 2)).toBe(
        "@/damaged/config.json: it has version 9, and this gflownet reads version 1; use a newer gflownet",
      );
    }
  });
});

describe("a table file", () => {
  const use = (lines: readonly string[]) => {
    writeFileSync(cli.at("table.txt"), lines.join("\n"));
    return sentence(["train", "tfbind8", "--table", "table.txt", "--out", "new"], 2);
  };

  test("that is missing, or a folder", () => {
    const table = (name: string) => sentence(["train", "tfbind8", "--table", name], 2);
    expect(table("none.txt")).toBe("table: @/none.txt cannot be read: there is no such file");
    expect(table("folder")).toBe("table: @/folder cannot be read: it is a folder");
  });

  test("that is cut off", () => {
    expect(use(table.slice(0, 100))).toMatch(
      /^table: @\/table\.txt: after 100 lines \d+ of 65536 8-mers are missing/,
    );
    expect(use([...table.slice(0, 99), table[99].slice(0, 12)])).toMatch(
      /line 100: .* as if the file were cut off/,
    );
    expect(use([])).toMatch(/^table: @\/table\.txt is empty/);
  });

  test("with a line twice, or a score that is no number", () => {
    expect(use([...table, table[7]])).toMatch(
      / was already given in line 8, both times .*; keep one of the two lines\.$/,
    );
    expect(use(table.with(7, table[7].replace(/\t[\d.e-]+/, "\tNaN")))).toMatch(
      /^table: @\/table\.txt, line 8: the E-score of \w{8} is "NaN", not a finite number/,
    );
  });

  test("that is not what it was when the run began", () => {
    writeFileSync(cli.at("measured.txt"), table.join("\n"));
    const small = [
      "--hidden",
      "8",
      "--memory-rows",
      "0",
      "--batch",
      "8",
      "--iterations",
      "1",
      "--samples",
      "5",
    ];
    const { status, stderr } = cli.gflownet(
      ...["train", "tfbind8", "--table", "measured.txt", ...small, "--out", "measured", "--quiet"],
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(readFileSync(cli.at("measured", "config.json"), "utf8"))).toMatchObject({
      table: cli.at("measured.txt"),
      tableSha256: createHash("sha256").update(table.join("\n")).digest("hex"),
    });
    writeFileSync(
      cli.at("measured.txt"),
      table.with(7, table[7].replace(/\t[\d.e-]+/, "\t0.123")).join("\n"),
    );
    for (const command of [["evaluate"], ["train", "--resume"]]) {
      expect(sentence([...command, "measured"], 2)).toMatch(
        /^table: @\/measured\.txt is not what it was \(sha256 \w{12}… instead of \w{12}…\); put the old file back/,
      );
    }
    rmSync(cli.at("measured.txt"));
    expect(sentence(["evaluate", "measured"], 2)).toBe(
      "table: @/measured.txt cannot be read: there is no such file",
    );
    // What a report shows is all in the run.
    expect(cli.gflownet("report", "measured").stderr).toBe("");
    expect(readFileSync(cli.at("measured", "report.html"), "utf8")).toContain("scores from measured.txt");
  });
});

describe("a report", () => {
  test("that cannot be written where it should", () => {
    const write = (file: string) => sentence(["report", "run", "--out", file], 2);
    expect(write("file.txt")).toBe(
      "--out: file.txt exists and is no report; remove it or choose another name",
    );
    expect(write("folder")).toBe("--out: folder is a folder; give the name of a file");
    expect(write("none/report.html")).toBe("none does not exist.");
    expect(write("")).toBe('--out: must be a name, got ""');
  });

  test("of samples that are damaged", () => {
    cpSync(cli.at("run"), cli.at("torn"), { recursive: true });
    const write = (csv: string) => {
      writeFileSync(cli.at("torn", "samples.csv"), csv);
      return sentence(["report", "torn"], 1);
    };
    const file = "@/torn/samples.csv is damaged:";
    expect(write("")).toBe(`${file} it has no column sequence`);
    expect(write("sequence,score,logProbability\na,1\n")).toBe(`${file} row 1 must have 3 cells, got 2`);
  });
});

describe("a model file", () => {
  test("that cannot be written where it should", () => {
    const write = (file: string) => sentence(["export", "run", "--onnx", file], 2);
    expect(write("file.txt")).toBe("--onnx: file.txt exists; remove it or choose another name");
    expect(write("folder")).toBe("--onnx: folder is a folder; give the name of a file");
    expect(write("none/model.onnx")).toBe("none does not exist.");
    expect(write("")).toBe('--onnx: must be a name, got ""');
  });

  test("that cannot be read", () => {
    expect(sentence(["inspect", "none.onnx"], 2)).toBe("none.onnx does not exist.");
    expect(sentence(["inspect", "folder"], 2)).toBe("folder is a folder, not a file.");
    expect(sentence(["inspect", "file.txt"], 1)).toMatch(/^file\.txt is not a whole \.onnx file/);
  });
});

describe("a run that cannot begin leaves no folder:", () => {
  test("too many threads", () => {
    const said = sentence(["train", ...GRID, "--engine", "native", "--threads", "100000", "--out", "new"], 2);
    expect(said).toMatch(/^config: threads: must be at most \d+ on this machine, got 100000$/);
  });

  test("too large a network, in a folder without a name", () => {
    mkdirSync(cli.at("runs"));
    const said = sentence(["train", "hypergrid", "--hidden", "400000,400000"], 1);
    expect(said).toMatch(/memory/);
  });
});

test("a loss that is no longer finite ends a run with its name, and what was learned is kept", () => {
  const { status, stderr } = cli.gflownet(
    ...["train", ...GRID, "--iterations", "500", "--learning-rate", "1e30", "--out", "wild", "--quiet"],
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^gflownet: train: .*(loss|dynamicsLoss).* not finite in call \d+; .*\n$/);
  expect(readdirSync(cli.at("wild")).sort()).toEqual([
    ...["checkpoint.safetensors", "config.json", "metrics.jsonl"],
  ]);
});
