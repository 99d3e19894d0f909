// The option `residuals` of training: what iterations report, that it changes nothing else, and that it is not compiled
// unless it is asked for.

import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../test/support/difference.ts";
import { ask, everything, smallRun, strings } from "../../../test/support/small-run.ts";
import { collect } from "../../../test/support/training-events.ts";
import { interpret, printGraph, RandomStream, simplify, trace } from "../../engine/index.ts";
import type { ArrayFunction } from "../../engine/trace.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { regimeEnvironment } from "../environment/regime.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { OBJECTIVES, type Objective } from "../objectives/objective.ts";
import { residualSummary } from "../objectives/residual-summary.ts";
import { model } from "../policy/model.ts";
import { callBudgetDataSettings, callBudgetSettings } from "./call-budget-defaults.ts";
import { defaultSettings } from "./defaults.ts";
import type { IterationEvent } from "./events.ts";
import { trainingIteration } from "./iteration.ts";
import type { Settings } from "./settings.ts";
import { type TrainOptions, train } from "./train.ts";
import { modelTrainer } from "./trainer.ts";

const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
const regimes = regimeEnvironment({
  alphabet: "AB",
  length: 2,
  regimes: [
    { stick: 0.1, share: 0.5 },
    { stick: 0.6, share: 0.5 },
  ],
});

interface Case {
  readonly environment: Environment;
  readonly changes: Partial<Settings>;
  readonly terms: readonly string[];
}

const RATIO = { entropyEstimator: "clamp", entropyGamma: 0.3 } as const;
const objective = (balance: Objective["balance"], dynamics: Objective["dynamics"]) =>
  ({ balance, dynamics, loss: "squared" }) as const;
const FLOWS = ["flow", "nextFlow", "backward", "reward"];

/** One case for each balance, form of the dynamics and use of the entropy ratio. */
const CASES: Record<string, Case> = {
  "db, none": { environment: stopping, changes: OBJECTIVES.db, terms: [...FLOWS, "policy"] },
  "db, none-intended": {
    environment: stopping,
    changes: objective("db", "none-intended"),
    terms: [...FLOWS, "policy"],
  },
  "db, joint": { environment: stopping, changes: OBJECTIVES.sdb, terms: [...FLOWS, "policy", "dynamics"] },
  "db, marginal, kl": { environment: grid, changes: OBJECTIVES.kl, terms: [...FLOWS, "outcome"] },
  "db, expected": { environment: stopping, changes: OBJECTIVES["soft-q"], terms: [...FLOWS, "policy"] },
  "fl-db, joint": {
    environment: grid,
    changes: objective("fl-db", "joint"),
    terms: [...FLOWS, "policy", "dynamics"],
  },
  "subtb, joint, learned log Z": {
    environment: stopping,
    changes: { ...OBJECTIVES.ssubtb, learnLogZ: true, logZInitial: 0.3 },
    terms: [...FLOWS, "logZ", "policy", "dynamics"],
  },
  "tb, marginal": {
    environment: grid,
    changes: objective("tb", "marginal"),
    terms: ["logZ", "outcome", "backward", "reward"],
  },
  "tb, thought": {
    environment: regimes,
    changes: {
      ...OBJECTIVES["kl-thought"],
      ...{
        encoder: "thought",
        dynamicsEncoder: "thought",
        encoderLayers: 1,
        encoderWidth: 8,
        encoderHeads: 2,
      },
      ...{ learnLogZ: true, logZInitial: 0.3, objectMarginalHidden: [4] },
    },
    terms: ["logZ", "policy", "dynamics", "backward", "reward", "thoughtPosterior"],
  },
  "vargrad, joint": {
    environment: grid,
    changes: objective("vargrad", "joint"),
    terms: ["logZ", "policy", "dynamics", "backward", "reward"],
  },
  "db, joint, margin": {
    environment: stopping,
    changes: { ...OBJECTIVES.sdb, ...RATIO, entropyRatio: "margin" },
    terms: [...FLOWS, "policy", "dynamics", "margin"],
  },
  "subtb, none, potential": {
    environment: stopping,
    changes: { ...OBJECTIVES.subtb, ...RATIO, entropyRatio: "potential" },
    terms: [...FLOWS, "policy"],
  },
};

function iterationOf({ environment, changes }: Pick<Case, "environment" | "changes">, residuals: boolean) {
  const settings: Settings = {
    ...defaultSettings(environment),
    ...{ hidden: [4], dynamicsHidden: [3], stateTableRows: 0, dynamicsStateTableRows: 0, batch: 12 },
    ...changes,
  };
  const network = model(environment, settings);
  const values = Float32Array.from({ length: 64 }, (_, k) => Math.sin(k));
  return {
    network,
    ...trainingIteration(network, { ...settings, rewards: { values }, uses: { offPolicy: true, residuals } }),
  };
}

/** The outputs of one training iteration in float64, with random parameters. */
function iterated(given: Case): Record<string, Float64Array> {
  const { network, train } = iterationOf(given, true);
  const stream = RandomStream.fromSeed(8);
  const inputs = Object.entries(train.example).map(([name, { shape, dtype }]) => {
    const size = shape.reduce((a, b) => a * b, 1);
    if (name === "policy") return [name, network.policyLayout.init(stream)];
    if (name === "dynamics") return [name, network.dynamicsLayout.init(stream)];
    if (name === "uniform") return [name, stream.fillUniform(new Float32Array(size))];
    if (name === "offPolicyMask") return [name, new Float32Array(size)];
    if (name === "entropyGamma") return [name, Float32Array.of(0.3)];
    return [name, dtype === "int32" ? new Int32Array(size) : new Float32Array(size).fill(1e-3)];
  });
  const graph = trace(train.run as ArrayFunction, train.example, "train");
  return interpret(graph, Object.fromEntries(inputs)) as Record<string, Float64Array>;
}

const numbers = (values: readonly (number | null)[]) => values.map((value) => value ?? Number.NaN);

describe.each(Object.entries(CASES))("residuals of %s", (_, given) => {
  const outputs = iterated(given);
  const { steps, mean, rootMeanSquare, terms } = residualSummary(outputs);
  const T = given.environment.maxSteps;
  const byTrajectory = given.changes.balance === "tb" || given.changes.balance === "vargrad";

  test("have the terms of the balance at each step, and are their sums", () => {
    expect(Object.keys(terms).sort()).toEqual([...given.terms].sort());
    expect(steps).toBe(byTrajectory ? 1 : T);
    expect([mean.length, rootMeanSquare.length]).toEqual([steps, steps]);
    for (const values of Object.values(terms)) expect(values).toHaveLength(T);
    const sums = Array.from({ length: T }, (_, t) =>
      Object.values(terms).reduce((sum, values) => sum + numbers(values)[t], 0),
    );
    const expected = byTrajectory ? [sums.reduce((a, b) => a + b)] : sums;
    expect(largestDifference(numbers(mean), expected)).toBeLessThan(1e-10);
    // In a tree, the backward policy has no choice of a parent.
    const nonZero = Object.keys(terms).filter((name) =>
      outputs[`residual.term.${name}`].some((x) => x !== 0),
    );
    expect([...new Set([...nonZero, "backward"])].sort()).toEqual([...given.terms].sort());
  });

  test("are those of the loss", () => {
    const squares = numbers(rootMeanSquare).map((rms) => rms ** 2);
    for (const [t, value] of numbers(mean).entries()) {
      expect(squares[t]).toBeGreaterThanOrEqual(value ** 2 - 1e-9);
    }
    const { balance, loss } = given.changes;
    // Other losses are not squares, and parts of several steps count in the loss of subtb.
    if (loss !== "squared" || balance === "subtb") return;
    const largest = Math.max(...squares);
    const smallest = Math.min(...squares);
    expect(outputs.loss[0]).toBeGreaterThanOrEqual(smallest - 1e-9);
    expect(outputs.loss[0]).toBeLessThanOrEqual(largest + 1e-9);
    if (byTrajectory) expect(outputs.loss[0]).toBeCloseTo(squares[0], 6);
  });
});

describe("a program without residuals", () => {
  test.each([
    ["train", "db, joint"],
    ["train", "tb, marginal"],
    ["train", "subtb, joint, learned log Z"],
    ["update", "db, joint"],
  ] as const)("is the program %s of %s with residuals, less their outputs", (name, title) => {
    const [plain, logging] = [false, true].map((residuals) => iterationOf(CASES[title], residuals)[name]);
    const withoutResiduals: ArrayFunction = (inputs) =>
      Object.fromEntries(
        Object.entries((logging.run as ArrayFunction)(inputs)).filter(([output]) => !isSummary(output)),
      );
    const printed = (run: unknown) => printGraph(simplify(trace(run as ArrayFunction, plain.example, name)));
    expect(printed(plain.run)).toBe(printed(withoutResiduals));
    expect(printed(plain.run)).not.toContain("residual.");
    expect(printed(logging.run)).toContain("residual.mean");
  });
});

const isSummary = (name: string) => name.startsWith("residual.");

const iterationsOf = async (options: TrainOptions) =>
  (await collect(train(options))).filter((event): event is IterationEvent => event.kind === "iteration");

describe("training with residuals", () => {
  const scored = (texts: readonly string[]) => texts.map((text) => 0.1 + text.length);
  const budgeted = {
    ...callBudgetSettings(stopping, { objective: "sdb", hidden: [8], batch: 8 }),
    ...callBudgetDataSettings(stopping),
    ...{
      environment: stopping,
      scores: scored,
      calls: 12,
      iterations: 6,
      seed: 2,
      engine: "native" as const,
    },
  };
  const runs: Record<string, TrainOptions> = {
    "a table of scores": smallRun({ iterations: 4 }),
    "everything that a run can use": smallRun({ ...everything, iterations: 4 }),
    "a policy that reads its thought": smallRun({
      ...OBJECTIVES["kl-thought"],
      ...{
        encoder: "thought",
        dynamicsEncoder: "thought",
        encoderLayers: 1,
        encoderWidth: 8,
        encoderHeads: 2,
      },
      ...{ learnLogZ: true, objectMarginalHidden: [4], iterations: 3 },
    }),
    "the engine jax": smallRun({ engine: "jax", iterations: 3 }),
    "a score function": smallRun({ scores: ask, iterations: 4 }),
    "a call budget": budgeted,
  };

  test.each(Object.entries(runs))("on %s is bit-identical to training without", async (_, options) => {
    const states = [];
    for (const residuals of [false, true]) {
      const trainer = await modelTrainer({ ...options, residuals });
      const reports = [];
      for (let t = 0; t < 3; t++) {
        const { residuals: summary, ...others } = await trainer.step(t, t / 3);
        expect(summary !== undefined).toBe(residuals);
        reports.push(others);
      }
      states.push({ reports, ...(await trainer.save()) });
      await trainer.dispose();
    }
    expect(states[1]).toEqual(states[0]);
  });

  test("reports finite numbers in every iteration event", async () => {
    const events = await iterationsOf(smallRun({ iterations: 3, residuals: true }));
    expect(events).toHaveLength(3);
    for (const { residuals } of events) {
      expect(residuals?.steps).toBe(strings.maxSteps);
      const all = [
        residuals?.mean,
        residuals?.rootMeanSquare,
        ...Object.values(residuals?.terms ?? {}),
      ].flat();
      expect(all.every((value) => Number.isFinite(value))).toBe(true);
    }
    const [without] = await iterationsOf(smallRun({ iterations: 1 }));
    expect(without).not.toHaveProperty("residuals");
  });

  test("refuses a loss without residuals, and a value that is not true or false", async () => {
    const literal = smallRun({ ...OBJECTIVES["kl-literal"], residuals: true });
    await expect(iterationsOf(literal)).rejects.toThrow(
      "loss: kl-literal compares two policies and has no residuals of a balance; omit `residuals`",
    );
    const wrong = smallRun({ residuals: "yes" as unknown as boolean });
    await expect(iterationsOf(wrong)).rejects.toThrow("residuals");
  });
});
