// Every operation differentiates rightly: values and gradients of both engines are those of float64, and those agree
// with finite differences.

import { describe, expect, test } from "vitest";
import { simplify, trace } from "../src/engine/index.ts";
import { lowerings } from "../src/engine/onnx/operators.ts";
import { gradientCases } from "./support/gradient-cases/index.ts";
import { type CheckedGradients, checkGradients } from "./support/gradients.ts";
import { expectGradientsOnEngines } from "./support/on-engines.ts";

/** Operations of the value and of the gradient, as traced and as run. */
function operationsOf({ valueFunction, gradientFunction, specs }: CheckedGradients): Set<string> {
  const traced = [valueFunction, gradientFunction].map((f) => trace(f, specs));
  return new Set([...traced, ...traced.map(simplify)].flatMap(({ nodes }) => nodes.map(({ op }) => op)));
}

test("there is a case for every operation that can be lowered", () => {
  const covered = Object.entries(gradientCases).flatMap(([op, cases]) => (cases.length > 0 ? [op] : []));
  const missing = Object.keys(lowerings).filter((op) => !covered.includes(op));
  expect(missing).toEqual([]);
});

for (const [op, cases] of Object.entries(gradientCases)) {
  describe(op, () => {
    for (const { title, f, floats, fixed, tolerance } of cases) {
      test(`has the right gradient: ${title}`, async () => {
        const checked = checkGradients(f, floats, { name: title, fixed, tolerance });
        expect(operationsOf(checked)).toContain(op);
        await expectGradientsOnEngines(checked);
      });
    }
  });
}
