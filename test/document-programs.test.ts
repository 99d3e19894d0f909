// Tests that the TypeScript programs in README.md, docs/tutorial.md, docs/trained-model.md, docs/design.md,
// docs/objectives.md and docs/engine.md run as printed.

import { expect, test } from "vitest";
import { programsIn, runProgram } from "./support/document-program.ts";

test("README.md: samples and log-probabilities of a saved model", async () => {
  const lines = await runProgram(programsIn("README.md")[0]);
  expect(lines).toHaveLength(4);
  for (const line of lines.slice(0, 3)) expect(line).toMatch(/^[A-Z]{12} 0\.\d+ -\d+\.\d+$/);
  expect(Number(lines[3])).toBeLessThan(-10);
});

test("docs/tutorial.md: strings with a score, and a maze whose run is evaluated exactly and reopened", async () => {
  const [strings, maze] = programsIn("docs/tutorial.md");
  const samples = await runProgram(strings);
  expect(samples).toHaveLength(5);
  for (const line of samples) expect(line).toMatch(/^[ACGT]{6} [\d.]+ -\d+\.\d\d$/);
  const [metrics, best, again] = await runProgram(maze);
  const [kl, limit] = (/KL ([\d.]+), limit ([\d.]+)/.exec(metrics) ?? []).slice(1).map(Number);
  expect(kl).toBeLessThan(0.6);
  expect(limit).toBeLessThan(kl);
  expect(best).toMatch(/^\{"column":\d,"row":\d\} -\d|^\{"row":\d,"column":\d\} -\d/);
  expect(again.split(" ")).toHaveLength(3);
});

test("docs/trained-model.md: a reopened run gives the same samples", async () => {
  const lines = await runProgram(programsIn("docs/trained-model.md")[0]);
  expect(lines).toHaveLength(5);
  const objects = lines.slice(0, 3).map((line) => line.split(" ")[0]);
  expect(lines[4]).toBe(objects.join(","));
});

test("docs/design.md: candidates of a score function, best first", async () => {
  const lines = await runProgram(programsIn("docs/design.md")[0]);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^[ACGT]{10} \d \d+$/);
  expect(lines[0].split(" ")[1] >= lines[2].split(" ")[1]).toBe(true);
});

test("docs/objectives.md: one policy is close to the targets of two preferences", async () => {
  const lines = await runProgram(programsIn("docs/objectives.md")[0]);
  expect(lines).toHaveLength(3);
  for (const line of lines.slice(0, 2)) expect(Number(line.split(" ")[1])).toBeLessThan(0.15);
  expect(lines[2]).toMatch(/^([AB]{2},){4}[AB]{2}$/);
});

test("docs/engine.md: the loss falls over 200 calls", async () => {
  const lines = programsIn("docs/engine.md")[0].split("\n");
  const call = lines.findIndex((line) => line.startsWith("const { loss } = await step.run"));
  const program = [
    "const x = Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i));",
    "const y = Float32Array.from({ length: 256 }, (_, i) => x[4 * i] * x[4 * i + 1]);",
    ...lines.slice(0, call),
    "const first = (await step.run({ x, y })).loss[0];",
    "for (let i = 0; i < 198; i++) await step.run({ x, y });",
    lines[call],
    "console.log(JSON.stringify({ first, last: loss[0] }));",
  ];
  const [line] = await runProgram(program.join("\n"));
  const { first, last } = JSON.parse(line);
  expect(last).toBeLessThan(first / 4);
});

test("docs/engine.md: the engine of a browser runs with the runtime that is provided", async () => {
  const program = [
    'import { np } from "gflownet/array";',
    'import { compile, spec } from "gflownet/engine";',
    programsIn("docs/engine.md")[1],
    'const double = await compile(({ x }) => ({ y: np.multiply(x, 2) }), { x: spec([2]) }, { engine: "web" });',
    "console.log((await double.run({ x: Float32Array.of(1, 2) })).y.join());",
  ];
  expect(await runProgram(program.join("\n"))).toEqual(["2,4"]);
});
