// Residuals by step and by term, in float64 on strings that stop, compared with loops over the same trajectories.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../test/support/difference.ts";
import {
  balancedTables,
  type Combination,
  inFloat64,
  randomPolicy,
  tabularBatch,
  tabularInputs,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { oneHotIndices } from "../../nn/one-hot.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { balanceTerms } from "./balance-terms.ts";
import { type ResidualTerm, residualSummary, summariseResiduals } from "./residual-summary.ts";
import { balanceResiduals } from "./residuals.ts";

const B = 24;
const LETTERS = 2;
const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const enumeration = environment.enumerate();
const T = environment.maxSteps;
const STOP = LETTERS;

/** Tables that are out of balance: numbers are added to the flows, to the kernel and to log Z. */
const inputs = (() => {
  const policy = randomPolicy(enumeration, RandomStream.fromSeed(4));
  const { logFlow, logKernel, ...tables } = balancedTables(environment, enumeration, policy, 0.7);
  const stream = RandomStream.fromSeed(5);
  const moved = (table: Float64Array) => table.map((value) => value + stream.normal());
  return tabularInputs(
    environment,
    { ...tables, logFlow: moved(logFlow), logKernel: moved(logKernel), logZ: Float64Array.of(-0.4) },
    B,
    RandomStream.fromSeed(6),
  );
})();

/** The summary of a batch, the residuals of its loss, and its trajectories. */
function summarised({ balance, dynamics, learnedLogZ }: Combination) {
  const outputs = inFloat64((arrays) => {
    const batch = tabularBatch(environment, arrays.forward, arrays.uniform);
    const of = (table: np.Array) => np.take(table, batch.index, 0);
    const logKernel = np.take(arrays.logKernel, np.split(batch.index, [T * B], 0)[0], 0);
    const networks = {
      forward: of(arrays.forward),
      backward: of(arrays.backward),
      logFlow: of(arrays.logFlow),
    };
    const terms = balanceTerms(dynamics, batch, networks, logKernel);
    const logReward = np.take(arrays.logReward, batch.terminal, 0);
    const options = { lambda: 0.9, ...(learnedLogZ && { logZ: arrays.logZ }) };
    const residuals = balanceResiduals(balance, batch, terms, logReward, options);
    return {
      ...summariseResiduals(balance, batch, terms, { logReward }, residuals, options),
      state: batch.index,
      action: oneHotIndices(batch.actions),
      outcome: oneHotIndices(batch.outcomes),
      terminal: batch.terminal,
      running: batch.running,
    } as Record<string, np.Array>;
  }, inputs);
  return { summary: residualSummary(outputs), ...outputs } as Record<string, Float64Array> & {
    summary: ReturnType<typeof residualSummary>;
  };
}

type Row = Partial<Record<ResidualTerm, number[]>>;

/** The terms of one trajectory by step, as loops over the tables, for db or tb with the form joint. */
function termsOf(batch: Record<string, Float64Array>, row: number, balance: "db" | "tb"): Row {
  const data = (name: string) => inputs[name].data;
  const zeros = () => new Array<number>(T).fill(0);
  const terms = { policy: zeros(), dynamics: zeros(), backward: zeros(), reward: zeros() };
  const [flow, nextFlow, logZ] = [zeros(), zeros(), zeros()];
  logZ[0] = data("logFlow")[0];
  for (let t = 0; t < T && batch.running[t * B + row] === 1; t++) {
    const [state, next] = [batch.state[t * B + row], batch.state[(t + 1) * B + row]];
    const [action, outcome] = [batch.action[t * B + row], batch.outcome[t * B + row]];
    const stops = action === STOP;
    terms.policy[t] = data("forward")[state * (LETTERS + 1) + action];
    flow[t] = data("logFlow")[state];
    if (stops) terms.reward[t] = -data("logReward")[batch.terminal[row]];
    else {
      terms.dynamics[t] = data("logKernel")[(state * LETTERS + action) * LETTERS + outcome];
      terms.backward[t] = -data("backward")[next * LETTERS + action];
      nextFlow[t] = -data("logFlow")[next];
    }
  }
  return balance === "db" ? { flow, nextFlow, ...terms } : { logZ, ...terms };
}

const rows = Array.from({ length: B }, (_, row) => row);
const steps = Array.from({ length: T }, (_, t) => t);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const numbers = (values: readonly (number | null)[]) => values.map((value) => value ?? Number.NaN);

describe("residuals by step are those of loops over the same trajectories", () => {
  test("for detailed balance: means over the trajectories that run at the step", () => {
    const { summary, ...batch } = summarised({ balance: "db", dynamics: "joint" });
    const byRow = rows.map((row) => termsOf(batch, row, "db"));
    const running = (t: number) => rows.filter((row) => batch.running[t * B + row] === 1);
    expect(running(T - 1).length).toBeLessThan(B);
    expect(running(T - 1).length).toBeGreaterThan(0);
    const residual = (row: number, t: number) => sum(Object.values(byRow[row]).map((term) => term[t]));
    const meanOf = (t: number, f: (row: number) => number) => sum(running(t).map(f)) / running(t).length;
    const mean = steps.map((t) => meanOf(t, (row) => residual(row, t)));
    const rms = steps.map((t) => Math.sqrt(meanOf(t, (row) => residual(row, t) ** 2)));
    expect(summary.steps).toBe(T);
    expect(largestDifference(numbers(summary.mean), mean)).toBeLessThan(1e-6);
    expect(largestDifference(numbers(summary.rootMeanSquare), rms)).toBeLessThan(1e-6);
    expect(Object.keys(summary.terms).sort()).toEqual(Object.keys(byRow[0]).sort());
    for (const [name, found] of Object.entries(summary.terms)) {
      const expected = steps.map((t) => meanOf(t, (row) => byRow[row][name as ResidualTerm]?.[t] as number));
      expect(largestDifference(numbers(found), expected), name).toBeLessThan(1e-6);
    }
  });

  test("for trajectory balance: one residual, and terms by step over all trajectories", () => {
    const { summary, ...batch } = summarised({ balance: "tb", dynamics: "joint" });
    const byRow = rows.map((row) => termsOf(batch, row, "tb"));
    const residuals = byRow.map((terms) => sum(Object.values(terms).flat()));
    expect(summary.steps).toBe(1);
    expect(numbers(summary.mean)[0]).toBeCloseTo(sum(residuals) / B, 6);
    expect(numbers(summary.rootMeanSquare)[0]).toBeCloseTo(
      Math.sqrt(sum(residuals.map((r) => r * r)) / B),
      6,
    );
    expect(Object.keys(summary.terms).sort()).toEqual(Object.keys(byRow[0]).sort());
    for (const [name, found] of Object.entries(summary.terms)) {
      const expected = steps.map(
        (t) => sum(byRow.map((terms) => terms[name as ResidualTerm]?.[t] as number)) / B,
      );
      expect(largestDifference(numbers(found), expected), name).toBeLessThan(1e-6);
    }
  });

  test("for sub-trajectory balance: those of detailed balance, with a learned log Z at the first step", () => {
    const db = summarised({ balance: "db", dynamics: "joint" }).summary;
    const plain = summarised({ balance: "subtb", dynamics: "joint" }).summary;
    expect(largestDifference(numbers(plain.mean), numbers(db.mean))).toBeLessThan(1e-12);
    expect(largestDifference(numbers(plain.rootMeanSquare), numbers(db.rootMeanSquare))).toBeLessThan(1e-12);
    expect(plain.terms).toEqual(db.terms);
    const learned = summarised({ balance: "subtb", dynamics: "joint", learnedLogZ: true }).summary;
    const logZ = [inputs.logZ.data[0], ...steps.slice(1).map(() => 0)];
    expect(largestDifference(numbers(learned.terms.logZ ?? []), logZ)).toBeLessThan(1e-7);
    const flow = [0, ...numbers(db.terms.flow ?? []).slice(1)];
    expect(numbers(learned.terms.flow ?? [])).toEqual(flow);
    const difference = logZ[0] - numbers(db.terms.flow ?? [])[0];
    expect(numbers(learned.mean)[0] - numbers(db.mean)[0]).toBeCloseTo(difference, 6);
    expect(learned.mean.slice(1)).toEqual(plain.mean.slice(1));
  });
});

test("a step at which no trajectory runs has null", () => {
  const outputs = {
    "residual.mean": Float32Array.of(0.5, Number.NaN),
    "residual.rms": Float32Array.of(1.5, Number.NaN),
    "residual.term.reward": Float32Array.of(0.5, Number.NaN),
    loss: Float32Array.of(2),
  };
  expect(residualSummary(outputs)).toEqual({
    steps: 2,
    mean: [0.5, null],
    rootMeanSquare: [1.5, null],
    terms: { reward: [0.5, null] },
  });
});
