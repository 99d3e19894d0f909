// Tests of Adam after each call of a program: the engines agree with the traced update and with each other.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { expect, test } from "vitest";
import { compile, ENGINES, type EngineName, NonFiniteError, spec, TraceError } from "../../engine/index.ts";
import { RandomStream } from "../../engine/random-stream.ts";
import { type AdamUpdateOptions, adamUpdate } from "./adam-update.ts";

const SIZE = 7; // not a multiple of the four numbers of a SIMD vector
const START = RandomStream.fromSeed(3).fillUniform(new Float32Array(SIZE));

/** Minimises the sum of scale · (p − x)². */
function program(engine: EngineName, options: Partial<AdamUpdateOptions> = {}) {
  const f = ({ p, x }: Record<"p" | "p.m" | "p.v" | "p.step" | "rate" | "x", np.Array>) => {
    const loss = (flat: np.Array) => {
      const [first, rest] = np.split(flat, [3]);
      const [x1, x2] = np.split(x, [3]);
      const square = (a: np.Array, b: np.Array) => np.sum(np.multiply(np.subtract(a, b), np.subtract(a, b)));
      return np.add(square(first, x1), np.multiply(square(rest, x2), 3)); // []
    };
    const [value, gradient] = valueAndGrad(loss)(p);
    return { loss: value, slope: gradient };
  };
  const vector = spec([SIZE]);
  return compile(
    f,
    { p: vector, "p.m": vector, "p.v": vector, "p.step": spec([], "int32"), rate: spec([]), x: vector },
    {
      name: "fit",
      engine,
      finite: ["loss"],
      updates: [adamUpdate("p", { gradient: "slope", rate: "rate", norm: "norm", ...options })],
    },
  );
}

/** Parameters, moments and norms after some calls. */
async function run(engine: EngineName, options: Partial<AdamUpdateOptions> = {}, calls = 20) {
  const fit = (await program(engine, options)) as unknown as Awaited<ReturnType<typeof compile>>;
  fit.write({ p: START } as never);
  const norms: number[] = [];
  for (let i = 0; i < calls; i++) {
    const rate = Float32Array.of(0.1 / (1 + i));
    const outputs = await fit.run({ rate, x: new Float32Array(SIZE).fill(2) } as never);
    expect(Object.keys(outputs).sort()).toEqual(["loss", "norm"]);
    norms.push((outputs as Record<string, Float32Array>).norm[0]);
  }
  const state = await Promise.all(["p", "p.m", "p.v", "p.step"].map((name) => fit.read(name as never)));
  await fit.dispose();
  return { norms, state };
}

const rateScale = Float32Array.of(1, 0, 2, 1, 1, 0.5, 1);
const CASES: [string, Partial<AdamUpdateOptions>][] = [
  ["with defaults", {}],
  ["with clipping", { clip: 2 }],
  ["with scales of the learning rate", { rateScale }],
  ["with other decays", { beta1: 0.5, beta2: 0.9, epsilon: 0.01 }],
];

test.each(CASES)("the update in place is the traced one, %s", async (_, options) => {
  const [native, jax] = [await run("native", options), await run("jax", options)];
  native.norms.forEach((norm, i) => {
    expect(norm / jax.norms[i]).toBeCloseTo(1, 4);
  });
  native.state.forEach((values, i) => {
    values.forEach((value, j) => {
      const expected = jax.state[i][j];
      expect(Math.abs(value - expected)).toBeLessThan(2e-5 * (1 + Math.abs(expected)));
    });
  });
  expect(native.state[3][0]).toBe(20);
});

test("a scale of 0 holds a parameter, and the others approach the minimum", async () => {
  const { state } = await run("native", { rateScale }, 200);
  expect(state[0][1]).toBe(START[1]);
  const distance = (values: ArrayLike<number>) => Math.abs(values[0] - 2);
  expect(distance(state[0])).toBeLessThan(0.7 * distance(START));
});

test.each(ENGINES)("a call whose loss is not finite changes nothing, on %s", async (engine) => {
  const fit = (await program(engine)) as unknown as Awaited<ReturnType<typeof compile>>;
  fit.write({ p: START } as never);
  const inputs = (x: number) => ({ rate: Float32Array.of(0.1), x: new Float32Array(SIZE).fill(x) }) as never;
  await fit.run(inputs(1));
  const read = () => Promise.all(["p", "p.m", "p.v", "p.step"].map((name) => fit.read(name as never)));
  const before = await read();
  await expect(fit.run(inputs(1e30))).rejects.toThrow(NonFiniteError);
  expect(await read()).toEqual(before);
  await fit.run(inputs(1));
  expect((await read())[3][0]).toBe(2);
  await fit.dispose();
});

test("a state that is written and read again goes on with the same bits", async () => {
  const fit = (await program("native")) as unknown as Awaited<ReturnType<typeof compile>>;
  const names = ["p", "p.m", "p.v", "p.step"];
  const call = () => fit.run({ rate: Float32Array.of(0.1), x: new Float32Array(SIZE) } as never);
  const read = () => Promise.all(names.map((name) => fit.read(name as never)));
  fit.write({ p: START } as never);
  await call();
  const saved = await read();
  await call();
  const after = await read();
  fit.write(Object.fromEntries(names.map((name, i) => [name, saved[i]])) as never);
  await call();
  expect(await read()).toEqual(after);
  await fit.dispose();
});

test("a gradient of another shape is refused", async () => {
  const compiled = compile(
    ({ p }) => ({ slope: np.sum(p) }),
    { p: spec([3]) },
    {
      name: "fit",
      updates: [adamUpdate("p", { gradient: "slope", rate: "rate", norm: "norm" })],
      engine: "native",
    },
  );
  await expect(compiled).rejects.toThrow(TraceError);
  await expect(compiled).rejects.toThrow(
    "fit: slope must have the shape and type of p, float32[3], got float32[]",
  );
});
