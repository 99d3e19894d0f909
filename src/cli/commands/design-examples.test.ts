// Tests of the problems in examples/: every file is valid and says which flags it needs, and designs come out of them.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "../../../test/support/command-line.ts";
import { parseCsv } from "../../formats/csv.ts";
import { permissions } from "../../problem/permissions.ts";
import { readProblem } from "../../problem/read-problem.ts";

const BUDGET = 64;
const SHORT = ["--budget", String(BUDGET), "--iterations", "10", "--candidates", "8", "--json"];
const noPython =
  spawnSync("python3", ["-c", "pass"]).status === 0 ? "" : " (skipped: python3 cannot be started)";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

/** Runs a short design and returns its candidates. */
function candidatesOf(problem: string, ...flags: readonly string[]): { string: string; score: number }[] {
  const folder = cli.at(`design-of-${dirname(problem).split(/[/\\]/).at(-1)}`);
  const { status, stdout, stderr } = cli.gflownet("design", problem, "--out", folder, ...SHORT, ...flags);
  expect(stderr.replaceAll(/^gflownet: (runs|sends strings to) .*\n/gm, "")).toBe("");
  expect(status).toBe(0);
  const { kind, calls, candidates } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
  expect(kind).toBe("design");
  expect(calls).toBeGreaterThan(BUDGET / 2);
  expect(calls).toBeLessThanOrEqual(BUDGET);
  const [header, ...rows] = parseCsv(readFileSync(join(folder, "candidates.csv"), "utf8"));
  const at = (name: string) => header.indexOf(name);
  const found = rows.map((row) => ({ string: row[at("string")], score: Number(row[at("score")]) }));
  expect(found).toHaveLength(candidates);
  return found;
}

/** The scores in the order of their rank. */
const scoresIn = (found: readonly { readonly score: number }[]) => found.map(({ score }) => score);

const problems = readdirSync("examples")
  .map((name) => `examples/${name}/problem.yaml`)
  .filter((file) => existsSync(file));

test("there are problems with a program, a module and an HTTP service", () => {
  expect(problems.map((file) => file.split("/")[1]).sort()).toEqual(["dna", "http", "peptide", "rna"]);
});

test.each(problems)("%s is valid, names the schema, and says which flags it needs", async (file) => {
  const text = readFileSync(file, "utf8");
  const { problem } = await readProblem(file);
  const [, schema] = /\$schema=(\S+)/.exec(text)!;
  expect(existsSync(resolve(dirname(file), schema))).toBe(true);
  const [, named, flags] = /^#\s+gflownet design (\S+) (.*)$/m.exec(text)!;
  expect(named).toBe(file);
  const [, host] = /--allow-net (\S+)/.exec(flags) ?? [];
  const allowed = { allowExec: flags.includes("--allow-exec"), allowNet: host === undefined ? [] : [host] };
  expect(permissions(problem, allowed).issues).toEqual([]);
  expect(permissions(problem, {}).issues).toHaveLength(1);
});

test("peptide: candidates meet the constraints and have the scores of the module", async () => {
  const found = candidatesOf(resolve("examples/peptide/problem.yaml"), "--allow-exec");
  const { score } = await import(pathToFileURL(resolve("examples/peptide/score.mjs")).href);
  for (const each of found) {
    expect(each.score).toBe(score(each.string));
    expect(each.string).toMatch(/^[ADEFGHIKLNQRSTVWY]{10,12}$/);
    expect(each.string).not.toMatch(/[ND]G|N.[ST]|(.)\1\1/);
    const basic = each.string.match(/[KR]/g)!.length;
    expect(basic).toBeGreaterThanOrEqual(3);
    expect(basic).toBeLessThanOrEqual(5);
  }
  expect(scoresIn(found)).toEqual(scoresIn(found).toSorted((a, b) => b - a));
});

describe("http", () => {
  let server: ChildProcess;
  let address = "";
  beforeAll(async () => {
    server = spawn(process.execPath, ["examples/http/server.mjs", "0"]);
    [address] = await once(createInterface({ input: server.stdout! }), "line");
    cpSync("examples/http", cli.at("http"), { recursive: true });
    const text = readFileSync("examples/http/problem.yaml", "utf8");
    writeFileSync(cli.at("http", "problem.yaml"), text.replace("http://127.0.0.1:8731/score", address));
  });
  afterAll(() => server?.kill());

  test("candidates meet the constraints, and the lowest score is the first", () => {
    const found = candidatesOf("http/problem.yaml", "--allow-net", "127.0.0.1");
    for (const { string } of found) {
      expect(string).toMatch(/^[CG][ACGT]{14}[CG]$/);
      expect(string).not.toMatch(/GAATTC|GGATCC|AAGCTT|(.)\1\1\1/);
    }
    expect(scoresIn(found)).toEqual(scoresIn(found).toSorted((a, b) => a - b));
  });

  test("the energy of a duplex is that of its other strand, and a wrong string is an error", async () => {
    const strings = ["GGAATTC", "GAATTCC", "ACGU", "CGTTGA"];
    const response = await fetch(address, { method: "POST", body: JSON.stringify({ strings }) });
    const { answers } = (await response.json()) as { answers: { score?: number; error?: string }[] };
    expect(answers[0].score).toBeCloseTo(answers[1].score!, 10);
    expect(answers[2].error).toContain("A, C, G, T");
    // CGTTGA: ends 0.98 + 1.03, stacks CG −2.17, GT −1.44, TT −1.00, TG −1.45, GA −1.30.
    expect(answers[3].score).toBeCloseTo(18 + 0.98 + 1.03 - 2.17 - 1.44 - 1 - 1.45 - 1.3, 10);
  });

  test("without permission nothing is sent", () => {
    const { status, stderr } = cli.gflownet(
      "design",
      "http/problem.yaml",
      "--out",
      cli.at("refused"),
      ...SHORT,
    );
    expect(status).toBe(2);
    expect(stderr).toContain("oracle.url: sends strings to 127.0.0.1");
    expect(existsSync(cli.at("refused"))).toBe(false);
  });
});

test.skipIf(noPython !== "")(`dna: candidates have the scores of the Python program${noPython}`, () => {
  const found = candidatesOf(resolve("examples/dna/problem.yaml"), "--allow-exec");
  for (const { string, score } of found) expect(score).toBe((string.split("GATC").length - 1) / 3);
});

test("the tutorial prints the scorer of examples/dna", () => {
  const [, program] = /^```python\n([\s\S]*?)^```/m.exec(readFileSync("docs/tutorial.md", "utf8"))!;
  expect(program).toBe(readFileSync("examples/dna/score.py", "utf8"));
  expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
});
