// Tests of `gflownet init`: the files that it writes, and the messages for wrong flags.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

const read = (name: string) => readFileSync(cli.at(name), "utf8");

/** The lines of a file that are neither empty nor comments. */
const values = (name: string) =>
  read(name)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("flags become a commented file", () => {
  const out = cli.output(
    ...["init", "--dna", "--length", "12", "--oracle", "python3 score.py", "--forbid", "GGTCTC,GANTC"],
    ...["--template", "AC*GT", "--require", "TATA", "--stick", "0.05", "--minimise", "--budget", "384"],
  );
  expect(out).toBe("problem.yaml written\n");
  expect(values("problem.yaml")).toEqual([
    ...["alphabet: DNA", "length: 12", "oracle: python3 score.py"],
    ...[
      "constraints:",
      "  template: AC*GT",
      "  forbid:",
      "    - GGTCTC",
      "    - GANTC",
      "  require:",
      "    - TATA",
    ],
    ...["noise:", "  stick: 0.05", "reward:", "  goal: minimise", "budget: 384"],
  ]);
  expect(read("problem.yaml")).toContain("\n# What scores the strings");
});

test("an existing file is only replaced with --force", () => {
  writeFileSync(cli.at("kept.yaml"), "mine");
  const { status, stderr } = cli.gflownet("init", "--rna", "--length", "3", "--out", "kept.yaml");
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "gflownet: --out: kept.yaml exists; choose another name, or replace it with --force\n",
  });
  expect(read("kept.yaml")).toBe("mine");
  cli.output("init", "--rna", "--length", "3", "--out", "kept.yaml", "--force");
  expect(values("kept.yaml")).toEqual(["alphabet: RNA", "length: 3"]);
});

test("a table gives the alphabet, the length and the known strings", () => {
  writeFileSync(cli.at("measured.csv"), "sequence,activity,plate\nNANK,0.5,1\nkllmm,,1\n");
  const { status, stderr } = cli.gflownet(
    ...["init", "--from", "measured.csv", "--score-column", "activity", "--out", "peptide.yaml"],
  );
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: "note: known.file: 1 of 2 rows have no score and are left out\n",
  });
  expect(values("peptide.yaml")).toEqual([
    ...["alphabet: protein", "length:", "  min: 4", "  max: 5"],
    ...["known:", "  file: measured.csv", "  string: sequence", "  score: activity"],
  ]);
});

test("a .json file has no comments", () => {
  cli.output("init", "--alphabet", "no,on", "--length", "4-9", "--landscape", "nk", "--out", "small.json");
  expect(JSON.parse(read("small.json"))).toEqual({
    alphabet: ["no", "on"],
    length: { min: 4, max: 9 },
    oracle: { landscape: "nk", k: 2, seed: 0 },
  });
});

test.each([
  [
    [],
    "give --dna, --rna, --protein or --alphabet, and --length, or a table with --from; questions are only asked in a terminal",
  ],
  [
    ["--dna", "--length", "many"],
    '--length: must be a whole number from 1 to 10000, or { min, max }, got "many"',
  ],
  [["--alphabet", "ACGA", "--length", "4"], '--alphabet: must have each token once, got "A" twice'],
  [
    ["--dna", "--length", "4", "--forbid", "GATTACA"],
    "--forbid: must have at most as many tokens as a string, 4, got 7",
  ],
  [["--dna", "--rna", "--length", "4"], "--rna: excludes --dna; give one of them"],
  [["--dna", "--length", "4", "--stick", "2"], '--stick: must be a number in [0, 1), got "2"'],
  [
    ["--dna", "--length", "4", "--oracle", "a", "--url", "http://localhost/"],
    "--url: excludes --oracle; give one of them",
  ],
  [
    ["--dna", "--length", "4", "--url", "localhost"],
    '--url: must be an address that begins with http:// or https://, got "localhost"',
  ],
  [["--from", "none.csv"], "none.csv: it cannot be read: it does not exist"],
])("init %j is refused and writes nothing", (flags, message) => {
  const { status, stdout, stderr } = cli.gflownet("init", ...flags, "--out", "wrong.yaml");
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `gflownet: ${message}\n` });
  expect(existsSync(cli.at("wrong.yaml"))).toBe(false);
});

test("the name of the file must say its format", () => {
  expect(cli.gflownet("init", "--dna", "--length", "4", "--out", "problem.txt").stderr).toBe(
    "gflownet: --out: must be a name that ends in .yaml, .yml or .json, got problem.txt\n",
  );
});
