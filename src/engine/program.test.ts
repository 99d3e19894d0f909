// Tests of programs: rejected inputs, state between calls, and bit-exact repeatability.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { afterEach, describe, expect, test } from "vitest";
import { train } from "../../test/support/training.ts";
import { chooseEngine } from "./choose-engine.ts";
import { spec, type TypedArray } from "./dtype.ts";
import { ENGINES, type EngineName } from "./engine-name.ts";
import { EngineError, InputError, NonFiniteError, TraceError } from "./errors.ts";
import { printGraph } from "./print.ts";
import { type CompileOptions, compile, type Program } from "./program.ts";
import { RandomStream } from "./random-stream.ts";
import type { ArrayFunction, Specs } from "./trace.ts";

/** A program with arbitrary names of inputs and outputs. */
interface UntypedProgram extends Omit<Program<string, string, string>, "run"> {
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
}

const opened: UntypedProgram[] = [];

/** Compiles a program that is disposed of after the test. */
async function open(f: ArrayFunction, example: Specs, options: CompileOptions = {}): Promise<UntypedProgram> {
  const program = (await compile(f, example, { name: "net", ...options })) as unknown as UntypedProgram;
  opened.push(program);
  return program;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((program) => program.dispose()));
});

/** Adds x to w. The loss is the logarithm of the sum, which is NaN for a negative sum. */
const collect: ArrayFunction = ({ w, count, x }) => {
  const sum = np.add(w, x); // [2]
  return { w: sum, count: np.add(count, 1), loss: np.log(np.sum(sum)), peak: np.max(sum) };
};
const example = { w: spec([2]), count: spec([], "int32"), x: spec([2]) };
const state = ["w", "count"];
const x = (...values: number[]) => ({ x: Float32Array.from(values) });

describe("compile rejects", () => {
  const f: ArrayFunction = ({ w, x }) => ({ w: np.sum(w), y: x });

  test("an unknown engine", async () => {
    const engine = "tpu" as EngineName;
    await expect(open(f, example, { engine })).rejects.toThrow(
      new EngineError('Unknown engine "tpu"; engines are: native, jax.'),
    );
    await expect(chooseEngine("Native")).rejects.toThrow(EngineError);
  });

  test.each([0, -1, 1.5, Number.NaN])("%d threads", async (threads) => {
    await expect(open(f, example, { threads })).rejects.toThrow(
      new EngineError(`net: threads must be a whole number of at least 1, got ${threads}`),
    );
  });

  test("state that is not both input and output", async () => {
    const message = (name: string) =>
      new TraceError(`net: state ${name} must be both an input and an output`);
    await expect(open(f, example, { state: ["x"] })).rejects.toThrow(message("x"));
    await expect(open(f, example, { state: ["y"] })).rejects.toThrow(message("y"));
    await expect(open(f, example, { state: ["z"] })).rejects.toThrow(message("z"));
  });

  test("state that changes its shape or type", async () => {
    await expect(open(f, example, { state: ["w"] })).rejects.toThrow(
      new TraceError(
        "net: state w must keep its shape and type, got float32[2] as input and float32[] as output",
      ),
    );
    const round: ArrayFunction = ({ w }) => ({ w: w.astype(np.int32) });
    await expect(open(round, example, { state: ["w"] })).rejects.toThrow(
      new TraceError(
        "net: state w must keep its shape and type, got float32[2] as input and int32[2] as output",
      ),
    );
  });

  test("a finiteness check of an unknown output", async () => {
    await expect(open(f, example, { finite: ["loss"] })).rejects.toThrow(
      new TraceError("net: finite names loss, which is not an output"),
    );
  });
});

describe.each(ENGINES)("on %s", (engine) => {
  describe("a call rejects", () => {
    const wrong: [name: string, message: string, inputs: Record<string, unknown>][] = [
      ["a missing input", "net: input x is missing", {}],
      ["an unknown input", "net: y is not an input; inputs are x", { ...x(1, 2), y: new Float32Array(2) }],
      ["state as input", "net: w is not an input; inputs are x", { ...x(1, 2), w: new Float32Array(2) }],
      ["another type", "net: x must be float32[2], got Int32Array", { x: new Int32Array(2) }],
      ["doubles", "net: x must be float32[2], got Float64Array", { x: new Float64Array(2) }],
      ["a plain list", "net: x must be float32[2], got Array", { x: [1, 2] }],
      ["undefined", "net: x must be float32[2], got undefined", { x: undefined }],
      ["another length", "net: x must be float32[2], got 3 numbers", x(1, 2, 3)],
    ];

    test.each(wrong)("%s, and the state stays unchanged", async (_, message, inputs) => {
      const program = await open(collect, example, { engine, state });
      await program.run(x(1, 2));
      await expect(program.run(inputs as Record<string, TypedArray>)).rejects.toThrow(
        new InputError(message),
      );
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(1));
    });
  });

  test("a call rejects booleans other than 0 and 1", async () => {
    const choose: ArrayFunction = ({ t }) => ({ y: np.where(t, 1, 0) });
    const program = await open(choose, { t: spec([3], "bool") }, { engine });
    expect((await program.run({ t: Uint8Array.of(1, 0, 1) })).y).toEqual(Float32Array.of(1, 0, 1));
    await expect(program.run({ t: Uint8Array.of(1, 0, 2) })).rejects.toThrow(/^net: t has 2 at index 2/);
  });

  describe("state", () => {
    test("starts at zero and is kept from call to call", async () => {
      const program = await open(collect, example, { engine, state });
      expect(await program.read("w")).toEqual(new Float32Array(2));
      await program.run(x(1, 2));
      const { peak, ...others } = await program.run(x(10, 20));
      expect(peak).toEqual(Float32Array.of(22));
      expect(Object.keys(others)).toEqual(["loss"]);
      expect(await program.read("w")).toEqual(Float32Array.of(11, 22));
      expect(await program.read("count")).toEqual(Int32Array.of(2));
    });

    test("can be written between calls, also in part", async () => {
      const program = await open(collect, example, { engine, state });
      program.write({ w: Float32Array.of(5, 6) });
      await program.run(x(1, 1));
      expect(await program.read("w")).toEqual(Float32Array.of(6, 7));
      program.write({ count: Int32Array.of(40) });
      await program.run(x(1, 1));
      expect(await program.read("w")).toEqual(Float32Array.of(7, 8));
      expect(await program.read("count")).toEqual(Int32Array.of(41));
    });

    test("that the function returns unchanged stays", async () => {
      const still: ArrayFunction = ({ w, x }) => ({ w, y: np.add(w, x) });
      const program = await open(still, { w: spec([2]), x: spec([2]) }, { engine, state: ["w"] });
      program.write({ w: Float32Array.of(3, 4) });
      for (let call = 0; call < 3; call++) {
        expect((await program.run(x(1, 1))).y).toEqual(Float32Array.of(4, 5));
      }
      expect(await program.read("w")).toEqual(Float32Array.of(3, 4));
    });

    test("is copied in and out, not shared", async () => {
      const program = await open(collect, example, { engine, state });
      const first = await program.run(x(1, 2));
      (await program.read("w")).fill(99);
      expect((await program.run(x(0, 0))).peak).toEqual(Float32Array.of(2));
      const written = Float32Array.of(7, 8);
      program.write({ w: written });
      written.fill(99);
      expect((await program.run(x(0, 0))).peak).toEqual(Float32Array.of(8));
      expect(first.peak).toEqual(Float32Array.of(2));
    });

    test("rejects non-finite, wrongly shaped and unknown arrays, and then writes nothing", async () => {
      const program = await open(collect, example, { engine, state });
      program.write({ w: Float32Array.of(1, 2) });
      const invalid: [message: string, values: Record<string, unknown>][] = [
        ["net: state w has NaN at index 1; it must be finite", { w: Float32Array.of(1, Number.NaN) }],
        ["net: state w has Infinity at index 0; it must be finite", { w: Float32Array.of(Infinity, 1) }],
        ["net: w must be float32[2], got 1 numbers", { w: new Float32Array(1) }],
        ["net: count must be int32[], got Float32Array", { count: new Float32Array(1) }],
        ["net: x is not part of the state", { x: new Float32Array(2) }],
      ];
      for (const [message, values] of invalid) {
        const all = { count: Int32Array.of(9), ...values } as Record<string, TypedArray>;
        expect(() => program.write(all)).toThrow(new InputError(message));
      }
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(0));
      await expect(program.read("x")).rejects.toThrow(new InputError("net: x is not part of the state"));
    });

    test("does not restrict the names of outputs", async () => {
      const f: ArrayFunction = ({ w, x }) => ({ w: np.add(w, x), "next.w": np.multiply(w, 3) });
      const program = await open(f, { w: spec([2]), x: spec([2]) }, { engine, state: ["w"] });
      await program.run(x(1, 2));
      expect(await program.run(x(1, 2))).toEqual({ "next.w": Float32Array.of(3, 6) });
    });
  });

  describe("a non-finite output", () => {
    const checked = { engine, state, finite: ["loss", "peak"] };

    test("is reported by name, the last finite state is kept, and the program remains usable", async () => {
      const program = await open(collect, example, checked);
      await program.run(x(1, 2));
      const failure = program.run(x(-100, 0));
      await expect(failure).rejects.toThrow(NonFiniteError);
      await expect(failure).rejects.toThrow(
        /^net: loss is not finite in call 2; the program keeps the state of the previous call/,
      );
      await expect(failure).rejects.toMatchObject({ outputs: ["loss"] });
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(1));
      const { loss } = await program.run(x(1, 1));
      expect(loss[0]).toBeCloseTo(Math.log(5), 4);
      expect(await program.read("count")).toEqual(Int32Array.of(2));
    });

    test("is reported together with all others, NaN and infinite", async () => {
      const program = await open(collect, example, checked);
      await expect(program.run(x(Number.NaN, 0))).rejects.toThrow(
        /^net: loss and peak are not finite in call 1/,
      );
      await expect(program.run(x(0, 0))).rejects.toMatchObject({ outputs: ["loss"] });
      await expect(program.run(x(Infinity, 0))).rejects.toMatchObject({ outputs: ["loss", "peak"] });
      expect(await program.read("count")).toEqual(Int32Array.of(0));
    });

    test("adds no visible output for the check", async () => {
      const program = await open(collect, example, checked);
      expect(Object.keys(program.outputs)).toEqual(["w", "count", "loss", "peak"]);
      expect(Object.keys(await program.run(x(1, 2)))).toEqual(["loss", "peak"]);
    });

    test("is found at any position of an array", async () => {
      const each: ArrayFunction = ({ x }) => ({ y: np.log(x) });
      const program = await open(each, { x: spec([2]) }, { engine, finite: ["y"] });
      await program.run(x(1, 2));
      await expect(program.run(x(1, 0))).rejects.toMatchObject({ outputs: ["y"] });
      await expect(program.run(x(-1, 2))).rejects.toMatchObject({ outputs: ["y"] });
    });

    test("is not checked without the option, and the name of the check's output is reserved with it", async () => {
      const f: ArrayFunction = ({ x }) => ({ nonFinite: np.reciprocal(x) });
      const program = await open(f, { x: spec([2]) }, { engine });
      expect(await program.run(x(1, 0))).toEqual({ nonFinite: Float32Array.of(1, Infinity) });
      await expect(open(f, { x: spec([2]) }, { engine, finite: ["nonFinite"] })).rejects.toThrow(
        new TraceError("net: the output name nonFinite is reserved; rename that output"),
      );
    });

    test("cannot be an integer or a boolean", async () => {
      const f: ArrayFunction = ({ x }) => ({ integers: x.astype(np.int32), booleans: np.less(x, 1) });
      const program = await open(f, { x: spec([2]) }, { engine, finite: ["integers", "booleans"] });
      expect(await program.run(x(3, 0))).toEqual({
        integers: Int32Array.of(3, 0),
        booleans: Uint8Array.of(0, 1),
      });
    });
  });

  test("a call before the previous one is awaited is rejected, and the first call completes", async () => {
    const program = await open(collect, example, { engine, state });
    const message = new InputError("net: used again before the previous call was awaited");
    const first = program.run(x(1, 2));
    await expect(program.run(x(1, 2))).rejects.toThrow(message);
    expect((await first).peak).toEqual(Float32Array.of(2));
    const second = program.run(x(1, 2));
    expect(() => program.write({ w: new Float32Array(2) })).toThrow(message);
    await expect(program.read("w")).rejects.toThrow(message);
    await second;
    expect(await program.read("count")).toEqual(Int32Array.of(2));
  });

  test("a disposed program rejects calls, and may be disposed of again", async () => {
    const program = await compile(collect, example, { engine, name: "net" });
    await program.dispose();
    const inputs = { ...x(1, 2), w: new Float32Array(2), count: new Int32Array(1) };
    await expect(program.run(inputs)).rejects.toThrow(/^net: .*disposed/);
    await program.dispose();
  });

  test("memory does not grow with the number of calls", async () => {
    const size = 2 ** 18; // 1 MiB
    const f: ArrayFunction = ({ w, x }) => ({ w: np.add(w, x), y: np.multiply(w, x) });
    const program = await open(f, { w: spec([size]), x: spec([size]) }, { engine, state: ["w"] });
    const inputs = { x: new Float32Array(size) };
    for (let call = 0; call < 30; call++) await program.run(inputs);
    const before = process.memoryUsage().rss;
    for (let call = 0; call < 150; call++) await program.run(inputs);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  test("a program has its name, engine, specs and graph as properties", async () => {
    const program = await open(collect, example, { engine, state });
    expect(program).toMatchObject({ name: "net", engine, inputs: example });
    expect(program.outputs).toEqual({
      w: spec([2]),
      count: spec([], "int32"),
      loss: spec([]),
      peak: spec([]),
    });
    expect(program.compileSeconds).toBeGreaterThan(0);
    expect(String(program)).toBe(printGraph(program.graph));
  });
});

/** One step of gradient descent with momentum on a small network. Any difference in a bit would grow over steps. */
const descend: ArrayFunction = ({ weight, velocity, step, x }) => {
  const loss = (w: np.Array) => {
    const hidden = np.sin(np.matmul(x, w)); // [4, 3]
    return np.mean(np.multiply(hidden, hidden)); // []
  };
  const [value, slope] = valueAndGrad(loss)(weight);
  const next = np.add(np.multiply(velocity, 0.9), slope); // [5, 3]
  const rate = np.divide(0.1, np.add(step.astype(np.float32), 1)); // []
  return {
    weight: np.subtract(weight, np.multiply(next, rate)),
    velocity: next,
    step: np.add(step, 1),
    loss: value,
  };
};

test("fifty steps with internal state equal fifty steps with external state, bit for bit", async () => {
  const specs = { weight: spec([5, 3]), velocity: spec([5, 3]), step: spec([], "int32"), x: spec([4, 5]) };
  const inside = await open(descend, specs, { engine: "native", state: ["weight", "velocity", "step"] });
  const outside = await open(descend, specs, { engine: "native" });
  const stream = RandomStream.fromSeed(0);
  const weight = stream.fillUniform(new Float32Array(15));
  inside.write({ weight });
  let carried: Record<string, TypedArray> = {
    weight,
    velocity: new Float32Array(15),
    step: new Int32Array(1),
  };
  for (let step = 0; step < 50; step++) {
    const batch = stream.fillUniform(new Float32Array(20));
    const { loss } = await inside.run({ x: batch });
    const { loss: expected, ...next } = await outside.run({ x: batch, ...carried });
    expect(loss).toEqual(expected);
    carried = next;
  }
  for (const name of ["weight", "velocity", "step"]) expect(await inside.read(name)).toEqual(carried[name]);
  expect(carried.step).toEqual(Int32Array.of(50));
});

describe("the benchmark iteration", () => {
  test.each([1, 2])("is repeatable bit for bit over 100 iterations with %i threads", async (threads) => {
    const request = { engine: "native", threads, iterations: 100 } as const;
    const [first, second] = [await train(request), await train(request)];
    expect(second).toEqual(first);
    expect(new Set(first.losses).size).toBeGreaterThan(90);
  });

  test("learns: its last ten losses are well below its first ten", async () => {
    const { losses } = await train({ engine: "native", iterations: 300 });
    const mean = (part: number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
    expect(mean(losses.slice(-10))).toBeLessThan(0.8 * mean(losses.slice(0, 10)));
  });

  test("has nearly the same loss on both engines after one iteration", async () => {
    const [native, jax] = await Promise.all(ENGINES.map((engine) => train({ engine, iterations: 1 })));
    expect(Math.abs(native.losses[0] / jax.losses[0] - 1)).toBeLessThan(1e-3);
  });
});
