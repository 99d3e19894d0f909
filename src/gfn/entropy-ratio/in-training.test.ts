// A potential and a margin in residuals, step by step in float64; and whole runs with them, in one call and in two.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { peak } from "../../../test/support/difference.ts";
import {
  balancedTables,
  inFloat64,
  randomPolicy,
  tabularBatch,
  tabularInputs,
} from "../../../test/support/tabular.ts";
import { collect, lastEvaluation, lossesOf } from "../../../test/support/training-events.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { defaultSettings } from "../defaults.ts";
import { hypergridEnvironment } from "../environments/hypergrid.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { visitation } from "../evaluate/exact.ts";
import type { TrainEvent } from "../events.ts";
import { residualsOf } from "../objectives/balance.ts";
import { OBJECTIVES } from "../objectives/choice.ts";
import { termsOf } from "../objectives/terms.ts";
import { type TrainOptions, train } from "../train.ts";
import { stepEntropies, withRatio } from "./in-training.ts";
import { DEFAULT_ENTROPY_RATIO } from "./options.ts";

describe("in residuals", () => {
  const B = 40;
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
  const listed = environment.enumerate();
  const T = environment.maxSteps;
  const policy = randomPolicy(listed, RandomStream.fromSeed(2));
  const inputs = tabularInputs(
    environment,
    balancedTables(environment, listed, policy, 0),
    B,
    RandomStream.fromSeed(3),
  );

  /** Residuals where all are zero without the ratio, log r of every step, and where episodes run and end. */
  function residuals(use: "potential" | "margin", balance: "db" | "subtb" | "tb") {
    return inFloat64((arrays: Arrays) => {
      const batch = tabularBatch(environment, arrays.forward, arrays.uniform);
      const of = (table: np.Array) => np.take(table, batch.index, 0);
      const outputs = {
        forward: of(arrays.forward),
        backward: of(arrays.backward),
        logFlow: of(arrays.logFlow),
      };
      const options = { ...DEFAULT_ENTROPY_RATIO, use, estimator: "clamp" } as const;
      const ratio = stepEntropies(options, batch, outputs, np.array(0.3));
      const logKernel = np.take(arrays.logKernel, np.split(batch.index, [T * B], 0)[0], 0);
      const terms = withRatio(termsOf("marginal", batch, outputs, logKernel), use, batch, ratio);
      const logReward = np.take(arrays.logReward, batch.terminal, 0);
      const { residual, weight } = residualsOf(balance, batch, terms, logReward, { lambda: 0.9 });
      return { residual, weight, logRatio: ratio.logRatio, running: batch.running, ends: batch.ends };
    }, inputs);
  }

  test("a potential is log r(s') − log r(s), with 0 for the start and for terminals", () => {
    const { residual, logRatio, running, ends } = residuals("potential", "db");
    expect(peak(logRatio)).toBeGreaterThan(0.3);
    for (let i = 0; i < T * B; i++) {
      const before = i < B ? 0 : logRatio[i];
      const after = ends[i] > 0 ? 0 : logRatio[i + B];
      expect(residual[i]).toBeCloseTo(running[i] > 0 ? after - before : 0, 5);
    }
  });

  test("a potential cancels over whole episodes, and so does nothing in tb", () => {
    const { residual } = residuals("potential", "db");
    const sums = Array.from({ length: B }, (_, row) => {
      return Array.from({ length: T }, (_, t) => residual[t * B + row]).reduce((a, b) => a + b);
    });
    expect(peak(sums)).toBeLessThan(1e-4);
    expect(peak(residual)).toBeGreaterThan(0.3);
    expect(peak(residuals("potential", "tb").residual)).toBeLessThan(1e-4);
  });

  test("a potential between the ends of part episodes is that of their ends", () => {
    const steps = residuals("potential", "db");
    const { residual, weight } = residuals("potential", "subtb");
    // The second pair of each episode is of its first two steps.
    for (let row = 0; row < B; row++) {
      if (weight[B + row] === 0) continue;
      expect(residual[B + row]).toBeCloseTo(steps.residual[row] + steps.residual[B + row], 5);
    }
  });

  test("a margin is − log r(s), and over whole episodes their sum", () => {
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

describe("a run", () => {
  const strings = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  const stream = RandomStream.fromSeed(11);
  const table = Float64Array.from({ length: 27 }, () => Math.exp(stream.normal()));
  const largest = table.reduce((a, b) => Math.max(a, b));
  const ask = (texts: readonly string[]) =>
    texts.map((text) => table[[...text].reduce((sum, letter) => 3 * sum + "ACG".indexOf(letter), 0)]);
  const clamp = { ...DEFAULT_ENTROPY_RATIO, estimator: "clamp", gamma: 0.3 } as const;

  const events = (changes: Partial<TrainOptions>) =>
    collect(
      train({
        ...defaultSettings(strings),
        environment: strings,
        scores: table,
        batch: 32,
        policy: { hidden: [16] },
        reward: { floor: 1e-3, largest },
        mixture: { uniform: 0.25, offline: 0, replay: 0 },
        iterations: 20,
        seed: 0,
        engine: "native",
        ...changes,
      }),
    );
  const iterationsOf = (all: readonly TrainEvent[]) =>
    all.flatMap((event) => (event.kind === "iteration" ? [event] : []));
  const plain = events({});

  test("that only observes the ratio logs it, and trains as without it to the bit", async () => {
    const observed = await events({ entropyRatio: clamp });
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
    ["behaviour", { entropyRatio: { ...clamp, use: "behaviour" } }],
    ["potential", { entropyRatio: { ...clamp, use: "potential" } }],
    ["margin", { entropyRatio: { ...clamp, use: "margin" } }],
    [
      "the regulariser beside uniform draws",
      { entropyRegulariser: { coefficient: 0.5 }, exploration: { epsilon: 0.1, temperature: 1 } },
    ],
    ["kl-literal", { objective: OBJECTIVES["kl-literal"] }],
  ])("with %s is not the plain run, and the same by a table and by a function", async (_, changes) => {
    const byTable = iterationsOf(await events(changes));
    const byFunction = iterationsOf(await events({ ...changes, scores: ask }));
    byTable.forEach(({ loss, entropyRatio }, i) => {
      expect(byFunction[i].loss / loss).toBeCloseTo(1, 2);
      expect(byFunction[i].entropyRatio ?? 0).toBeCloseTo(entropyRatio ?? 0, 3);
    });
    expect(byTable[0].entropyRatio === undefined).toBe(changes.objective !== undefined);
    expect(byTable[0].loss).not.toBe(iterationsOf(await plain)[0].loss);
  });

  test("at another temperature the regulariser counts nothing", async () => {
    const exploration = { epsilon: 0, temperature: 2 };
    const without = await events({ exploration });
    const regularised = await events({ exploration, entropyRegulariser: { coefficient: 5 } });
    expect(lossesOf(regularised)).toEqual(lossesOf(without));
  });

  test.each(["behaviour", "potential"] as const)("on a grid ends at the target with %s", async (use) => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
    const { terminals } = visitation(
      grid.enumerate(),
      randomPolicy(grid.enumerate(), RandomStream.fromSeed(5)),
    );
    const run = await events({
      environment: grid,
      scores: terminals,
      policy: { hidden: [16], memoryRows: grid.states },
      learningRate: { from: 2e-2, to: 2e-4, shape: "cosine" },
      reward: { floor: 0 },
      entropyRatio: { ...clamp, use },
      batch: 64,
      iterations: 200,
    });
    expect(lastEvaluation(run).reached.tv).toBeLessThan(0.03);
    expect(iterationsOf(run).at(-1)?.entropyRatio).toBeGreaterThan(1.5);
  });

  test("gives the same on both engines", async () => {
    const entropyRatio = { ...clamp, use: "margin", estimator: "state" } as const;
    const regulariser = { entropyRatio, entropyRegulariser: { coefficient: 0.5 }, iterations: 5 };
    const native = lossesOf(await events(regulariser));
    lossesOf(await events({ ...regulariser, engine: "jax" })).forEach((loss, i) => {
      expect(loss / native[i]).toBeCloseTo(1, 3);
    });
  });
});
