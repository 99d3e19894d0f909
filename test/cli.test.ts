// Commands that need no run or make one, and what they print and write. Runs that are there: cli-runs.test.ts; mistakes:
// cli-mistakes.test.ts; runs that are stopped or killed: cli-interrupted.test.ts; networks that read: cli-encoders.test.ts.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rewardTable } from "../src/gfn/reward.ts";
import { hypergridTask } from "../src/tasks/hypergrid/index.ts";
import {
  buildCommandLine,
  type CommandLine,
  checkpointOf,
  contentOf,
  type Ended,
  jsonLines,
  metricsOf,
} from "./support/command-line.ts";

const GRID = ["hypergrid", "--side", "4", "--hidden", "8", "--batch", "8"];
const SHORT = ["--iterations", "40", "--evaluate-every", "20", "--log-every", "5", "--samples", "50"];
const NUMBER = expect.any(Number);

let cli: CommandLine;
let trained: Ended;
let run: string;
/** What the first run printed. */
let printed: ReturnType<typeof jsonLines>;
/** The metrics it ended with. */
let metrics: Record<string, unknown>;

beforeAll(() => {
  cli = buildCommandLine();
  run = cli.at("first");
  trained = cli.alone("train", ...GRID, ...SHORT, "--checkpoint-every", "15", "--out", "first", "--json");
  printed = jsonLines(trained.stdout);
  metrics = printed.at(-1)?.metrics as Record<string, unknown>;
});
afterAll(() => cli?.remove());

const output = (...args: readonly string[]) => cli.output(...args);

describe("help", () => {
  test("names every command, and the version is the package's", () => {
    const help = output("--help");
    for (const name of [
      "tasks",
      "train",
      "evaluate",
      "sample",
      "limit",
      "export",
      "report",
      "runs",
      "inspect",
    ]) {
      expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
    }
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(output("--version")).toBe(`${version}\n`);
  });

  test("of train has the settings in groups, and of limit those that it has use for", () => {
    const help = output("train", "--help");
    for (const heading of ["Task:", "Objective:", "Reward:", "Networks:", "Encoder:", "Run:"]) {
      expect(help).toContain(`\n${heading}\n`);
    }
    expect(help).toContain("--learning-rate <x|from:to>");
    const limit = output("limit", "--help");
    expect(limit).toContain("--reward-exponent <x>");
    expect(limit).not.toContain("--learning-rate");
    expect(limit).not.toContain("from:to");
  });

  test("of compare names no task that it refuses, and no flag of one", () => {
    const help = output("compare", "--help");
    expect(help).toMatch(/what to solve: tfbind8, hypergrid,\s+bit-sequence, pricing\n/);
    expect(help).toMatch(/with --on-policy: share of steps/);
    expect(output("limit", "--help")).toContain("--quiet-stick");
    for (const other of ["regime", "--quiet-stick", "--stick <x>"]) expect(help).not.toContain(other);
  });
});

describe("tasks", () => {
  test("are listed for people", () => {
    const text = output("tasks");
    expect(text).toContain("hypergrid\n  a walk on a grid");
    expect(text).toContain("by default a grid of 8 × 8: 64 objects");
    expect(text).toContain("flags of its own: --dimensions --side --r0 --r1 --r2");
  });

  test("are listed as JSON", () => {
    const tasks = JSON.parse(output("tasks", "--json"));
    expect(tasks.map(({ name }: { name: string }) => name)).toEqual([
      "tfbind8",
      "hypergrid",
      "bit-sequence",
      "regime",
      "pricing",
    ]);
    const text = expect.any(String);
    expect(tasks[0]).toEqual({
      name: "tfbind8",
      about: text,
      environment: "strings of 8 letters out of ACGT",
      objects: 65536,
      scores: expect.stringContaining("not the measured table"),
      flags: ["--table"],
    });
  });
});

describe("train", () => {
  test("prints events as JSON, and ends with the metrics", () => {
    expect(trained.stderr).toBe("");
    expect(trained.status).toBe(0);
    const told = printed.map(({ kind, iteration }) =>
      iteration === undefined ? kind : `${kind} ${iteration}`,
    );
    expect(told).toEqual([
      ...["start", "evaluation 0", "iteration 5", "iteration 10", "iteration 15", "checkpoint 15"],
      ...["iteration 20", "evaluation 20", "iteration 25", "iteration 30", "checkpoint 30", "iteration 35"],
      ...["iteration 40", "evaluation 40", "checkpoint 40", "end"],
    ]);
    expect(printed.at(-1)).toEqual({
      kind: "end",
      run,
      metrics: {
        ...{ exact: true, tv: NUMBER, kl: NUMBER, expectedReward: NUMBER, pearson: NUMBER, spearman: NUMBER },
        ...{ logZError: NUMBER, dynamicsKl: NUMBER },
        limit: { tv: NUMBER, kl: NUMBER, expectedReward: NUMBER, gap: NUMBER },
        uniform: { tv: NUMBER, kl: NUMBER, expectedReward: NUMBER },
        modes: { greedy: NUMBER, recall: null, localMaxima: null },
        iterations: 40,
        seconds: NUMBER,
      },
    });
    const last = printed.find(({ kind, iteration }) => kind === "evaluation" && iteration === 40);
    expect(metrics).toMatchObject(last?.reached as object);
  });

  test("leaves a folder with config, metrics, checkpoint and samples", () => {
    expect(readdirSync(run).sort()).toEqual([
      ...["checkpoint.safetensors", "config.json", "metrics.jsonl", "samples.csv"],
    ]);
    const config = JSON.parse(readFileSync(`${run}/config.json`, "utf8"));
    expect(config).toMatchObject({ version: 1, task: "hypergrid", side: 4, iterations: 40, seed: 0 });
    const [end, ...events] = [
      printed.at(-1),
      ...printed.slice(0, -1).filter(({ kind }) => kind !== "checkpoint"),
    ];
    const { iterations, seconds } = metrics;
    expect(metricsOf(run)).toEqual([...events, { kind: end?.kind, iterations, seconds, metrics }]);
    expect(checkpointOf(run)).toMatchObject({ iteration: 40, iterations: 40, evaluated: true });
    const samples = readFileSync(`${run}/samples.csv`, "utf8").trimEnd().split("\n");
    expect(samples).toHaveLength(51);
    expect(samples[0]).toBe("sequence,thought,score,logProbability");
  });

  test("tells people what it does, how it goes and what came out", () => {
    const text = output("train", ...GRID, ...SHORT, "--out", "told");
    expect(text).toMatch(/^hypergrid, stick 0\.25, reward exponent 1: hypergrid reward with R0 = 0\.001/);
    expect(text).toContain("\ndb + marginal + kl, 40 iterations of 8, seed 0, ");
    expect(text).toContain("\nafter 0 iterations: TV 0.");
    expect(text).toMatch(/\n40\/40 {2}\d+\/s {2}loss \d+\.\d{4} {2}dynamics \d+\.\d{4} {2}0 s left\n/);
    expect(text).toMatch(/\n +reached +limit +uniform\ntotal variation +0\.\d{4}/);
    expect(text).toMatch(/\nmodes: \d+ far apart among the best samples\n/);
    expect(text).toMatch(/\nbest drawn +score +log P\n\d,\d +0\.5010 +-\d/);
    expect(text).toContain("\nThe run is in told.\nDraw from it with: gflownet sample told -n 100\n");
  });

  test("prints nothing if it is to be quiet, and numbers runs that nobody names", () => {
    const quick = ["train", ...GRID, "--iterations", "1", "--samples", "5", "--quiet"];
    expect(output(...quick, "--lambda", "0.5")).toBe("");
    expect(output(...quick)).toBe("");
    expect(readdirSync(cli.at("runs"))).toEqual(["hypergrid-1", "hypergrid-2"]);
  });

  test("says which flags do nothing", () => {
    const { stderr } = cli.gflownet(
      "train",
      ...GRID,
      "--iterations",
      "1",
      "--lambda",
      "0.5",
      "--out",
      "idle",
    );
    expect(stderr).toBe("gflownet: lambda has no effect without the balance subtb\n");
  });

  test("makes the same run again from its config, to the bit", () => {
    output("train", "--config", "first/config.json", "--out", "again", "--quiet");
    expect(readFileSync(cli.at("again", "config.json"))).toEqual(readFileSync(`${run}/config.json`));
    expect(contentOf(cli.at("again"))).toEqual(contentOf(run));
  });

  test("takes flags before a config", () => {
    output("train", "--config", "first/config.json", "--seed", "1", "--out", "other", "--quiet");
    const config = JSON.parse(readFileSync(cli.at("other", "config.json"), "utf8"));
    expect(config).toEqual({ ...JSON.parse(readFileSync(`${run}/config.json`, "utf8")), seed: 1 });
    expect(contentOf(cli.at("other")).lines[0]).not.toEqual(contentOf(run).lines[0]);
  });

  test("turns seconds into iterations, which its config has", () => {
    const text = output("train", ...GRID, "--seconds", "1", "--out", "timed");
    expect(text).toContain("Measuring how many iterations fit into 1 s.\n");
    const { iterations, ...config } = JSON.parse(readFileSync(cli.at("timed", "config.json"), "utf8"));
    expect(iterations).toBeGreaterThanOrEqual(1);
    expect(config).not.toHaveProperty("seconds");
    expect(text).toContain(`, ${iterations.toLocaleString("en-US")} iterations of 8, `);
    expect(checkpointOf(cli.at("timed"))).toMatchObject({ iteration: iterations, iterations });
    output("train", "--config", "timed/config.json", "--out", "timed-again", "--quiet");
    expect(contentOf(cli.at("timed-again"))).toEqual(contentOf(cli.at("timed")));
  });

  test("that is complete shows its figures again, and changes nothing", () => {
    const before = readFileSync(`${run}/metrics.jsonl`, "utf8");
    const again = jsonLines(output("train", "--resume", "first", "--json"));
    expect(again).toEqual([printed.at(-1)]);
    expect(readFileSync(`${run}/metrics.jsonl`, "utf8")).toBe(before);
    expect(output("train", "hypergrid", "--resume", "first")).toContain("The run is in");
  });

  test("writes numbers that are not finite as text, in every form", () => {
    // So large a step that the policy never reaches most of the grid.
    const wild = ["--stick", "0", "--learning-rate", "30", "--iterations", "40", "--samples", "5"];
    const end = jsonLines(output("train", ...GRID, ...wild, "--out", "wild", "--json")).at(-1);
    expect(end?.metrics).toMatchObject({ kl: "Infinity" });
    expect(metricsOf(cli.at("wild")).at(-1)?.metrics).toEqual(end?.metrics);
    expect(JSON.parse(output("evaluate", "wild", "--json"))).toEqual(end?.metrics);
    expect(output("evaluate", "wild")).toMatch(/KL\(target ‖ policy\) +Infinity/);
    expect(JSON.parse(output("runs", "--json", "."))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "wild",
          lastEvaluation: expect.objectContaining({ reached: expect.objectContaining({ kl: "Infinity" }) }),
        }),
      ]),
    );
  });
});

describe("limit", () => {
  test("is what a run is measured against", () => {
    const found = JSON.parse(output("limit", "hypergrid", "--side", "4", "--json"));
    expect(found).toEqual({ limit: metrics.limit, uniform: metrics.uniform });
  });

  test("follows task and reward, and is shown to people", () => {
    const text = output("limit", "hypergrid", "--side", "5", "--stick", "0", "--reward-exponent", "2");
    expect(text).toMatch(/^hypergrid, stick 0, reward exponent 2\nhypergrid reward .* 5 × 5\n/);
    expect(text).toMatch(/\n +limit +uniform\ntotal variation +\S+ +0\.\d{4}\nKL\(target ‖ policy\) /);
    const { scores } = hypergridTask({ dimensions: 2, side: 5, stick: 0 });
    const reward = rewardTable(scores, { exponent: 2, floor: 1e-4 });
    const sum = reward.reduce((a, b) => a + b);
    // Without noise the target is within reach.
    const expected = reward.reduce((total, value) => total + value ** 2 / sum, 0);
    const { limit } = JSON.parse(
      output("limit", "hypergrid", "--side", "5", "--stick", "0", "--reward-exponent", "2", "--json"),
    );
    expect(limit.expectedReward).toBeCloseTo(expected, 6);
  });
});

test("premiums are priced: a run, its samples and the limit speak of the same paths", () => {
  const task = ["pricing", "--months", "2", "--profit-scale", "30", "--stick", "0.1"];
  const text = output("train", ...task, "--hidden", "8", "--batch", "8", ...SHORT, "--out", "priced");
  expect(text).toMatch(
    /^pricing, stick 0\.1 and a customer who answers by chance, .*: exp\(profit \/ 30\) of 2 /,
  );
  const samples = output("sample", "priced", "-n", "20").trim().split("\n").slice(1);
  for (const line of samples) expect(line).toMatch(/^([DSU]l|[DSU][qc][DSU][qcl]),/);
  const { limit } = JSON.parse(output("limit", ...task, "--json"));
  expect(jsonLines(output("evaluate", "priced", "--json")).at(-1)).toMatchObject({ limit });
});

test("strings of DNA are trained, evaluated and drawn as such", () => {
  const small = "--hidden 8 --memory-rows 0 --batch 8 --iterations 2 --samples 20".split(" ");
  const text = output("train", "tfbind8", ...small, "--out", "dna");
  expect(text).toMatch(
    /^tfbind8, stick 0\.25, reward exponent 3: surrogate of SIX6 .*not the measured table\n/,
  );
  expect(text).toMatch(/modes: \d+ far apart among the best samples, \d+ of \d+ local maxima sampled\n/);
  const evaluated = JSON.parse(output("evaluate", "dna", "--json"));
  expect(evaluated.modes).toEqual({
    greedy: NUMBER,
    recall: null,
    localMaxima: { found: NUMBER, of: NUMBER },
  });
  expect(output("sample", "dna", "-n", "2", "--format", "fasta")).toMatch(
    /^(>sample_\d .*\n[ACGT]{8}\n){2}$/,
  );
  const [line] = jsonLines(output("sample", "dna", "-n", "1", "--format", "jsonl"));
  expect(line.thought).toMatch(/^[ACGT]{8}$/);
});
