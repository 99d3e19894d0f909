// A trained model is evaluated, sampled, saved and reopened, from the library and from the command line.

import { writeFileSync } from "node:fs";
import {
  fit,
  hypergridTask,
  longSequenceEnvironment,
  openRun,
  environment as plainEnvironment,
  sequenceEnvironment,
} from "gflownet";
import { listRuns } from "gflownet/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";
import { reportIn } from "./support/report-data.ts";

const SMALL = { hidden: [8], batch: 8, iterations: 20, seed: 3 } as const;
const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.25 });
/** Counts the letter A, plus one. */
const scores = (texts: readonly string[]) => texts.map((text) => text.split("A").length);

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

describe("a model with a table of scores", () => {
  test("is evaluated exactly, and a reopened run gives the same numbers", async () => {
    const task = hypergridTask({ stick: 0.25, side: 4 });
    const trained = await fit({ ...SMALL, task });
    const evaluation = await trained.evaluate();
    const samples = await trained.sample(30, { seed: 5 });
    if (!evaluation.exact) throw new Error("the grid is enumerable");
    expect(evaluation.reached.tv).toBeGreaterThan(evaluation.limit.tv - 0.01);
    expect(trained.events.at(-1)).toMatchObject({ kind: "end", iterations: 20 });
    await trained.save(cli.at("grid"));

    const again = await openRun(cli.at("grid"));
    expect(await again.sample(30, { seed: 5 })).toEqual(samples);
    const reopened = await again.evaluate();
    expect(reopened).toMatchObject({ exact: true, reached: evaluation.reached, limit: evaluation.limit });
    expect(again).toMatchObject({ iterations: 20, seconds: trained.seconds });
    expect(again.events).toHaveLength(6); // start, two evaluations, two logged iterations, and the end
    for (const { object, logProbability } of samples.slice(0, 5)) {
      expect((await again.logProbability(object)).logProbability).toBe(logProbability);
    }
    await Promise.all([trained.dispose(), again.dispose()]);
  });

  test("works with every command that takes a run", async () => {
    const [run] = await listRuns(cli.at("."));
    expect(run).toMatchObject({ name: "grid", task: "custom", state: "finished", iteration: 20 });
    const metrics = JSON.parse(cli.output("evaluate", "grid", "--json"));
    expect(metrics).toMatchObject({ exact: true, iterations: 20 });
    const lines = jsonLines(cli.output("sample", "grid", "-n", "3", "--format", "jsonl", "--seed", "5"));
    const again = await openRun(cli.at("grid"));
    const samples = await again.sample(3, { seed: 5 });
    expect(lines).toEqual(
      samples.map(({ object, score, logProbability }) => ({
        ...{ sequence: object, thought: expect.any(String), score, logProbability },
      })),
    );
    cli.output("export", "grid", "--onnx", "grid.onnx");
    expect(cli.output("inspect", "grid.onnx")).toContain("policyLogits");
    cli.output("report", "grid");
    expect(reportIn(cli.at("grid", "report.html")).details[0].description[0]).toContain("custom with");
    await again.dispose();
  });
});

describe("a model with a score function", () => {
  test("samples and has log-probabilities after it is reopened, but evaluates only with the function", async () => {
    const trained = await fit({ ...SMALL, environment, scores });
    expect(await trained.evaluate()).toMatchObject({ exact: false, sampled: { samples: 1000 } });
    const [first] = await trained.sample(1);
    expect(first.score).toBe(first.object.split("A").length);
    await trained.save(cli.at("own"));

    const again = await openRun(cli.at("own"));
    const all = await again.sample(200);
    expect(all[0]).toEqual(first);
    const exact = await again.logProbability("AAA");
    expect(exact).toMatchObject({ kernel: "known", exact: true });
    await expect(again.evaluate()).rejects.toThrow("the score function of this run is not stored with it");
    const scored = await openRun(cli.at("own"), { scores });
    expect(await scored.evaluate()).toEqual(await trained.evaluate());
    await Promise.all([trained.dispose(), again.dispose(), scored.dispose()]);
  });

  test("needs a module for evaluate and resume on the command line, and for nothing else", () => {
    expect(jsonLines(cli.output("sample", "own", "--format", "jsonl"))).toHaveLength(10);
    cli.output("export", "own", "--onnx", "own.onnx");
    for (const command of [
      ["evaluate", "own"],
      ["train", "--resume", "own"],
    ]) {
      const { status, stderr } = cli.gflownet(...command);
      expect(stderr).toContain("--module");
      expect(status).toBe(2);
    }
    writeFileSync(
      cli.at("scores.mjs"),
      'export const scores = (texts) => texts.map((text) => text.split("A").length);\n',
    );
    expect(JSON.parse(cli.output("evaluate", "own", "--module", "scores.mjs", "--json"))).toMatchObject({
      exact: false,
      iterations: 20,
    });
    expect(cli.output("train", "--resume", "own", "--module", "scores.mjs")).toContain("mean score");
  });

  test.each([
    ["missing.mjs", null, "missing.mjs cannot be loaded"],
    ["empty.mjs", "export const other = 1;\n", "must export scores, environment or both, got other"],
    ["wrong.mjs", "export const scores = 3;\n", "scores must be a function or a Float64Array, got number"],
    ["broken.mjs", "export const scores = ;\n", "broken.mjs cannot be loaded"],
  ])("refuses the module %s in one sentence", (name, text, message) => {
    if (text) writeFileSync(cli.at(name), text);
    const { status, stderr } = cli.gflownet("evaluate", "own", "--module", name);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(2);
  });
});

test("a model of strings that cannot be enumerated has exact log-probabilities after it is reopened", async () => {
  const long = longSequenceEnvironment({ alphabet: "ACGT", length: 50, stick: 0.1 });
  const trained = await fit({ ...SMALL, iterations: 2, environment: long, scores });
  const [sample] = await trained.sample(1);
  expect(sample.logProbability).toBeLessThan(-10);
  await trained.save(cli.at("long"));
  const again = await openRun(cli.at("long"));
  const { logProbability, ...how } = await again.logProbability(sample.object);
  expect(logProbability).toBe(sample.logProbability);
  expect(how).toEqual({ kernel: "known", exact: true });
  await Promise.all([trained.dispose(), again.dispose()]);
});

test("a plain environment is stored as tables: a reopened run evaluates and samples without its functions", async () => {
  // A walker on a line may bump into the wall at 0 and stay; it slips with probability 0.3.
  const walk = plainEnvironment({
    name: "a walk",
    start: 1,
    actions: () => ["left", "right"],
    step: (place, action) => [
      { state: action === "left" ? Math.max(place - 1, 0) : place + 1, probability: 0.7 },
      { state: place, probability: 0.3 },
    ],
    reward: (place) => 1 + place,
    steps: 3,
  });
  const trained = await fit({ ...SMALL, environment: walk });
  const evaluation = await trained.evaluate();
  expect(evaluation.exact).toBe(true);
  await trained.save(cli.at("walk"));
  const again = await openRun(cli.at("walk"));
  expect(await again.evaluate()).toMatchObject(evaluation);
  expect(await again.sample(20)).toEqual(await trained.sample(20));
  const probabilities = await again.logProbabilities(walk.objects.map((object) => walk.textOf(object)));
  const total = probabilities.reduce((sum, { logProbability }) => sum + Math.exp(logProbability), 0);
  expect(total).toBeCloseTo(1, 10);
  expect(JSON.parse(cli.output("evaluate", "walk", "--json"))).toMatchObject({ exact: true, iterations: 20 });
  await Promise.all([trained.dispose(), again.dispose()]);
});

describe("mistakes are one sentence:", () => {
  test.each([
    [{ scores }, "fit needs `environment`, or else `task`"],
    [{ environment }, "fit needs `scores`"],
    [{ environment, scores, bacth: 3 }, "did you mean `batch`?"],
    [{ environment, scores, task: hypergridTask({ stick: 0 }) }, "`environment` or `task`, not both"],
  ])("%#", async (options, message) => {
    await expect(fit({ ...SMALL, ...options })).rejects.toThrow(message);
  });

  test("a folder that is not empty, and a count that is not whole", async () => {
    const trained = await fit({ ...SMALL, iterations: 1, environment, scores });
    await expect(trained.save(cli.at("grid"))).rejects.toThrow("already contains a run");
    await expect(trained.sample(1.5)).rejects.toThrow("the count must be a whole number from 0 on, got 1.5");
    await trained.dispose();
  });
});
