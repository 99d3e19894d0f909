// Tests of the native engine: threads, error messages, and the fallback without its library.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { numpy as np } from "@jax-js/jax";
import { describe, expect, test, vi } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { train } from "../../test/support/training.ts";
import { chooseEngine, nativeProblem } from "./choose-engine.ts";
import { spec } from "./dtype.ts";
import { EngineError } from "./errors.ts";
import { openModel } from "./native.ts";
import { loadRuntime } from "./onnx-runtime.ts";
import { compile } from "./program.ts";

describe("with the library installed", () => {
  test("native is the default engine", async () => {
    expect(await nativeProblem()).toBeUndefined();
    expect(await chooseEngine()).toBe("native");
    expect(await chooseEngine("native")).toBe("native");
    expect(await chooseEngine("jax")).toBe("jax");
    expect(await loadRuntime()).toHaveProperty("InferenceSession");
  });

  test("a program runs with the requested number of threads, by default one", async () => {
    const create = vi.spyOn((await loadRuntime()).InferenceSession, "create");
    for (const threads of [undefined, 2]) {
      const program = await compile(({ x }) => ({ y: np.sin(x) }), { x: spec([2]) }, { threads });
      await program.dispose();
    }
    const sessionOptions = create.mock.calls.map((call) => (call as unknown[])[1]);
    create.mockRestore();
    expect(sessionOptions).toMatchObject([{ intraOpNumThreads: 1 }, { intraOpNumThreads: 2 }]);
  });

  test("an output may have the name but not the shape of an input, and state may have any rank", async () => {
    const program = await compile(
      ({ x, vector, matrix, number }) => ({
        x: np.multiply(np.sum(x), vector), // [3]
        vector: np.add(vector, 1), // [3]
        matrix: np.multiply(matrix, number), // [1, 2]
        number: np.add(number, 1), // []
      }),
      { x: spec([2, 2]), vector: spec([3]), matrix: spec([1, 2]), number: spec([]) },
      { name: "names", engine: "native", state: ["vector", "matrix", "number"] },
    );
    program.write({
      vector: Float32Array.of(1, 2, 3),
      matrix: Float32Array.of(1, -1),
      number: Float32Array.of(2),
    });
    const x = Float32Array.of(1, 1, 1, 1);
    expect([...(await program.run({ x })).x]).toEqual([4, 8, 12]);
    expect([...(await program.run({ x })).x]).toEqual([8, 12, 16]);
    expect([...(await program.read("vector"))]).toEqual([3, 4, 5]);
    expect([...(await program.read("matrix"))]).toEqual([6, -6]);
    expect([...(await program.read("number"))]).toEqual([4]);
    await program.dispose();
  });

  test("one, two and three threads give the same results within float32 accuracy", async () => {
    const [one, ...others] = await Promise.all(
      [1, 2, 3].map((threads) => train({ engine: "native", threads, hidden: 64, iterations: 3 })),
    );
    for (const other of others) {
      expect(relativeDifference(other.losses, one.losses)).toBeLessThan(1e-4);
      expect(relativeDifference(other.policy, one.policy)).toBeLessThan(1e-4);
    }
  });
});

describe("errors of ONNX Runtime become EngineErrors", () => {
  test("for bytes that are not a model", async () => {
    const signature = { name: "broken", inputs: {}, outputs: {}, state: [] };
    const opening = openModel(Uint8Array.of(1, 2, 3), signature, 1);
    await expect(opening).rejects.toThrow(EngineError);
    await expect(opening).rejects.toThrow(/^broken: ONNX Runtime rejected the program: /);
  });
});

describe("without the library", () => {
  const RESOLVE = `export async function resolve(specifier, context, next) {
    if (specifier.startsWith("onnxruntime-node")) throw new Error("Cannot find package 'onnxruntime-node'");
    return next(specifier, context);
  }`;
  const moduleOf = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(moduleOf(RESOLVE))});`;

  test("the error is one sentence, programs run on jax, and one warning says so", async () => {
    const script = fileURLToPath(new URL("../../test/support/without-native.ts", import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      "--import",
      "tsx",
      "--import",
      moduleOf(REGISTER),
      script,
    ]);
    const problem =
      "The native library in onnxruntime-node cannot be loaded (Cannot find package 'onnxruntime-node'); " +
      "reinstall it with: npm ci";
    expect(JSON.parse(stdout)).toEqual({
      problem,
      chosen: "jax",
      rejection: { name: "EngineError", message: problem },
      engine: "jax",
      y: [1, 4, 9],
    });
    expect(stderr.match(/EngineWarning: The native engine is missing/g)).toHaveLength(1);
    expect(stderr).toContain(problem);
  });
});
