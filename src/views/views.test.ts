// Tests of which views a folder has, and of folders and options that cannot be used.

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { randomScores } from "../../test/support/small-run.ts";
import { type ViewedRun, viewOf, viewRuns } from "../../test/support/view-runs.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import type { GridView } from "./view-data.ts";
import { viewData, viewsOf } from "./views.ts";

const { base, trained, trainedTask } = viewRuns();

let grid: ViewedRun;

beforeAll(async () => {
  grid = await trained({ task: hypergridTask({ side: 3, dimensions: 2, stick: 0.2 }), iterations: 1 });
}, 60_000);

test("a folder has the views that its files can show", async () => {
  const ofStrings = ["distribution", "flow", "dynamics", "logo", "entropy"];
  const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.5 });
  const strings = await trained({
    ...{ environment, scores: randomScores(4), iterations: 1 },
    ...{ encoder: "outcomes", encoderLayers: 1, encoderWidth: 4, encoderHeads: 1 },
  });
  expect(await viewsOf(strings.folder, "run")).toEqual([
    ...ofStrings,
    ...["attention", "trajectories", "candidates"],
  ]);
  const words = await trainedTask({
    task: "bit-sequence",
    stick: 0,
    bits: 4,
    word: 2,
    modes: 1,
    iterations: 1,
  });
  expect(await viewsOf(words.folder, "run")).toEqual([...ofStrings, "modes", "trajectories", "candidates"]);
  expect(await viewsOf(grid.folder, "run")).toEqual([
    ...["distribution", "flow", "dynamics", "grid", "entropy"],
    ...["modes", "trajectories", "candidates"],
  ]);
  expect(await viewsOf(base, "run")).toEqual([]);
  expect(await viewsOf(join(base, "missing"), "design")).toEqual([]);
  expect(await viewsOf(grid.folder, "comparison")).toEqual([]);
});

test("a folder without a checkpoint, a run or a readable config gives one sentence", async () => {
  const message = async (folder: string) =>
    viewData(folder, "distribution", {}).catch((error: Error) => `${error.name}: ${error.message}`);
  expect(await message(join(base, "missing"))).toMatch(/^UserError: there is no run at .*missing/);
  const damaged = join(base, "damaged");
  mkdirSync(damaged);
  writeFileSync(join(damaged, "config.json"), '{"version": 99, "task": "hypergrid"}\n');
  expect(await message(damaged)).toMatch(/^UserError: .*config.json: .*version/);
  expect(await viewsOf(damaged, "run")).toEqual([]);
  const run = await trained({ task: hypergridTask({ side: 3, stick: 0 }), iterations: 1 });
  await viewData(run.folder, "entropy", {});
  rmSync(join(run.folder, "checkpoint.safetensors"));
  expect(await message(run.folder)).toMatch(/^UserError: .* has no checkpoint yet; train it first$/);
  expect(await viewsOf(run.folder, "run")).toEqual(["modes"]);
  writeFileSync(join(run.folder, "checkpoint.safetensors"), "not a checkpoint");
  expect(await message(run.folder)).toMatch(/^UserError: .*checkpoint\.safetensors is/);
});

test("a folder of a custom environment needs the program of the user", async () => {
  const own = { ...hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 }), name: "a grid of my own" };
  const run = await trained({ environment: own, scores: randomScores(9), iterations: 1 });
  expect(await viewsOf(run.folder, "run")).toEqual([]);
  await expect(viewOf(run, "flow")).rejects.toThrow("the environment of");
});

test("a folder is read again when its checkpoint changes", async () => {
  const task = hypergridTask({ side: 3, stick: 0 });
  const [first, second] = [
    await trained({ task, iterations: 1 }),
    await trained({ task, iterations: 40, learningRate: 0.1 }),
  ];
  const before = await viewOf<GridView>(first, "grid");
  for (const file of ["config.json", "checkpoint.safetensors", "task.safetensors"]) {
    copyFileSync(join(second.folder, file), join(first.folder, file));
  }
  const after = await viewOf<GridView>(first, "grid");
  expect(after.learned).not.toEqual(before.learned);
  expect(after.learned).toEqual((await viewOf<GridView>(second, "grid")).learned);
});

test("a folder refuses options that are not of their kind", async () => {
  await expect(viewOf(grid, "flow", { path: ["x"] as never })).rejects.toThrow(/^path: must be a list/);
  await expect(viewOf(grid, "flow", { levels: 0 })).rejects.toThrow(/^levels: must be a whole number/);
  await expect(viewOf(grid, "trajectories", { seed: -1 })).rejects.toThrow(/^seed: must be/);
  await expect(viewOf(grid, "nothing" as never)).rejects.toThrow(/^view: must be one of distribution, flow/);
});
