// Every balance finds a residual of zero at solutions that are known exactly, and notices what is wrong.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import type { TypedArray } from "../src/engine/dtype.ts";
import { RandomStream } from "../src/engine/index.ts";
import type { ArrayFunction } from "../src/engine/trace.ts";
import type { Batch } from "../src/gfn/batch.ts";
import type { EnumerableEnvironment } from "../src/gfn/environment.ts";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import type { PolicyOutputs } from "../src/gfn/networks.ts";
import { residualsOf } from "../src/gfn/objectives/balance.ts";
import { type Balance, type DynamicsForm, objectiveNamed } from "../src/gfn/objectives/choice.ts";
import { termsOf } from "../src/gfn/objectives/terms.ts";
import { peak } from "./support/difference.ts";
import { type HostInputs, hostInputs, specsOf } from "./support/gradients.ts";
import { runOnce } from "./support/on-engines.ts";
import {
  balancedTables,
  type Combination,
  float64Evaluator,
  inFloat64,
  randomPolicy,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "./support/tabular.ts";

const SEED = RandomStream.fromSeed(7);
/** A power of two, so that float32 holds its reciprocal exactly and a mean is one in float64 too. */
const EPISODES = 32;
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
      ...(balance === "tb" || balance === "subtb" ? [{ balance, dynamics, ownLogZ: true }] : []),
    ]),
  );
}

const nameOf = ({ balance, dynamics, ownLogZ }: Combination) =>
  `${balance} with ${dynamics}${ownLogZ ? " and log Z of its own" : ""}`;

/** All residuals of an environment by the names of the combinations, on episodes of the policy `behaviour`. */
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
    const listed = environment.enumerate();
    const policy = randomPolicy(listed, SEED.split("policy"));
    const tables = balancedTables(environment, listed, policy, LOG_Z);
    const fromTables = tabularInputs(environment, tables, EPISODES, SEED.split("uniform"));
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
      const notZero = (changed: HostInputs) => {
        const found = residualsAt(changed);
        return names.filter((name) => !(peak(found[name]) < 1e-2));
      };

      test.each(names)("is zero for %s", (name) => {
        expect(exact[name].length).toBeGreaterThanOrEqual(EPISODES);
        expect(peak(exact[name])).toBeLessThan(1e-9);
        expect(peak(native[name])).toBeLessThan(1e-4);
      });

      test("is not zero for any of them when a logit of the start's policy is off", () => {
        expect(notZero(moved(inputs, "forward", 0))).toEqual(names);
      });

      test("is not zero for any of them when the reward of a terminal that was reached is off", () => {
        expect(notZero(moved(inputs, "logReward", exact.terminal[0]))).toEqual(names);
      });

      test("is not zero for those with a model of the dynamics when the model is off", () => {
        const withModel = combinations.filter(({ dynamics }) => !dynamics.startsWith("none")).map(nameOf);
        expect(notZero(moved(inputs, "logKernel", 0))).toEqual(withModel);
      });

      test("is not zero for those that read the start's flow when that is off", () => {
        const withFlow = combinations
          .filter(({ balance, ownLogZ }) => balance !== "vargrad" && !ownLogZ)
          .map(nameOf);
        expect(notZero(moved(inputs, "logFlow", 0))).toEqual(withFlow);
      });

      test("is not zero for those with log Z of its own when that is off", () => {
        expect(notZero(moved(inputs, "logZ", 0))).toEqual(names.filter((name) => name.includes("log Z")));
      });
    });
  }
}

describe("what an objective cannot do without is asked for", () => {
  const environment = environments["a square grid"](0.25);
  const listed = environment.enumerate();
  const inputs = tabularInputs(
    environment,
    balancedTables(environment, listed, randomPolicy(listed, SEED), LOG_Z),
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

  test.each(["joint", "marginal"] as const)("a model of the dynamics by %s", (form) => {
    const terms = onBatch((batch, outputs) => termsOf(form, batch, outputs, null).forward);
    expect(terms).toThrow("needs a dynamics model");
  });

  test("rewards of partial objects by fl-db", () => {
    const residual = onBatch((batch, outputs, logReward) => {
      const terms = termsOf("none", batch, outputs, null);
      return residualsOf("fl-db", batch, terms, logReward, { lambda: 1 }).residual;
    });
    expect(residual).toThrow("fl-db: the environment gives no partial rewards; use db");
  });

  test("a name that exists, with the names there are", () => {
    expect(objectiveNamed("kl")).toEqual({ balance: "db", dynamics: "marginal", loss: "kl" });
    expect(() => objectiveNamed("dbb")).toThrow('Unknown objective "dbb"; objectives are db, tb, subtb, sdb');
    expect(() => objectiveNamed("toString")).toThrow('Unknown objective "toString"');
  });
});
