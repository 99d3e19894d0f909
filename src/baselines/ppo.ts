// Proximal policy optimisation (Schulman et al. 2017): maximises the expected reward, without regard to diversity.
//
// PPO uses the same environments with the same noise, and the network of a GFlowNet with its flow output as the critic,
// so that the evaluation of a GFlowNet applies to it unchanged.

import { compile, type EngineName, type RandomState, RandomStream } from "../engine/index.ts";
import { decodeState, encodeState, type SavedState } from "../formats/saved-state.ts";
import { checkEnvironmentOnce } from "../gfn/environment/check-environment.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { model as modelOf } from "../gfn/policy/model.ts";
import { rewardsFromScoreTable } from "../gfn/reward/score-table.ts";
import { scheduleAt } from "../nn/optim/schedule.ts";
import type { Learner } from "./learner.ts";
import { PPO_STATE, ppoIteration } from "./ppo-iteration.ts";
import { checkPpoSettings, type PpoSettings } from "./ppo-settings.ts";

/** Options of `ppoLearner`. */
export interface PpoOptions {
  readonly environment: Environment;
  /** Score of every terminal. */
  readonly scores: Float64Array;
  readonly settings: PpoSettings;
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/**
 * Compiles PPO as one program: one call samples a batch of trajectories and makes all updates on it.
 *
 * @example
 * ```ts
 * import { hypergridTask } from "gflownet";
 * import { defaultPpoSettings, ppoLearner } from "gflownet/baselines";
 *
 * const { environment, scores } = hypergridTask({ stick: 0, side: 3 });
 * const settings = defaultPpoSettings(environment, { hidden: [8], batch: 8, epochs: 1 });
 * const learner = await ppoLearner({ environment, scores, settings, seed: 0 });
 * console.log((await learner.step(0, 0)).terminals.length); // 8
 * await learner.dispose();
 * ```
 */
export async function ppoLearner(options: PpoOptions): Promise<Learner> {
  const { environment, scores, settings, seed, engine, threads } = options;
  checkPpoSettings(settings);
  checkEnvironmentOnce(environment);
  const { reward } = rewardsFromScoreTable(environment, scores, {
    exponent: settings.rewardExponent,
    floor: settings.rewardFloor,
  });
  const largest = reward.reduce((a, b) => Math.max(a, b));
  const model = modelOf(environment, { ...NO_DYNAMICS, ...settings });
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
  let draws = root.split("rollout");
  const uniform = new Float32Array(example.uniform.shape.reduce((product, extent) => product * extent, 1));
  program.write({ policy: model.policyLayout.init(root.split("init").split("policy")) });
  return {
    model,
    programs: [program.name],
    async step(_, progress) {
      const { loss, terminal } = await program.run({
        uniform: draws.fillUniform(uniform),
        rate: Float32Array.of(scheduleAt(settings.learningRate, progress)),
        entropy: Float32Array.of(scheduleAt(settings.entropyWeight, progress)),
      });
      return {
        loss: loss[0],
        dynamicsLoss: null,
        entropyRatio: null,
        terminals: terminal as Int32Array,
        offPolicy: null,
      };
    },
    async parameters() {
      const policy = (await program.read("policy")) as Float32Array;
      return { policy, dynamics: new Float32Array(model.dynamicsLayout.size) };
    },
    async save() {
      const tensors = PPO_STATE.map(async (name) => [name, await program.read(name)] as const);
      const arrays = Object.fromEntries(await Promise.all(tensors)) as SavedState["arrays"];
      return encodeState(SAVED, { arrays, data: draws.save() });
    },
    restore(saved) {
      const { arrays, data } = decodeState(SAVED, saved, "the saved learner");
      program.write(arrays as Record<(typeof PPO_STATE)[number], Float32Array | Int32Array>);
      draws = RandomStream.restore(data as RandomState);
    },
    dispose: () => program.dispose(),
  };
}

/** The kind of a saved state. */
const SAVED = "ppo";

/** PPO trains a perceptron, and neither a dynamics model nor a history encoder. */
const NO_DYNAMICS = {
  dynamics: "none",
  loss: "squared",
  dynamicsHidden: [],
  dynamicsStateTableRows: 0,
  dynamicsStateTableRateScale: 1,
  objectMarginalHidden: [],
  network: "mlp",
  outputInit: "glorot",
  encoder: "none",
  dynamicsEncoder: "none",
  encoderLayers: 1,
  encoderWidth: 2,
  encoderHeads: 1,
  encoderFeedForward: 0,
  learnLogZ: false,
  logZInitial: 0,
  logZRateScale: 1,
} as const;
