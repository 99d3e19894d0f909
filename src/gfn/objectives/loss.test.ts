// Losses of residuals, compared with their closed forms and slopes.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, largestMagnitude } from "../../../test/support/difference.ts";
import { checkGradients, evaluate, type HostInput } from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { residualLoss } from "./loss.ts";
import { RESIDUAL_LOSSES, type ResidualLossName } from "./objective.ts";

const column = (...values: number[]): HostInput => ({ shape: [values.length], data: values });

/** From −20 to 20, without the points where the pieces of a loss meet, at which finite differences mix both sides. */
const RESIDUALS = column(...Array.from({ length: 84 }, (_, i) => Math.fround(-20 + (40 * i) / 83)));

const closedForms: Record<ResidualLossName, (d: number) => number> = {
  squared: (d) => d * d,
  huber: (d) => (Math.abs(d) <= 1 ? (d * d) / 2 : Math.abs(d) - 1 / 2),
  kl: (d) => (d >= -5 ? d + Math.exp(-d) - 1 : Math.exp(5) - 6 + (1 - Math.exp(5)) * (d + 5)),
};

const slopes: Record<ResidualLossName, (d: number) => number> = {
  squared: (d) => 2 * d,
  huber: (d) => Math.max(-1, Math.min(1, d)),
  kl: (d) => 1 - Math.exp(-Math.max(d, -5)),
};

function slopesAt(g: (d: np.Array) => np.Array, d: HostInput): Float64Array {
  return checkGradients((inputs) => np.sum(g(inputs.d)), { d }, { coordinates: 100 }).gradients.d;
}

describe.each(RESIDUAL_LOSSES)("the %s loss", (name) => {
  test("is zero at zero, with slope zero", () => {
    expect(evaluate(({ d }) => ({ g: residualLoss(name, d) }), { d: column(0) }).g).toEqual(
      Float64Array.of(0),
    );
    expect(largestMagnitude(slopesAt((d) => residualLoss(name, d), column(0)))).toBe(0);
  });

  test("equals its closed form from −20 to 20 and is never negative", () => {
    const d = column(...Array.from({ length: 161 }, (_, i) => -20 + i / 4));
    const { g } = evaluate((inputs) => ({ g: residualLoss(name, inputs.d) }), { d });
    expect(Math.min(...g)).toBe(0);
    // Constants such as the slope of the tangent are float32.
    const expected = Array.from(d.data, closedForms[name]);
    expect(largestDifference(g, expected)).toBeLessThan(1e-7 * largestMagnitude(expected));
  });

  test("has the slope of its closed form on both engines", async () => {
    const checked = checkGradients(
      (inputs) => np.sum(residualLoss(name, inputs.d)),
      { d: RESIDUALS },
      { coordinates: 100 },
    );
    const expected = Array.from(RESIDUALS.data, slopes[name]);
    expect(largestDifference(checked.gradients.d, expected)).toBeLessThan(1e-6 * largestMagnitude(expected));
    await expectGradientsOnEngines(checked);
  });
});

describe("the kl loss far below zero", () => {
  const far = column(-5.5, -10, -100, -10_000);

  test("has the slope of the curve at −5, which raises the residual", () => {
    for (const slope of slopesAt((d) => residualLoss("kl", d), far))
      expect(slope).toBeCloseTo(1 - Math.exp(5), 4);
  });

  test("would have slope +1, which lowers the residual, if it were clamped inside the exponential", () => {
    const clamped = (d: np.Array) => np.subtract(np.add(d, np.exp(np.negative(np.maximum(d, -5)))), 1);
    for (const slope of slopesAt(clamped, far)) expect(slope).toBeCloseTo(1, 9);
  });

  test("has a finite value and slope in float32", async () => {
    await expectGradientsOnEngines(
      checkGradients(({ d }) => np.sum(residualLoss("kl", d)), { d: far }, { tolerance: 1e-5 }),
    );
  });
});
