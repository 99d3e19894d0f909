// Training, from top to bottom: compile, iterate, evaluate exactly, and say what happens as a stream of events.
//
// It prints nothing and writes nothing; whoever iterates over it decides.

import { compile, type EngineName, RandomStream } from "../engine/index.ts";
import type { Schedule } from "../nn/index.ts";
import type { EnumerableEnvironment } from "./environment.ts";
import { divergence, normalise, totalVariation } from "./evaluate/distances.ts";
import { uniformPolicy, visitation } from "./evaluate/exact.ts";
import { limitByFilling, limitBySearch } from "./evaluate/limit.ts";
import { policyTableReader } from "./evaluate/policy-table.ts";
import type { Distance, TrainEvent } from "./events.ts";
import { givenRows, giveObjects } from "./given.ts";
import { type IterationOptions, STATE, trainingIteration } from "./iteration.ts";
import { uniformsPerStep } from "./rollout.ts";

export interface TrainOptions extends IterationOptions {
  readonly environment: EnumerableEnvironment;
  /** One reward per terminal object, all positive. */
  readonly reward: Float64Array;
  readonly iterations: number;
  /** Share of the batch that follows uniformly drawn objects instead of the policy; in [0, 1]. */
  readonly uniformShare: Schedule;
  /** Iterations between two exact evaluations. */
  readonly evaluateEvery: number;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export async function* train(options: TrainOptions): AsyncGenerator<TrainEvent, void> {
  const { environment, reward, iterations, batch, seed, engine, threads } = options;
  const listed = environment.enumerate();
  const { target, logZ } = normalise(reward);
  const distance = (terminals: Float64Array): Distance => ({
    tv: totalVariation(target, terminals),
    kl: divergence(target, terminals),
  });
  const best = environment.tree
    ? limitByFilling(listed, target, environment.stick)
    : limitBySearch(listed, target);
  const limit: Distance = { tv: best.tv, kl: best.kl };
  const uniform = distance(visitation(listed, uniformPolicy(listed)).terminals);

  const training = trainingIteration(environment, options, Float32Array.from(reward, Math.log));
  const program = await compile(training.iteration, training.example, {
    name: "train",
    engine,
    threads,
    state: STATE,
    finite: ["loss", "dynamicsLoss"],
  });
  const reader = await policyTableReader(environment, listed, training.policy, training.policyLayout, engine);
  const root = RandomStream.fromSeed(seed);
  const init = root.split("init");
  program.write({
    policy: training.policyLayout.init(init.split("policy")),
    dynamics: training.dynamicsLayout.init(init.split("dynamics")),
  });
  yield { kind: "start", engine: program.engine, limit, uniform, logZ };

  const rollouts = root.split("rollout");
  const objects = root.split("objects");
  const draws = new Float32Array(environment.maxSteps * batch * uniformsPerStep(environment));
  const given = givenRows(environment, batch);
  try {
    for (let iteration = 1; iteration <= iterations; iteration++) {
      const count = Math.round(options.uniformShare.value(iteration - 1) * batch);
      const drawn = Array.from({ length: count }, () => objects.integer(listed.terminals));
      giveObjects(environment, given, drawn, objects);
      const { loss, dynamicsLoss } = await program.run({ uniform: rollouts.fillUniform(draws), ...given });
      yield { kind: "iteration", iteration, loss: loss[0], dynamicsLoss: dynamicsLoss[0] };
      if (iteration % options.evaluateEvery === 0 || iteration === iterations) {
        const policy = (await program.read("policy")) as Float32Array;
        const { table, logZ: learned } = await reader.read(policy);
        const reached = distance(visitation(listed, table).terminals);
        yield { kind: "evaluation", iteration, reached, limit, uniform, logZError: learned - logZ };
      }
    }
  } finally {
    await program.dispose();
    await reader.dispose();
  }
}
