// Gradients of every objective by every table it reads: float64 against finite differences, engines against float64.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import type { Arrays } from "../src/engine/trace.ts";
import type { EnumerableEnvironment } from "../src/gfn/environment.ts";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import { uniformPolicy } from "../src/gfn/evaluate/exact.ts";
import { weightedMean } from "../src/gfn/objectives/balance.ts";
import {
  BALANCES,
  DYNAMICS,
  type DynamicsForm,
  REGRESSIONS,
  type RegressionName,
} from "../src/gfn/objectives/choice.ts";
import { lossOf } from "../src/gfn/objectives/loss.ts";
import { largestDifference, peak } from "./support/difference.ts";
import { checkGradients, type HostInputs, randomInput, weightedSum } from "./support/gradients.ts";
import { expectGradientsOnEngines } from "./support/on-engines.ts";
import {
  balancedTables,
  type Combination,
  inFloat64,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "./support/tabular.ts";

const EPISODES = 8;
/** Those whose gradient is that of their value: `expected` holds the flow after a step fixed. */
const FORMS = DYNAMICS.filter((form) => form !== "expected");

/** Inputs of a loss: tables drawn at random, to be differentiated, and what is given. */
function inputsOf(environment: EnumerableEnvironment): { floats: HostInputs; fixed: HostInputs } {
  const listed = environment.enumerate();
  const tables = balancedTables(environment, listed, uniformPolicy(listed), 0);
  const { forward, backward, logFlow, logZ, ...rest } = tabularInputs(
    environment,
    tables,
    EPISODES,
    RandomStream.fromSeed(3).split("uniform"),
  );
  const floats = Object.fromEntries(
    Object.entries({ forward, backward, logFlow, logZ }).map(([name, { shape }]) => [
      name,
      randomInput(shape, name),
    ]),
  );
  return { floats, fixed: { ...rest, behaviour: forward } };
}

/** A combination, and what is made of its residuals. */
type Case = Combination & { readonly losses: readonly RegressionName[] };

/** Whole losses, as training has them, [cases · losses], on episodes that nothing is differentiated through. */
function lossesAt(environment: EnumerableEnvironment, cases: readonly Case[], inputs: Arrays): np.Array {
  const batch = tabularBatch(environment, inputs.behaviour, inputs.uniform);
  const values = cases.flatMap(({ losses, ...combination }) => {
    const { residual, weight } = tabularResiduals(combination, batch, inputs);
    return losses.map((loss) => weightedMean(lossOf(loss, residual), weight)); // []
  });
  return np.stack(values); // [cases · losses]
}

/** Gradient of one loss by one input, in float64. */
function gradientBy(
  environment: EnumerableEnvironment,
  name: string,
  one: Case,
  inputs: HostInputs,
): Float64Array {
  const loss = (all: Arrays) => lossesAt(environment, [one], all).reshape([]); // []
  return inFloat64(
    (all) => ({ gradient: grad((moved: np.Array) => loss({ ...all, [name]: moved }))(all[name]) }),
    inputs,
  ).gradient;
}

const environments: Record<string, EnumerableEnvironment> = {
  "a grid": hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }),
  "strings of fixed length": sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0.25 }),
  "strings that stop": sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0, variable: true }),
};

for (const [title, environment] of Object.entries(environments)) {
  const { floats, fixed } = inputsOf(environment);
  const balances = BALANCES.filter((balance) => balance !== "fl-db" || "dimensions" in environment);
  const casesWith = (dynamics: DynamicsForm): Case[] =>
    balances.map((balance) => ({
      balance,
      dynamics,
      ownLogZ: balance === "tb",
      // The batch's log Z of vargrad is held fixed, which differences do not see; for squares it makes no difference.
      losses: balance === "vargrad" ? ["squared"] : REGRESSIONS,
    }));

  describe(`on ${title} the gradient`, () => {
    test.each(FORMS.flatMap(casesWith))("of $balance with $dynamics is right for every loss", (one) => {
      const checked = checkGradients((inputs) => weightedSum(lossesAt(environment, [one], inputs)), floats, {
        fixed,
        coordinates: 4,
      });
      expect(peak(checked.gradients.forward)).toBeGreaterThan(0.01);
    });

    // Without noise there is no operation that the others do not have.
    const onEngines = environment.stick > 0 ? FORMS : [];
    test.each(onEngines)("of all balances with %s is that of float64 on both engines", async (dynamics) => {
      await expectGradientsOnEngines(
        checkGradients((inputs) => weightedSum(lossesAt(environment, casesWith(dynamics), inputs)), floats, {
          fixed,
          coordinates: 1,
        }),
      );
    });

    test.each(REGRESSIONS)("of vargrad is that of tb at the batch's own log Z: %s", (loss) => {
      const inputs = { ...floats, ...fixed };
      const tb: Case = { balance: "tb", dynamics: "joint", ownLogZ: true, losses: [loss] };
      const { residual } = inFloat64((all) => {
        const batch = tabularBatch(environment, all.behaviour, all.uniform);
        return { residual: tabularResiduals(tb, batch, all).residual };
      }, inputs);
      const mean = residual.reduce((a, b) => a + b, 0) / residual.length;
      const logZ = { ...floats.logZ, data: Float64Array.of(floats.logZ.data[0] - mean) };
      const expected = gradientBy(environment, "forward", tb, { ...inputs, logZ });
      const actual = gradientBy(environment, "forward", { ...tb, balance: "vargrad" }, inputs);
      expect(largestDifference(actual, expected)).toBeLessThan(1e-9);
    });

    test("of expected is right by the policy, on float64 and on both engines", async () => {
      const { forward, ...others } = floats;
      const cases: Case[] = [{ balance: "db", dynamics: "expected", losses: REGRESSIONS }];
      const checked = checkGradients(
        (inputs) => weightedSum(lossesAt(environment, cases, inputs)),
        { forward },
        { fixed: { ...fixed, ...others }, coordinates: 4 },
      );
      expect(peak(checked.gradients.forward)).toBeGreaterThan(0.01);
      await expectGradientsOnEngines(checked);
    });

    test("of expected by a flow comes from the steps out of its state alone", () => {
      const inputs = { ...floats, ...fixed };
      const one: Case = { balance: "db", dynamics: "expected", losses: ["squared"] };
      const { residual, index, steps } = inFloat64((all) => {
        const batch = tabularBatch(environment, all.behaviour, all.uniform);
        const { residual } = tabularResiduals(one, batch, all);
        return { residual, index: batch.index, steps: np.sum(batch.running) };
      }, inputs);
      const expected = new Float64Array(floats.logFlow.data.length);
      residual.forEach((d, row) => {
        expected[index[row]] += (2 * d) / steps[0];
      });
      expect(largestDifference(gradientBy(environment, "logFlow", one, inputs), expected)).toBeLessThan(1e-9);
      expect(peak(gradientBy(environment, "backward", one, inputs))).toBe(0);
    });

    test.each(["joint", "marginal"] as const)("does not reach the model of the dynamics: %s", (dynamics) => {
      const one: Case = { balance: "db", dynamics, losses: ["squared"] };
      expect(peak(gradientBy(environment, "logKernel", one, { ...floats, ...fixed }))).toBe(0);
    });
  });
}
