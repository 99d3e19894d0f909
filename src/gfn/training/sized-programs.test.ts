// Programs that are compiled for the batches that there are: the same results as with all steps, and the same after a resume.

import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../test/support/gradients.ts";
import { interpret, RandomStream, simplify, trace } from "../../engine/index.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { model as modelOf } from "../policy/model.ts";
import { REMEMBERED_BATCHES } from "./batch-sizing.ts";
import { defaultSettings } from "./defaults.ts";
import { type BatchSize, type OutputName, trainingIteration } from "./iteration.ts";
import type { SettingsInput } from "./settings.ts";
import { modelTrainer } from "./trainer.ts";

const B = 8;
/** Too large to be evaluated as a whole. */
const GRID = hypergridEnvironment({ dimensions: 3, side: 6, stick: 0.2 });
const SMALL_GRID = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.2 });
const STRINGS = sequenceEnvironment({ alphabet: "AB", length: 7, stick: 0.2, variable: true });

/** The outputs of one iteration in float64, of the largest program and of programs of other sizes. */
function iterations(environment: Environment & { readonly states: number }, changes: SettingsInput) {
  const settings = defaultSettings(environment, {
    ...{ batch: B, hidden: [6], dynamicsHidden: [4], stateTableRows: 0 },
    ...changes,
  });
  const model = modelOf(environment, settings);
  const stream = RandomStream.fromSeed(3);
  const values = Float32Array.from({ length: environment.states }, () => stream.normal());
  const uses = { size: true, trajectories: true, residuals: true };
  const iteration = (size?: BatchSize) =>
    trainingIteration(model, { ...settings, rewards: { values }, uses, size }).train;
  const uniforms = Float32Array.from({ length: environment.maxSteps * B * (environment.actions + 3) }, () =>
    stream.uniform(),
  );
  const parameters = (size: number, name: string) => {
    const draws = stream.split(name);
    return Float32Array.from({ length: size }, () => 0.5 * draws.normal());
  };
  const state = {
    policy: parameters(model.policyLayout.size, "policy"),
    dynamics: parameters(model.dynamicsLayout.size, "dynamics"),
  };
  return (size?: BatchSize): Record<OutputName | "policy.gradient", Float64Array> => {
    const { run, example } = iteration(size);
    const inputs = Object.fromEntries(
      Object.entries(example).map(([name, { shape }]) => {
        const length = shape.reduce((a, b) => a * b, 1);
        const given = name === "uniform" ? uniforms : state[name as keyof typeof state];
        return [name, given?.subarray(0, length) ?? new Float32Array(length)];
      }),
    );
    return interpret(simplify(trace(run, example)), inputs) as never;
  };
}

describe.each([
  ["trajectory balance on a grid", GRID, { objective: "tb" }],
  ["detailed balance on a grid", GRID, { objective: "db" }],
  ["the KL objective on a grid", GRID, { objective: "kl" }],
  ["detailed balance over actions on a grid", GRID, { objective: "sdb" }],
  ["sub-trajectory balance on a small grid", SMALL_GRID, { objective: "tb", balance: "subtb" }],
  ["soft Q-learning on strings", STRINGS, { objective: "soft-q" }],
  ["the KL objective on strings", STRINGS, { objective: "kl" }],
  ["a policy with a history on strings", STRINGS, { objective: "kl", encoder: "thought" }],
] as const)("%s", (_, environment, changes) => {
  const run = iterations(environment, { encoderLayers: 1, encoderWidth: 4, encoderHeads: 1, ...changes });
  const all = run();
  const [steps, reached] = [all.longest[0], all.reached[0]];
  const names = Object.keys(all).filter((name) => /loss|gradient$|terminal|longest|reached/i.test(name));

  test("has the same loss and gradients with the steps of its longest trajectory", () => {
    expect(steps).toBeLessThan(environment.maxSteps);
    const fewer = run({ steps });
    for (const name of names as OutputName[]) {
      expect(largestDifference(fewer[name], all[name]), name).toBeLessThan(1e-10);
    }
    expect(all["policy.gradient"].some((x) => Math.abs(x) > 1e-3)).toBe(true);
    const actions = all.actions.subarray(0, steps * B);
    expect(fewer.actions).toEqual(actions);
    expect(all.actions.subarray(steps * B).every((action) => action === -1)).toBe(true);
  });

  test.skipIf("encoder" in changes)("has the same loss and gradients with as many rows as it reaches", () => {
    const fewer = run({ steps, rows: Math.max(reached, 1) });
    for (const name of names as OutputName[]) {
      expect(largestDifference(fewer[name], all[name]), name).toBeLessThan(1e-10);
    }
  });

  test("shows that a program has too few steps", () => {
    expect(run({ steps: steps - 1 }).longest[0]).toBe(steps);
  });
});

describe("a trainer on a grid", () => {
  const environment = hypergridEnvironment({ dimensions: 3, side: 12, stick: 0.2 });
  const settings = defaultSettings(environment, {
    ...{ objective: "tb", batch: B, hidden: [8], stateTableRows: 0, learnLogZ: true, replayShare: 0.25 },
    ...{ uniformShare: 0, epsilon: 0, learningRate: 3e-3 },
  });
  const stream = RandomStream.fromSeed(4);
  const scores = Float64Array.from({ length: environment.states }, () => stream.uniform() + 0.01);
  const newTrainer = () => modelTrainer({ ...settings, environment, scores, seed: 0 });
  const ITERATIONS = 3 * REMEMBERED_BATCHES;

  async function losses(trainer: Awaited<ReturnType<typeof newTrainer>>, from: number, to: number) {
    const values: number[] = [];
    for (let t = from; t < to; t++) values.push((await trainer.step(t, t / ITERATIONS)).loss);
    return values;
  }

  test("continues to the bit from a saved state, and uses smaller programs", async () => {
    const whole = await newTrainer();
    const before = await losses(whole, 0, ITERATIONS / 2);
    const saved = await whole.save();
    const after = await losses(whole, ITERATIONS / 2, ITERATIONS);
    const end = await whole.parameters();
    await whole.dispose();
    expect(saved.sizing?.sizes[0].steps).toBeLessThan(environment.maxSteps);

    const resumed = await newTrainer();
    resumed.restore(saved);
    expect(await losses(resumed, ITERATIONS / 2, ITERATIONS)).toEqual(after);
    expect((await resumed.parameters()).policy).toEqual(end.policy);
    resumed.restart();
    expect(await losses(resumed, 0, ITERATIONS / 2)).toEqual(before);
    await resumed.dispose();
  });
});
