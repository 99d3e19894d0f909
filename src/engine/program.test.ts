// Programs: what they refuse, what they keep from call to call, and that they repeat themselves exactly.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { afterEach, describe, expect, test } from "vitest";
import { train } from "../../test/support/training.ts";
import { spec, type TypedArray } from "./dtype.ts";
import { ENGINES, type EngineName } from "./engine-name.ts";
import { EngineError, InputError, NonFiniteError, TraceError } from "./errors.ts";
import { print } from "./print.ts";
import { type CompileOptions, chooseEngine, compile, type Program } from "./program.ts";
import { RandomStream } from "./rng.ts";
import type { ArrayFunction, Specs } from "./trace.ts";

/** A program whose names TypeScript does not know. */
interface Opened extends Omit<Program<string, string, string>, "run"> {
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
}

const opened: Opened[] = [];

/** A program that is disposed of after the test. */
async function open(f: ArrayFunction, example: Specs, options: CompileOptions = {}): Promise<Opened> {
  const program = (await compile(f, example, { name: "net", ...options })) as unknown as Opened;
  opened.push(program);
  return program;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((program) => program.dispose()));
});

/** Adds x to w; the loss is the logarithm of the sum, which has none if it is negative. */
const collect: ArrayFunction = ({ w, count, x }) => {
  const sum = np.add(w, x); // [2]
  return { w: sum, count: np.add(count, 1), loss: np.log(np.sum(sum)), peak: np.max(sum) };
};
const example = { w: spec([2]), count: spec([], "int32"), x: spec([2]) };
const state = ["w", "count"];
const x = (...values: number[]) => ({ x: Float32Array.from(values) });

describe("compiling refuses", () => {
  const f: ArrayFunction = ({ w, x }) => ({ w: np.sum(w), y: x });

  test("an engine that does not exist", async () => {
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

  test("state that is not returned, or not given", async () => {
    const message = (name: string) =>
      new TraceError(`net: state ${name} must be both an input and an output`);
    await expect(open(f, example, { state: ["x"] })).rejects.toThrow(message("x"));
    await expect(open(f, example, { state: ["y"] })).rejects.toThrow(message("y"));
    await expect(open(f, example, { state: ["z"] })).rejects.toThrow(message("z"));
  });

  test("state that changes its shape or type", async () => {
    await expect(open(f, example, { state: ["w"] })).rejects.toThrow(
      new TraceError("net: state w goes in as float32[2] but comes out as float32[]"),
    );
    const round: ArrayFunction = ({ w }) => ({ w: w.astype(np.int32) });
    await expect(open(round, example, { state: ["w"] })).rejects.toThrow(
      new TraceError("net: state w goes in as float32[2] but comes out as int32[2]"),
    );
  });

  test("to watch an output that is not there", async () => {
    await expect(open(f, example, { finite: ["loss"] })).rejects.toThrow(
      new TraceError("net: finite names loss, which is not an output"),
    );
  });
});

describe.each(ENGINES)("on %s", (engine) => {
  describe("a call refuses", () => {
    const wrong: [what: string, message: string, inputs: Record<string, unknown>][] = [
      ["a missing input", "net: input x is missing", {}],
      ["a surplus input", "net: y is not an input; inputs are x", { ...x(1, 2), y: new Float32Array(2) }],
      ["state as input", "net: w is not an input; inputs are x", { ...x(1, 2), w: new Float32Array(2) }],
      ["another type", "net: x must be float32[2], got Int32Array", { x: new Int32Array(2) }],
      ["doubles", "net: x must be float32[2], got Float64Array", { x: new Float64Array(2) }],
      ["a plain list", "net: x must be float32[2], got Array", { x: [1, 2] }],
      ["nothing", "net: x must be float32[2], got undefined", { x: undefined }],
      ["another length", "net: x must be float32[2], got 3 numbers", x(1, 2, 3)],
    ];

    test.each(wrong)("%s, and leaves the state alone", async (_, message, inputs) => {
      const program = await open(collect, example, { engine, state });
      await program.run(x(1, 2));
      await expect(program.run(inputs as Record<string, TypedArray>)).rejects.toThrow(
        new InputError(message),
      );
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(1));
    });
  });

  test("a call refuses bytes that are no truth values", async () => {
    const choose: ArrayFunction = ({ t }) => ({ y: np.where(t, 1, 0) });
    const program = await open(choose, { t: spec([3], "bool") }, { engine });
    expect((await program.run({ t: Uint8Array.of(1, 0, 1) })).y).toEqual(Float32Array.of(1, 0, 1));
    await expect(program.run({ t: Uint8Array.of(1, 0, 2) })).rejects.toThrow(/^net: t has 2 at index 2/);
  });

  describe("state", () => {
    test("starts at zero and is carried from call to call", async () => {
      const program = await open(collect, example, { engine, state });
      expect(await program.read("w")).toEqual(new Float32Array(2));
      await program.run(x(1, 2));
      const { peak, ...others } = await program.run(x(10, 20));
      expect(peak).toEqual(Float32Array.of(22));
      expect(Object.keys(others)).toEqual(["loss"]);
      expect(await program.read("w")).toEqual(Float32Array.of(11, 22));
      expect(await program.read("count")).toEqual(Int32Array.of(2));
    });

    test("can be written, in part too, between any two calls", async () => {
      const program = await open(collect, example, { engine, state });
      program.write({ w: Float32Array.of(5, 6) });
      await program.run(x(1, 1));
      expect(await program.read("w")).toEqual(Float32Array.of(6, 7));
      program.write({ count: Int32Array.of(40) });
      await program.run(x(1, 1));
      expect(await program.read("w")).toEqual(Float32Array.of(7, 8));
      expect(await program.read("count")).toEqual(Int32Array.of(41));
    });

    test("that comes out as it went in stays", async () => {
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
      const given = Float32Array.of(7, 8);
      program.write({ w: given });
      given.fill(99);
      expect((await program.run(x(0, 0))).peak).toEqual(Float32Array.of(8));
      expect(first.peak).toEqual(Float32Array.of(2));
    });

    test("refuses what is not finite, misshapen or not state, and then writes nothing at all", async () => {
      const program = await open(collect, example, { engine, state });
      program.write({ w: Float32Array.of(1, 2) });
      const refused: [message: string, values: Record<string, unknown>][] = [
        ["net: state w has NaN at index 1; it must be finite", { w: Float32Array.of(1, Number.NaN) }],
        ["net: state w has Infinity at index 0; it must be finite", { w: Float32Array.of(Infinity, 1) }],
        ["net: w must be float32[2], got 1 numbers", { w: new Float32Array(1) }],
        ["net: count must be int32[], got Float32Array", { count: new Float32Array(1) }],
        ["net: x is not part of the state", { x: new Float32Array(2) }],
      ];
      for (const [message, values] of refused) {
        const all = { count: Int32Array.of(9), ...values } as Record<string, TypedArray>;
        expect(() => program.write(all)).toThrow(new InputError(message));
      }
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(0));
      await expect(program.read("x")).rejects.toThrow(new InputError("net: x is not part of the state"));
    });

    test("leaves all names to outputs", async () => {
      const f: ArrayFunction = ({ w, x }) => ({ w: np.add(w, x), "next.w": np.multiply(w, 3) });
      const program = await open(f, { w: spec([2]), x: spec([2]) }, { engine, state: ["w"] });
      await program.run(x(1, 2));
      expect(await program.run(x(1, 2))).toEqual({ "next.w": Float32Array.of(3, 6) });
    });
  });

  describe("a loss that is not finite", () => {
    const watched = { engine, state, finite: ["loss", "peak"] };

    test("is reported by name, the last good state is kept, and the program goes on", async () => {
      const program = await open(collect, example, watched);
      await program.run(x(1, 2));
      const failure = program.run(x(-100, 0));
      await expect(failure).rejects.toThrow(NonFiniteError);
      await expect(failure).rejects.toThrow(
        /^net: loss is not finite in call 2; the state of the call before/,
      );
      await expect(failure).rejects.toMatchObject({ outputs: ["loss"] });
      expect(await program.read("w")).toEqual(Float32Array.of(1, 2));
      expect(await program.read("count")).toEqual(Int32Array.of(1));
      const { loss } = await program.run(x(1, 1));
      expect(loss[0]).toBeCloseTo(Math.log(5), 4);
      expect(await program.read("count")).toEqual(Int32Array.of(2));
    });

    test("is reported with all others, infinite ones too", async () => {
      const program = await open(collect, example, watched);
      await expect(program.run(x(Number.NaN, 0))).rejects.toThrow(
        /^net: loss and peak are not finite in call 1/,
      );
      await expect(program.run(x(0, 0))).rejects.toMatchObject({ outputs: ["loss"] });
      await expect(program.run(x(Infinity, 0))).rejects.toMatchObject({ outputs: ["loss", "peak"] });
      expect(await program.read("count")).toEqual(Int32Array.of(0));
    });

    test("does not show among the outputs", async () => {
      const program = await open(collect, example, watched);
      expect(Object.keys(program.outputs)).toEqual(["w", "count", "loss", "peak"]);
      expect(Object.keys(await program.run(x(1, 2)))).toEqual(["loss", "peak"]);
    });

    test("is reported wherever in an array it is", async () => {
      const each: ArrayFunction = ({ x }) => ({ y: np.log(x) });
      const program = await open(each, { x: spec([2]) }, { engine, finite: ["y"] });
      await program.run(x(1, 2));
      await expect(program.run(x(1, 0))).rejects.toMatchObject({ outputs: ["y"] });
      await expect(program.run(x(-1, 2))).rejects.toMatchObject({ outputs: ["y"] });
    });

    test("is not looked for unless asked, whatever an output is called", async () => {
      const f: ArrayFunction = ({ x }) => ({ nonFinite: np.reciprocal(x) });
      const program = await open(f, { x: spec([2]) }, { engine });
      expect(await program.run(x(1, 0))).toEqual({ nonFinite: Float32Array.of(1, Infinity) });
      await expect(open(f, { x: spec([2]) }, { engine, finite: ["nonFinite"] })).rejects.toThrow(
        new TraceError("net: an output may not be called nonFinite"),
      );
    });

    test("cannot be a whole number or a truth value", async () => {
      const f: ArrayFunction = ({ x }) => ({ whole: x.astype(np.int32), truth: np.less(x, 1) });
      const program = await open(f, { x: spec([2]) }, { engine, finite: ["whole", "truth"] });
      expect(await program.run(x(3, 0))).toEqual({ whole: Int32Array.of(3, 0), truth: Uint8Array.of(0, 1) });
    });
  });

  test("calling again before awaiting is refused, and the first call completes", async () => {
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

  test("a disposed program says so, and may be disposed of again", async () => {
    const program = await compile(collect, example, { engine, name: "net" });
    await program.dispose();
    const inputs = { ...x(1, 2), w: new Float32Array(2), count: new Int32Array(1) };
    await expect(program.run(inputs)).rejects.toThrow(/^net: .*disposed/);
    await program.dispose();
  });

  test("many calls take no more memory than a few", async () => {
    const size = 2 ** 18; // 1 MiB
    const f: ArrayFunction = ({ w, x }) => ({ w: np.add(w, x), y: np.multiply(w, x) });
    const program = await open(f, { w: spec([size]), x: spec([size]) }, { engine, state: ["w"] });
    const inputs = { x: new Float32Array(size) };
    for (let call = 0; call < 30; call++) await program.run(inputs);
    const before = process.memoryUsage().rss;
    for (let call = 0; call < 150; call++) await program.run(inputs);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  test("a program tells what it is", async () => {
    const program = await open(collect, example, { engine, state });
    expect(program).toMatchObject({ name: "net", engine, inputs: example });
    expect(program.outputs).toEqual({
      w: spec([2]),
      count: spec([], "int32"),
      loss: spec([]),
      peak: spec([]),
    });
    expect(program.compileSeconds).toBeGreaterThan(0);
    expect(String(program)).toBe(print(program.graph));
  });
});

/** One step of momentum descent on a small network: enough for every bit to matter. */
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

test("fifty steps in the program equal fifty steps threaded by hand, bit for bit", async () => {
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
    const { loss: threaded, ...next } = await outside.run({ x: batch, ...carried });
    expect(loss).toEqual(threaded);
    carried = next;
  }
  for (const name of ["weight", "velocity", "step"]) expect(await inside.read(name)).toEqual(carried[name]);
  expect(carried.step).toEqual(Int32Array.of(50));
});

describe("the benchmark iteration", () => {
  test.each([1, 2])("repeats itself bit for bit over 100 iterations on %i threads", async (threads) => {
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
