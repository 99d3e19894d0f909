// Tests of the views of distributions and flows: their numbers equal those of exact evaluation, of log-probabilities, and of
// brute force over all objects.

import { beforeAll, describe, expect, test } from "vitest";
import { randomScores } from "../../test/support/small-run.ts";
import { probabilityOf, sumOf, type ViewedRun, viewOf, viewRuns } from "../../test/support/view-runs.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import type { DistributionView, FlowChild, FlowView, LogoView } from "./view-data.ts";

const { trained, trainedTask } = viewRuns();

async function exactTv({ model }: ViewedRun) {
  const evaluation = await model.evaluate();
  if (!evaluation.exact) throw new Error("not exact");
  return { reached: evaluation.reached.tv, limit: evaluation.limit.tv };
}

const tvOf = (p: readonly number[], q: readonly number[]) =>
  p.reduce((sum, value, i) => sum + Math.abs(value - q[i]), 0) / 2;

/** Every node of a flow with children. */
function nodesOf(node: FlowView | FlowChild): (FlowView | FlowChild)[] {
  const { children = [] } = node;
  return children.length === 0 ? [] : [node, ...children.flatMap(nodesOf)];
}

let grid: ViewedRun;
let strings: ViewedRun;
let words: ViewedRun;
let variable: ViewedRun;
let both: ViewedRun;

beforeAll(async () => {
  grid = await trained({ task: hypergridTask({ side: 3, dimensions: 2, stick: 0.2 }) });
  const environment = sequenceEnvironment({ alphabet: "ACG", length: 3, stick: 0.5 });
  strings = await trained({ environment, scores: randomScores(27) });
  words = await trainedTask({ task: "bit-sequence", stick: 0.1, bits: 6, word: 2, modes: 2 });
  const upTo3 = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
  variable = await trained({ environment: upTo3, scores: randomScores(15) });
  both = await trained({
    ...{ environment, scores: randomScores(27), encoder: "both" },
    ...{ encoderLayers: 1, encoderWidth: 4, encoderHeads: 1 },
  });
}, 120_000);

describe("distribution", () => {
  test.each(["grid", "strings", "words", "variable", "both"] as const)(
    "has the total variations of an exact evaluation: %s",
    async (name) => {
      const run = { grid, strings, words, variable, both }[name];
      const { exact, sorted, objects, logZ, points } = await viewOf<DistributionView>(run, "distribution");
      const { reached, limit } = await exactTv(run);
      expect(exact).toBe(true);
      expect(sorted.rank).toEqual(Array.from({ length: objects }, (_, i) => i + 1));
      expect(tvOf(sorted.target, sorted.learned)).toBeCloseTo(reached, 6);
      expect(tvOf(sorted.target, sorted.limit as number[])).toBeCloseTo(limit, 6);
      expect([...sorted.target].sort((a, b) => b - a)).toEqual(sorted.target);
      for (const { object, logReward, logLearned } of points) {
        expect(logLearned).toBeCloseTo(Math.log(await probabilityOf(run, object)), 5);
        expect(sorted.target.some((p) => Math.abs(Math.log(p) - (logReward - logZ)) < 1e-5)).toBe(true);
      }
    },
  );
});

describe("flow", () => {
  test.each(["strings", "words", "variable", "both"] as const)(
    "of a node is the sum over its children, and that of an object its probability: %s",
    async (name) => {
      const run = { strings, words, variable, both }[name];
      const flow = await viewOf<FlowView>(run, "flow", { levels: 3 });
      expect([flow.exact, flow.learned, flow.target]).toEqual([true, 1, 1]);
      for (const { learned, target, limit, children = [] } of nodesOf(flow)) {
        expect(sumOf(children.map((child) => child.learned))).toBeCloseTo(learned, 6);
        expect(sumOf(children.map((child) => child.target as number))).toBeCloseTo(target as number, 6);
        expect(sumOf(children.map((child) => child.limit as number))).toBeCloseTo(limit as number, 6);
      }
      const { points, logZ } = await viewOf<DistributionView>(run, "distribution");
      const objects = nodesOf(flow).flatMap(({ children = [] }) =>
        children.filter(({ isObject }) => isObject),
      );
      expect(objects.length).toBeGreaterThan(0);
      for (const { state, learned, target, limit } of objects) {
        const point = points.find(({ object }) => object === state);
        expect(learned).toBeCloseTo(await probabilityOf(run, state), 6);
        expect(target).toBeCloseTo(Math.exp((point?.logReward as number) - logZ), 6);
        expect(limit).toBeCloseTo(Math.exp(point?.logLimit as number), 5);
      }
    },
  );

  test("descends to a node, with its labels", async () => {
    const flow = await viewOf<FlowView>(strings, "flow", { levels: 2 });
    const second = flow.children.find(({ outcome }) => outcome === 1);
    const below = await viewOf<FlowView>(strings, "flow", { path: [1], levels: 1 });
    expect([below.labels, below.state, below.learned]).toEqual([["C"], "C", second?.learned]);
    expect(below.children.map(({ state }) => state).sort()).toEqual(["CA", "CC", "CG"]);
    expect(below.children.map(({ learned }) => learned)).toEqual(
      second?.children?.map(({ learned }) => learned),
    );
    const end = await viewOf<FlowView>(strings, "flow", { path: [1, 0, 2] });
    expect([end.state, end.children]).toEqual(["CAG", []]);
    await expect(viewOf(strings, "flow", { path: [7] })).rejects.toThrow(/^path: outcome 7 does not occur/);
  });

  test("of a graph has the visits of the state, and children from this node only", async () => {
    const flow = await viewOf<FlowView>(grid, "flow", { path: [0, 1], levels: 2 });
    const other = await viewOf<FlowView>(grid, "flow", { path: [1, 0], levels: 2 });
    expect(flow.state).toBe("1,1");
    expect(flow.children).toEqual(other.children);
    for (const { learned, target, children = [] } of nodesOf(flow)) {
      expect(sumOf(children.map((child) => child.learned))).toBeCloseTo(learned, 6);
      expect(sumOf(children.map((child) => child.target as number))).toBeCloseTo(target as number, 6);
    }
    const stop = flow.children.find(({ label }) => label === "stop");
    expect([stop?.isObject, stop?.state]).toEqual([true, "1,1"]);
    expect(stop?.learned).toBeCloseTo(await probabilityOf(grid, "1,1"), 6);
    expect(flow.notes.join(" ")).toContain("best reachable policy");
  });
});

describe("logo", () => {
  /** Fractions of letters at each position, by brute force over all objects. */
  function fractions(texts: readonly string[], weights: readonly number[], alphabet: readonly string[]) {
    const width = alphabet[0].length;
    const longest = Math.max(...texts.map(({ length }) => length)) / width;
    return Array.from({ length: longest }, (_, position) => {
      const sums = alphabet.map((letter) =>
        sumOf(
          texts.map((text, i) =>
            text.slice(position * width, (position + 1) * width) === letter ? weights[i] : 0,
          ),
        ),
      );
      return sums.map((sum) => sum / sumOf(sums));
    });
  }

  test.each(["strings", "words", "variable", "both"] as const)(
    "has the letters of all objects by their probabilities: %s",
    async (name) => {
      const run = { strings, words, variable, both }[name];
      const { alphabet, learned, target, exact } = await viewOf<LogoView>(run, "logo");
      const { points, logZ } = await viewOf<DistributionView>(run, "distribution");
      const texts = points.map(({ object }) => object);
      const ofTarget = points.map(({ logReward }) => Math.exp(logReward - logZ));
      const ofPolicy = points.map(({ logLearned }) => Math.exp(logLearned as number));
      expect(exact).toBe(true);
      expect(alphabet).toEqual(
        {
          strings: ["A", "C", "G"],
          words: ["00", "01", "10", "11"],
          variable: ["A", "B"],
          both: ["A", "C", "G"],
        }[name],
      );
      const expected = {
        target: fractions(texts, ofTarget, alphabet),
        learned: fractions(texts, ofPolicy, alphabet),
      };
      expect(target).toHaveLength(3);
      (target as number[][]).forEach((row, position) => {
        row.forEach((value, letter) => {
          expect(value).toBeCloseTo(expected.target[position][letter], 5);
          expect(learned[position][letter]).toBeCloseTo(expected.learned[position][letter], 5);
        });
      });
    },
  );

  test("refuses objects that are not strings", async () => {
    await expect(viewOf(grid, "logo")).rejects.toThrow("the objects of a grid of 3 × 3 are not strings");
  });
});
