// The engines agree with each other, and with float64, on random programs over every operation.

import { describe, expect, test } from "vitest";
import { compile, type Graph, interpret } from "../src/engine/index.ts";
import { lowerings } from "../src/engine/onnx/operators.ts";
import { trace } from "../src/engine/trace.ts";
import { relativeDifference } from "./support/difference.ts";
import { randomProgram } from "./support/random-program.ts";

const PROGRAMS = 300;
const BATCH = 25;

const appearances = new Map<string, number>();

function count(...graphs: Graph[]): void {
  const ops = new Set(graphs.flatMap((graph) => graph.nodes.map(({ op }) => op)));
  for (const op of ops) appearances.set(op, (appearances.get(op) ?? 0) + 1);
}

describe("random programs", () => {
  for (let start = 0; start < PROGRAMS; start += BATCH) {
    test(`${start} to ${start + BATCH - 1} agree on native, jax and float64`, async () => {
      for (let seed = start; seed < start + BATCH; seed++) {
        const { name, f, example, inputs } = randomProgram(seed);
        const traced = trace(f, example, name);
        const native = await compile(f, example, { name, engine: "native" });
        const jax = await compile(f, example, { name, engine: "jax" });
        count(traced, native.graph);
        const reference = interpret(traced, inputs);
        const results = { native: await native.run(inputs), jax: await jax.run(inputs) };
        for (const [engine, outputs] of Object.entries(results)) {
          for (const key of Object.keys(reference)) {
            const label = `${name} ${key} on ${engine}\n${native}`;
            expect(relativeDifference(outputs[key], reference[key]), label).toBeLessThan(
              engine === "native" ? 1e-4 : 1e-3,
            );
          }
        }
        await native.dispose();
        await jax.dispose();
      }
    });
  }

  test("every operation that can be lowered appears in at least 20 of them", () => {
    const rare = Object.keys(lowerings).filter((op) => (appearances.get(op) ?? 0) < 20);
    expect(rare).toEqual([]);
  });
});
