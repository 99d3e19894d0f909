// The command line on strings without an enumeration: samples with a template, a prefix and a temperature, and held-out
// objects.

import { writeFileSync } from "node:fs";
import { fit, longSequenceEnvironment, openRun } from "gflownet";
import { splitHeldOut } from "gflownet/gfn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";

const strings = Array.from({ length: 16 }, (_, i) => i.toString(2).padStart(4, "0"));
const { heldOut } = splitHeldOut(strings, 0.5);
const MODULE = `export const scores = (texts) => texts.map((text) => (1 + text.split("1").length) / 8);\n`;

let cli: CommandLine;
beforeAll(async () => {
  cli = buildCommandLine();
  writeFileSync(cli.at("scores.mjs"), MODULE);
  writeFileSync(cli.at("held-out.txt"), `${strings.join("\r\n")}\n\n`);
  writeFileSync(cli.at("empty.txt"), "\n");
  writeFileSync(cli.at("wrong.txt"), "0101\n0201\n");
  const trained = await fit({
    environment: longSequenceEnvironment({ alphabet: "01", length: 4, stick: 0 }),
    scores: (texts: readonly string[]) => texts.map((text) => (1 + text.split("1").length) / 8),
    ...{ iterations: 10, hidden: [8], batch: 8, samples: 20, heldOutObjects: heldOut },
  });
  await trained.save(cli.at("run"));
  await trained.dispose();
});
afterAll(() => cli?.remove());

describe("gflownet sample", () => {
  const sampled = (...flags: string[]) =>
    jsonLines(cli.output("sample", "run", "-n", "30", "--format", "jsonl", ...flags)) as {
      readonly sequence: string;
      readonly logProbability: number;
    }[];

  test("fixes the letters of a template, and writes the log-probability of each sample", async () => {
    const samples = sampled("--template", "1?0?", "--seed", "4");
    for (const { sequence } of samples) expect(sequence).toMatch(/^1.0.$/);
    const total = new Map(
      samples.map(({ sequence, logProbability }) => [sequence, Math.exp(logProbability)]),
    );
    expect(total.size).toBe(4); // all strings of the template, whose probabilities add up to 1
    expect([...total.values()].reduce((a, b) => a + b)).toBeCloseTo(1, 5);
    const again = await openRun(cli.at("run"));
    const same = await again.sample(30, { template: "1?0?", seed: 4 });
    await again.dispose();
    expect(same.map(({ object }) => object)).toEqual(samples.map(({ sequence }) => sequence));
  });

  test("fixes the letters of a prefix", () => {
    for (const { sequence } of sampled("--prefix", "011")) expect(sequence).toMatch(/^011.$/);
  });

  test("takes the most probable letters at a low temperature", () => {
    const [greedy] = sampled("--greedy");
    expect(new Set(sampled("--temperature", "0.001").map(({ sequence }) => sequence))).toEqual(
      new Set([greedy.sequence]),
    );
  });

  test.each([
    [
      ["--template", "1?0"],
      '--template: must have 4 letters, as strings of 4 letters out of 01 do, got 3 in "1?0"',
    ],
    [
      ["--template", "1x0?"],
      '--template: must consist of letters of the alphabet and ?, got "x" at position 2 of "1x0?"',
    ],
    [["--prefix", "1", "--template", "1???"], "--prefix: must be given without --template"],
    [["--temperature", "0"], "--temperature: must be a number above 0"],
    [["--temperature", "2", "--greedy"], "--temperature: must be 1 with --greedy"],
  ])("refuses %j in one sentence", (flags, message) => {
    const { status, stderr } = cli.gflownet("sample", "run", ...flags);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("gflownet evaluate", () => {
  test("reports the held-out objects of the run", () => {
    const metrics = JSON.parse(cli.output("evaluate", "run", "--module", "scores.mjs", "--json"));
    expect(metrics.heldOut).toMatchObject({ objects: heldOut.length, unreachable: 0 });
    expect(metrics.sampled.effectiveSampleSize).toBeGreaterThan(1);
    expect(metrics.sampled.effectiveSampleSize).toBeLessThanOrEqual(20);
  });

  test("reports those of a file instead", () => {
    const flags = ["--module", "scores.mjs", "--held-out", "held-out.txt"];
    const text = cli.output("evaluate", "run", ...flags);
    expect(text).toMatch(/held-out objects +16 +perfect/);
    const { heldOut } = JSON.parse(cli.output("evaluate", "run", ...flags, "--json"));
    expect(heldOut.objects).toBe(16);
  });

  test.each([
    ["empty.txt", "has no objects; write one per line"],
    ["none.txt", "cannot be read"],
    ["wrong.txt", "0201"],
  ])("refuses the file %s in one sentence", (file, message) => {
    const { status, stderr } = cli.gflownet("evaluate", "run", "--module", "scores.mjs", "--held-out", file);
    expect(status).toBe(2);
    expect(stderr).toContain("--held-out: ");
    expect(stderr).toContain(message);
  });
});
