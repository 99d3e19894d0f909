// Tests of the views by step and by cell: kernels, entropies, trajectories, attention and grids.

import { beforeAll, describe, expect, test } from "vitest";
import { randomScores } from "../../test/support/small-run.ts";
import { probabilityOf, sumOf, type ViewedRun, viewOf, viewRuns } from "../../test/support/view-runs.ts";
import { environment as plainEnvironment } from "../gfn/environment/plain-environment.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { normaliseRewards } from "../math/distances.ts";
import { softmax } from "../math/softmax.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import { marginal } from "./grid-view.ts";
import { openedRun } from "./opened-run.ts";
import { followSamples, type SampledStep } from "./sampled-steps.ts";
import type {
  AttentionView,
  CandidatesView,
  DynamicsView,
  EntropyView,
  FlowView,
  GridView,
  TrajectoriesView,
} from "./view-data.ts";

const { trained } = viewRuns();

/** The target probability of each object. */
function targetOf({ model: { options } }: ViewedRun): Float64Array {
  const { rewardExponent: exponent, rewardFloor: floor } = options;
  return normaliseRewards(rewardTable(options.scores as Float64Array, { exponent, floor })).target;
}

let grid: ViewedRun;
let strings: ViewedRun;
let walk: ViewedRun;

beforeAll(async () => {
  grid = await trained({ task: hypergridTask({ side: 3, dimensions: 2, stick: 0.2 }), dynamics: "none" });
  const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  strings = await trained({
    ...{ environment, scores: randomScores(27), dynamics: "marginal", dynamicsHidden: [4] },
    ...{ dynamicsEncoder: "both", encoderLayers: 2, encoderWidth: 4, encoderHeads: 2 },
  });
  // A step can stay where it is, which neither action intends.
  const line = plainEnvironment({
    start: 0,
    actions: () => ["left", "right"],
    step: (place, action) => [
      { state: action === "left" ? place - 1 : place + 1, probability: 0.75 },
      { state: place, probability: 0.25 },
    ],
    reward: (place) => 1 + Math.abs(place),
    steps: 3,
  });
  walk = await trained({ environment: line, dynamics: "marginal", dynamicsHidden: [4], iterations: 2 });
}, 120_000);

describe("dynamics", () => {
  test("has the kernel of stick noise, and a learned kernel with rows that sum to 1", async () => {
    const { exact, actions, outcomes, truth, learned, steps } = await viewOf<DynamicsView>(
      strings,
      "dynamics",
    );
    expect(exact).toBe(true);
    expect([actions, outcomes]).toEqual([
      ["A", "C", "G"],
      ["A", "C", "G"],
    ]);
    const [same, other] = [0.66667, 0.16667];
    expect(truth).toEqual([
      [same, other, other],
      [other, same, other],
      [other, other, same],
    ]);
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    for (const matrix of [learned, ...steps.map((step) => step.learned)]) {
      for (const row of matrix as number[][]) expect(sumOf(row)).toBeCloseTo(1, 4);
    }
  });

  test("has no row for a stop, and averages over the visits of the policy", async () => {
    const { actions, truth, learned } = await viewOf<DynamicsView>(grid, "dynamics");
    expect(actions).toEqual(["axis 1", "axis 2"]);
    // A move along the first axis can turn into one along the second, except where only one of them is legal.
    for (const row of truth as number[][]) expect(sumOf(row)).toBeCloseTo(1, 4);
    expect((truth as number[][])[0][0]).toBeGreaterThan(0.9);
    expect((truth as number[][])[0][0]).toBeLessThan(1);
    expect(learned).toBeNull();
  });
});

describe("entropy", () => {
  test("of a policy without training is that of the uniform policy", async () => {
    const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
    const run = await trained({
      environment,
      scores: randomScores(27),
      outputInit: "zeros",
      learningRate: 1e-12,
      iterations: 1,
    });
    const { steps, exact } = await viewOf<EntropyView>(run, "entropy");
    expect([exact, steps.length]).toEqual([true, 3]);
    for (const { mean, low, high, uniform } of steps) {
      expect(uniform).toBeCloseTo(Math.log(3), 6);
      for (const value of [mean, low, high]) expect(value).toBeCloseTo(Math.log(3), 4);
    }
  });

  test("is the mean over the states that the policy visits", async () => {
    const { steps } = await viewOf<EntropyView>(strings, "entropy");
    const flow = await viewOf<FlowView>(strings, "flow", { levels: 1 });
    // The noise is known, so the policy in the start follows from the flow: flow = (1 − stick) π + stick / 3.
    const policy = flow.children.map(({ learned }) => (learned - 0.5 / 3) / 0.5);
    expect(steps[0].mean).toBeCloseTo(-sumOf(policy.map((p) => p * Math.log(p))), 4);
    expect(steps[1].low).toBeLessThanOrEqual(steps[1].mean);
    expect(steps[1].high).toBeGreaterThanOrEqual(steps[1].mean);
  });
});

describe("trajectories", () => {
  test("have steps that lead to the object, with probabilities that sum to 1", async () => {
    const { trajectories } = await viewOf<TrajectoriesView>(strings, "trajectories", { seed: 1 });
    expect(trajectories).toHaveLength(20);
    for (const { object, score, logProbability, steps } of trajectories) {
      expect(steps.map(({ outcome }) => outcome).join("")).toBe(object);
      expect(steps.map(({ state }) => state)).toEqual(["start", object.slice(0, 1), object.slice(0, 2)]);
      expect(logProbability).toBeCloseTo(Math.log(await probabilityOf(strings, object)), 5);
      expect(score).toBeGreaterThan(0);
      for (const { action, outcome, isNoise, policy, outcomeProbability } of steps) {
        expect(isNoise).toBe(action !== outcome);
        expect(sumOf(policy.map(([, probability]) => probability))).toBeCloseTo(1, 4);
        expect(outcomeProbability).toBeGreaterThan(0);
        expect(outcomeProbability).toBeLessThan(1);
      }
    }
    expect(trajectories.flatMap(({ steps }) => steps).some(({ isNoise }) => isNoise)).toBe(true);
    const again = await viewOf<TrajectoriesView>(strings, "trajectories", { seed: 1 });
    expect(again.trajectories).toEqual(trajectories);
    const others = await viewOf<TrajectoriesView>(strings, "trajectories", { seed: 2 });
    expect(others.trajectories).not.toEqual(trajectories);
  });

  test.each([
    ["strings", () => strings],
    ["an environment whose outcomes are not intended", () => walk],
  ])("have the same probabilities by tables and by the compiled networks: %s", async (_, run) => {
    const { trajectories } = await viewOf<TrajectoriesView>(run(), "trajectories");
    const opened = await openedRun(run().folder);
    const { outcomes: C } = opened.task.environment;
    const samples = await opened.samples(20, 0);
    const seen: number[] = [];
    const visit = ({ logits, isLegal, action, logDynamics, outcome }: SampledStep) => {
      seen.push(softmax(logits, isLegal)[action], Math.exp(logDynamics?.[action * C + outcome] ?? 0));
    };
    await followSamples({ ...opened, tables: async () => null }, samples, visit);
    const expected = trajectories.flatMap(({ steps }) =>
      steps.flatMap(({ policy, action, outcomeProbability }) => [
        policy.find(([label]) => label === action)?.[1] as number,
        outcomeProbability as number,
      ]),
    );
    expect(seen).toHaveLength(expected.length);
    seen.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 4);
    });
  });
});

describe("attention", () => {
  test("has causal rows that sum to 1, for every position that the encoder reads", async () => {
    const { tokens, weights, notes } = await viewOf<AttentionView>(strings, "attention", { seed: 4 });
    expect(tokens).toHaveLength(3);
    expect(tokens[0]).toBe("start");
    expect([weights.length, weights[0].length]).toEqual([2, 2]);
    for (const rows of weights.flat()) {
      rows.forEach((row, query) => {
        expect(sumOf(row)).toBeCloseTo(1, 4);
        expect(row.slice(query + 1).every((weight) => weight === 0)).toBe(true);
      });
    }
    expect(notes[0]).toContain("encoder of the dynamics model reads the actions and outcomes");
    await expect(viewOf(grid, "attention")).rejects.toThrow("no network of this run has a transformer");
  });
});

describe("grid", () => {
  test("has the probability of each cell", async () => {
    const { target, learned, axes, fixed } = await viewOf<GridView>(grid, "grid");
    expect([axes, fixed]).toEqual([
      [0, 1],
      [null, null],
    ]);
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 3; column++) {
        expect(learned[3 * row + column]).toBeCloseTo(await probabilityOf(grid, `${column},${row}`), 4);
        expect(target[3 * row + column]).toBeCloseTo(targetOf(grid)[3 * row + column], 4);
      }
    }
    expect((await viewOf<GridView>(grid, "grid", { axes: [1, 0] })).target[1]).toBe(target[3]);
  });

  test("has slices that sum to the marginal", async () => {
    const cube = await trained({ task: hypergridTask({ side: 3, dimensions: 3, stick: 0 }), iterations: 2 });
    const marginal = await viewOf<GridView>(cube, "grid", { axes: [0, 2] });
    const slices = await Promise.all(
      [0, 1, 2].map((index) => viewOf<GridView>(cube, "grid", { axes: [0, 2], fixed: [null, index, null] })),
    );
    for (const which of ["target", "learned", "limit"] as const) {
      expect(sumOf(marginal[which] as number[])).toBeCloseTo(1, 4);
      marginal[which]?.forEach((value, cell) => {
        expect(sumOf(slices.map((slice) => slice[which]?.[cell] as number))).toBeCloseTo(value, 4);
      });
    }
    await expect(viewOf(cube, "grid", { axes: [0, 3] })).rejects.toThrow(/^axes: must be two different axes/);
    await expect(viewOf(cube, "grid", { fixed: [3] })).rejects.toThrow(/^fixed: must have null or an index/);
    await expect(viewOf(strings, "grid")).rejects.toThrow("are not cells of one");
  });

  test("of one axis has one row, and squares of a large one are summed", async () => {
    const line = await trained({ task: hypergridTask({ side: 3, dimensions: 1, stick: 0 }), iterations: 1 });
    const { axes, learned, target, block } = await viewOf<GridView>(line, "grid");
    expect([axes, block, learned.length]).toEqual([[0, 0], undefined, 3]);
    expect(target[2]).toBeCloseTo(targetOf(line)[2], 4);
    const cells = Float64Array.from({ length: 25 }, (_, cell) => cell);
    // Squares of 2 × 2 cells; those at the end are smaller.
    expect([...marginal(cells, { dimensions: 2, side: 5 }, [0, 1], [null, null], 2)]).toEqual([
      ...[0 + 1 + 5 + 6, 2 + 3 + 7 + 8, 4 + 9],
      ...[10 + 11 + 15 + 16, 12 + 13 + 17 + 18, 14 + 19],
      ...[20 + 21, 22 + 23, 24],
    ]);
  });
});

describe("candidates", () => {
  test("of a run are its distinct samples, best first", async () => {
    const { columns, rows } = await viewOf<CandidatesView>(strings, "candidates");
    expect(columns.map(({ name }) => name)).toEqual(["rank", "object", "score", "log_probability", "count"]);
    const scores = rows.map((row) => row[2] as number);
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
    expect(sumOf(rows.map((row) => row[4] as number))).toBe(1024);
    expect(rows[0][3]).toBeCloseTo(Math.log(await probabilityOf(strings, rows[0][1] as string)), 5);
  });
});
