// Tests of commands with damaged files, or with paths that cannot be read or written: one sentence on stderr, the right
// exit code, nothing on stdout, and no changed file. See cli-mistakes.test.ts for invalid arguments.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { decodeSafetensors, encodeSafetensors } from "gflownet/formats";
import { describe, expect, test } from "vitest";
import { failingCommands, GRID } from "./support/mistakes.ts";
import { reportIn } from "./support/report-data.ts";

const { cli, errorLine } = failingCommands();

describe("a damaged run is reported:", () => {
  const FILE = "@/damaged/checkpoint.safetensors";
  const checkpoint = (name: string) => readFileSync(cli.at(name, "checkpoint.safetensors"));

  function damage(bytes: Uint8Array): void {
    rmSync(cli.at("damaged"), { recursive: true, force: true });
    cpSync(cli.at("run"), cli.at("damaged"), { recursive: true });
    writeFileSync(cli.at("damaged", "checkpoint.safetensors"), bytes);
  }
  /** The error message of commands that read the checkpoint. Checks that it is the same for all of them. */
  function checkpointError(): string {
    const [first, ...others] = [["evaluate"], ["sample"], ["train", "--resume"]].map((command) =>
      errorLine([...command, "damaged"], 1),
    );
    expect(others).toEqual([first, first]);
    return first;
  }

  test("a changed byte in the checkpoint", () => {
    const bytes = checkpoint("run");
    bytes[bytes.length - 5] ^= 1;
    damage(bytes);
    expect(checkpointError()).toBe(`${FILE} is a damaged checkpoint: its checksum is wrong.`);
  });

  test("a truncated checkpoint", () => {
    damage(checkpoint("run").subarray(0, 1000));
    expect(checkpointError()).toMatch(
      /^@\/damaged\/checkpoint\.safetensors is not a valid safetensors file: /,
    );
    damage(new Uint8Array());
    expect(checkpointError()).toBe(`${FILE} is not a valid safetensors file: it has 0 bytes and no header.`);
  });

  test("the checkpoint of another config", () => {
    expect(cli.gflownet("train", ...GRID, "--seed", "1", "--out", "other-seed", "--quiet").status).toBe(0);
    damage(checkpoint("other-seed"));
    expect(checkpointError()).toBe(
      `${FILE}: the checkpoint does not fit this run: seed is 1 in the checkpoint and 0 in this run; ` +
        "restore config.json, or start a new run with the changed settings",
    );
  });

  test("a config with another target than the checkpoint, for evaluate, sample and --resume", () => {
    damage(checkpoint("run"));
    const file = cli.at("damaged", "config.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(before), rewardExponent: 2 }));
    for (const args of [
      ["evaluate", "damaged"],
      ["sample", "damaged"],
      ["train", "--resume", "damaged"],
    ]) {
      expect(errorLine(args, 1)).toBe(
        `${FILE}: the checkpoint does not fit this run: rewardExponent is 1 in the checkpoint and 2 in this run; ` +
          "restore config.json, or start a new run with the changed settings",
      );
    }
    writeFileSync(file, before);
  });

  test("a config that asks for more samples than fit into memory", () => {
    damage(checkpoint("run"));
    const file = cli.at("damaged", "config.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(before), samples: 2_000_000_000 }));
    expect(errorLine(["evaluate", "damaged"], 2)).toMatch(
      /^@\/damaged\/config\.json: samples: 2000000000 would take about .*; at most \d+ fits$/,
    );
    writeFileSync(file, before);
  });

  test("a checkpoint of a newer version", () => {
    const { tensors, metadata } = decodeSafetensors(checkpoint("run"), "run");
    damage(encodeSafetensors(tensors, { ...metadata, version: "4" }));
    expect(checkpointError()).toBe(
      `${FILE} is a checkpoint of version 4, but this gflownet reads version 3 only; use a newer gflownet.`,
    );
  });

  test("a safetensors file that is not a checkpoint", () => {
    damage(encodeSafetensors({}));
    expect(checkpointError()).toBe(`${FILE} is a safetensors file, but not a checkpoint of gflownet.`);
  });

  test("a config of a newer version", () => {
    damage(checkpoint("run"));
    const config = JSON.parse(readFileSync(cli.at("run", "config.json"), "utf8"));
    writeFileSync(cli.at("damaged", "config.json"), JSON.stringify({ ...config, version: 9 }));
    for (const command of [["evaluate"], ["train", "--resume"]]) {
      expect(errorLine([...command, "damaged"], 2)).toBe(
        "@/damaged/config.json: it has version 9, but this gflownet reads version 2; use a newer gflownet",
      );
    }
  });
});

/** Lines of a complete binding table, one for each pair of complementary sequences. */
function bindingTable(): string[] {
  const lines = ["8-mer\t8-mer\tE-score\tMedian\tZ-score"];
  for (let index = 0; index < 4 ** 8; index++) {
    const letters = Array.from({ length: 8 }, (_, place) => (index >> (2 * (7 - place))) & 3);
    const sequence = letters.map((letter) => "ACGT"[letter]).join("");
    const other = letters
      .map((letter) => "ACGT"[3 - letter])
      .reverse()
      .join("");
    if (sequence <= other) lines.push(`${sequence}\t${other}\t${index / 4 ** 8}\t1\t0`);
  }
  return lines;
}

describe("a binding table", () => {
  const table = bindingTable();
  const use = (lines: readonly string[]) => {
    writeFileSync(cli.at("table.txt"), lines.join("\n"));
    return errorLine(["train", "tfbind8", "--table", "table.txt", "--out", "new"], 2);
  };

  test("that does not exist or is a folder is rejected", () => {
    const table = (name: string) => errorLine(["train", "tfbind8", "--table", name], 2);
    expect(table("none.txt")).toBe("--table: @/none.txt cannot be read: it does not exist");
    expect(table("folder")).toBe("--table: @/folder cannot be read: it is a folder");
  });

  test("that is incomplete is rejected", () => {
    expect(use(table.slice(0, 100))).toMatch(
      /^@\/table\.txt: all 65536 8-mers must be present, but after 100 lines \d+ are missing/,
    );
    expect(use([...table.slice(0, 99), table[99].slice(0, 12)])).toMatch(
      /line 100: .* the file may be incomplete/,
    );
    expect(use([])).toMatch(/^@\/table\.txt is empty/);
  });

  test("with a repeated line or a score that is not a number is rejected", () => {
    expect(use([...table, table[7]])).toMatch(
      / is also in line 8, with the same score .*; keep one of the two lines\.$/,
    );
    expect(use(table.with(7, table[7].replace(/\t[\d.e-]+/, "\tNaN")))).toMatch(
      /^@\/table\.txt, line 8: the E-score of \w{8} must be a finite number, got "NaN"/,
    );
  });

  test("that has changed since the run started is reported, together with the config that names it", () => {
    writeFileSync(cli.at("measured.txt"), table.join("\n"));
    const small = "--hidden 8 --state-table-rows 0 --batch 8 --iterations 1 --samples 5".split(" ");
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
      expect(errorLine([...command, "measured"], 2)).toMatch(
        /^@\/measured\/config\.json: table: @\/measured\.txt has changed \(sha256 \w{12}… instead of \w{12}…\); restore the old file/,
      );
    }
    rmSync(cli.at("measured.txt"));
    expect(errorLine(["evaluate", "measured"], 2)).toBe(
      "@/measured/config.json: table: @/measured.txt cannot be read: it does not exist",
    );
    // A report needs only the files of the run.
    expect(cli.gflownet("report", "measured").stderr).toBe("");
    const { details } = reportIn(cli.at("measured", "report.html"));
    expect(details[0].settings).toContainEqual(["table", cli.at("measured.txt")]);
  });
});

describe("a report", () => {
  test("cannot be written to a folder, to an existing file of another kind or to a missing folder", () => {
    const write = (file: string) => errorLine(["report", "run", "--out", file], 2);
    expect(write("file.txt")).toBe(
      "--out: file.txt exists and is not a report; remove it or choose another name",
    );
    expect(write("folder")).toBe("--out: folder is a folder; give the name of a file");
    expect(write("none/report.html")).toBe("none does not exist.");
    expect(write("")).toBe('--out: must be a name, got ""');
  });

  test("of a run with damaged samples says so, and has everything else", () => {
    cpSync(cli.at("run"), cli.at("torn"), { recursive: true });
    const write = (csv: string) => {
      writeFileSync(cli.at("torn", "samples.csv"), csv);
      cli.output("report", "torn");
      const { details, notes } = reportIn(cli.at("torn", "report.html"));
      expect(details[0].views).toContain("distribution");
      expect(details[0].views).not.toContain("candidates");
      return notes;
    };
    const start = "The view candidates of torn is not inside: samples.csv is damaged:";
    expect(write("")).toEqual([`${start} it has no column sequence.`]);
    expect(write("sequence,score,logProbability\na,1\n")).toEqual([
      `${start} row 1 must have 3 cells, got 2.`,
    ]);
  });
});

describe("a model file", () => {
  test("cannot be written to a folder, to an existing file of another kind or to a missing folder", () => {
    const write = (file: string) => errorLine(["export", "run", "--onnx", file], 2);
    expect(write("file.txt")).toBe("--onnx: file.txt exists; remove it or choose another name");
    expect(write("folder")).toBe("--onnx: folder is a folder; give the name of a file");
    expect(write("none/model.onnx")).toBe("none does not exist.");
    expect(write("")).toBe('--onnx: must be a name, got ""');
  });

  test("that does not exist, is a folder or is not in the ONNX format is rejected", () => {
    expect(errorLine(["inspect", "none.onnx"], 2)).toBe("none.onnx does not exist.");
    expect(errorLine(["inspect", "folder"], 2)).toBe("folder is a folder.");
    expect(errorLine(["inspect", "/dev/zero"], 2)).toBe("/dev/zero is a device; give a regular file.");
    expect(errorLine(["inspect", "file.txt"], 1)).toMatch(/^file\.txt is not a complete \.onnx file/);
  });
});

describe("a run that cannot start leaves no folder:", () => {
  test("too many threads", () => {
    const message = errorLine(
      ["train", ...GRID, "--engine", "native", "--threads", "100000", "--out", "new"],
      2,
    );
    expect(message).toMatch(/^--threads: must be at most \d+ on this machine, got 100000$/);
  });

  test("too many threads in a config file, which the message names", () => {
    writeFileSync(cli.at("threads.json"), JSON.stringify({ engine: "native", threads: 100000 }));
    const train = (...flags: string[]) =>
      errorLine(["train", ...GRID, "--config", "threads.json", ...flags, "--out", "new"], 2);
    expect(train()).toMatch(/^threads\.json: threads: must be at most \d+ on this machine, got 100000$/);
    expect(train("--threads", "200000")).toMatch(
      /^--threads: must be at most \d+ on this machine, got 200000$/,
    );
  });

  test("a network that is too large, without --out", () => {
    mkdirSync(cli.at("runs"));
    const message = errorLine(["train", "hypergrid", "--hidden", "400000,400000"], 2);
    expect(message).toMatch(
      /^--hidden: 400000,400000 would take about .* of memory, .*; at most \d+,\d+ fits/,
    );
  });
});

test("a loss that is not finite ends the run with exit code 1, and the last checkpoint stays", () => {
  const { status, stderr } = cli.gflownet(
    ...["train", ...GRID, "--iterations", "500", "--learning-rate", "1e30", "--out", "wild", "--quiet"],
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^gflownet: train: .*(loss|dynamicsLoss).* not finite in call \d+; .*\n$/);
  expect(readdirSync(cli.at("wild")).sort()).toEqual([
    ...["checkpoint.safetensors", "config.json", "metrics.jsonl"],
  ]);
});
