// Tests of views of runs that cannot be enumerated, or whose rewards are not all known; and of the size of answers.

import { describe, expect, test } from "vitest";
import { randomScores } from "../../test/support/small-run.ts";
import { probabilityOf, sumOf, viewOf, viewRuns } from "../../test/support/view-runs.ts";
import { RandomStream } from "../engine/index.ts";
import { environment as plainEnvironment } from "../gfn/environment/plain-environment.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../gfn/environment/sequence.ts";
import type {
  DistributionView,
  DynamicsView,
  EntropyView,
  FlowView,
  LogoView,
  TrajectoriesView,
} from "./view-data.ts";
import { viewsOf } from "./views.ts";

const { trained } = viewRuns();
const MOST_BYTES = 300_000;

describe("an estimated view", () => {
  test("counts samples if the histories of a policy are too many", async () => {
    const run = await trained({
      environment: sequenceEnvironment({ alphabet: "ACGTN", length: 6, stick: 0.25 }),
      ...{
        scores: randomScores(5 ** 6),
        encoder: "thought",
        encoderLayers: 1,
        encoderWidth: 4,
        encoderHeads: 1,
      },
      ...{ iterations: 1 },
    });
    const { exact, sorted, objects, points, notes } = await viewOf<DistributionView>(run, "distribution");
    expect([exact, objects]).toEqual([false, 5 ** 6]);
    expect(notes.join(" ")).toContain("frequencies of 8192 samples");
    // The bins cover all objects, so the means times their widths sum to 1.
    const ends: number[] = [];
    for (const rank of sorted.rank) ends.push(2 * rank - (ends.at(-1) ?? 0) - 1);
    const widths = ends.map((end, i) => end - (ends[i - 1] ?? 0));
    expect(sumOf(widths)).toBe(5 ** 6);
    expect(sumOf(sorted.learned.map((p, i) => p * widths[i]))).toBeCloseTo(1, 5);
    expect(sumOf(sorted.target.map((p, i) => p * widths[i]))).toBeCloseTo(1, 5);
    expect(points).toHaveLength(1500);
    // The other views of such a run are estimates, too.
    const flow = await viewOf<FlowView>(run, "flow");
    expect([flow.exact, flow.learned, flow.target]).toEqual([false, 1, 1]);
    const logo = await viewOf<LogoView>(run, "logo");
    expect(logo.learned[0][flow.children[0].outcome]).toBeCloseTo(flow.children[0].learned, 5);
    expect((await viewOf<EntropyView>(run, "entropy")).steps).toHaveLength(6);
    const { truth } = await viewOf<DynamicsView>(run, "dynamics");
    expect(truth[1]).toEqual([0.05, 0.8, 0.05, 0.05, 0.05]);
  }, 120_000);

  test("shows the objects that a score function has scored", async () => {
    const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
    const scores = (texts: readonly string[]) => texts.map((text) => text.split("A").length);
    const run = await trained({ environment, scores, iterations: 2, rewardExponent: 2 });
    const { points, sorted, logZ, exact } = await viewOf<DistributionView>(run, "distribution");
    expect(exact).toBe(true);
    const known = run.model.snapshot.oracle?.objects ?? [];
    expect(points.map(({ object }) => object).sort()).toEqual([...known].sort());
    for (const { object, logReward, logLearned } of points) {
      expect(logReward).toBeCloseTo(2 * Math.log(object.split("A").length), 5);
      expect(logLearned).toBeCloseTo(Math.log(await probabilityOf(run, object)), 5);
    }
    expect(sumOf(sorted.learned)).toBeCloseTo(1, 5);
    const covered = sumOf(points.map(({ logLearned }) => Math.exp(logLearned as number)));
    const total = Math.log(sumOf(points.map(({ logReward }) => Math.exp(logReward))));
    expect(logZ).toBeCloseTo(total - Math.log(covered), 5);
  });
});

describe("every view", () => {
  test("of strings of eight letters is exact, small and free of numbers that JSON lacks", async () => {
    const environment = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });
    const stream = RandomStream.fromSeed(1);
    const scores = Float64Array.from({ length: 4 ** 8 }, () => Math.exp(3 * stream.normal()));
    const run = await trained({ environment, scores, iterations: 1, dynamics: "joint", dynamicsHidden: [4] });
    for (const name of await viewsOf(run.folder, "run")) {
      const data = await viewOf(run, name, { levels: 3 });
      const text = JSON.stringify(data);
      expect(text.length, name).toBeLessThan(MOST_BYTES);
      expect(JSON.parse(text), name).toEqual(data);
    }
    const { points, sorted } = await viewOf<DistributionView>(run, "distribution");
    const best = scores.reduce((a, b) => Math.max(a, b));
    expect(points).toHaveLength(1500);
    expect(points[0].logReward).toBeCloseTo(Math.log(best), 5);
    expect(sorted.rank.length).toBeLessThanOrEqual(400);
  }, 120_000);

  test("of long strings with many letters is small", async () => {
    const environment = longSequenceEnvironment({ alphabet: "ACDEFGHIKLMNPQRSTVWY", length: 24, stick: 0.1 });
    const scores = (texts: readonly string[]) => texts.map((text) => 1 + text.split("W").length);
    const run = await trained({ environment, scores, iterations: 1, dynamics: "joint", dynamicsHidden: [4] });
    for (const name of await viewsOf(run.folder, "run")) {
      const data = await viewOf(run, name, { levels: 3 });
      expect(JSON.stringify(data).length, name).toBeLessThan(MOST_BYTES);
      expect(JSON.parse(JSON.stringify(data)), name).toEqual(data);
    }
    const dynamics = await viewOf<DynamicsView>(run, "dynamics");
    expect((dynamics.truth[3] as number[])[3]).toBeCloseTo(0.9 + 0.1 / 20, 4);
    const flow = await viewOf<FlowView>(run, "flow", { levels: 3 });
    expect([flow.exact, flow.target]).toEqual([false, null]);
  }, 120_000);

  test("names the actions of a plain environment", async () => {
    const walk = plainEnvironment({
      start: 0,
      actions: () => ["left", "right"],
      step: (place, action) => [
        { state: action === "left" ? place - 1 : place + 1, probability: 0.75 },
        { state: place, probability: 0.25 },
      ],
      reward: (place) => 1 + Math.abs(place),
      steps: 3,
    });
    const run = await trained({ environment: walk, iterations: 2 });
    const { actions, truth } = await viewOf<DynamicsView>(run, "dynamics");
    expect(actions).toEqual(["left", "right"]);
    for (const row of truth as number[][]) expect(sumOf(row)).toBeCloseTo(1, 4);
    const { trajectories } = await viewOf<TrajectoriesView>(run, "trajectories");
    expect(trajectories[0].steps).toHaveLength(3);
    const flow = await viewOf<FlowView>(run, "flow", { levels: 3 });
    expect(sumOf(flow.children.map(({ learned }) => learned))).toBeCloseTo(1, 6);
  });
});
