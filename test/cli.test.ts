// Tests of the commands help, tasks, train and limit: their output and files. See cli-runs.test.ts for commands on
// existing runs, cli-mistakes.test.ts for invalid input, cli-interrupted.test.ts for stopped and killed runs, and
// cli-encoders.test.ts for history encoders.

import { cpSync, readdirSync, readFileSync } from "node:fs";
import { rewardTable } from "gflownet/gfn";
import { hypergridTask } from "gflownet/tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildCommandLine,
  type CommandLine,
  checkpointOf,
  contentOf,
  type Ended,
  jsonLines,
  metricsOf,
} from "./support/command-line.ts";

const GRID = ["hypergrid", "--side", "3", "--hidden", "8", "--batch", "8"];
const SHORT = ["--iterations", "40", "--evaluate-every", "20", "--log-every", "5", "--samples", "50"];
const NUMBER = expect.any(Number);

let cli: CommandLine;
let trained: Ended;
let run: string;
/** The events that the first run printed. */
let printed: ReturnType<typeof jsonLines>;
/** The final metrics of the first run. */
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
  test("lists every command, and --version prints the version of the package", () => {
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

  test("of train shows the tasks and the common settings, and of a task all its settings and no others", () => {
    const general = output("train", "--help");
    expect(general.split("\n").length).toBeLessThan(80);
    for (const name of ["tfbind8", "hypergrid", "bit-sequence", "regime", "pricing"]) {
      expect(general).toMatch(new RegExp(`^  ${name} +[a-zD]`, "m"));
    }
    for (const flag of ["--stick", "--seconds", "--out", "--iterations"]) expect(general).toContain(flag);
    for (const flag of ["--table", "--bits", "--lambda"]) expect(general).not.toContain(flag);
    expect(general.endsWith(`for example: ${cli.command} train tfbind8 --help\n`)).toBe(true);
    const help = output("train", "tfbind8", "--help");
    for (const heading of ["Task:", "Objective:", "Reward:", "Networks:", "Encoder:", "Run:"]) {
      expect(help).toContain(`\n${heading}\n`);
    }
    expect(help).toContain("--learning-rate <x|from:to>");
    expect(help).toMatch(/--reward-exponent <x> .*power\s+\(default:\s+3\)/);
    expect(help).toContain("--table <file>");
    for (const flag of ["--bits", "--side", "--months", "--quiet-stick"]) expect(help).not.toContain(flag);
    expect(output("help", "train", "tfbind8")).toBe(help);
    expect(output("train", "--task", "tfbind8", "--help")).toBe(help);
    expect(output("train", "--help", "tfbind8")).toBe(help);
    expect(output("train", "--help", "--stick", "0.5")).toBe(general);
    expect(output("limit", "hypergrid", "--help")).not.toContain("--months");
    const limit = output("limit", "--help");
    expect(limit).toContain("--reward-exponent <x>");
    expect(limit).not.toContain("--learning-rate");
    expect(limit).not.toContain("from:to");
  });

  test("of compare lists all tasks with their flags, and several noise levels instead of one", () => {
    const help = output("compare", "--help");
    expect(help).toMatch(
      / task +one of tfbind8, hypergrid,\s+bit-sequence, regime, pricing,\s+table\s+\(default: tfbind8\)\n/,
    );
    expect(help).toMatch(/--epsilon .*with --on-policy: probability of a uniformly drawn action/);
    for (const flag of ["--quiet-stick", "--stick <a,b>"]) expect(help).toContain(flag);
    expect(help).not.toContain("--stick <x>");
  });
});

describe("tasks", () => {
  test("are printed as text", () => {
    const text = output("tasks");
    expect(text).toContain("hypergrid\n  cells of a grid, with high reward in small regions");
    expect(text).toContain("by default a grid of 8 × 8: 64 objects");
    expect(text).toContain("flags: --stick --dimensions --side --reward --picture --r0 --r1 --r2");
    expect(text).toContain("table\n  strings with scores from a table of your own\n  needs: --scores\n");
  });

  test("are printed as JSON", () => {
    const tasks = JSON.parse(output("tasks", "--json"));
    expect(tasks.map(({ name }: { name: string }) => name)).toEqual([
      "tfbind8",
      "hypergrid",
      "bit-sequence",
      "regime",
      "pricing",
      "table",
    ]);
    const text = expect.any(String);
    expect(tasks[0]).toEqual({
      name: "tfbind8",
      about: text,
      environment: "strings of 8 letters out of ACGT",
      objects: 65536,
      scores: expect.stringContaining("not the measured table"),
      needs: [],
      flags: ["--stick", "--table"],
    });
    expect(tasks.at(-1)).toMatchObject({
      environment: null,
      objects: null,
      scores: null,
      needs: ["--scores"],
    });
  });
});

describe("train", () => {
  test("prints events as JSON, and the metrics at the end", () => {
    expect(trained.stderr).toBe("");
    expect(trained.status).toBe(0);
    const events = printed.map(({ kind, iteration }) =>
      iteration === undefined ? kind : `${kind} ${iteration}`,
    );
    expect(events).toEqual([
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
        modes: { samples: 50, circles: NUMBER, recall: null, knownModes: null, localMaxima: null },
        iterations: 40,
        seconds: NUMBER,
      },
    });
    const last = printed.find(({ kind, iteration }) => kind === "evaluation" && iteration === 40);
    expect(metrics).toMatchObject(last?.reached as object);
  });

  test("writes a folder with config, metrics, checkpoint and samples", () => {
    expect(readdirSync(run).sort()).toEqual([
      ...["checkpoint.safetensors", "config.json", "metrics.jsonl", "samples.csv"],
    ]);
    const config = JSON.parse(readFileSync(`${run}/config.json`, "utf8"));
    expect(config).toMatchObject({ version: 2, task: "hypergrid", side: 3, iterations: 40, seed: 0 });
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

  test("prints its settings, its progress and its results as text", () => {
    const text = output("train", ...GRID, ...SHORT, "--out", "text");
    expect(text).toMatch(/^hypergrid, stick 0\.25, reward exponent 1: hypergrid reward with R0 = 0\.001/);
    expect(text).toContain("\ndb + marginal + kl, 40 iterations of 8, seed 0, ");
    expect(text).toContain("\nafter 0 iterations: TV 0.");
    expect(text).toMatch(/\n40\/40 {2}\d+\/s {2}loss \d+\.\d{4} {2}dynamics \d+\.\d{4} {2}0 s left\n/);
    expect(text).toMatch(/\n +reached +limit +uniform\ntotal variation +0\.\d{4}/);
    expect(text).toMatch(/\nmodes in 50 samples: \d+ circles? among the best 100\n/);
    expect(text).toMatch(/\nbest sampled +score +log P\n\d,\d +0\.5010 +-\d/);
    expect(text).toContain(
      `\nThe run is in text.\nSample from it with: ${cli.command} sample text -n 100\nSee it with: ${cli.command} report text\n`,
    );
  });

  test("prints nothing with --quiet, and numbers the folders of runs without --out", () => {
    const quick = ["train", ...GRID, "--iterations", "1", "--samples", "5", "--quiet"];
    expect(output(...quick, "--lambda", "0.5")).toBe("");
    expect(output(...quick)).toBe("");
    expect(readdirSync(cli.at("runs"))).toEqual(["hypergrid-1", "hypergrid-2"]);
  });

  test("warns about flags that have no effect", () => {
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
    expect(stderr).toBe("gflownet: --lambda has no effect without the balance subtb\n");
  });

  test("reproduces a run from its config, bit for bit", () => {
    output("train", "--config", "first/config.json", "--out", "again", "--quiet");
    expect(readFileSync(cli.at("again", "config.json"))).toEqual(readFileSync(`${run}/config.json`));
    expect(contentOf(cli.at("again"))).toEqual(contentOf(run));
  });

  test("lets flags override the config file", () => {
    output("train", "--config", "first/config.json", "--seed", "1", "--out", "other", "--quiet");
    const config = JSON.parse(readFileSync(cli.at("other", "config.json"), "utf8"));
    expect(config).toEqual({ ...JSON.parse(readFileSync(`${run}/config.json`, "utf8")), seed: 1 });
    expect(contentOf(cli.at("other")).lines[0]).not.toEqual(contentOf(run).lines[0]);
  });

  test("trains for --seconds, records its plan, and repeats it to the bit with --repeat", () => {
    const { status, stdout } = cli.gflownet("train", ...GRID, "--seconds", "1", "--out", "timed");
    expect(status).toBe(0);
    expect(stdout).toContain(", 1 s in iterations of 8, ");
    const config = JSON.parse(readFileSync(cli.at("timed", "config.json"), "utf8"));
    expect(config).toMatchObject({ seconds: 1 });
    expect(config).not.toHaveProperty("iterations");
    const { iteration, iterations, plan } = checkpointOf(cli.at("timed"));
    expect({ iterations, last: plan?.at(-1)?.iterations }).toEqual({ iterations: null, last: iteration });
    expect(metricsOf(cli.at("timed")).filter(({ kind }) => kind === "plan")).toHaveLength(plan?.length ?? -1);
    output("train", "--repeat", "timed", "--out", "timed-again", "--quiet");
    expect(contentOf(cli.at("timed-again"))).toEqual(contentOf(cli.at("timed")));
    expect(JSON.parse(readFileSync(cli.at("timed-again", "config.json"), "utf8")).plan).toEqual(plan);
  });

  test("goes on with a finished run until it has --iterations, or for --seconds", () => {
    cpSync(run, cli.at("longer"), { recursive: true });
    const { iteration } = checkpointOf(run);
    const total = iteration + 10;
    output("train", "--resume", "longer", "--iterations", `${total}`, "--quiet");
    expect(checkpointOf(cli.at("longer"))).toMatchObject({ iteration: total, evaluated: true });
    const ends = metricsOf(cli.at("longer")).filter(({ kind }) => kind === "end");
    expect(ends.map(({ iterations }) => iterations)).toEqual([iteration, total]);
    cli.gflownet("train", "--resume", "longer", "--seconds", "1", "--quiet");
    const { iteration: last, plan } = checkpointOf(cli.at("longer"));
    expect(last).toBeGreaterThan(total);
    expect(plan?.slice(0, 2).map(({ iterations }) => iterations)).toEqual([iteration, total]);
    output("train", "--repeat", "longer", "--out", "longer-again", "--quiet");
    const { seconds: _, ...again } = checkpointOf(cli.at("longer-again"));
    expect(again).toEqual({ ...checkpointOf(cli.at("longer")), seconds: undefined });
  });

  test("prints the metrics of a complete run again with --resume, and changes no file", () => {
    const before = readFileSync(`${run}/metrics.jsonl`, "utf8");
    const again = jsonLines(output("train", "--resume", "first", "--json"));
    expect(again).toEqual([printed.at(-1)]);
    expect(readFileSync(`${run}/metrics.jsonl`, "utf8")).toBe(before);
    expect(output("train", "hypergrid", "--resume", "first")).toContain("The run is in");
  });

  test("writes numbers that are not finite as strings in JSON, and as words in text", () => {
    // The learning rate is so large that the policy never reaches most of the grid.
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
  test("equals the limit in the metrics of a run", () => {
    const found = JSON.parse(output("limit", "hypergrid", "--side", "3", "--json"));
    expect(found).toEqual({ limit: metrics.limit, uniform: metrics.uniform });
  });

  test("depends on task and reward, and is printed as text", () => {
    const text = output("limit", "hypergrid", "--side", "5", "--stick", "0", "--reward-exponent", "2");
    expect(text).toMatch(/^hypergrid, stick 0, reward exponent 2\nhypergrid reward .* 5 × 5\n/);
    expect(text).toMatch(/\n +limit +uniform\ntotal variation +\S+ +0\.\d{4}\nKL\(target ‖ policy\) /);
    const { scores } = hypergridTask({ dimensions: 2, side: 5, stick: 0 });
    const reward = rewardTable(scores, { exponent: 2, floor: 1e-4 });
    const sum = reward.reduce((a, b) => a + b);
    // Without noise, a policy can reach the target exactly.
    const expected = reward.reduce((total, value) => total + value ** 2 / sum, 0);
    const { limit } = JSON.parse(
      output("limit", "hypergrid", "--side", "5", "--stick", "0", "--reward-exponent", "2", "--json"),
    );
    expect(limit.expectedReward).toBeCloseTo(expected, 6);
  });
});

test("pricing: train, sample, evaluate and limit agree on the task", () => {
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

test("tfbind8: train, evaluate and sample use DNA sequences", () => {
  const small = "--hidden 8 --state-table-rows 0 --batch 8 --iterations 2 --samples 20".split(" ");
  const text = output("train", "tfbind8", ...small, "--out", "dna");
  expect(text).toMatch(
    /^tfbind8, stick 0\.25, reward exponent 3: surrogate of SIX6 .*not the measured table\n/,
  );
  expect(text).toMatch(
    /^modes in 20 samples: \d+ circles? among the best 100, \d+ of 10 local maxima \(a perfect sampler: 0\.\d\)\n/m,
  );
  expect(text).toMatch(/^probability of the local maxima: \S+, target 0\.\d+\n/m);
  const evaluated = JSON.parse(output("evaluate", "dna", "--json"));
  expect(evaluated.modes).toEqual({
    samples: 20,
    circles: NUMBER,
    recall: null,
    knownModes: null,
    localMaxima: {
      ...{ found: NUMBER, of: 10, expected: NUMBER },
      ...{ probability: NUMBER, targetProbability: NUMBER },
    },
  });
  expect(output("sample", "dna", "-n", "2", "--format", "fasta")).toMatch(
    /^(>sample_\d .*\n[ACGT]{8}\n){2}$/,
  );
  const [line] = jsonLines(output("sample", "dna", "-n", "1", "--format", "jsonl"));
  expect(line.thought).toMatch(/^[ACGT]{8}$/);
});
