// Tests of the web engine, with ONNX Runtime for WebAssembly in Node. Only the first test runs without a runtime.

import { numpy as np } from "@jax-js/jax";
import * as ort from "onnxruntime-web";
import { expect, test, vi } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { randomProgram } from "../../test/support/random-program.ts";
import { train } from "../../test/support/training.ts";
import {
  chooseEngine,
  compile,
  EngineError,
  interpret,
  NonFiniteError,
  simplify,
  spec,
  trace,
} from "./index.ts";
import { provideWebRuntime } from "./web-runtime.ts";

test("without a runtime a program is refused, with the remedy", async () => {
  const compiled = compile(
    ({ x }) => ({ y: np.multiply(x, 2) }),
    { x: spec([2]) },
    { name: "double", engine: "web" },
  );
  await expect(compiled).rejects.toThrow(EngineError);
  await expect(compiled).rejects.toThrow(
    "double: the web engine needs a runtime; load onnxruntime-web and call provideWebRuntime",
  );
});

test("in Node a runtime is used only on request", async () => {
  provideWebRuntime(ort);
  expect(await chooseEngine()).toBe("native");
  expect(await chooseEngine("web")).toBe("web");
});

test("without SIMD a program is refused, with the remedy", async () => {
  const validate = vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
  try {
    const compiled = compile(({ x }) => ({ y: np.multiply(x, 2) }), { x: spec([2]) }, { engine: "web" });
    await expect(compiled).rejects.toThrow(
      "program: the web engine needs WebAssembly with SIMD, which is missing here; use a newer browser",
    );
  } finally {
    validate.mockRestore();
  }
});

test("an output belongs to the caller: later calls leave it as it is", async () => {
  const program = await compile(({ x }) => ({ y: np.multiply(x, 2) }), { x: spec([2]) }, { engine: "web" });
  const { y } = await program.run({ x: Float32Array.of(1, 2) });
  await program.run({ x: Float32Array.of(3, 4) });
  await program.dispose();
  expect([...y]).toEqual([2, 4]);
});

test("random programs agree with float64", async () => {
  for (let seed = 0; seed < 12; seed++) {
    const { name, f, example, inputs } = randomProgram(seed);
    const expected = interpret(simplify(trace(f, example, name)), inputs);
    const program = await compile(f, example, { name, engine: "web" });
    const outputs = await program.run(inputs);
    await program.dispose();
    for (const [key, values] of Object.entries(expected)) {
      expect(relativeDifference(outputs[key], values), `${key} of program ${seed}`).toBeLessThan(1e-4);
    }
  }
});

test("training has the losses of the native engine", async () => {
  const [web, native] = [
    await train({ engine: "web", iterations: 20 }),
    await train({ engine: "native", iterations: 20 }),
  ];
  expect(relativeDifference(web.losses, native.losses)).toBeLessThan(1e-4);
  expect(relativeDifference(web.policy, native.policy)).toBeLessThan(1e-3);
});

test("state is kept, written and read, and a call that fails leaves it", async () => {
  const program = await compile(
    ({ total, x }) => ({ total: np.add(total, x), root: np.sqrt(x) }),
    { total: spec([2]), x: spec([2]) },
    { engine: "web", state: ["total"], finite: ["root"] },
  );
  program.write({ total: Float32Array.of(1, 2) });
  await program.run({ x: Float32Array.of(4, 9) });
  await expect(program.run({ x: Float32Array.of(-1, 0) })).rejects.toThrow(NonFiniteError);
  expect([...(await program.read("total"))]).toEqual([5, 11]);
  await program.dispose();
});
