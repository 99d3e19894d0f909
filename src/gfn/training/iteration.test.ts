// Short training runs on strings so small that their results are computed exactly.

import { beforeAll, describe, expect, test } from "vitest";
import { nodeAfter, randomPolicy, stepsOf } from "../../../test/support/tabular.ts";
import { compile, RandomStream } from "../../engine/index.ts";
import { entropy, totalVariation } from "../../math/distances.ts";
import { scheduleAt } from "../../nn/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { visitation } from "../evaluate/exact.ts";
import { type ExactEvaluation, exactEvaluator } from "../evaluate/exact-evaluator.ts";
import { OBJECTIVES, type ObjectiveName } from "../objectives/objective.ts";
import { model } from "../policy/model.ts";
import { defaultSettings } from "./defaults.ts";
import { type InputName, trainingIteration } from "./iteration.ts";
import type { StateName } from "./network-state.ts";

const LETTERS = 3;
const BATCH = 128;
const ITERATIONS = 800;
const LOG_Z = 2;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
const enumeration = environment.enumerate();
/** The distribution of a random policy, which is therefore reachable. */
const target = visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(21))).terminals;
/** Entropy of the true kernel, which is the same in every state: the minimum of the dynamics loss. */
const FLOOR = entropy(Float64Array.of(0.75 + 0.25 / LETTERS, 0.25 / LETTERS, 0.25 / LETTERS));

/** A training program with newly initialised networks. */
async function trainer(name: ObjectiveName) {
  const rows = enumeration.states;
  const settings = {
    ...defaultSettings(environment, { objective: name }),
    ...{ hidden: [32], stateTableRows: rows, stateTableRateScale: 1 },
    ...{ dynamicsHidden: [32], dynamicsStateTableRows: rows },
  };
  const parts = model(environment, settings);
  const training = trainingIteration(parts, {
    ...settings,
    ...OBJECTIVES[name],
    batch: BATCH,
    clip: 10,
    dynamicsClip: 10,
    lambda: 0.9,
    rewards: { values: Float32Array.from(target, (p) => LOG_Z + Math.log(p)) },
    uses: { offPolicy: true },
  });
  const { state, updates } = training;
  const { run, example } = training.train;
  const program = await compile(run, example, { engine: "native", state, updates, finite: ["loss"] });
  const root = RandomStream.fromSeed(22);
  program.write({
    policy: parts.policyLayout.init(root.split("policy")),
    ...(training.learnsDynamics && { dynamics: parts.dynamicsLayout.init(root.split("dynamics")) }),
  });
  const steps = environment.maxSteps * BATCH;
  const uniform = new Float32Array(example.uniform.shape.reduce((a, b) => a * b));
  const draws = root.split("rollout");
  const rate = { from: 2e-2, to: 1e-4, shape: "cosine" } as const;
  let iteration = 0;
  return {
    ...parts,
    learnsDynamics: training.learnsDynamics,
    read: async (part: StateName) => (await program.read(part)) as Float32Array,
    dispose: () => program.dispose(),
    /** One iteration. With `offPolicy`, all rows are off-policy, with action and outcome 0 at every step. */
    run: (offPolicy = false) => {
      const current = Float32Array.of(scheduleAt(rate, iteration++ / ITERATIONS));
      const inputs = {
        uniform: draws.fillUniform(uniform),
        offPolicyMask: new Float32Array(BATCH).fill(+offPolicy),
        offPolicyActions: new Int32Array(steps),
        offPolicyOutcomes: new Int32Array(steps),
        "policy.rate": current,
        ...(training.learnsDynamics && { "dynamics.rate": current }),
      };
      return program.run(inputs as unknown as Record<InputName, Float32Array>);
    },
  };
}

interface Run extends Pick<ExactEvaluation, "terminals" | "reached"> {
  /** Losses of the dynamics model, one per iteration. */
  readonly dynamicsLosses: number[];
}

async function trained(name: ObjectiveName): Promise<Run> {
  const training = await trainer(name);
  const dynamicsLosses: number[] = [];
  for (let k = 0; k < ITERATIONS; k++) {
    const { dynamicsLoss } = await training.run();
    if (training.learnsDynamics) dynamicsLosses.push(dynamicsLoss[0]);
  }
  const evaluator = await exactEvaluator({
    model: training,
    reward: target.map((p) => Math.exp(LOG_Z) * p),
    balance: OBJECTIVES[name].balance,
    usesDynamics: training.learnsDynamics,
    engine: "native",
  });
  const { reached, terminals } = await evaluator.evaluate({
    policy: await training.read("policy"),
    dynamics: training.learnsDynamics
      ? await training.read("dynamics")
      : new Float32Array(training.dynamicsLayout.size),
  });
  await evaluator.dispose();
  await training.dispose();
  return { terminals, reached, dynamicsLosses };
}

describe.each(["sdb", "sdb-marginal", "kl", "stb", "ssubtb"] as const)("training by %s", (name) => {
  let run: Run;
  beforeAll(async () => {
    run = await trained(name);
  });

  test("reaches the target despite the noise, and learns log Z", () => {
    expect(totalVariation(target, run.terminals)).toBeLessThan(0.02);
    expect(run.reached.logZError).toBeCloseTo(0, 1);
  });

  test("learns the kernel of the environment", () => {
    expect(run.reached.dynamicsKl).toBeGreaterThan(0);
    expect(run.reached.dynamicsKl).toBeLessThan(0.01);
    expect(run.dynamicsLosses[0]).toBeGreaterThan(FLOOR + 0.2);
    const last = run.dynamicsLosses.slice(-100);
    expect(last.reduce((a, b) => a + b) / last.length).toBeCloseTo(FLOOR, 1);
  });
});

describe.each(["db", "tb"] as const)("training by plain %s", (name) => {
  test("ends at the policy that is exact without noise", async () => {
    const { terminals } = await trained(name);
    const predicted = visitation(enumeration, noiselessPolicy(target)).terminals;
    expect(totalVariation(predicted, terminals)).toBeLessThan(0.005);
    expect(totalVariation(target, terminals)).toBeGreaterThan(0.07);
  });
});

/** The policy that reaches the target if there is no noise. */
function noiselessPolicy(terminals: Float64Array): Float64Array {
  const mass = new Float64Array(enumeration.states + enumeration.terminals);
  mass.set(terminals, enumeration.states);
  const shares = new Float64Array(enumeration.states * LETTERS);
  for (const step of [...stepsOf(enumeration)].reverse()) {
    if (step.outcome !== step.action) continue;
    const child = mass[nodeAfter(enumeration, step)];
    mass[step.state] += child;
    shares[step.state * LETTERS + step.action] = child;
  }
  return shares.map((share, row) => share / mass[Math.floor(row / LETTERS)]);
}

describe("an iteration", () => {
  test("on off-policy rows trains the policy, but not the dynamics model", async () => {
    const training = await trainer("kl");
    const [policy, dynamics] = [await training.read("policy"), await training.read("dynamics")];
    await training.run(true);
    expect(await training.read("policy")).not.toEqual(policy);
    expect(await training.read("dynamics")).toEqual(dynamics);
    await training.run();
    expect(await training.read("dynamics")).not.toEqual(dynamics);
    await training.dispose();
  });

  test("is bit-identical for the same seed", async () => {
    const policies: Float32Array[] = [];
    for (let repeat = 0; repeat < 2; repeat++) {
      const training = await trainer("sdb");
      for (let k = 0; k < 5; k++) await training.run();
      policies.push(await training.read("policy"));
      await training.dispose();
    }
    expect(policies[0]).toEqual(policies[1]);
  });
});
