// The trainer: the compiled programs of a run, with one call per iteration, and its complete state to save and restore.

import { compile, type EngineName, type Program, RandomStream, type TypedArray } from "../../engine/index.ts";
import { isConstant, scheduleAt } from "../../nn/optim/schedule.ts";
import { checkEnvironmentOnce } from "../environment/check-environment.ts";
import type { Environment } from "../environment/environment.ts";
import type { ModelParameters } from "../evaluate/network-tables.ts";
import { entropyRatioOf, usesEntropyRegulariser } from "../objectives/entropy-ratio/options.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import { Oracle, type ScoreFunction } from "../reward/oracle.ts";
import { DEFAULT_FLOOR, exponentAt, logReward } from "../reward/reward.ts";
import { rewardsFromScoreTable } from "../reward/score-table.ts";
import { offPolicyData, storesTrajectories, usesOffPolicyRows } from "../sampling/off-policy-data.ts";
import type { TrajectoryIndices } from "../sampling/replay-buffer.ts";
import { uniformsPerStep } from "../sampling/rollout.ts";
import { checkSettings } from "./check-settings.ts";
import { type InputName, type OutputName, trainingIteration } from "./iteration.ts";
import type { StateName } from "./network-state.ts";
import { createStreams, restoreStreams, saveStreams } from "./random-streams.ts";
import type { Settings } from "./settings.ts";
import { checkCompatible, fingerprintOf, type Problem, type TrainerState } from "./snapshot.ts";

/** Options of `modelTrainer`: all settings, and the environment with its scores. */
export interface TrainerOptions extends Settings, Problem {
  readonly environment: Environment;
  /** Scores of all terminals, or a function that scores objects on request. */
  readonly scores: Float64Array | ScoreFunction;
  /** The largest score that a score function can return, which the reward floor refers to. Default: 1. */
  readonly largestScore?: number;
  /** Objects for `offlineShare`. */
  readonly offlineObjects?: readonly string[];
  readonly seed: number;
  /** Whether each step reports the terminal objects of its batch. Requires a table of scores. */
  readonly reportObjects?: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** The metrics of one iteration. */
export interface StepMetrics {
  readonly loss: number;
  readonly dynamicsLoss: number | null;
  readonly gradientNorm: number;
  /** Mean entropy ratio over the steps of the batch; only in a run that uses it. */
  readonly entropyRatio?: number;
  /** Indices of the terminal objects of the batch, off-policy rows included; only with `reportObjects`. */
  readonly terminals?: Int32Array;
  /** 1 for each off-policy row of the batch, whose object the policy did not sample; only with `reportObjects`. */
  readonly offPolicy?: Uint8Array;
}

/** A model in training: one call of `step` per iteration. */
export interface Trainer {
  readonly model: Model;
  readonly engine: EngineName;
  readonly programs: readonly string[];
  readonly learnsDynamics: boolean;
  /** Rewards of all terminals; null if a function gives the scores. */
  readonly reward: Float64Array | null;
  /** The cached score function; null if a table gives the scores. */
  readonly oracle: Oracle | null;
  /** Runs iteration t, counted from 0, at this progress of the run. A failed step leaves the state unchanged. */
  step(t: number, progress: number): Promise<StepMetrics>;
  /** Copies the complete state. A trainer that restores it takes the same next step. */
  save(): Promise<TrainerState>;
  /** Throws, and changes nothing, if the state belongs to another model or other settings. */
  restore(state: TrainerState): void;
  /** Returns to the state before the first step. */
  restart(): void;
  /** Copies the current parameters of both networks. */
  parameters(): Promise<ModelParameters>;
  /** Frees the compiled programs. */
  dispose(): Promise<void>;
}

/**
 * Compiles the training of a model. `train` does this and runs the loop; use a trainer for a loop of your own.
 *
 * @example
 * ```ts
 * import { defaultSettings, hypergridTask } from "gflownet";
 * import { modelTrainer } from "gflownet/gfn";
 *
 * const { environment, scores } = hypergridTask({ stick: 0, side: 3 });
 * const settings = defaultSettings(environment, { objective: "tb", hidden: [8], batch: 8 });
 * const trainer = await modelTrainer({ ...settings, environment, scores, seed: 0 });
 * for (let t = 0; t < 5; t++) console.log((await trainer.step(t, t / 5)).loss);
 * await trainer.dispose();
 * ```
 */
export async function modelTrainer(options: TrainerOptions): Promise<Trainer> {
  const { environment, scores, engine, threads, epsilon, temperature, reportObjects = false } = options;
  const { rewardExponent: exponent, rewardFloor: floor, rewardRamp: ramp, largestScore: largest } = options;
  const transform = { exponent, floor, ramp, ...(largest !== undefined && { largest }) };
  checkSettings(options, {
    environment,
    scores: typeof scores === "function" ? "function" : "table",
    hasOfflineObjects: (options.offlineObjects?.length ?? 0) > 0,
  });
  checkLargest(largest);
  if (reportObjects && typeof scores === "function") {
    throw new RangeError(
      "reportObjects needs a table of scores, because a score function gives objects no indices",
    );
  }
  checkEnvironmentOnce(environment);
  const table =
    typeof scores === "function" ? undefined : rewardsFromScoreTable(environment, scores, transform);
  const oracle = typeof scores === "function" ? new Oracle(scores) : null;
  const model = modelOf(environment, options);
  const uses = {
    epsilon: !isConstant(epsilon, 0),
    temperature: !isConstant(temperature, 1),
    offPolicy: usesOffPolicyRows(options),
    trajectories: storesTrajectories(options),
    terminals: reportObjects,
  };
  const ratio = entropyRatioOf(options);
  const training = trainingIteration(model, { ...options, rewards: table?.logRewards, uses });
  const { state, learnsDynamics } = training;
  const finite: OutputName[] = learnsDynamics ? ["loss", "dynamicsLoss"] : ["loss"];
  const { run, example } = oracle ? training.update : training.train;
  const name = oracle ? "update" : "train";
  const fingerprint = fingerprintOf(model, options, { learnsDynamics });
  const begin = () => {
    const streams = createStreams(options.seed);
    return { streams, offPolicy: offPolicyData(environment, options, streams) };
  };
  // This comes before compilation, because it rejects invalid offline objects.
  let { streams, offPolicy } = begin();
  let busy = false;
  const { batch, maxSteps } = { batch: options.batch, maxSteps: environment.maxSteps };
  const uniform = new Float32Array(maxSteps * batch * uniformsPerStep(environment));
  const scalar = (value: number) => Float32Array.of(value);
  const updater = await compile(run, example, { name, state, finite, engine, threads });
  const sampler = oracle ? await samplerBeside(updater) : undefined;
  const programs = sampler ? [updater, sampler] : [updater];

  const trainer: Trainer = {
    model,
    engine: updater.engine,
    programs: programs.map(({ name }) => name),
    learnsDynamics,
    reward: table?.reward ?? null,
    oracle,

    restart() {
      checkIdle();
      const init = RandomStream.fromSeed(options.seed).split("init");
      const fresh = (net: "policy" | "dynamics") => {
        const { size } = model[`${net}Layout`];
        return {
          [net]: model[`${net}Layout`].init(init.split(net)),
          [`${net}.m`]: new Float32Array(size),
          [`${net}.v`]: new Float32Array(size),
          [`${net}.step`]: Int32Array.of(0),
        };
      };
      updater.write({ ...fresh("policy"), ...(learnsDynamics && fresh("dynamics")) });
      ({ streams, offPolicy } = begin());
    },

    step(t, progress) {
      return exclusively(async () => {
        const before = saveStreams(streams);
        try {
          return await takeStep(t, progress);
        } catch (error) {
          restoreStreams(streams, before);
          throw error;
        }
      });
    },

    save() {
      return exclusively(async () => {
        const tensors: Record<string, Float32Array | Int32Array> = {};
        for (const name of state) {
          const tensor = (await updater.read(name)) as Float32Array | Int32Array;
          // Each iteration checks the loss before the update, so non-finite weights of the last update are detected here.
          if (!tensor.every(Number.isFinite)) {
            throw new RangeError(
              `${name} is no longer finite, although every loss was; lower the learning rate or clip the gradient`,
            );
          }
          tensors[name] = tensor;
        }
        return {
          fingerprint,
          tensors,
          streams: saveStreams(streams),
          buffers: offPolicy.save(),
          oracle: oracle?.save() ?? null,
        };
      });
    },

    restore(saved) {
      checkIdle();
      checkCompatible(saved, fingerprint, state);
      const beginning = begin();
      restoreStreams(beginning.streams, saved.streams);
      beginning.offPolicy.restore(saved.buffers);
      updater.write(saved.tensors);
      if (saved.oracle) oracle?.restore(saved.oracle);
      ({ streams, offPolicy } = beginning);
    },

    async parameters() {
      const read = async (name: StateName) => (await updater.read(name)) as Float32Array;
      return {
        policy: await read("policy"),
        dynamics: learnsDynamics ? await read("dynamics") : new Float32Array(model.dynamicsLayout.size),
      };
    },

    async dispose() {
      await Promise.all(programs.map((program) => program.dispose()));
    },
  };

  type Inputs = Partial<Record<InputName, TypedArray>>;
  /** A program takes the inputs that it was compiled for, a subset of all input names. */
  const learn = (inputs: Inputs) => updater.run(inputs as Record<InputName, TypedArray>);

  async function takeStep(t: number, progress: number): Promise<StepMetrics> {
    offPolicy.sampleRows(progress);
    const { rows } = offPolicy;
    const exponent = exponentAt(transform, t);
    const stored = learnsDynamics ? offPolicy.sampleForDynamics() : null;
    const forRollout = {
      uniform: streams.rollout.fillUniform(uniform),
      ...(uses.epsilon && { epsilon: scalar(scheduleAt(epsilon, progress)) }),
      ...(uses.temperature && { temperature: scalar(scheduleAt(temperature, progress)) }),
      ...(uses.offPolicy && {
        offPolicyMask: rows.mask,
        offPolicyActions: rows.actions,
        offPolicyOutcomes: rows.outcomes,
      }),
      ...(ratio?.use === "behaviour" && gammaAt(progress)),
    };
    const forUpdate = {
      "policy.rate": scalar(scheduleAt(options.learningRate, progress)),
      ...(learnsDynamics && { "dynamics.rate": scalar(scheduleAt(options.dynamicsLearningRate, progress)) }),
      ...(stored && { storedActions: stored.actions, storedOutcomes: stored.outcomes }),
      ...(ratio && ratio.use !== "behaviour" && gammaAt(progress)),
      ...(usesEntropyRegulariser(options) && {
        entropyCoefficient: scalar(scheduleAt(options.entropyRegulariser, progress)),
      }),
    };
    const outputs =
      sampler && oracle
        ? await scoreAndUpdate(forRollout, forUpdate, exponent)
        : await trainInOneCall(forRollout, forUpdate, exponent);
    return {
      loss: outputs.loss[0],
      dynamicsLoss: learnsDynamics ? outputs.dynamicsLoss[0] : null,
      gradientNorm: outputs.gradientNorm[0],
      ...(ratio && { entropyRatio: outputs.entropyRatio[0] }),
      ...(reportObjects && {
        terminals: outputs.terminal as Int32Array,
        offPolicy: Uint8Array.from(rows.mask),
      }),
    };
  }

  function gammaAt(progress: number): Inputs {
    return ratio ? { entropyGamma: scalar(scheduleAt(ratio.gamma, progress)) } : {};
  }

  async function trainInOneCall(forRollout: Inputs, forUpdate: Inputs, exponent: number) {
    const ramp = table?.logRewards.ramp ? { exponent: scalar(exponent) } : {};
    const outputs = await learn({ ...forRollout, ...forUpdate, ...ramp });
    if (uses.trajectories) {
      offPolicy.store(
        outputs as unknown as TrajectoryIndices,
        (row) => (scores as Float64Array)[outputs.terminal[row]],
      );
    }
    return outputs;
  }

  async function scoreAndUpdate(forRollout: Inputs, forUpdate: Inputs, exponent: number) {
    const policy = await updater.read("policy");
    const sampled = (await sampler?.run({ policy, ...forRollout } as Record<
      "policy" | InputName,
      TypedArray
    >)) as unknown as TrajectoryIndices & {
      readonly onPolicy?: TypedArray;
      readonly entropyRatio?: TypedArray;
    };
    const { onPolicy, entropyRatio } = sampled;
    const objects = objectsOf(environment, sampled, batch);
    const objectScores = await (oracle as Oracle).scores(objects);
    const { floor = DEFAULT_FLOOR, largest = 1 } = transform;
    const zero = floor === 0 ? objectScores.indexOf(0) : -1;
    if (zero >= 0) {
      throw new RangeError(
        `the score of ${JSON.stringify(objects[zero])} is 0, so its logarithm is not finite; set rewardFloor above 0`,
      );
    }
    const outputs = await learn({
      ...forUpdate,
      actions: sampled.actions,
      outcomes: sampled.outcomes,
      logReward: Float32Array.from(objectScores, (score) => logReward(score, exponent, floor, largest)),
      ...(uses.offPolicy && { sampled: offPolicy.rows.mask.map((mask) => 1 - mask) }),
      ...(onPolicy && { onPolicy }),
      ...("uniform" in training.update.example && { uniform: forRollout.uniform }),
    });
    offPolicy.store(sampled, (row) => objectScores[row]);
    return { ...outputs, ...(entropyRatio && { entropyRatio }) };
  }

  function checkIdle(): void {
    if (busy) throw new Error("trainer: a call must be awaited before the next one");
  }

  async function exclusively<T>(work: () => Promise<T>): Promise<T> {
    checkIdle();
    busy = true;
    try {
      return await work();
    } finally {
      busy = false;
    }
  }

  async function samplerBeside(program: Pick<Program, "dispose">) {
    const { run, example } = training.rollout;
    try {
      return await compile(run, example, { name: "rollout", engine, threads });
    } catch (error) {
      await program.dispose();
      throw error;
    }
  }

  try {
    trainer.restart();
  } catch (error) {
    await trainer.dispose();
    throw error;
  }
  return trainer;
}

function checkLargest(largest = 1): void {
  if (!(largest > 0)) throw new RangeError(`largestScore must be positive, got ${largest}`);
}

/** The terminal objects of trajectories. */
function objectsOf(environment: Environment, { outcomes }: TrajectoryIndices, batch: number): string[] {
  return Array.from({ length: batch }, (_, row) => {
    const path: number[] = [];
    for (let t = 0; t < environment.maxSteps; t++) {
      const outcome = outcomes[t * batch + row];
      if (outcome >= 0) path.push(outcome);
    }
    return environment.describe(path);
  });
}
