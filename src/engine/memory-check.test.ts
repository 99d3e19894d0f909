// Tests of the memory estimate and of the error for programs that do not fit.

import { numpy as np } from "@jax-js/jax";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  BENCHMARK_ITERATION_STATE,
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "../../test/support/benchmark-iteration.ts";
import { spec } from "./dtype.ts";
import { MemoryError } from "./errors.ts";
import { peakBytes } from "./memory-check.ts";
import { compile } from "./program.ts";
import { type ArrayFunction, type Specs, trace } from "./trace.ts";

const KIB = 1024;
/** Shape of an array of one kibibyte. */
const shape = [16, 16];

const peak = (f: ArrayFunction, specs: Specs = { x: spec(shape) }) => peakBytes(trace(f, specs));

describe("the peak of a graph", () => {
  test("includes all inputs and outputs", () => {
    expect(peak(({ x }) => ({ y: x }))).toBe(KIB);
    expect(peak(({ x }) => ({ y: np.sin(x) }))).toBe(2 * KIB);
    expect(peak(({ x }) => ({ y: np.sin(x), z: np.cos(x) }))).toBe(3 * KIB);
  });

  test("counts an intermediate result only until its last use", () => {
    // At most three arrays exist at once, for a chain of any length: x, one cosine, and the next cosine.
    const chain: ArrayFunction = ({ x }) => {
      let y = np.sin(x);
      for (let k = 0; k < 10; k++) y = np.cos(y);
      return { y };
    };
    expect(peak(chain)).toBe(3 * KIB);
    // At most seven arrays exist at once: x, five functions of x, and the sum of the first two.
    const wide: ArrayFunction = ({ x }) => {
      const terms = [np.sin, np.cos, np.exp, np.sqrt, np.arctan].map((f) => f(x));
      return { y: terms.reduce((sum, term) => np.add(sum, term)) };
    };
    expect(peak(wide)).toBe(7 * KIB);
  });

  test("depends on the element type: a boolean takes one byte", () => {
    expect(peak(({ x }) => ({ y: np.less(x, x) }))).toBe(KIB + KIB / 4);
  });

  test("does not count views", () => {
    expect(peak(({ x }) => ({ y: np.sin(np.transpose(x.reshape([4, 64]))) }))).toBe(2 * KIB);
    expect(peak(({ s }) => ({ y: np.sum(np.broadcastTo(s, [1000, 1000])) }), { s: spec([]) })).toBe(8);
  });

  test("does not subtract views when they are released", () => {
    // These arrays exist at once: x (1 KiB), s (4 bytes), and two sums of 1 KiB, the second computed from the first.
    const f: ArrayFunction = ({ x, s }) => ({
      y: np.add(np.add(x, np.broadcastTo(s, shape)), np.broadcastTo(s, shape)),
    });
    expect(peak(f, { x: spec(shape), s: spec([]) })).toBe(3 * KIB + 4);
  });

  test("counts an array until the last use of a view of it", () => {
    // Four arrays exist at once: x, its sine, its cosine, and the sum.
    const f: ArrayFunction = ({ x }) => {
      const turned = np.transpose(np.sin(x));
      return { y: np.add(np.cos(x), turned) };
    };
    expect(peak(f)).toBe(4 * KIB);
  });

  test("releases an array after the last use of a view of it", () => {
    const f: ArrayFunction = ({ x }) => ({ y: np.exp(np.exp(np.cos(np.transpose(np.sin(x))))) });
    expect(peak(f)).toBe(3 * KIB);
  });
});

describe("a program that does not fit", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const giant = (hidden: number) => {
    const { iteration, example } = benchmarkIteration(
      { ...DEFAULT_BENCHMARK_ITERATION, hidden },
      new Float32Array(4 ** 8),
    );
    return compile(iteration, example, { engine: "native", state: BENCHMARK_ITERATION_STATE });
  };

  test("throws an error with the needed and the available memory", async () => {
    vi.spyOn(process, "availableMemory").mockReturnValue(4 * 2 ** 30);
    const compilation = giant(20_000);
    await expect(compilation).rejects.toThrow(MemoryError);
    await expect(compilation).rejects.toThrow(
      /^iteration: would take about [\d.]+ GiB of memory, but about 3\.4 GiB are available; use a smaller network or batch\.$/,
    );
  });

  test("throws before anything is allocated", async () => {
    vi.spyOn(process, "availableMemory").mockReturnValue(4 * 2 ** 30);
    const before = process.memoryUsage().rss;
    await expect(giant(40_000)).rejects.toThrow(MemoryError);
    // The smallest activation of this network would be 39 MiB, a weight matrix 6 GiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
  });

  test("does not throw on a platform that does not report its free memory", async () => {
    vi.spyOn(process, "availableMemory").mockReturnValue(undefined as unknown as number);
    const program = await compile(({ x }) => ({ y: np.sin(x) }), { x: spec([2]) }, { engine: "native" });
    await program.dispose();
  });

  test("throws only above the limit", async () => {
    vi.spyOn(process, "availableMemory").mockReturnValue(2 ** 20);
    const program = await compile(({ x }) => ({ y: np.sin(x) }), { x: spec(shape) }, { engine: "native" });
    await program.dispose();
    await expect(
      compile(({ x }) => ({ y: np.sin(x) }), { x: spec([2 ** 18]) }, { engine: "native" }),
    ).rejects.toThrow(MemoryError);
  });
});
