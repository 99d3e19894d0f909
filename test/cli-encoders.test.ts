// Tests of history encoders on the command line, and of the task regime, where a policy improves by using its history.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines, metricsOf } from "./support/command-line.ts";

const NUMBER = expect.any(Number);

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

const output = (...args: readonly string[]) => cli.output(...args);

describe("networks with a history encoder", () => {
  const ENCODER = ["--encoder-layers", "1", "--encoder-width", "8", "--encoder-heads", "2", "--hidden", "8"];
  const BRIEF = [...ENCODER, "--batch", "8", "--iterations", "2", "--samples", "20"];

  test("are evaluated by samples if their histories cannot be enumerated", () => {
    const text = output(
      "train",
      ...["hypergrid", "--side", "3", "--encoder", "both"],
      ...BRIEF,
      "--out",
      "encoded",
    );
    expect(text).toMatch(/^hypergrid, .*\ndb \+ marginal \+ kl, encoder both \(1 × 8\), 2 iterations/);
    expect(text).toMatch(
      /after 2 iterations: sampled TV 0\.\d{4} \(perfect 0\.\d{4}\) {2}mean score 0\.\d{4}\n/,
    );
    expect(text).toMatch(
      /\n +sampled +limit +uniform\ntotal variation .*\n {2}of a perfect sampler +0\.\d{4}\n/,
    );
    expect(text).toMatch(/\n\d,\d +0\.\d{4} +–\n/);
    const evaluated = JSON.parse(output("evaluate", "encoded", "--json"));
    expect(evaluated).toEqual({
      ...{ exact: false, tv: NUMBER, floor: NUMBER, samples: 20, expectedReward: NUMBER },
      ...{ kl: null, pearson: null, spearman: null, logZError: null, dynamicsKl: null },
      ...JSON.parse(output("limit", "hypergrid", "--side", "3", "--json")),
      ...{
        modes: expect.objectContaining({ circles: NUMBER, recall: null, localMaxima: null }),
        iterations: 2,
        seconds: NUMBER,
      },
    });
    expect(metricsOf(cli.at("encoded")).at(-1)).toMatchObject({ kind: "end", metrics: evaluated });
    expect(
      jsonLines(output("sample", "encoded", "-n", "1", "--format", "jsonl"))[0].logProbability,
    ).toBeNull();
    expect(output("runs", ".")).toMatch(/^encoded +hypergrid +finished +2 +–/m);
    expect(output("report", "encoded")).toContain("The report is");
    expect(cli.gflownet("export", "encoded", "--onnx", "encoded.onnx")).toMatchObject({
      ...{ status: 1, stdout: "" },
      stderr: expect.stringMatching(/^gflownet: .*train without an encoder to export\n$/),
    });
  });

  describe("on the task regime", () => {
    // The target is nearly uniform, so it needs almost no training.
    const flat = ["regime", "--reward-exponent", "0.001"];
    const withThought = ["--objective", "kl-thought", "--encoder", "both"];
    beforeAll(() => {
      const text = output("train", ...flat, ...withThought, ...BRIEF, "--out", "hidden");
      expect(text).toMatch(
        /^regime, hidden stick 0 or 0\.7, reward exponent 0\.001: 48 if the last three letters are AAA.*\ntb \+ thought \+ kl,/,
      );
    });

    test("are evaluated exactly, beside the limit of policies that depend on the thought", () => {
      const { limit, withThought, uniform } = JSON.parse(output("limit", ...flat, "--json"));
      expect(limit.gap).toBe("NaN");
      expect(metricsOf(cli.at("hidden")).at(-1)).toMatchObject({
        metrics: { exact: true, limit: withThought, uniform },
      });
    });

    test("are exported with the thought as an input", () => {
      output("export", "hidden", "--onnx", "hidden.onnx", "--rows", "3");
      expect(JSON.parse(output("inspect", "hidden.onnx", "--json")).inputs).toMatchObject([
        { name: "state", shape: [3, 20] },
        { name: "thought", dtype: "int32", shape: [3, 4] },
      ]);
    });
  });
});
