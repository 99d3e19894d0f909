// Tests that both engines agree with the float64 interpreter on random programs over all operations.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { TOLERANCE } from "../../test/support/on-engines.ts";
import { type RandomProgram, randomProgram } from "../../test/support/random-program.ts";
import { compile, type EngineName, type Graph, interpret, spec } from "./index.ts";
import { lowerings } from "./onnx/operators.ts";
import { primitives } from "./primitives.ts";
import { trace } from "./trace.ts";

const PROGRAMS = 200;
const BATCH = 25;

/** Counts the programs in which a name appears. */
class NameCounter {
  readonly #counts = new Map<string, number>();

  add(names: Iterable<string>): void {
    for (const name of new Set(names)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Names that appear in fewer programs than the minimum. */
  rare(names: readonly string[], minimum: number): string[] {
    return names.filter((name) => (this.#counts.get(name) ?? 0) < minimum);
  }
}

const operations = new NameCounter();
const primitivesSeen = new NameCounter();

const opsOf = (graph: Graph) => graph.nodes.map(({ op }) => op);

/** Traces a program and records which primitives of jax-js it uses. */
function traceCounting(program: RandomProgram): Graph {
  const used: string[] = [];
  const rules = primitives as Record<string, (typeof primitives)[string]>;
  const originals = { ...primitives };
  for (const [name, rule] of Object.entries(originals)) {
    rules[name] = (equation) => {
      used.push(name);
      return rule(equation);
    };
  }
  try {
    return trace(program.f, program.example, program.name);
  } finally {
    Object.assign(rules, originals);
    primitivesSeen.add(used);
  }
}

describe("random programs", () => {
  for (let start = 0; start < PROGRAMS; start += BATCH) {
    test(`${start} to ${start + BATCH - 1} agree on native, jax and float64`, async () => {
      for (let seed = start; seed < start + BATCH; seed++) {
        const program = randomProgram(seed);
        const { name, f, example, inputs } = program;
        const traced = traceCounting(program);
        const native = await compile(f, example, { name, engine: "native" });
        const jax = await compile(f, example, { name, engine: "jax" });
        operations.add([...opsOf(traced), ...opsOf(native.graph)]);
        const reference = interpret(traced, inputs);
        const results = { native: await native.run(inputs), jax: await jax.run(inputs) };
        for (const [engine, outputs] of Object.entries(results)) {
          for (const key of Object.keys(reference)) {
            const difference = relativeDifference(outputs[key], reference[key]);
            if (difference < TOLERANCE[engine as EngineName]) continue;
            // The program is printed only if results differ, because printing every program would take long.
            expect.fail(`${name} ${key} on ${engine} differs by ${difference}\n${native}`);
          }
        }
        await native.dispose();
        await jax.dispose();
      }
    });
  }

  test("every operation that can be lowered appears in at least 20 of them", () => {
    expect(operations.rare(Object.keys(lowerings), 20)).toEqual([]);
  });

  test("every primitive of jax-js that can be traced appears in at least 20 of them", () => {
    expect(primitivesSeen.rare(Object.keys(primitives), 20)).toEqual([]);
  });
});

describe.each(["native", "jax"] as const)("on %s", (engine) => {
  test("indices outside an axis are clamped to it", async () => {
    const program = await compile(
      ({ table, row, column }) => ({
        rows: np.take(table, row, 0),
        cells: table.slice(row, column),
        back: grad((t: np.Array) => np.take(t, row, 0).sum())(table),
      }),
      { table: spec([3, 2]), row: spec([3], "int32"), column: spec([3], "int32") },
      { name: "lookup", engine },
    );
    const { rows, cells, back } = await program.run({
      table: Float32Array.of(1, 2, 3, 4, 5, 6),
      row: Int32Array.of(-1, 7, 1),
      column: Int32Array.of(5, -3, 1),
    });
    expect(Array.from(rows)).toEqual([1, 2, 5, 6, 3, 4]);
    expect(Array.from(cells)).toEqual([2, 5, 4]);
    expect(Array.from(back)).toEqual([1, 1, 1, 1, 1, 1]);
    await program.dispose();
  });

  test("a hundred arrays are concatenated", async () => {
    const program = await compile(
      ({ x }) => ({
        y: np.concatenate(
          Array.from({ length: 100 }, (_, k) => np.sin(x.add(k))),
          0,
        ),
      }),
      { x: spec([2]) },
      { name: "join", engine },
    );
    const { y } = await program.run({ x: Float32Array.of(0, 0.5) });
    expect(y).toHaveLength(200);
    expect(y[150]).toBeCloseTo(Math.sin(75), 4);
    expect(y[151]).toBeCloseTo(Math.sin(75.5), 4);
    await program.dispose();
  });

  test("boolean matrices are multiplied", async () => {
    const program = await compile(
      ({ a, b }) => ({ y: np.matmul(a, b) }),
      { a: spec([2, 3], "bool"), b: spec([3, 2], "bool") },
      { name: "relation", engine },
    );
    const { y } = await program.run({
      a: Uint8Array.of(1, 1, 0, 0, 0, 1),
      b: Uint8Array.of(1, 0, 1, 0, 0, 0),
    });
    expect(Array.from(y)).toEqual([1, 0, 0, 0]);
    await program.dispose();
  });
});
