// Proximal policy optimisation (Schulman et al. 2017): what an agent does that wants reward and no variety.
//
// It plays in the same environments with the same noise, and its network is that of a GFlowNet, with the flow in the
// place of the critic; so a GFlowNet's evaluation takes it as it is.

import { compile, type EngineName, RandomStream } from "../engine/index.ts";
import { checkEnvironment } from "../gfn/check-environment.ts";
import { courseAt } from "../gfn/course.ts";
import type { Environment } from "../gfn/environment.ts";
import { model as modelOf } from "../gfn/model.ts";
import { scoreTable } from "../gfn/score-table.ts";
import type { Learner } from "./learner.ts";
import { PPO_STATE, ppoIteration } from "./ppo-iteration.ts";
import { checkPpoSettings, type PpoSettings } from "./ppo-settings.ts";

export interface PpoOptions {
  readonly environment: Environment;
  /** Scores of all terminals. */
  readonly scores: Float64Array;
  readonly settings: PpoSettings;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** Compiles PPO as one program: a step is one call, which plays and makes all of its updates. */
export async function createPpo(options: PpoOptions): Promise<Learner> {
  const { environment, scores, settings, seed, engine, threads } = options;
  checkPpoSettings(settings);
  checkEnvironment(environment);
  const { reward } = scoreTable(environment, scores, settings.reward);
  const largest = reward.reduce((a, b) => Math.max(a, b));
  const model = modelOf(environment, { policy: settings.policy, dynamics: NO_DYNAMICS });
  const { run, example } = ppoIteration(
    model,
    Float32Array.from(reward, (r) => r / largest),
    settings,
  );
  const program = await compile(run, example, {
    name: "ppo",
    state: PPO_STATE,
    finite: ["loss"],
    engine,
    threads,
  });
  const root = RandomStream.fromSeed(seed);
  const draws = root.split("rollout");
  const uniform = new Float32Array(example.uniform.shape.reduce((product, extent) => product * extent, 1));
  program.write({ policy: model.policyLayout.init(root.split("init").split("policy")) });
  return {
    model,
    programs: [program.name],
    async step(_, progress) {
      const { loss, terminal } = await program.run({
        uniform: draws.fillUniform(uniform),
        rate: Float32Array.of(courseAt(settings.learningRate, progress)),
        entropy: Float32Array.of(courseAt(settings.entropy, progress)),
      });
      return {
        loss: loss[0],
        dynamicsLoss: null,
        entropyRatio: null,
        terminals: terminal as Int32Array,
      };
    },
    async parameters() {
      const policy = (await program.read("policy")) as Float32Array;
      return { policy, dynamics: new Float32Array(model.dynamicsLayout.size) };
    },
    dispose: () => program.dispose(),
  };
}

/** The model has a place for one, which stays empty. */
const NO_DYNAMICS = { hidden: [] } as const;
