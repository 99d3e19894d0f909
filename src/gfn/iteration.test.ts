// Short training runs on strings so small that where they end is computed exactly.

import { beforeAll, describe, expect, test } from "vitest";
import { nodeAfter, randomPolicy, stepsOf } from "../../test/support/tabular.ts";
import { compile, RandomStream } from "../engine/index.ts";
import { cosineSchedule } from "../nn/index.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { entropy, totalVariation } from "./evaluate/distances.ts";
import { visitation } from "./evaluate/exact.ts";
import { type ExactEvaluation, exactEvaluator } from "./evaluate/exact-evaluator.ts";
import { type InputName, type StateName, trainingIteration } from "./iteration.ts";
import { model } from "./model.ts";
import { OBJECTIVES, type ObjectiveName } from "./objectives/choice.ts";

const LETTERS = 3;
const BATCH = 128;
const ITERATIONS = 800;
const LOG_Z = 2;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
const listed = environment.enumerate();
/** Some policy ends there, so noise does not keep it out of reach. */
const target = visitation(listed, randomPolicy(listed, RandomStream.fromSeed(21))).terminals;
/** Cross-entropy of the true kernel with itself, the same in every state. */
const FLOOR = entropy(Float64Array.of(0.75 + 0.25 / LETTERS, 0.25 / LETTERS, 0.25 / LETTERS));

/** A program that trains, its networks fresh. */
async function trainer(name: ObjectiveName) {
  const networks = { hidden: [32], memoryRows: listed.states };
  const parts = model(environment, { policy: networks, dynamics: networks });
  const training = trainingIteration(parts, {
    objective: OBJECTIVES[name],
    batch: BATCH,
    clip: 10,
    dynamicsClip: 10,
    lambda: 0.9,
    rewards: { values: Float32Array.from(target, (p) => LOG_Z + Math.log(p)) },
    uses: { given: true },
  });
  const { run, example } = training.whole;
  const program = await compile(run, example, { engine: "native", state: training.state, finite: ["loss"] });
  const root = RandomStream.fromSeed(22);
  program.write({
    policy: parts.policyLayout.init(root.split("policy")),
    ...(training.learnsDynamics && { dynamics: parts.dynamicsLayout.init(root.split("dynamics")) }),
  });
  const steps = environment.maxSteps * BATCH;
  const uniform = new Float32Array(example.uniform.shape.reduce((a, b) => a * b));
  const draws = root.split("rollout");
  const rate = cosineSchedule({ from: 2e-2, to: 1e-4, steps: ITERATIONS });
  let iteration = 0;
  return {
    ...parts,
    learnsDynamics: training.learnsDynamics,
    read: async (part: StateName) => (await program.read(part)) as Float32Array,
    dispose: () => program.dispose(),
    /** One iteration. Given rows, if any, are all of the batch, and the first letter was meant and came every time. */
    run: (given = false) => {
      const current = Float32Array.of(rate.value(iteration++));
      const inputs = {
        uniform: draws.fillUniform(uniform),
        givenRows: new Float32Array(BATCH).fill(+given),
        givenActions: new Int32Array(steps),
        givenOutcomes: new Int32Array(steps),
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
  const reader = await exactEvaluator({
    model: training,
    reward: target.map((p) => Math.exp(LOG_Z) * p),
    balance: OBJECTIVES[name].balance,
    usesDynamics: training.learnsDynamics,
    engine: "native",
  });
  const { reached, terminals } = await reader.evaluate({
    policy: await training.read("policy"),
    dynamics: training.learnsDynamics
      ? await training.read("dynamics")
      : new Float32Array(training.dynamicsLayout.size),
  });
  await reader.dispose();
  await training.dispose();
  return { terminals, reached, dynamicsLosses };
}

describe.each(["sdb", "sdb-marginal", "kl", "stb", "ssubtb"] as const)("training by %s", (name) => {
  let run: Run;
  beforeAll(async () => {
    run = await trained(name);
  });

  test("ends at the target despite the noise, and knows its log Z", () => {
    expect(totalVariation(target, run.terminals)).toBeLessThan(0.02);
    expect(run.reached.logZError).toBeCloseTo(0, 1);
  });

  test("learns what the environment does to intentions", () => {
    expect(run.reached.dynamicsKl).toBeGreaterThan(0);
    expect(run.reached.dynamicsKl).toBeLessThan(0.01);
    expect(run.dynamicsLosses[0]).toBeGreaterThan(FLOOR + 0.2);
    const last = run.dynamicsLosses.slice(-100);
    expect(last.reduce((a, b) => a + b) / last.length).toBeCloseTo(FLOOR, 1);
  });
});

describe.each(["db", "tb"] as const)("training by plain %s", (name) => {
  test("ends where the shares of the target are intended and noise comes on top", async () => {
    const { terminals } = await trained(name);
    const predicted = visitation(listed, sharesOf(target)).terminals;
    expect(totalVariation(predicted, terminals)).toBeLessThan(0.005);
    expect(totalVariation(target, terminals)).toBeGreaterThan(0.07);
  });
});

/** The policy that intends every letter by its share of the target, as if there were no noise. */
function sharesOf(terminals: Float64Array): Float64Array {
  const mass = new Float64Array(listed.states + listed.terminals);
  mass.set(terminals, listed.states);
  const shares = new Float64Array(listed.states * LETTERS);
  for (const step of [...stepsOf(listed)].reverse()) {
    if (step.outcome !== step.action) continue;
    const child = mass[nodeAfter(listed, step)];
    mass[step.state] += child;
    shares[step.state * LETTERS + step.action] = child;
  }
  return shares.map((share, row) => share / mass[Math.floor(row / LETTERS)]);
}

describe("an iteration", () => {
  test("on given episodes trains the policy and leaves the dynamics model alone", async () => {
    const training = await trainer("kl");
    const [policy, dynamics] = [await training.read("policy"), await training.read("dynamics")];
    await training.run(true);
    expect(await training.read("policy")).not.toEqual(policy);
    expect(await training.read("dynamics")).toEqual(dynamics);
    await training.run();
    expect(await training.read("dynamics")).not.toEqual(dynamics);
    await training.dispose();
  });

  test("repeated from the same seed gives the same bits", async () => {
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
