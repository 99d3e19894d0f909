// Short training runs on strings so small that where they end is computed exactly.

import { beforeAll, describe, expect, test } from "vitest";
import { nodeAfter, randomPolicy, stepsOf } from "../../test/support/tabular.ts";
import { compile, RandomStream, spec } from "../engine/index.ts";
import { cosineSchedule } from "../nn/index.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { entropy, totalVariation } from "./evaluate/distances.ts";
import { visitation } from "./evaluate/exact.ts";
import { policyTableReader } from "./evaluate/policy-table.ts";
import { STATE, type StateName, trainingIteration } from "./iteration.ts";
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
  const learningRate = cosineSchedule({ from: 2e-2, to: 1e-4, steps: ITERATIONS });
  const parts = trainingIteration(
    environment,
    {
      objective: OBJECTIVES[name],
      batch: BATCH,
      policy: networks,
      dynamics: networks,
      learningRate,
      dynamicsLearningRate: learningRate,
      clip: 10,
      lambda: 0.9,
    },
    Float32Array.from(target, (p) => LOG_Z + Math.log(p)),
  );
  const { iteration, example, policyLayout, dynamicsLayout } = parts;
  const program = await compile(iteration, example, { engine: "native", state: STATE, finite: ["loss"] });
  const root = RandomStream.fromSeed(22);
  program.write({
    step: Int32Array.of(0),
    policy: policyLayout.init(root.split("policy")),
    "policy.m": new Float32Array(policyLayout.size),
    "policy.v": new Float32Array(policyLayout.size),
    dynamics: dynamicsLayout.init(root.split("dynamics")),
    "dynamics.m": new Float32Array(dynamicsLayout.size),
    "dynamics.v": new Float32Array(dynamicsLayout.size),
  });
  const steps = environment.maxSteps * BATCH;
  const uniform = new Float32Array(example.uniform.shape.reduce((a, b) => a * b));
  const draws = root.split("rollout");
  return {
    ...parts,
    read: async (part: StateName) => (await program.read(part)) as Float32Array,
    dispose: () => program.dispose(),
    /** One iteration. Given rows, if any, are all of the batch, and the first letter was meant and came every time. */
    run: (given = false) =>
      program.run({
        uniform: draws.fillUniform(uniform),
        givenRows: new Float32Array(BATCH).fill(+given),
        givenActions: new Int32Array(steps),
        givenOutcomes: new Int32Array(steps),
      }),
  };
}

interface Run {
  readonly terminals: Float64Array;
  readonly logZ: number;
  /** Losses of the dynamics model, one per iteration. */
  readonly dynamicsLosses: number[];
  /** Expected cross-entropy of the kernel and the model, over what the policy visits. */
  readonly crossEntropy: number;
}

async function trained(name: ObjectiveName): Promise<Run> {
  const training = await trainer(name);
  const dynamicsLosses: number[] = [];
  for (let k = 0; k < ITERATIONS; k++) dynamicsLosses.push((await training.run()).dynamicsLoss[0]);
  const reader = await policyTableReader(
    environment,
    listed,
    training.policy,
    training.policyLayout,
    "native",
  );
  const { table, logZ } = await reader.read(await training.read("policy"));
  await reader.dispose();
  const logModel = await logModelOf(training, await training.read("dynamics"));
  await training.dispose();
  const { states, terminals } = visitation(listed, table);
  let [crossEntropy, passed] = [0, 0];
  for (const { state, action, outcome, probability } of stepsOf(listed)) {
    const mass = states[state] * table[state * LETTERS + action] * probability;
    crossEntropy -= mass * logModel[(state * LETTERS + action) * LETTERS + outcome];
    passed += mass;
  }
  return { terminals, logZ, dynamicsLosses, crossEntropy: crossEntropy / passed };
}

/** log P̂ of all states, [states, intentions, outcomes]. */
async function logModelOf(
  { dynamics, dynamicsLayout }: Awaited<ReturnType<typeof trainer>>,
  params: Float32Array,
): Promise<ArrayLike<number>> {
  const program = await compile(
    ({ flat, features, index, legal }) => ({
      logs: dynamics.apply(dynamicsLayout.split(flat), features, index, legal),
    }),
    {
      flat: spec([dynamicsLayout.size]),
      features: spec([listed.states, environment.features]),
      index: spec([listed.states], "int32"),
      legal: spec([1, LETTERS], "bool"),
    },
    { engine: "native" },
  );
  const index = Int32Array.from({ length: listed.states }, (_, i) => i);
  const legal = new Uint8Array(LETTERS).fill(1);
  const { logs } = await program.run({ flat: params, features: environment.featuresOf(index), index, legal });
  await program.dispose();
  return logs;
}

describe.each(["sdb", "sdb-marginal", "kl", "stb", "ssubtb"] as const)("training by %s", (name) => {
  let run: Run;
  beforeAll(async () => {
    run = await trained(name);
  });

  test("ends at the target despite the noise, and knows its log Z", () => {
    expect(totalVariation(target, run.terminals)).toBeLessThan(0.02);
    expect(run.logZ).toBeCloseTo(LOG_Z, 1);
  });

  test("learns what the environment does to intentions", () => {
    expect(run.crossEntropy).toBeGreaterThan(FLOOR);
    expect(run.crossEntropy).toBeLessThan(FLOOR + 0.01);
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
