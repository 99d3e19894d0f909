// `gflownet compare` as a user meets it: the grid is complete, a kill loses no finished cell, mistakes are named.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
}, 60_000);
afterAll(() => cli?.remove());

const TASK = ["compare", "hypergrid", "--side", "3", "--hidden", "4", "--batch", "8", "--evaluations", "2"];
const SEARCHES = ["--methods", "random,metropolis", "--stick", "0.25,0.5", "--seeds", "1", "--calls", "64"];

/** Cell files by name. */
function cellsIn(folder: string): Record<string, string> {
  const cells = cli.at(folder, "cells");
  const names = readdirSync(cells).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(cells, name), "utf8")]));
}

/** All but the clock, and the checksum that it is part of. */
function untimed(folder: string): Record<string, string> {
  const plain = (text: string) => text.replaceAll(/"seconds":[^,}]+/g, "").replace(/"checksum":"[^"]+"/, "");
  return Object.fromEntries(Object.entries(cellsIn(folder)).map(([name, text]) => [name, plain(text)]));
}

const writtenAt = (folder: string, name: string) => statSync(cli.at(folder, "cells", name)).mtimeMs;

describe("a complete comparison", () => {
  beforeAll(() => {
    const ended = cli.gflownet(...TASK, ...SEARCHES, "--jobs", "2", "--out", "full");
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout).toContain("4/4  ");
    expect(ended.stdout).toMatch(/stick 0\.25: modes +▁/);
  }, 60_000);

  test("has a file for every cell, its tables, its figures and its page", () => {
    const names = ["random", "metropolis"].flatMap((method) =>
      [0.25, 0.5].map((stick) => `${method}_stick=${stick}_seed=0.jsonl`),
    );
    expect(Object.keys(cellsIn("full"))).toEqual(names.sort());
    expect(readdirSync(cli.at("full")).sort()).toEqual(
      ["cells", "comparison.json", "figures", "report.html", "table.csv", "table.md"].sort(),
    );
    expect(readdirSync(cli.at("full", "figures"))).toEqual(
      expect.arrayContaining(["modes-found.svg", "tv_stick=0.25.svg", "kl_stick=0.5.svg", "best.svg"]),
    );
    expect(readFileSync(cli.at("full", "table.csv"), "utf8").trim().split("\n")).toHaveLength(5);
    const page = readFileSync(cli.at("full", "report.html"), "utf8");
    expect(page).toContain("<h1>Comparison full</h1>");
    expect(page.match(/<svg xmlns/g)).toHaveLength(readdirSync(cli.at("full", "figures")).length);
  });

  test("is not run again by the same command: no cell is touched, and the table is the same", () => {
    const before = cellsIn("full");
    const times = Object.keys(before).map((name) => writtenAt("full", name));
    const table = readFileSync(cli.at("full", "table.csv"), "utf8");
    const again = cli.gflownet(...TASK, ...SEARCHES, "--out", "full");
    expect(again.stdout).toContain("4 cells, 4 of them finished before.");
    expect(Object.keys(before).map((name) => writtenAt("full", name))).toEqual(times);
    expect(readFileSync(cli.at("full", "table.csv"), "utf8")).toBe(table);
  });

  test("goes on only with the settings it was begun with, of which the other one is named", () => {
    const other = cli.gflownet(...TASK, ...SEARCHES, "--reward-exponent", "2", "--out", "full");
    expect(other.status).toBe(2);
    expect(other.stderr).toMatch(
      /^gflownet: .*full is another comparison: rewardExponent was 1 and is 2; give the same settings, or another folder with --out\n$/,
    );
    const more = cli.gflownet("compare", "--resume", "full", "--seeds", "3");
    expect(more).toMatchObject({ status: 2, stdout: "" });
    expect(more.stderr).toContain("give no other settings");
  });

  test("runs cells again whose files are cut or changed, and no others", () => {
    const before = cellsIn("full");
    const [cut, changed, ...rest] = Object.keys(before);
    const times = rest.map((name) => writtenAt("full", name));
    const was = untimed("full");
    writeFileSync(cli.at("full", "cells", cut), before[cut].slice(0, -20));
    writeFileSync(cli.at("full", "cells", changed), before[changed].replace('"calls":64', '"calls":65'));
    const { status, stderr } = cli.gflownet("compare", "--resume", "full", "--quiet");
    expect(status).toBe(0);
    expect(stderr).toContain(`${cut} is damaged; its cell runs again`);
    expect(stderr).toContain(`${changed} is damaged; its cell runs again`);
    expect(untimed("full")).toEqual(was);
    expect(rest.map((name) => writtenAt("full", name))).toEqual(times);
  });
});

test("with one job or two, and whatever is printed, cells are the same to the bit", () => {
  const learned = ["--methods", "kl-entropy,random", "--gammas", "0.25", "--seeds", "1", "--calls", "40"];
  const [first, second] = ["1", "2"].map((jobs) =>
    cli.gflownet(
      ...TASK,
      ...learned,
      "--jobs",
      jobs,
      "--out",
      `jobs-${jobs}`,
      ...(jobs === "1" ? ["--json"] : []),
    ),
  );
  expect([first.status, second.status]).toEqual([0, 0]);
  expect(Object.keys(untimed("jobs-1"))).toContain("kl-entropy-0.25_stick=0.25_seed=0.jsonl");
  expect(untimed("jobs-1")).toEqual(untimed("jobs-2"));

  const lines = jsonLines(first.stdout);
  expect(lines.map(({ kind, method, calls }) => [kind, method, calls])).toEqual([
    ...[0, 24, 40].map((calls) => ["record", "kl-entropy:0.25", calls]),
    ...[0, 32].map((calls) => ["record", "random", calls]),
    ["end", undefined, undefined],
  ]);
  const { comparison, table } = lines.at(-1) as { comparison: string; table: Record<string, unknown>[] };
  expect(comparison).toBe(cli.at("jobs-1"));
  expect(table.map(({ method, stick, seeds, failed }) => ({ method, stick, seeds, failed }))).toEqual([
    { method: "kl-entropy:0.25", stick: 0.25, seeds: 1, failed: 0 },
    { method: "random", stick: 0.25, seeds: 1, failed: 0 },
  ]);
  expect(table[0].tvMean).toBe(lines[2].tv);
});

test("killed in the middle, it goes on with the cells that were not finished, and ends as if it had not been", async () => {
  const grid = ["--methods", "random,kl", "--seeds", "2", "--calls", "64", "--jobs", "1"];
  const { child, ended, printed } = cli.start(...TASK, ...grid, "--out", "killed");
  await printed(/2\/4 {2}kl/);
  child.kill("SIGKILL");
  await ended;
  const kept = cellsIn("killed");
  const times = Object.keys(kept).map((name) => writtenAt("killed", name));
  expect(Object.keys(kept).length).toBeGreaterThanOrEqual(2);
  expect(Object.keys(kept).length).toBeLessThan(4);
  expect(existsSync(cli.at("killed", "table.csv"))).toBe(false);
  const { status, stdout } = cli.gflownet("compare", "--resume", "killed");
  expect(status).toBe(0);
  expect(stdout).toContain(`4 cells, ${Object.keys(kept).length} of them finished before.`);
  expect(cellsIn("killed")).toMatchObject(kept);
  expect(Object.keys(kept).map((name) => writtenAt("killed", name))).toEqual(times);
  expect(cli.gflownet(...TASK, ...grid, "--quiet", "--out", "whole")).toMatchObject({
    status: 0,
    stdout: "",
  });
  expect(untimed("killed")).toEqual(untimed("whole"));
});

test("Ctrl-C ends it and the processes of its cells, and says how to go on; meanwhile nobody else may write", async () => {
  const { child, ended, printed } = cli.start(
    ...[
      ...TASK,
      "--methods",
      "random,kl",
      "--seeds",
      "1",
      "--calls",
      "80000000",
      "--jobs",
      "2",
      "--out",
      "stopped",
    ],
  );
  await printed(/2 cells/);
  const second = cli.gflownet("compare", "--resume", "stopped");
  expect(second).toMatchObject({ status: 1 });
  expect(second.stderr).toContain(`is in use by process ${child.pid}`);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: "" });
  expect((await ended).stdout).toMatch(/Go on with: gflownet compare --resume .*stopped\n$/);
  expect(existsSync(cli.at("stopped", "run.lock"))).toBe(false);
});

test("cells that fail are named, the others count, and the exit code says so", () => {
  const { status, stdout } = cli.gflownet(
    ...[...TASK, "--methods", "kl,random", "--seeds", "1", "--calls", "80", "--learning-rate", "1e38"],
    ...["--out", "failing"],
  );
  expect(status).toBe(1);
  expect(stdout).toMatch(/kl, stick 0\.25, seed 0: failed: .*finite/);
  expect(stdout).toMatch(/^kl +failed$/m);
  expect(Object.keys(cellsIn("failing"))).toEqual(["random_stick=0.25_seed=0.jsonl"]);
  expect(readFileSync(cli.at("failing", "table.csv"), "utf8")).toContain("kl,0.25,0,1,");
});

describe("what was typed is refused in one sentence, and leaves no folder:", () => {
  test.each([
    [["--methods", "sbd"], '--methods: there is no method "sbd"; did you mean sdb?'],
    [["--resume", "nowhere"], "give no other settings"],
  ])("%j", (flags, said) => {
    const { status, stdout, stderr } = cli.gflownet(...TASK, "--calls", "64", ...flags, "--out", "refused");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(cli.at("refused"))).toBe(false);
  });

  test("a folder that is no comparison, and one that is something else", () => {
    const missing = cli.gflownet("compare", "--resume", "nowhere");
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining("is no comparison") });
    const taken = cli.gflownet(...TASK, "--calls", "64", "--out", ".");
    expect(taken).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("is not empty and no comparison"),
    });
  });
});
