// Tests of the gradient of every operation: both engines agree with the float64 interpreter, which agrees with finite
// differences.

import { describe, expect, test } from "vitest";
import { gradientCases } from "../../test/support/gradient-cases/index.ts";
import { type CheckedGradients, checkGradients } from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import { simplify, trace } from "./index.ts";
import { lowerings } from "./onnx/operators.ts";

/** Operations in the graphs of a function and of its gradient, before and after simplification. */
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
