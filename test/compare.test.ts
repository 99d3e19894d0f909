// Tests of the command `gflownet compare`: complete grids of experiments, resuming after a kill, and refused input.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";
import { reportIn } from "./support/report-data.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
}, 60_000);
afterAll(() => cli?.remove());

const TASK = ["compare", "hypergrid", "--side", "3", "--hidden", "4", "--batch", "8", "--evaluations", "2"];
const SEARCHES = ["--methods", "random,metropolis", "--stick", "0.25,0.5", "--seeds", "1", "--calls", "64"];

/** The texts of all experiment files, by file name. */
function experimentsIn(folder: string): Record<string, string> {
  const path = cli.at(folder, "experiments");
  const names = readdirSync(path).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), "utf8")]));
}

/** The texts of all experiment files, without times and without the checksums that depend on times. */
function untimed(folder: string): Record<string, string> {
  const plain = (text: string) => text.replaceAll(/"seconds":[^,}]+/g, "").replace(/"checksum":"[^"]+"/, "");
  return Object.fromEntries(Object.entries(experimentsIn(folder)).map(([name, text]) => [name, plain(text)]));
}

const writtenAt = (folder: string, name: string) => statSync(cli.at(folder, "experiments", name)).mtimeMs;

describe("a complete comparison", () => {
  beforeAll(() => {
    const result = cli.gflownet(...TASK, ...SEARCHES, "--jobs", "2", "--out", "full");
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).toContain("4/4  ");
    expect(result.stdout).toMatch(/stick 0\.25: modes +▁/);
  }, 60_000);

  test("has a file per experiment, tables, figures and a page", () => {
    const names = ["random", "metropolis"].flatMap((method) =>
      [0.25, 0.5].map((stick) => `${method}_stick=${stick}_seed=0.jsonl`),
    );
    expect(Object.keys(experimentsIn("full"))).toEqual(names.sort());
    expect(readdirSync(cli.at("full")).sort()).toEqual(
      [
        "experiments",
        "comparison.json",
        "figures",
        "page.json",
        "report.html",
        "table.csv",
        "table.md",
        "times.csv",
      ].sort(),
    );
    expect(readdirSync(cli.at("full", "figures"))).toEqual(
      expect.arrayContaining(["modes-found.svg", "tv_stick=0.25.svg", "kl_stick=0.5.svg", "best.svg"]),
    );
    expect(readFileSync(cli.at("full", "table.csv"), "utf8").trim().split("\n")).toHaveLength(5);
    const { title, pages, details, compared, table } = reportIn(cli.at("full", "report.html"));
    expect(title).toBe("Comparison full");
    const figures = pages[0].page.sections.flatMap((section) => section.figures ?? []);
    expect(figures).toHaveLength(readdirSync(cli.at("full", "figures")).length);
    expect(details[0].entry.state).toBe("finished");
    expect(compared.toSorted()).toEqual(names.map((name) => `full#${name}`));
    expect(table.rows.filter(({ entry }) => entry === null)).toHaveLength(4);
  });

  test("is not run again by the same command: no file of an experiment is touched, and the table is the same", () => {
    const before = experimentsIn("full");
    const times = Object.keys(before).map((name) => writtenAt("full", name));
    const table = readFileSync(cli.at("full", "table.csv"), "utf8");
    const again = cli.gflownet(...TASK, ...SEARCHES, "--out", "full");
    expect(again.stdout).toContain("4 experiments, 4 of them already finished.");
    expect(Object.keys(before).map((name) => writtenAt("full", name))).toEqual(times);
    expect(readFileSync(cli.at("full", "table.csv"), "utf8")).toBe(table);
  });

  test("can only be continued with the same settings; the error names the setting that differs", () => {
    const other = cli.gflownet(...TASK, ...SEARCHES, "--reward-exponent", "2", "--out", "full");
    expect(other.status).toBe(2);
    expect(other.stderr).toMatch(
      /^gflownet: .*full: rewardExponent: must be 1 as in the existing comparison, got 2\n$/,
    );
    const more = cli.gflownet("compare", "--resume", "full", "--seeds", "3");
    expect(more).toMatchObject({ status: 2, stdout: "" });
    expect(more.stderr).toContain("--seeds: cannot be changed when a comparison is resumed; remove it");
  });

  test("runs only the experiments again whose files are truncated or changed", () => {
    const before = experimentsIn("full");
    const [cut, changed, ...rest] = Object.keys(before);
    const times = rest.map((name) => writtenAt("full", name));
    const was = untimed("full");
    writeFileSync(cli.at("full", "experiments", cut), before[cut].slice(0, -20));
    writeFileSync(
      cli.at("full", "experiments", changed),
      before[changed].replace('"calls":64', '"calls":65'),
    );
    const { status, stderr } = cli.gflownet("compare", "--resume", "full", "--quiet");
    expect(status).toBe(0);
    expect(stderr).toContain(`${cut} is damaged; its experiment runs again`);
    expect(stderr).toContain(`${changed} is damaged; its experiment runs again`);
    expect(untimed("full")).toEqual(was);
    expect(rest.map((name) => writtenAt("full", name))).toEqual(times);
  });
});

test("experiments are bit-identical with one job or two, and with any output", () => {
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
  const [one, two] = ["jobs-1", "jobs-2"].map((name) => readFileSync(cli.at(name, "table.csv"), "utf8"));
  expect(two).toBe(one);
  expect(readFileSync(cli.at("jobs-1", "times.csv"), "utf8")).toMatch(
    /^method,stick,seeds,failed,secondsMean,secondsSd\nkl-entropy:0\.25,0\.25,1,0,[\d.]+,\n/,
  );

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

test("methods have settings of their own, also on a task with hidden noise", () => {
  const methods = [
    "--method",
    "kl:hidden=4,clip=1",
    "--method",
    "kl-history:hidden=4,encoderLayers=1,encoderWidth=4,encoderHeads=1",
  ];
  const { status, stdout, stderr } = cli.gflownet(
    ...[
      "compare",
      "regime",
      ...methods,
      "--batch",
      "8",
      "--seeds",
      "1",
      "--evaluations",
      "1",
      "--calls",
      "16",
      "--out",
      "own",
    ],
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("regime: 2 methods, 1 seed: 2 experiments.");
  expect(stdout).toMatch(/^limit of kl:hidden=4,clip=1 +0\.1177 /m);
  expect(stdout).toMatch(/^limit of kl-history:hidden=4,\S+ +0\.0417 /m);
  for (const name of Object.keys(experimentsIn("own")))
    expect(name).toMatch(/^kl[\w=,-]+-[0-9a-f]{8}_seed=0\.jsonl$/);
  expect(reportIn(cli.at("own", "report.html")).details[0].entry.state).toBe("finished");
});

test("a very small γ and all settings of the dynamics model reach the experiments", () => {
  const grid = ["--methods", "kl-entropy", "--gammas", "1e-7", "--seeds", "1", "--calls", "16", "--quiet"];
  const table = ["--dynamics-state-table-rows", "9"];
  const scale = [...table, "--dynamics-state-table-rate-scale", "500"];
  for (const [flags, folder] of [
    [table, "rate-1"],
    [scale, "rate-500"],
  ] as const) {
    const result = cli.gflownet(...TASK, ...grid, ...flags, "--out", folder);
    expect(result).toMatchObject({ status: 0, stderr: "" });
  }
  const [slow, fast] = [untimed("rate-1"), untimed("rate-500")];
  expect(Object.keys(fast)).toEqual(["kl-entropy-1e-7_stick=0.25_seed=0.jsonl"]);
  expect(fast).not.toEqual(slow);
});

test("after a kill, the unfinished experiments run, and the results are the same as without a kill", async () => {
  const grid = ["--methods", "random,kl", "--seeds", "2", "--calls", "64", "--jobs", "1"];
  const { child, ended, printed } = cli.start(...TASK, ...grid, "--out", "killed");
  await printed(/2\/4 {2}kl/);
  child.kill("SIGKILL");
  await ended;
  const kept = experimentsIn("killed");
  const times = Object.keys(kept).map((name) => writtenAt("killed", name));
  expect(Object.keys(kept).length).toBeGreaterThanOrEqual(2);
  expect(Object.keys(kept).length).toBeLessThan(4);
  expect(existsSync(cli.at("killed", "table.csv"))).toBe(false);
  const { status, stdout } = cli.gflownet("compare", "--resume", "killed");
  expect(status).toBe(0);
  expect(stdout).toContain(`4 experiments, ${Object.keys(kept).length} of them already finished.`);
  expect(experimentsIn("killed")).toMatchObject(kept);
  expect(Object.keys(kept).map((name) => writtenAt("killed", name))).toEqual(times);
  expect(cli.gflownet(...TASK, ...grid, "--quiet", "--out", "uninterrupted")).toMatchObject({
    status: 0,
    stdout: "",
  });
  expect(untimed("killed")).toEqual(untimed("uninterrupted"));
});

test("Ctrl-C ends the comparison and its processes, and prints how to resume; until then the folder is locked", async () => {
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
  await printed(/2 experiments/);
  const second = cli.gflownet("compare", "--resume", "stopped");
  expect(second).toMatchObject({ status: 1 });
  expect(second.stderr).toContain(`is in use by process ${child.pid}`);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: "" });
  expect((await ended).stdout.endsWith(`Resume with: ${cli.command} compare --resume stopped\n`)).toBe(true);
  expect(existsSync(cli.at("stopped", "run.lock"))).toBe(false);
});

test("failed experiments are listed, the tables use the others, and the exit code is 1", () => {
  const { status, stdout } = cli.gflownet(
    ...[...TASK, "--methods", "kl,random", "--seeds", "1", "--calls", "80", "--learning-rate", "1e38"],
    ...["--out", "failing"],
  );
  expect(status).toBe(1);
  expect(stdout).toMatch(/kl, stick 0\.25, seed 0: failed: .*finite/);
  expect(stdout).toMatch(/^kl +failed$/m);
  expect(Object.keys(experimentsIn("failing"))).toEqual(["random_stick=0.25_seed=0.jsonl"]);
  expect(readFileSync(cli.at("failing", "table.csv"), "utf8")).toContain("kl,0.25,0,1,");
});

describe("invalid input is refused and leaves no folder:", () => {
  test.each([
    [["--methods", "sbd"], '--methods: there is no method "sbd"; did you mean sdb?'],
    [["--resume", "nowhere"], "cannot be changed when a comparison is resumed"],
    [["--resume", "nowhere"], "--out: cannot be combined with --resume; remove one of them"],
    [["--resume", "nowhere", "--seeds", "x"], "--seeds: must be a whole number from 1 to 2^53 - 1"],
    [["--epsilon", "0.1"], "--epsilon: is for on-policy exploration only; set --on-policy, or remove it"],
    [["--seconds", "5"], "--calls: cannot be combined with --seconds; give one of them as the budget"],
    [["--batch", "65"], "--calls: must be at least the --batch of 65, got 64"],
    [
      ["--methods", "kl", "--gammas", "0.5"],
      "--gammas: is for the method kl-entropy only; add it to --methods",
    ],
    [["--gammas", "0.5,1"], '--gammas: must be a list of values, each a number in (0, 1), got "0.5,1"'],
    [["--stick", "0.5,x"], '--stick: must be a list of values, each a number in [0, 1), got "0.5,x"'],
    [["--object-marginal-hidden", "8"], "there is no flag --object-marginal-hidden"],
    [["--stick", "0.5, 0.50"], "--stick: must have each value once, got 0.5 twice"],
    [["--method", "kl:bacth=4"], "kl:bacth: kl has no such setting; did you mean batch?"],
    [
      ["--method", "kl:rewardFloor=0"],
      "kl:rewardFloor: is the same for all methods, because it decides the target",
    ],
    [["--methods", "kl:clip=1,balance=tb"], "a method with several settings needs a --method of its own"],
  ])("%j", (flags, message) => {
    const { status, stdout, stderr } = cli.gflownet(...TASK, "--calls", "64", ...flags, "--out", "refused");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(existsSync(cli.at("refused"))).toBe(false);
  });

  test("all invalid flags are reported once, each on its own line", () => {
    const { status, stderr } = cli.gflownet(...TASK, "--calls", "64", "--methods", "sbd", "--batch", "x");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: [
        "gflownet: the command line has 2 problems:",
        '  --batch: must be a whole number from 1 to 2^31 - 1, got "x"',
        '  --methods: there is no method "sbd"; did you mean sdb?\n',
      ].join("\n"),
    });
  });

  test("a folder without a comparison, and one with other content", () => {
    const missing = cli.gflownet("compare", "--resume", "nowhere");
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining("is not a comparison") });
    writeFileSync(cli.at("notes.txt"), "");
    const taken = cli.gflownet(...TASK, "--calls", "64", "--out", ".");
    expect(taken).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("is neither empty nor a comparison"),
    });
  });
});
