// Tests that the Python program of docs/python-sampling.md samples from an exported model with the exact probabilities.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings, exactEvaluator, exportModel, modelTrainer } from "gflownet/gfn";
import { tfbind8Task } from "gflownet/tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "./support/chi-square.ts";

/** A Python interpreter that can import the packages of the program, or the reason why there is none. */
function findPython(): { readonly python: string } | { readonly missing: string } {
  const asked = process.env.GFLOWNET_PYTHON;
  const python = asked || "python3";
  const { error, status, stderr } = spawnSync(python, ["-c", "import numpy, onnxruntime"], {
    encoding: "utf8",
  });
  if (status === 0) return { python };
  const reason = error ? error.message : stderr.trim().split("\n").at(-1);
  // If GFLOWNET_PYTHON is set, a missing package is an error instead of a skipped test.
  if (asked)
    throw new Error(`GFLOWNET_PYTHON is ${asked}, and it cannot import numpy and onnxruntime: ${reason}`);
  return {
    missing: `no Python with onnxruntime and numpy was found (python3: ${reason}); set GFLOWNET_PYTHON to one`,
  };
}

const found = findPython();
if ("missing" in found) console.warn(`test/python-sampling.test.ts is skipped: ${found.missing}`);

const COUNT = 40_000;
const [LETTERS, LENGTH] = [4, 8];
const code = /```python\n([\s\S]*?)```/.exec(readFileSync("docs/python-sampling.md", "utf8"))?.[1] ?? "";

test("the program has fewer than 30 lines and imports only sys, numpy and onnxruntime", () => {
  const lines = code.split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThan(30);
  const imported = lines.flatMap((line) => /^\s*(?:import|from) (\w+)/.exec(line)?.[1] ?? []);
  expect(imported).toEqual(["sys", "numpy", "onnxruntime"]);
});

describe.skipIf("missing" in found)("the program in Python", () => {
  const task = tfbind8Task({ stick: 0.25 });
  /** Exact probabilities of all strings. */
  let terminals: Float64Array;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "gflownet-python-"));
    const { environment, scores } = task;
    const settings = defaultSettings(environment, {
      batch: 64,
      hidden: [16],
      stateTableRows: environment.states,
      stateTableRateScale: 7,
      dynamicsHidden: [8],
      learningRate: 1e-2,
      rewardExponent: 3,
      rewardFloor: 1e-4,
    });
    const trainer = await modelTrainer({ ...settings, environment, scores, seed: 1 });
    for (let t = 0; t < 150; t++) await trainer.step(t, t / 150);
    const parameters = await trainer.parameters();
    const { model, learnsDynamics, reward } = trainer;
    const evaluator = await exactEvaluator({
      model,
      reward: reward!,
      balance: settings.balance,
      usesDynamics: learnsDynamics,
    });
    ({ terminals } = await evaluator.evaluate(parameters));
    await evaluator.dispose();
    await trainer.dispose();
    const bytes = exportModel(model, parameters, { rows: 500, includeDynamics: learnsDynamics, task });
    writeFileSync(join(folder, "policy.onnx"), bytes);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** Indices of the strings that a program prints. */
  function samplesOf(program: string): number[] {
    writeFileSync(join(folder, "sample.py"), program);
    const { python } = found as { python: string };
    const args = [join(folder, "sample.py"), join(folder, "policy.onnx"), String(COUNT)];
    const { status, stdout, stderr } = spawnSync(python, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    return stdout.trim().split("\n").map(task.encode);
  }

  /** The letters at positions i and j of a string, as one number. */
  const pairOf = (string: number, i: number, j: number) => {
    const letterAt = (position: number) => Math.floor(string / LETTERS ** (LENGTH - 1 - position)) % LETTERS;
    return letterAt(i) * LETTERS + letterAt(j);
  };

  /** Chi-square statistic of the letters at two positions, divided by its critical value. */
  function misfit(samples: readonly number[], i: number, j: number): number {
    const counts = new Float64Array(LETTERS * LETTERS);
    const probabilities = new Float64Array(LETTERS * LETTERS);
    for (const string of samples) counts[pairOf(string, i, j)]++;
    terminals.forEach((p, string) => {
      probabilities[pairOf(string, i, j)] += p;
    });
    return chiSquare(counts, probabilities) / chiSquareLimit(probabilities);
  }

  const pairs = Array.from({ length: LENGTH }, (_, i) =>
    Array.from({ length: LENGTH - 1 - i }, (_, k) => [i, i + 1 + k] as const),
  ).flat();

  test("samples strings with the exact probabilities: every pair of positions, and single strings", () => {
    const samples = samplesOf(code);
    expect(samples).toHaveLength(COUNT);
    for (const [i, j] of pairs) {
      expect({ pair: [i, j], fits: misfit(samples, i, j) < 1 }).toEqual({ pair: [i, j], fits: true });
    }
    // The frequencies of strings are tested too: frequent strings one by one, and all others together.
    const often = Array.from(terminals.keys()).filter((string) => COUNT * terminals[string] >= 5);
    expect(often.length).toBeGreaterThan(100);
    const place = new Map(often.map((string, k) => [string, k]));
    const sum = (p: ArrayLike<number>) => Array.from(p).reduce((a, b) => a + b, 0);
    const probabilities = often.map((string) => terminals[string]);
    probabilities.push(1 - sum(probabilities));
    const counts = new Float64Array(probabilities.length);
    for (const string of samples) counts[place.get(string) ?? often.length]++;
    expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
  });

  test.each([
    ["noise is left out", "< stick", "< 0"],
    ["noise is twice as likely", "< stick", "< 2 * stick"],
    ["the index is always 0", "factor * index + 1 + letter", "0 * index"],
    ["the index is off by one", "index + 1 + letter", "index + letter"],
    ["the state contains the action instead of the outcome", "position, letter]", "position, intended]"],
  ])("fails this comparison if %s", (_, line, wrong) => {
    expect(code.split(line)).toHaveLength(2);
    const samples = samplesOf(code.replace(line, wrong));
    expect(Math.max(...pairs.map(([i, j]) => misfit(samples, i, j)))).toBeGreaterThan(1);
  });
});
