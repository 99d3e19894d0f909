// Tests of the commands on an existing run: evaluate, sample, export, inspect, report and runs.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";
import { reportIn } from "./support/report-data.ts";

const GRID = ["hypergrid", "--side", "3", "--hidden", "8", "--batch", "8"];
const SHORT = ["--iterations", "40", "--evaluate-every", "20", "--log-every", "5", "--samples", "50"];
const NUMBER = expect.any(Number);

let cli: CommandLine;
/** The final metrics of the run. */
let metrics: Record<string, unknown>;

beforeAll(() => {
  cli = buildCommandLine();
  const printed = jsonLines(output("train", ...GRID, ...SHORT, "--out", "first", "--json"));
  metrics = printed.at(-1)?.metrics as Record<string, unknown>;
});
afterAll(() => cli?.remove());

const output = (...args: readonly string[]) => cli.output(...args);

describe("evaluate", () => {
  test("prints the final metrics of training as JSON", () => {
    expect(JSON.parse(output("evaluate", "first", "--json"))).toEqual(metrics);
  });

  test("prints the metrics as text", () => {
    const text = output("evaluate", "first");
    expect(text).toMatch(/^hypergrid, stick 0\.25/);
    expect(text).toMatch(new RegExp(`^total variation +${(metrics.tv as number).toFixed(4)} `, "m"));
  });
});

describe("sample", () => {
  const sample = (...args: string[]) => output("sample", "first", ...args);

  test("writes ten rows of CSV by default", () => {
    const [columns, ...rows] = sample().trimEnd().split("\n");
    expect(columns).toBe("sequence,thought,score,logProbability");
    expect(rows).toHaveLength(10);
    for (const row of rows) expect(row).toMatch(/^"[0-3],[0-3]",([01] )*stop,0\.\d+,-\d+\.\d+$/);
  });

  test("writes one JSON object per line with --format jsonl, with exact probabilities", () => {
    const lines = jsonLines(sample("-n", "2000", "--format", "jsonl"));
    expect(lines).toHaveLength(2000);
    const text = expect.any(String);
    expect(lines[0]).toEqual({ sequence: text, thought: text, score: NUMBER, logProbability: NUMBER });
    const objects = new Map(
      lines.map(({ sequence, logProbability }) => [sequence, logProbability as number]),
    );
    // All 9 cells were sampled, so their probabilities sum to 1.
    expect(objects.size).toBe(9);
    const total = [...objects.values()].reduce((sum, logP) => sum + Math.exp(logP), 0);
    expect(total).toBeCloseTo(1, 9);
    for (const [object, logP] of objects) {
      const expected = 2000 * Math.exp(logP);
      const count = lines.filter(({ sequence }) => sequence === object).length;
      expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected) + 1);
    }
  });

  test("writes FASTA with --format fasta, for sequences only", () => {
    const bits = ["bit-sequence", "--bits", "4", "--word", "2", "--hidden", "8", "--batch", "8"];
    output("train", ...bits, "--iterations", "1", "--samples", "5", "--out", "bits", "--quiet");
    const text = output("sample", "bits", "-n", "3", "--format", "fasta");
    expect(text).toMatch(/^(>sample_\d score=\d\.?\d* logProbability=-\d+\.\d+\n[01]{4}\n){3}$/);
    expect(text.match(/sample_\d/g)).toEqual(["sample_1", "sample_2", "sample_3"]);
    expect(cli.gflownet("sample", "first", "--format", "fasta")).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "gflownet: --format: fasta is for sequences, and the objects of a grid of 3 × 3 are none; use csv or jsonl or parquet\n",
    });
  });

  test("writes to a file with --out, in the format of its extension, and replaces it only with --force", () => {
    expect(output("sample", "first", "-n", "9000", "--out", "drawn.jsonl")).toBe(
      "9,000 samples written to drawn.jsonl\n",
    );
    const written = readFileSync(cli.at("drawn.jsonl"), "utf8");
    expect(written).toBe(sample("-n", "9000", "--format", "jsonl"));
    expect(cli.gflownet("sample", "first", "--out", "drawn.jsonl")).toEqual({
      status: 2,
      stdout: "",
      stderr: "gflownet: --out: drawn.jsonl exists; choose another name, or replace it with --force\n",
    });
    expect(readFileSync(cli.at("drawn.jsonl"), "utf8")).toBe(written);
    output("sample", "first", "-n", "2", "--out", "drawn.jsonl", "--force", "--format", "csv");
    expect(readFileSync(cli.at("drawn.jsonl"), "utf8")).toBe(sample("-n", "2"));
    expect(cli.gflownet("sample", "first", "--out", ".", "--force").status).toBe(2);
    expect(cli.gflownet("sample", "first", "--out", "/dev/null", "--force").stderr).toContain(
      "is not a file",
    );
    expect(readdirSync(cli.folder).filter((name) => name.includes("drawn"))).toEqual(["drawn.jsonl"]);
  });

  test("writes Parquet to a file only, and refuses an extension that it does not know", () => {
    output("sample", "first", "-n", "3", "--out", "drawn.parquet");
    expect(readFileSync(cli.at("drawn.parquet")).subarray(0, 4).toString()).toBe("PAR1");
    expect(cli.gflownet("sample", "first", "--format", "parquet").stderr).toBe(
      "gflownet: --format: parquet needs a file: give --out\n",
    );
    expect(cli.gflownet("sample", "first", "--out", "drawn.json").stderr).toBe(
      "gflownet: --out: must end in one of .csv, .jsonl, .fasta, .parquet, got drawn.json; use one of them, or say what it is with --format\n",
    );
  });

  test("writes the same samples for the same seed, and a larger count only appends samples", () => {
    const three = sample("-n", "3");
    expect(sample("-n", "3", "--seed", "0")).toBe(three);
    expect(sample("-n", "3", "--seed", "1")).not.toBe(three);
    // 9000 samples do not fit into one batch.
    const many = sample("-n", "9000");
    expect(many.startsWith(three)).toBe(true);
    expect(many.trimEnd().split("\n")).toHaveLength(9001);
    expect(many.split("sequence,")).toHaveLength(2);
  });

  test("takes the most likely action with --greedy, while the noise of the environment stays", () => {
    const lines = jsonLines(sample("-n", "200", "--format", "jsonl", "--greedy"));
    const first = new Set(lines.map(({ thought }) => (thought as string).split(" ")[0]));
    expect(first.size).toBe(1);
    if (![...first].includes("stop")) {
      expect(new Set(lines.map(({ sequence }) => sequence)).size).toBeGreaterThan(1);
    }
  });
});

describe("export and inspect", () => {
  test("write an .onnx model and describe it", () => {
    expect(output("export", "first", "--onnx", "model.onnx", "--rows", "3")).toBe(
      `Exported to model.onnx; describe it with: ${cli.command} inspect model.onnx\n`,
    );
    const text = output("inspect", "model.onnx");
    expect(text).toContain("policyLogits: Logits of the next action");
    const model = JSON.parse(output("inspect", "model.onnx", "--json"));
    expect(model.inputs.map(({ name, shape }: { name: string; shape: number[] }) => [name, shape])).toEqual([
      ["state", [3, 6]],
      ["index", [3]],
    ]);
    expect(readdirSync(cli.folder).filter((name) => name.includes("onnx"))).toEqual(["model.onnx"]);
  });
});

describe("report", () => {
  const file = () => cli.at("first", "report.html");

  test("writes a page with the metrics and views of the run inside", () => {
    expect(output("report", "first")).toBe(`The report is ${file()}; open it in a browser.\n`);
    const { title, details, series, views } = reportIn(file());
    expect(title).toBe("Run first");
    expect(details[0].description[0]).toBe("hypergrid with stick 0.25 and reward exponent 1.");
    const tv = details[0].results.find(({ label }) => label === "total variation");
    expect(tv?.reached).toBe(metrics.tv);
    expect(series.find(({ metric, x }) => metric === "tv" && x === "iteration")?.series[0].mean.at(-1)).toBe(
      Number((metrics.tv as number).toPrecision(7)),
    );
    expect(views.map(({ data }) => data.view)).toEqual(details[0].views);
    expect(details[0].views).toContain("grid");
  });

  test("overwrites its report with the same page, writes it to --out, and prints the path with --json", () => {
    const before = readFileSync(file(), "utf8");
    expect(JSON.parse(output("report", "first", "--json"))).toEqual({ report: file() });
    expect(readFileSync(file(), "utf8")).toBe(before);
    expect(JSON.parse(output("report", "first", "--out", "page.html", "--json"))).toEqual({
      report: cli.at("page.html"),
    });
    expect(readFileSync(cli.at("page.html"), "utf8")).toBe(before);
  });

  test("of several runs needs no folder of its own, and writes figures and tables", () => {
    const words = ["first", "first", "--out", "both.html", "--x", "seconds", "--figures", "figures"];
    expect(output("report", ...words, "--formats", "svg,pdf")).toMatch(
      /^The report is both\.html; open it in a browser\.\n\d+ figures and \d+ tables are in figures\.\n$/,
    );
    expect(reportIn(cli.at("both.html"))).toMatchObject({ title: "Run first", state: "#/?x=seconds" });
    const names = readdirSync(cli.at("figures"));
    for (const name of ["tv.svg", "tv.pdf", "grid.svg", "results.csv", "results.md", "results.tex"]) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => name.endsWith(".png"))).toEqual([]);
    expect(readFileSync(cli.at("figures", "tv.svg"), "utf8")).toContain("Total variation over time (s)");
    expect(readFileSync(cli.at("figures", "tv.pdf"), "latin1").slice(0, 5)).toBe("%PDF-");
    output("report", "first", "--figures", "figures", "--formats", "svg"); // its own figures are replaced
  });

  test("refuses folders with other content, formats without figures and unknown axes, and writes nothing", () => {
    const refused = (...words: readonly string[]) => {
      const { status, stderr } = cli.gflownet("report", "first", "--out", "refused.html", ...words);
      expect(status).toBe(2);
      return stderr;
    };
    expect(refused("--figures", "first")).toBe(
      "gflownet: --figures: first is not empty and has no figures of a report; choose another folder\n",
    );
    expect(refused("--formats", "png")).toBe(
      "gflownet: --formats needs --figures FOLDER, the folder for the figures\n",
    );
    expect(refused("--x", "days")).toContain("--x: must be one of iterations, calls, seconds");
    expect(refused("--figures", "new", "--formats", "gif")).toContain("--formats: must be");
    expect(existsSync(cli.at("refused.html"))).toBe(false);
    expect(existsSync(cli.at("new"))).toBe(false);
  });
});

describe("runs", () => {
  test("are listed, including broken ones", () => {
    mkdirSync(cli.at("shelf"));
    output("train", ...GRID, ...SHORT, "--out", "shelf/good", "--quiet");
    mkdirSync(cli.at("shelf", "bad"));
    writeFileSync(cli.at("shelf", "bad", "config.json"), "{");
    const lines = output("runs", "shelf").trimEnd().split("\n");
    expect(lines[0]).toMatch(/^run +task +state +iterations +TV +limit +KL +limit$/);
    expect(lines[1]).toMatch(/^bad +– +broken +– /);
    expect(lines[2]).toMatch(/^good +hypergrid +finished +40 +0\.\d{4} /);
    expect(lines[3]).toMatch(/^bad: its config\.json is not JSON/);
    const [bad, good] = JSON.parse(output("runs", "shelf", "--json"));
    expect(bad).toMatchObject({ name: "bad", state: "broken", task: null, lastEvaluation: null });
    expect(good).toMatchObject({
      name: "good",
      folder: cli.at("shelf", "good"),
      state: "finished",
      iteration: 40,
    });
    expect(good.lastEvaluation).toMatchObject({ kind: "evaluation", iteration: 40 });
  });

  test("of an empty folder are printed as a hint in text, and as an empty array in JSON", () => {
    mkdirSync(cli.at("empty"));
    expect(output("runs", "empty")).toBe(
      `There are no runs in empty; start one with: ${cli.command} train\n`,
    );
    expect(output("runs", "empty", "--json")).toBe("[]\n");
    expect(existsSync(cli.at("empty", "runs"))).toBe(false);
  });
});
