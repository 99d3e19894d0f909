// The potential and the margin in residuals, in float64, and training runs with them.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestMagnitude } from "../../../../test/support/difference.ts";
import {
  balancedTables,
  inFloat64,
  randomPolicy,
  tabularBatch,
  tabularInputs,
} from "../../../../test/support/tabular.ts";
import { collect, lastEvaluation, lossesOf } from "../../../../test/support/training-events.ts";
import { RandomStream } from "../../../engine/index.ts";
import type { Arrays } from "../../../engine/trace.ts";
import { hypergridEnvironment } from "../../environment/hypergrid.ts";
import { sequenceEnvironment } from "../../environment/sequence.ts";
import { visitation } from "../../evaluate/exact.ts";
import { defaultSettings } from "../../training/defaults.ts";
import type { TrainEvent } from "../../training/events.ts";
import { type TrainOptions, train } from "../../training/train.ts";
import { balanceTerms } from "../balance-terms.ts";
import { OBJECTIVES } from "../objective.ts";
import { balanceResiduals } from "../residuals.ts";
import { stepEntropies, withEntropyRatio } from "./ratio-terms.ts";

describe("in residuals", () => {
  const B = 40;
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
  const enumeration = environment.enumerate();
  const T = environment.maxSteps;
  const policy = randomPolicy(enumeration, RandomStream.fromSeed(2));
  const inputs = tabularInputs(
    environment,
    balancedTables(environment, enumeration, policy, 0),
    B,
    RandomStream.fromSeed(3),
  );

  /** The residuals (zero without the ratio), log r of every step, and the masks of running steps and of last steps. */
  function residuals(use: "potential" | "margin", balance: "db" | "subtb" | "tb") {
    return inFloat64((arrays: Arrays) => {
      const batch = tabularBatch(environment, arrays.forward, arrays.uniform);
      const of = (table: np.Array) => np.take(table, batch.index, 0);
      const outputs = {
        forward: of(arrays.forward),
        backward: of(arrays.backward),
        logFlow: of(arrays.logFlow),
      };
      const options = { use, estimator: "clamp", gamma: 0.3, quantile: 0.25 } as const;
      const ratio = stepEntropies(options, batch, outputs, np.array(0.3));
      const logKernel = np.take(arrays.logKernel, np.split(batch.index, [T * B], 0)[0], 0);
      const terms = withEntropyRatio(balanceTerms("marginal", batch, outputs, logKernel), use, batch, ratio);
      const logReward = np.take(arrays.logReward, batch.terminal, 0);
      const { residual, weight } = balanceResiduals(balance, batch, terms, logReward, { lambda: 0.9 });
      return { residual, weight, logRatio: ratio.logRatio, running: batch.running, ends: batch.ends };
    }, inputs);
  }

  test("a potential is log r(s') − log r(s), with 0 for the start and for terminals", () => {
    const { residual, logRatio, running, ends } = residuals("potential", "db");
    expect(largestMagnitude(logRatio)).toBeGreaterThan(0.3);
    for (let i = 0; i < T * B; i++) {
      const before = i < B ? 0 : logRatio[i];
      const after = ends[i] > 0 ? 0 : logRatio[i + B];
      expect(residual[i]).toBeCloseTo(running[i] > 0 ? after - before : 0, 5);
    }
  });

  test("a potential cancels over whole trajectories, and has no effect in tb", () => {
    const { residual } = residuals("potential", "db");
    const sums = Array.from({ length: B }, (_, row) => {
      return Array.from({ length: T }, (_, t) => residual[t * B + row]).reduce((a, b) => a + b);
    });
    expect(largestMagnitude(sums)).toBeLessThan(1e-4);
    expect(largestMagnitude(residual)).toBeGreaterThan(0.3);
    expect(largestMagnitude(residuals("potential", "tb").residual)).toBeLessThan(1e-4);
  });

  test("a potential of a part of a trajectory depends on its ends only", () => {
    const steps = residuals("potential", "db");
    const { residual, weight } = residuals("potential", "subtb");
    // The second part of each trajectory consists of its first two steps.
    for (let row = 0; row < B; row++) {
      if (weight[B + row] === 0) continue;
      expect(residual[B + row]).toBeCloseTo(steps.residual[row] + steps.residual[B + row], 5);
    }
  });

  test("a margin is −log r(s) per step, and its sum over a trajectory", () => {
    const { residual, logRatio, running } = residuals("margin", "db");
    const margins = logRatio.map((r, i) => -r * running[i]);
    residual.forEach((d, i) => {
      expect(d).toBeCloseTo(margins[i], 5);
    });
    residuals("margin", "tb").residual.forEach((d, row) => {
      const sum = Array.from({ length: T }, (_, t) => margins[t * B + row]).reduce((a, b) => a + b);
      expect(d).toBeCloseTo(sum, 4);
    });
  });
});

describe("a training run", () => {
  const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  const stream = RandomStream.fromSeed(11);
  const table = Float64Array.from({ length: 27 }, () => Math.exp(stream.normal()));
  const largest = table.reduce((a, b) => Math.max(a, b));
  const scoreTexts = (texts: readonly string[]) =>
    texts.map((text) => table[[...text].reduce((sum, letter) => 3 * sum + "ACG".indexOf(letter), 0)]);
  const clamp = { entropyEstimator: "clamp", entropyGamma: 0.3 } as const;

  const events = (changes: Partial<TrainOptions>) =>
    collect(
      train({
        ...defaultSettings(strings),
        environment: strings,
        scores: table,
        batch: 32,
        hidden: [16],
        stateTableRows: 0,
        rewardFloor: 1e-3,
        largestScore: largest,
        uniformShare: 0.25,
        iterations: 20,
        seed: 0,
        engine: "native",
        ...changes,
      }),
    );
  const iterationsOf = (all: readonly TrainEvent[]) =>
    all.flatMap((event) => (event.kind === "iteration" ? [event] : []));
  const plain = events({});

  test("that only observes the ratio logs it and has exactly the same losses", async () => {
    const observed = await events({ ...clamp, entropyRatio: "observe" });
    expect(lossesOf(observed)).toEqual(lossesOf(await plain));
    const programs = (all: readonly TrainEvent[]) =>
      all.flatMap((e) => (e.kind === "start" ? e.programs : []));
    expect(programs(observed)).toEqual(programs(await plain));
    for (const event of await plain) expect(event).not.toHaveProperty("entropyRatio");
    for (const { entropyRatio } of iterationsOf(observed)) {
      expect(entropyRatio).toBeGreaterThan(1);
      expect(entropyRatio).toBeLessThan(1 / 0.3);
    }
  });

  test.each<[string, Partial<TrainOptions>]>([
    ["behaviour", { ...clamp, entropyRatio: "behaviour" }],
    ["potential", { ...clamp, entropyRatio: "potential" }],
    ["margin", { ...clamp, entropyRatio: "margin" }],
    ["the regulariser and exploration", { entropyRegulariser: 0.5, epsilon: 0.1 }],
    ["kl-literal", { ...OBJECTIVES["kl-literal"] }],
  ])(
    "with %s differs from the plain run, and scores from a table or a function give the same",
    async (_, changes) => {
      const byTable = iterationsOf(await events(changes));
      const byFunction = iterationsOf(await events({ ...changes, scores: scoreTexts }));
      byTable.forEach(({ loss, entropyRatio }, i) => {
        expect(byFunction[i].loss / loss).toBeCloseTo(1, 2);
        expect(byFunction[i].entropyRatio ?? 0).toBeCloseTo(entropyRatio ?? 0, 3);
      });
      expect(byTable[0].entropyRatio === undefined).toBe(changes.loss !== undefined);
      expect(byTable[0].loss).not.toBe(iterationsOf(await plain)[0].loss);
    },
  );

  test("at a temperature other than 1 has no on-policy rows for the regulariser", async () => {
    const without = await events({ temperature: 2 });
    const regularised = await events({ temperature: 2, entropyRegulariser: 5 });
    expect(lossesOf(regularised)).toEqual(lossesOf(without));
  });

  test.each(["behaviour", "potential"] as const)("on a grid converges to the target with %s", async (use) => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
    const { terminals } = visitation(
      grid.enumerate(),
      randomPolicy(grid.enumerate(), RandomStream.fromSeed(5)),
    );
    const run = await events({
      environment: grid,
      scores: terminals,
      stateTableRows: grid.states,
      stateTableRateScale: 1,
      learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
      rewardFloor: 0,
      ...clamp,
      entropyRatio: use,
      batch: 64,
      iterations: 200,
    });
    expect(lastEvaluation(run).reached.tv).toBeLessThan(0.03);
    expect(iterationsOf(run).at(-1)?.entropyRatio).toBeGreaterThan(1.5);
  });

  test("has the same losses on both engines", async () => {
    const changes = {
      ...clamp,
      entropyRatio: "margin",
      entropyEstimator: "state",
      entropyRegulariser: 0.5,
      iterations: 5,
    } as const;
    const native = lossesOf(await events(changes));
    lossesOf(await events({ ...changes, engine: "jax" })).forEach((loss, i) => {
      expect(loss / native[i]).toBeCloseTo(1, 3);
    });
  });
});
