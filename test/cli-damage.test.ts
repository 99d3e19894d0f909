// Damage, and what cannot be written or read: one sentence on stderr, the right exit code, nothing on stdout, and every
// file as it was. What was typed wrong: cli-mistakes.test.ts.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors } from "../src/gfn/safetensors.ts";
import { EIGHT_MERS, reverseComplement, sequenceAt } from "../src/tasks/tfbind8/eight-mers.ts";
import { GRID, mistakes } from "./support/mistakes.ts";

const { cli, sentence } = mistakes();

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
    expect(cli.gflownet("train", ...GRID, "--seed", "1", "--out", "other-seed", "--quiet").status).toBe(0);
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

/** Lines of a whole file, one for each pair of strands. */
function bindingTable(): string[] {
  const lines = ["8-mer\t8-mer\tE-score\tMedian\tZ-score"];
  for (let index = 0; index < EIGHT_MERS; index++) {
    const other = reverseComplement(index);
    if (index <= other) lines.push(`${sequenceAt(index)}\t${sequenceAt(other)}\t${index / EIGHT_MERS}\t1\t0`);
  }
  return lines;
}

describe("a table file", () => {
  const table = bindingTable();
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
    const small = "--hidden 8 --memory-rows 0 --batch 8 --iterations 1 --samples 5".split(" ");
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
