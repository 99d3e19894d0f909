// Every balance has a zero residual at exact solutions, and a non-zero one if a table is wrong.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { largestMagnitude } from "../../../test/support/difference.ts";
import { type HostInputs, hostInputs, specsOf } from "../../../test/support/gradients.ts";
import { runOnce } from "../../../test/support/on-engines.ts";
import {
  balancedTables,
  type Combination,
  float64Evaluator,
  inFloat64,
  randomPolicy,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import type { TypedArray } from "../../engine/dtype.ts";
import { RandomStream } from "../../engine/index.ts";
import type { ArrayFunction } from "../../engine/trace.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import type { PolicyOutputs } from "../policy/networks.ts";
import type { Batch } from "../sampling/batch.ts";
import { balanceTerms } from "./balance-terms.ts";
import { type Balance, type DynamicsForm, objectiveByName } from "./objective.ts";
import { balanceResiduals } from "./residuals.ts";

const SEED = RandomStream.fromSeed(7);
/** A power of two, so that its reciprocal is exact in float32, as is the mean over the batch. */
const TRAJECTORIES = 32;
const LOG_Z = 1.7;

const environments: Record<string, (stick: number) => EnumerableEnvironment> = {
  "strings of fixed length": (stick) => sequenceEnvironment({ alphabet: "ABC", length: 3, stick }),
  "strings that stop": (stick) => sequenceEnvironment({ alphabet: "AB", length: 3, stick, variable: true }),
  "a square grid": (stick) => hypergridEnvironment({ dimensions: 2, side: 4, stick }),
  "a cubic grid": (stick) => hypergridEnvironment({ dimensions: 3, side: 3, stick }),
};

function combinationsFor(environment: EnumerableEnvironment): Combination[] {
  const onGrid = "dimensions" in environment;
  const forms: DynamicsForm[] =
    environment.stick > 0 ? ["joint", "marginal"] : ["none", "none-intended", "joint", "marginal"];
  const balances: Balance[] = ["db", "tb", "subtb", "vargrad", ...(onGrid ? (["fl-db"] as const) : [])];
  return forms.flatMap((dynamics) =>
    balances.flatMap((balance) => [
      { balance, dynamics },
      ...(balance === "tb" || balance === "subtb" ? [{ balance, dynamics, learnedLogZ: true }] : []),
    ]),
  );
}

const nameOf = ({ balance, dynamics, learnedLogZ }: Combination) =>
  `${balance} with ${dynamics}${learnedLogZ ? " and a learned log Z" : ""}`;

/** The residuals of all combinations by name, on trajectories of the policy `behaviour`. */
function allResiduals(environment: EnumerableEnvironment): ArrayFunction {
  return ({ behaviour, ...tables }) => {
    const batch = tabularBatch(environment, behaviour, tables.uniform);
    const residuals = combinationsFor(environment).map((combination) => [
      nameOf(combination),
      tabularResiduals(combination, batch, tables).residual,
    ]);
    return { ...Object.fromEntries(residuals), terminal: batch.terminal };
  };
}

/** A copy of inputs with a number added to one entry. */
function moved(inputs: HostInputs, name: string, position: number, by = 0.3): HostInputs {
  const data = Float64Array.from(inputs[name].data);
  data[position] += by;
  return { ...inputs, [name]: { ...inputs[name], data } };
}

for (const [title, make] of Object.entries(environments)) {
  for (const stick of [0, 0.25]) {
    const environment = make(stick);
    const combinations = combinationsFor(environment);
    const names = combinations.map(nameOf);
    const enumeration = environment.enumerate();
    const policy = randomPolicy(enumeration, SEED.split("policy"));
    const tables = balancedTables(environment, enumeration, policy, LOG_Z);
    const fromTables = tabularInputs(environment, tables, TRAJECTORIES, SEED.split("uniform"));
    const inputs = { ...fromTables, behaviour: fromTables.forward };
    const residuals = allResiduals(environment);

    describe(`on ${title} at stick ${stick} the residual at the exact solution`, () => {
      let residualsAt: (inputs: HostInputs) => Record<string, Float64Array>;
      let exact: Record<string, Float64Array>;
      let native: Record<string, TypedArray>;
      beforeAll(async () => {
        residualsAt = float64Evaluator(residuals, inputs);
        exact = residualsAt(inputs);
        native = await runOnce("native", residuals, specsOf(inputs), hostInputs(inputs));
      });
      const nonZero = (changed: HostInputs) => {
        const found = residualsAt(changed);
        return names.filter((name) => !(largestMagnitude(found[name]) < 1e-2));
      };

      test.each(names)("is zero for %s", (name) => {
        expect(exact[name].length).toBeGreaterThanOrEqual(TRAJECTORIES);
        expect(largestMagnitude(exact[name])).toBeLessThan(1e-9);
        expect(largestMagnitude(native[name])).toBeLessThan(1e-4);
      });

      test("is non-zero for all of them if a logit of the start is wrong", () => {
        expect(nonZero(moved(inputs, "forward", 0))).toEqual(names);
      });

      test("is non-zero for all of them if the reward of a reached terminal is wrong", () => {
        expect(nonZero(moved(inputs, "logReward", exact.terminal[0]))).toEqual(names);
      });

      test("is non-zero for those with a dynamics model if the model is wrong", () => {
        const withModel = combinations.filter(({ dynamics }) => !dynamics.startsWith("none")).map(nameOf);
        expect(nonZero(moved(inputs, "logKernel", 0))).toEqual(withModel);
      });

      test("is non-zero for those with the flow of the start if the flow is wrong", () => {
        const withFlow = combinations
          .filter(({ balance, learnedLogZ }) => balance !== "vargrad" && !learnedLogZ)
          .map(nameOf);
        expect(nonZero(moved(inputs, "logFlow", 0))).toEqual(withFlow);
      });

      test("is non-zero for those with a learned log Z if it is wrong", () => {
        expect(nonZero(moved(inputs, "logZ", 0))).toEqual(names.filter((name) => name.includes("log Z")));
      });
    });
  }
}

describe("an error reports a missing", () => {
  const environment = environments["a square grid"](0.25);
  const enumeration = environment.enumerate();
  const inputs = tabularInputs(
    environment,
    balancedTables(environment, enumeration, randomPolicy(enumeration, SEED), LOG_Z),
    2,
    SEED,
  );
  const onBatch = (f: (batch: Batch, outputs: PolicyOutputs, logReward: np.Array) => np.Array) => () =>
    inFloat64(({ forward, backward, logFlow, logReward, uniform }) => {
      const batch = tabularBatch(environment, forward, uniform);
      const [ofIntentions, ofWays, flows] = [forward, backward, logFlow].map((x) =>
        np.take(x, batch.index, 0),
      );
      const outputs = { forward: ofIntentions, backward: ofWays, logFlow: flows };
      return { x: f(batch, outputs, np.take(logReward, batch.terminal, 0)) };
    }, inputs);

  test.each(["joint", "marginal"] as const)("dynamics model for the form %s", (form) => {
    const terms = onBatch((batch, outputs) => balanceTerms(form, batch, outputs, null).forward);
    expect(terms).toThrow("needs a dynamics model");
  });

  test("reward of partial objects for fl-db", () => {
    const residual = onBatch((batch, outputs, logReward) => {
      const terms = balanceTerms("none", batch, outputs, null);
      return balanceResiduals("fl-db", batch, terms, logReward, { lambda: 1 }).residual;
    });
    expect(residual).toThrow("fl-db: internal: there are no rewards of partial objects");
  });

  test("objective, and lists the valid names", () => {
    expect(objectiveByName("kl")).toEqual({ balance: "db", dynamics: "marginal", loss: "kl" });
    expect(() => objectiveByName("dbb")).toThrow(
      'Unknown objective "dbb"; objectives are db, tb, subtb, sdb',
    );
    expect(() => objectiveByName("toString")).toThrow('Unknown objective "toString"');
  });
});
