// Gradients of every objective by every input table: float64 is compared with finite differences, and the engines with
// float64.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference, largestMagnitude } from "../../../test/support/difference.ts";
import {
  checkGradients,
  type HostInputs,
  randomInput,
  weightedSum,
} from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import {
  balancedTables,
  type Combination,
  inFloat64,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { uniformPolicy } from "../evaluate/exact.ts";
import { residualLoss } from "./loss.ts";
import {
  BALANCES,
  DYNAMICS_FORMS,
  type DynamicsForm,
  RESIDUAL_LOSSES,
  type ResidualLossName,
} from "./objective.ts";
import { weightedMean } from "./residuals.ts";

const TRAJECTORIES = 8;
/** Forms whose gradient is the derivative of their value; `expected` holds the flow after a step fixed. */
const FORMS = DYNAMICS_FORMS.filter((form) => form !== "expected");

/** Inputs of a loss: random tables, which are differentiated, and fixed inputs. */
function inputsOf(environment: EnumerableEnvironment): { floats: HostInputs; fixed: HostInputs } {
  const enumeration = environment.enumerate();
  const tables = balancedTables(environment, enumeration, uniformPolicy(enumeration), 0);
  const { forward, backward, logFlow, logZ, ...rest } = tabularInputs(
    environment,
    tables,
    TRAJECTORIES,
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

/** A combination, with the losses of its residuals. */
type Case = Combination & { readonly losses: readonly ResidualLossName[] };

/** The training losses, [cases · losses], on trajectories that do not depend on the differentiated tables. */
function lossesAt(environment: EnumerableEnvironment, cases: readonly Case[], inputs: Arrays): np.Array {
  const batch = tabularBatch(environment, inputs.behaviour, inputs.uniform);
  const values = cases.flatMap(({ losses, ...combination }) => {
    const { residual, weight } = tabularResiduals(combination, batch, inputs);
    return losses.map((loss) => weightedMean(residualLoss(loss, residual), weight)); // []
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
      learnedLogZ: balance === "tb",
      // vargrad holds its estimate of log Z fixed, which changes the gradient of every loss except the squared one.
      losses: balance === "vargrad" ? ["squared"] : RESIDUAL_LOSSES,
    }));

  describe(`on ${title} the gradient`, () => {
    test.each(FORMS.flatMap(casesWith))("of $balance with $dynamics is correct for every loss", (one) => {
      const checked = checkGradients((inputs) => weightedSum(lossesAt(environment, [one], inputs)), floats, {
        fixed,
        coordinates: 2,
      });
      expect(largestMagnitude(checked.gradients.forward)).toBeGreaterThan(0.01);
    });

    // Environments without noise use no further operations.
    const onEngines = environment.stick > 0 ? FORMS : [];
    test.each(onEngines)("of all balances with %s agrees with float64 on both engines", async (dynamics) => {
      await expectGradientsOnEngines(
        checkGradients((inputs) => weightedSum(lossesAt(environment, casesWith(dynamics), inputs)), floats, {
          fixed,
          coordinates: 1,
        }),
      );
    });

    test.each(RESIDUAL_LOSSES)("of vargrad equals that of tb at the log Z of the batch: %s", (loss) => {
      const inputs = { ...floats, ...fixed };
      const tb: Case = { balance: "tb", dynamics: "joint", learnedLogZ: true, losses: [loss] };
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

    test("of expected by the policy is correct in float64 and on both engines", async () => {
      const { forward, ...others } = floats;
      const cases: Case[] = [{ balance: "db", dynamics: "expected", losses: RESIDUAL_LOSSES }];
      const checked = checkGradients(
        (inputs) => weightedSum(lossesAt(environment, cases, inputs)),
        { forward },
        { fixed: { ...fixed, ...others }, coordinates: 4 },
      );
      expect(largestMagnitude(checked.gradients.forward)).toBeGreaterThan(0.01);
      await expectGradientsOnEngines(checked);
    });

    test("of expected by a flow comes from the steps that leave its state only", () => {
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
      expect(largestMagnitude(gradientBy(environment, "backward", one, inputs))).toBe(0);
    });

    test.each(["joint", "marginal"] as const)("by the dynamics model is zero: %s", (dynamics) => {
      const one: Case = { balance: "db", dynamics, losses: ["squared"] };
      expect(largestMagnitude(gradientBy(environment, "logKernel", one, { ...floats, ...fixed }))).toBe(0);
    });
  });
}
