// Tests of the views of a design: its rewards are those that its run used, and its circles those of all scored strings.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { viewOf, viewRuns } from "../../test/support/view-runs.ts";
import { runDesign } from "../design/design-run.ts";
import { candidateRows, progressOf, writeCandidates } from "../design/finish-design.ts";
import { parseProblemText } from "../problem/read-problem.ts";
import type { CandidatesView, DistributionView, FlowView, ModesView } from "./view-data.ts";
import { viewsOf } from "./views.ts";

const { base } = viewRuns();

const PROBLEM = `
alphabet: ACGT
length: 6
oracle: { landscape: nk, k: 1, seed: 2 }
reward: { goal: minimise, exponent: auto, effectiveStrings: 10 }
constraints: { forbid: [AAA] }
training: { hidden: [8], batch: 16 }
`;

async function designed(name: string, { budget, text = PROBLEM }: { budget: number; text?: string }) {
  const folder = join(base, name);
  const { problem } = await parseProblemText(text);
  const run = await runDesign({
    problem,
    problemText: text,
    folder,
    budget,
    iterations: 20,
    engine: "native",
  });
  return { folder, problem, run };
}

test("a design with a data set shows its scored strings, their rewards, and circles against calls", async () => {
  const { folder, problem, run } = await designed("data set", { budget: 60 });
  const rows = await candidateRows(run, { problem, candidates: 10, radius: 2 });
  await writeCandidates(folder, rows, { title: "page", intro: "", sections: [] });
  expect(await viewsOf(folder, "design")).toEqual([
    ...["distribution", "flow", "dynamics", "logo", "entropy", "modes", "trajectories", "candidates"],
  ]);

  const { points, objects, notes } = await viewOf<DistributionView>({ folder }, "distribution");
  expect(objects).toBe(60);
  const scores = new Map(run.scored.map(({ string, score }) => [string, score]));
  expect(points.map(({ object }) => object).sort()).toEqual([...scores.keys()].sort());
  const logs = await run.trained.logProbabilities(points.map(({ object }) => object));
  points.forEach(({ object, logReward, logLearned }, i) => {
    expect(logReward).toBeCloseTo(run.reward.logReward(scores.get(object) as number), 5);
    expect(logLearned).toBeCloseTo(logs[i].logProbability, 4);
  });
  expect(notes.join(" ")).toContain("after scaling (min-max)");

  const { calls, series } = await viewOf<ModesView>({ folder }, "modes");
  const progress = progressOf(run, problem, 2);
  expect(calls).toEqual(progress.map((each) => each.calls));
  expect(series[0].found).toEqual(progress.map((each) => each.circles));

  const candidates = await viewOf<CandidatesView>({ folder }, "candidates");
  expect(candidates.rows.map((cells) => cells[1])).toEqual(rows.map(({ string }) => string));
  const flow = await viewOf<FlowView>({ folder }, "flow");
  expect([flow.learned, flow.target]).toEqual([1, null]);
  await run.trained.dispose();
}, 60_000);

test("a design under errors of synthesis shows the expected rewards, with the floor relative to the largest", async () => {
  const short = PROBLEM.replace("length: 6", "length: 3").replace(/reward.*/, "reward: { exponent: 2 }");
  const text = `${short}noise: { when: after, stick: 0.1 }\n`;
  const { folder, run } = await designed("after", { budget: 64, text });
  const { points } = await viewOf<DistributionView>({ folder }, "distribution");
  const samples = await run.trained.sample(500);
  const scores = new Map(samples.map(({ object, score }) => [object, score]));
  const known = points.filter(({ object }) => typeof scores.get(object) === "number");
  expect(known.length).toBeGreaterThan(20);
  for (const { object, logReward } of known)
    expect(logReward).toBeCloseTo(run.reward.logReward(scores.get(object) as number), 5);
  await run.trained.dispose();
}, 60_000);

test("a design that scored every string has an exact target", async () => {
  const text = PROBLEM.replace("length: 6", "length: 3");
  const { folder, run } = await designed("table", { budget: 100, text });
  const { exact, objects, sorted } = await viewOf<DistributionView>({ folder }, "distribution");
  expect([exact, objects]).toEqual([true, 63]);
  const evaluation = await run.trained.evaluate();
  if (!evaluation.exact) throw new Error("not exact");
  const tv = sorted.target.reduce((sum, p, i) => sum + Math.abs(p - sorted.learned[i]), 0) / 2;
  expect(tv).toBeCloseTo(evaluation.reached.tv, 5);
  const flow = await viewOf<FlowView>({ folder }, "flow", { path: [0, 0], levels: 1 });
  expect(flow.children.map(({ label }) => label).sort()).toEqual(["C", "G", "T"]);
  await run.trained.dispose();
}, 60_000);

test("a design with conditioned preferences has every view, at the weights of the problem", async () => {
  const table = ["AA", "AC", "CA", "CC"].map((string, i) => `${string},${i},${4 - i}`);
  writeFileSync(join(base, "values.csv"), `string,up,down\n${table.join("\n")}\n`);
  const text = `
alphabet: AC
length: 2
oracle: { table: values.csv }
objectives: [{ name: up, best: 3 }, { name: down, best: 4 }]
preferences: conditioned
training: { hidden: [8], batch: 16 }
`;
  const { problem } = await parseProblemText(text, { folder: base });
  const folder = join(base, "preferences");
  const run = await runDesign({ problem, problemText: text, folder, budget: 10, iterations: 20 });
  const rows = await candidateRows(run, { problem, candidates: 4, radius: 1 });
  await writeCandidates(folder, rows, { title: "page", intro: "", sections: [] }, problem);
  const views = await viewsOf(folder, "design");
  expect(views).toContain("logo");
  for (const view of views) expect(await viewOf({ folder }, view)).toMatchObject({ view });
  const { columns } = await viewOf<CandidatesView>({ folder }, "candidates");
  expect(columns.map(({ label }) => label)).toEqual(expect.arrayContaining(["up", "down"]));
  await run.trained.dispose();
}, 60_000);
