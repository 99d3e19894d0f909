// Tests of the command `gflownet sweep`: a table of settings, the same bytes again, resuming, and refused input.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";
import { reportIn } from "./support/report-data.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
}, 60_000);
afterAll(() => cli?.remove());

const SWEEP = ["sweep", "hypergrid", "--side", "4", "--evaluations", "2", "--seeds", "2"];
const SEARCH = [...SWEEP, "--method", "evolution", "--vary", "elite=2,16", "--vary", "mutation=0.1..0.9:3"];
const text = (...path: string[]) => readFileSync(cli.at(...path), "utf8");

test("a grid has a row per setting, the best with its spread, a figure per key and a report", () => {
  const { status, stdout, stderr } = cli.gflownet(
    ...SEARCH,
    "--calls",
    "256",
    "--jobs",
    "2",
    "--out",
    "grid",
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("hypergrid: 6 settings of evolution, 2 seeds each.");
  expect(stdout).toMatch(
    /^Best: elite=\d+, mutation=0\.\d with the least mean sampledTv of 0\.\d+ \(.* over 2 seeds, standard deviation /m,
  );
  const [header, ...rows] = text("grid", "table.csv").trim().split("\n");
  expect(header.endsWith(",setting.elite,setting.mutation")).toBe(true);
  expect(rows).toHaveLength(6);
  expect(readdirSync(cli.at("grid", "figures")).sort()).toEqual(["effect-elite.svg", "effect-mutation.svg"]);
  const { title, pages } = reportIn(cli.at("grid", "report.html"));
  expect([title, pages[0].page.title]).toEqual([expect.stringContaining("grid"), "Sweep grid"]);
  expect(pages[0].page.sections.map(({ heading }) => heading)).toEqual([
    ...["Best setting", "Effect of each key", "Settings"],
  ]);
});

test("the same sweep by calls gives the same table, and one that lost experiments runs only those again", () => {
  expect(cli.gflownet(...SEARCH, "--calls", "256", "--quiet", "--out", "again").status).toBe(0);
  expect(text("again", "table.csv")).toBe(text("grid", "table.csv"));
  expect(text("again", "table.md")).toBe(text("grid", "table.md"));
  const [lost] = readdirSync(cli.at("again", "experiments"));
  rmSync(cli.at("again", "experiments", lost));
  const { status, stdout } = cli.gflownet("sweep", "--resume", "again");
  expect({ status, once: stdout.includes("1 experiment:") }).toEqual({ status: 0, once: true });
  expect(text("again", "table.csv")).toBe(text("grid", "table.csv"));
});

test("halving of a learned method ends settings early, and the last one follows the whole schedule", () => {
  const learned = [...SWEEP, "--hidden", "4", "--batch", "8", "--vary", "learningRate=1e-3,1e-2,1e-1"];
  const halving = ["--strategy", "halving", "--calls", "72", "--json", "--out", "halving"];
  const { status, stdout } = cli.gflownet(...learned, ...halving);
  expect(status).toBe(0);
  const end = jsonLines(stdout).at(-1) as { readonly table: readonly Record<string, unknown>[] };
  expect(end.table.map(({ calls }) => calls)).toEqual([72, 24, 24]);
  const best = end.table[0].method as string;
  expect(
    cli.gflownet(
      ...[
        ...learned.slice(0, -2),
        "--vary",
        best.slice("kl:".length),
        "--calls",
        "72",
        "--json",
        "--out",
        "one",
      ],
    ).status,
  ).toBe(0);
  // The setting that had the whole budget has the records of a sweep without halving.
  const records = (folder: string) =>
    readdirSync(cli.at(folder, "experiments")).flatMap((name) => {
      const lines = text(folder, "experiments", name).split("\n");
      return lines[0].includes(JSON.stringify(best))
        ? lines.slice(1, -2).map((line) => line.replace(/"seconds":[^,}]+/, ""))
        : [];
    });
  expect(records("one").length).toBeGreaterThan(2);
  expect(records("halving")).toEqual(records("one"));
}, 120_000);

test.each([
  [["--vary", "bacth=1"], '--vary: evolution has no setting "bacth"; did you mean batch?'],
  [["--strategy", "bayes"], '--strategy: must be one of grid, random, halving, got "bayes"'],
  [["--metric", "fun"], "--metric: must be one of tv, kl"],
  [["--resume", "grid"], "cannot be changed when a sweep is resumed; remove it"],
  [
    ["--strategy", "halving", "--seconds", "5"],
    "--calls: is missing; successive halving needs a budget of oracle calls",
  ],
  [[], "--calls: is missing; give --calls or --seconds, the budget of an experiment"],
])("%j is refused and leaves no folder", (flags, message) => {
  const { status, stdout, stderr } = cli.gflownet(...SEARCH, ...flags, "--out", "refused");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(existsSync(cli.at("refused"))).toBe(false);
});

test("a folder with another sweep or a comparison is refused", () => {
  const other = cli.gflownet(...SEARCH, "--calls", "256", "--metric", "best", "--out", "grid");
  expect(other).toMatchObject({ status: 2 });
  expect(other.stderr).toContain('metric: must be "sampledTv" as in the existing sweep, got "best"');
  const missing = cli.gflownet("sweep", "--resume", "nowhere");
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining("is not a sweep") });
});
