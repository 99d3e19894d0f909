// Tests that an optimiser step is clipping followed by the update of the optimiser: bit-identical results and equal graphs.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { randomInput } from "../../../test/support/gradients.ts";
import { compile, printGraph, simplify, spec, trace } from "../../engine/index.ts";
import { type AdamOptions, adam, adamW } from "./adam.ts";
import { clipByGlobalNorm } from "./clip.ts";
import { optimiserStep } from "./optimiser-step.ts";

const SIZE = 5;
const example = {
  params: spec([SIZE]),
  gradient: spec([SIZE]),
  m: spec([SIZE]),
  v: spec([SIZE]),
  step: spec([], "int32"),
  rate: spec([]),
};
type Arrays = Readonly<Record<keyof typeof example, np.Array>>;

const optimisers: [name: string, make: typeof adam, options: Partial<AdamOptions>][] = [
  ["Adam", adam, {}],
  ["Adam with learning-rate scales", adam, { rateScale: Float32Array.of(1, 2, 3, 1, 1) }],
  ["AdamW with weight decay", adamW, { weightDecay: 0.1 }],
];

describe.each(optimisers)("%s", (_, make, options) => {
  const joint =
    (maxNorm?: number) =>
    ({ params, gradient, m, v, step, rate }: Arrays) => {
      const optimiser = make({ ...options, learningRate: rate });
      const result = optimiserStep(optimiser, params, gradient, { m, v, step }, maxNorm);
      return { params: result.params, ...result.state, norm: result.norm };
    };
  const separate =
    (maxNorm?: number) =>
    ({ params, gradient, m, v, step, rate }: Arrays) => {
      const clipped = maxNorm
        ? clipByGlobalNorm(gradient, maxNorm)
        : { gradient, norm: np.sqrt(np.dot(gradient, gradient)) };
      const optimiser = make({ ...options, learningRate: rate });
      const result = optimiser.update(params, clipped.gradient, { m, v, step });
      return { params: result.params, ...result.state, norm: clipped.norm };
    };

  test.each([undefined, 0, 0.5])(
    "with maxNorm %s, a step has the graph of clipping and update",
    (maxNorm) => {
      const [a, b] = [joint(maxNorm), separate(maxNorm)].map((f) =>
        printGraph(simplify(trace(f as never, example, "step"))),
      );
      expect(a).toBe(b);
    },
  );

  test("a step gives the same bits as clipping followed by the update", async () => {
    const inputs = {
      params: Float32Array.from(randomInput([SIZE], "params").data),
      gradient: Float32Array.from(randomInput([SIZE], "gradient", 3).data),
      m: Float32Array.from(randomInput([SIZE], "m").data),
      v: Float32Array.from(randomInput([SIZE], "v").data, (x) => x * x),
      step: Int32Array.of(3),
      rate: Float32Array.of(0.01),
    };
    const [a, b] = await Promise.all(
      [joint(0.5), separate(0.5)].map(async (f) => {
        const program = await compile(f, example, { engine: "native" });
        const outputs = await program.run(inputs);
        await program.dispose();
        return outputs;
      }),
    );
    expect(a).toEqual(b);
    expect(a.norm[0]).toBeGreaterThan(0.5);
  });
});

test("rejects a negative norm", () => {
  const step = ({ params, gradient, m, v, step }: Arrays) => ({
    y: optimiserStep(adam({ learningRate: 0.1 }), params, gradient, { m, v, step }, -1).params,
  });
  expect(() => trace(step as never, example, "step")).toThrow("maxNorm must be positive, got -1");
});
