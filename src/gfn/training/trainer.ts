// The trainer: the compiled programs of a run, with one call per iteration, and its complete state to save and restore.

import { compile, type EngineName, type Program, RandomStream, type TypedArray } from "../../engine/index.ts";
import { UserError } from "../../issues.ts";
import { isConstant, scheduleAt } from "../../nn/optim/schedule.ts";
import { withoutUndefined } from "../../settings/without-undefined.ts";
import { checkEnvironmentOnce } from "../environment/check-environment.ts";
import type { Environment } from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import type { ModelParameters } from "../evaluate/network-tables.ts";
import { entropyRatioOf, usesEntropyRegulariser } from "../objectives/entropy-ratio/options.ts";
import { type ResidualSummary, residualSummary } from "../objectives/residual-summary.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import { stepsOfFirstStates } from "../policy/policy-pass.ts";
import {
  CachedScoreFunction,
  type SavedScores,
  type ScoreFunction,
} from "../reward/cached-score-function.ts";
import { drawPreferences } from "../reward/preference-reward.ts";
import { DEFAULT_FLOOR, exponentAt, logReward } from "../reward/reward.ts";
import { rewardsFromScoreTable } from "../reward/score-table.ts";
import { DataSet, type DataSetOptions } from "../sampling/data-set.ts";
import { objectsOf } from "../sampling/objects-of.ts";
import { offPolicyData, storesTrajectories, usesOffPolicyRows } from "../sampling/off-policy-data.ts";
import type { TrajectoryIndices } from "../sampling/replay-buffer.ts";
import { uniformsPerStep } from "../sampling/rollout.ts";
import { BatchSizing, fits } from "./batch-sizing.ts";
import { checkSettings } from "./check-settings.ts";
import { type Collector, collector } from "./collection.ts";
import { checkCallBudget, type DataSetSettings, dataSetSettings } from "./data-set-settings.ts";
import { type BatchSize, type InputName, type OutputName, trainingIteration } from "./iteration.ts";
import { MeanMatching } from "./mean-matching.ts";
import type { StateName } from "./network-state.ts";
import { createStreams, restoreStreams, saveStreams } from "./random-streams.ts";
import type { Settings } from "./settings.ts";
import { measuredSize, SizedPrograms, type TrainingProgram } from "./sized-programs.ts";
import { checkCompatible, fingerprintOf, type Problem, type TrainerState } from "./snapshot.ts";

/** Options of `modelTrainer`: all settings, and the environment with its scores. */
export interface TrainerOptions extends Settings, Problem, Partial<DataSetSettings> {
  readonly environment: Environment;
  /** Scores of all terminals, or a function that scores objects on request. */
  readonly scores: Float64Array | ScoreFunction;
  /** The largest score that a score function can return, which the reward floor refers to. Default: 1. */
  readonly largestScore?: number;
  /**
   * Call budget: the score function is asked for at most this many objects. Training then draws its batches from the data
   * set of all scored objects, which costs no calls, and makes rollouts only to collect new ones (`DataSetSettings`).
   */
  readonly calls?: number;
  /** With `calls`: objects whose scores are known from the start. They are in the data set and cost no calls. */
  readonly knownScores?: SavedScores;
  /**
   * With `calls`: log R of a score, given all scores in the order of their arrival. It replaces the settings of the reward
   * and may depend on the scores, so it is asked again when the data set has grown. The score function may then return any
   * number, NaN for an object without a score, and −Infinity for the lowest reward.
   */
  readonly shapeRewards?: DataSetOptions["logRewards"];
  /** With `shapeRewards`: the reward of a score if it does not depend on other scores. Mean matching needs it. */
  readonly unscaledReward?: (score: number) => number;
  /** With `calls`: whether the score of an object costs no call, such as that of an illegal string, which is known to have
   * the lowest reward. Default: every object costs a call. */
  readonly isFree?: (object: string) => boolean;
  /** Objects for `offlineShare`. */
  readonly offlineObjects?: readonly string[];
  readonly seed: number;
  /** Whether each step reports the terminal objects of its batch. Requires a table of scores. */
  readonly reportObjects?: boolean;
  /** Whether each step reports the residuals of the balance by step and by term. Training is the same, bit by bit. */
  readonly residuals?: boolean;
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
  /** Number of objects that the score function has scored so far; only in a run with a call budget. */
  readonly calls?: number;
  /** Factor of mean matching on the reward exponent; only in a run with `matchMeanScore`. */
  readonly exponentFactor?: number;
  /** Residuals of the balance on the batch; only with `residuals`. */
  readonly residuals?: ResidualSummary;
  /** Indices of the terminal objects of the batch, off-policy rows included; only with `reportObjects`. */
  readonly terminals?: Int32Array;
  /** 1 for each off-policy row of the batch, whose object the policy did not sample; only with `reportObjects`. */
  readonly offPolicy?: Uint8Array;
}

/** Another run of a trainer: its seed, its score function, and what is known of the scores. These options replace all of the
 * same names, so one that is left out has its default, whatever the trainer was made with. */
export interface RestartOptions
  extends Pick<TrainerOptions, "seed" | "knownScores" | "shapeRewards" | "unscaledReward" | "isFree"> {
  readonly scores: ScoreFunction;
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
  readonly oracle: CachedScoreFunction | null;
  /** Runs iteration t, counted from 0, at this progress of the run. A failed step leaves the state unchanged. */
  step(t: number, progress: number): Promise<StepMetrics>;
  /** Copies the complete state. A trainer that restores it takes the same next step. */
  save(): Promise<TrainerState>;
  /** Throws, and changes nothing, if the state belongs to another model or other settings. */
  restore(state: TrainerState): void;
  /**
   * Returns to the state before the first step. Scores that a score function has returned stay known.
   *
   * With `run` it begins another run, as a new trainer with these options and the same settings would, but without
   * compilation. It throws, and changes nothing, if the trainer has a table of scores, which its programs contain.
   */
  restart(run?: RestartOptions): void;
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
  const {
    environment,
    scores,
    engine,
    threads,
    epsilon,
    temperature,
    calls,
    reportObjects = false,
    residuals = false,
  } = options;
  const { rewardExponent: exponent, rewardFloor: floor, rewardRamp: ramp, largestScore: largest } = options;
  const transform = { exponent, floor, ramp, ...(largest !== undefined && { largest }) };
  checkSettings(options, {
    environment,
    scores: typeof scores === "function" ? "function" : "table",
    hasOfflineObjects: (options.offlineObjects?.length ?? 0) > 0,
    hasCallBudget: calls !== undefined,
    residuals,
  });
  const perCalls = { ...dataSetSettings(), ...withoutUndefined(options) };
  checkCalls(options);
  if (isPreference(environment) && typeof scores === "function") {
    throw new UserError(
      "an environment with preferences has a table of scores per objective, got a score function; omit `scores`",
    );
  }
  checkLargest(largest);
  if (reportObjects && typeof scores === "function") {
    throw new RangeError(
      "reportObjects needs a table of scores, because a score function gives objects no indices",
    );
  }
  checkEnvironmentOnce(environment);
  const table =
    typeof scores === "function" ? undefined : rewardsFromScoreTable(environment, scores, transform);
  /** The options of the current run; `restart` may replace some. */
  let current = options;
  let oracle = oracleOf(current);
  const model = modelOf(environment, options);
  const uses = {
    epsilon: !isConstant(epsilon, 0),
    temperature: !isConstant(temperature, 1),
    offPolicy: calls !== undefined || usesOffPolicyRows(options),
    trajectories: storesTrajectories(options),
    terminals: reportObjects,
    residuals,
    // Where trajectories may be much shorter than the longest ones, a program for all steps would do much for nothing.
    size: table !== undefined && environment.hasStop,
  };
  const ratio = entropyRatioOf(options);
  const trainingFor = (size?: BatchSize) =>
    trainingIteration(model, { ...options, rewards: table?.logRewards, uses, size });
  const training = trainingFor();
  const { state, updates, learnsDynamics } = training;
  const finite: OutputName[] = learnsDynamics ? ["loss", "dynamicsLoss"] : ["loss"];
  let fingerprint = fingerprintOf(model, current, { learnsDynamics });
  const begin = () => {
    const streams = createStreams(current.seed);
    const rows = calls === undefined ? options.batch : perCalls.collectBatch;
    return {
      streams,
      offPolicy: offPolicyData(environment, { ...options, batch: rows }, streams),
      dataSet: oracle && calls !== undefined ? dataSetOf(oracle) : null,
      matching:
        calls !== undefined && perCalls.matchMeanScore && (!current.shapeRewards || current.unscaledReward)
          ? meanMatchingOf(calls)
          : null,
    };
  };
  // This comes before compilation, because it rejects invalid offline objects.
  let { streams, offPolicy, dataSet, matching } = begin();
  let busy = false;
  const { batch, maxSteps } = { batch: options.batch, maxSteps: environment.maxSteps };
  const uniform = new Float32Array(maxSteps * batch * uniformsPerStep(environment));
  const objectives = table?.logRewards.preference?.objectives ?? 0;
  const preferences =
    objectives > 0 ? { objectives, uniform: new Float32Array(batch * (objectives + 1)) } : null;
  const scalar = (value: number) => Float32Array.of(value);
  const compiling = { state, updates, finite, engine, threads };
  const compileFor = (size: BatchSize) => {
    const { run, example } = trainingFor(size).train;
    // Every batch fits into the largest program, whatever its outputs are: if they are not finite, that is an error.
    const isLargest = size.steps === maxSteps && size.rows === undefined;
    const accept = (outputs: Readonly<Record<OutputName, TypedArray>>) => fits(measuredSize(outputs), size);
    return compile(run, example, { ...compiling, name: "train", ...(!isLargest && { accept }) });
  };
  const rowsOf = (steps: number) => {
    const first = stepsOfFirstStates(model, { T: steps, B: batch });
    return model.policyReadsStates ? (steps - first) * batch : null;
  };
  const sizing = uses.size ? new BatchSizing({ maxSteps, batch, rowsOf }) : null;
  const sized = sizing && (await SizedPrograms.compile({ sizing, state, compile: compileFor }));
  const { run, example } = oracle ? training.update : training.train;
  const updater: TrainingProgram<StateName | InputName, StateName | OutputName, StateName> =
    sized ?? (await compile(run, example, { ...compiling, name: oracle ? "update" : "train" }));
  const collecting = oracle && calls !== undefined ? await collectorBeside(updater, calls) : undefined;
  const sampler = oracle && !collecting ? await samplerBeside(updater) : undefined;
  const programs = [updater, ...(sampler ? [sampler] : []), ...(collecting ? [collecting] : [])];

  const trainer: Trainer = {
    model,
    engine: updater.engine,
    programs: programs.map(({ name }) => name),
    learnsDynamics,
    reward: table?.reward ?? null,
    get oracle() {
      return oracle;
    },

    restart(run) {
      checkIdle();
      if (run) beginRun(run);
      const init = RandomStream.fromSeed(current.seed).split("init");
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
      ({ streams, offPolicy, dataSet, matching } = begin());
      sizing?.restore();
    },

    step(t, progress) {
      return exclusively(async () => {
        const before = saveStreams(streams);
        const matchingBefore = matching?.save();
        try {
          return await takeStep(t, progress);
        } catch (error) {
          restoreStreams(streams, before);
          if (matchingBefore) matching?.restore(matchingBefore);
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
          ...(matching && { matching: matching.save() }),
          ...(sizing && { sizing: sizing.save() }),
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
      if (saved.matching) beginning.matching?.restore(saved.matching);
      sizing?.restore(saved.sizing);
      ({ streams, offPolicy, dataSet, matching } = beginning);
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
    const exponent = exponentAt(transform, t);
    const outputs =
      collecting && oracle && dataSet
        ? await collectAndUpdate(collecting, oracle, dataSet, progress)
        : await rolloutAndUpdate(progress, exponent);
    return {
      loss: outputs.loss[0],
      dynamicsLoss: learnsDynamics ? outputs.dynamicsLoss[0] : null,
      gradientNorm: outputs.gradientNorm[0],
      ...(ratio && { entropyRatio: outputs.entropyRatio[0] }),
      ...(residuals && { residuals: residualSummary(outputs) }),
      ...(collecting && { calls: oracle?.calls }),
      ...(matching && { exponentFactor: matching.factor }),
      ...(reportObjects && {
        terminals: outputs.terminal as Int32Array,
        offPolicy: Uint8Array.from(offPolicy.rows.mask),
      }),
    };
  }

  /** Inputs of the update other than its trajectories. */
  function updateInputs(progress: number): Inputs {
    const stored = learnsDynamics ? offPolicy.sampleForDynamics() : null;
    return {
      "policy.rate": scalar(scheduleAt(options.learningRate, progress)),
      ...(learnsDynamics && { "dynamics.rate": scalar(scheduleAt(options.dynamicsLearningRate, progress)) }),
      ...(stored && { storedActions: stored.actions, storedOutcomes: stored.outcomes }),
      ...(ratio && ratio.use !== "behaviour" && gammaAt(progress)),
      ...(usesEntropyRegulariser(options) && {
        entropyCoefficient: scalar(scheduleAt(options.entropyRegulariser, progress)),
      }),
    };
  }

  /** Collects the objects that are due, and trains on a batch of the data set. */
  async function collectAndUpdate(
    { collect }: Collector,
    oracle: CachedScoreFunction,
    dataSet: DataSet,
    progress: number,
  ) {
    const collected = await collect(() => updater.read("policy"), progress, {
      oracle,
      dataSet,
      offPolicy,
      streams,
      matching,
    });
    const share = scheduleAt(perCalls.dataSetPriorityShare, progress);
    dataSet.sampleRows(share, streams.replay, matching?.factor);
    const { rows, logRewards: rewards } = dataSet;
    const inputs = {
      ...updateInputs(progress),
      actions: rows.actions,
      outcomes: rows.outcomes,
      logReward: rewards,
      // The dynamics model learns from its own buffer of collected trajectories.
      sampled: new Float32Array(options.batch),
      ...("uniform" in training.update.example && { uniform: streams.rollout.fillUniform(uniform) }),
    };
    const outputs = await learn(inputs);
    for (const each of collected) offPolicy.storeForDynamics(each.trajectories, each.offPolicy);
    return outputs;
  }

  async function rolloutAndUpdate(progress: number, exponent: number) {
    offPolicy.sampleRows(progress);
    const { rows } = offPolicy;
    const forUpdate = updateInputs(progress);
    const forRollout = {
      uniform: streams.rollout.fillUniform(uniform),
      ...(preferences && {
        preference: drawPreferences(streams.rollout.fillUniform(preferences.uniform), preferences.objectives),
      }),
      ...(uses.epsilon && { epsilon: scalar(scheduleAt(epsilon, progress)) }),
      ...(uses.temperature && { temperature: scalar(scheduleAt(temperature, progress)) }),
      ...(uses.offPolicy && {
        offPolicyMask: rows.mask,
        offPolicyActions: rows.actions,
        offPolicyOutcomes: rows.outcomes,
      }),
      ...(ratio?.use === "behaviour" && gammaAt(progress)),
    };
    return sampler && oracle
      ? scoreAndUpdate(forRollout, forUpdate, exponent)
      : trainInOneCall(forRollout, forUpdate, exponent);
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
    const objectScores = await (oracle as CachedScoreFunction).scores(objects);
    const outputs = await learn({
      ...forUpdate,
      actions: sampled.actions,
      outcomes: sampled.outcomes,
      logReward: logRewards(objectScores, exponent, (row) => objects[row]),
      ...(uses.offPolicy && { sampled: offPolicy.rows.mask.map((mask) => 1 - mask) }),
      ...(onPolicy && { onPolicy }),
      ...("uniform" in training.update.example && { uniform: forRollout.uniform }),
    });
    offPolicy.store(sampled, (row) => objectScores[row]);
    return { ...outputs, ...(entropyRatio && { entropyRatio }) };
  }

  /** log R of the rows of a batch. `objectOf` gives the object of a row for an error message. */
  function logRewards(
    scores: Float64Array,
    exponent: number,
    objectOf: (row: number) => string,
  ): Float32Array {
    const { floor = DEFAULT_FLOOR, largest = 1 } = transform;
    const zero = floor === 0 ? scores.indexOf(0) : -1;
    if (zero >= 0) {
      throw zeroScoreError(JSON.stringify(objectOf(zero)));
    }
    return Float32Array.from(scores, (score) => logReward(score, exponent, floor, largest));
  }

  /** log R of a score; the factor is that of mean matching on the exponent. */
  function plainLogReward(score: number, factor: number): number {
    const { exponent, floor = DEFAULT_FLOOR, largest = 1 } = transform;
    if (floor > 0 || score > 0) return logReward(score, exponent * factor, floor, largest);
    throw zeroScoreError("an object");
  }

  function dataSetOf(oracle: CachedScoreFunction): DataSet {
    const { dataSetPriority: priority } = perCalls;
    const logRewards = current.shapeRewards ?? (() => plainLogReward);
    return new DataSet({ environment, oracle, batch: options.batch, priority, logRewards });
  }

  /** A score as mean matching compares it. An object without a score counts as 0. */
  function matchedScore(score: number): number {
    const { unscaledReward = (score: number) => score } = current;
    return Number.isFinite(score) ? unscaledReward(score) : 0;
  }

  function meanMatchingOf(calls: number): MeanMatching {
    return new MeanMatching({
      calls,
      // Shaped rewards are matched themselves, because scores may have any scale.
      rewardOf: (score) => (current.shapeRewards ? score : Math.exp(plainLogReward(score, 1))),
    });
  }

  /** Replaces options and forgets what the score function has returned. */
  function beginRun(run: RestartOptions): void {
    if (!oracle) {
      throw new RangeError(
        "restart: other scores need a trainer with a score function, but the programs of this one contain a table of scores; make another trainer",
      );
    }
    const { seed, scores, knownScores, shapeRewards, unscaledReward, isFree } = run;
    const next = { ...options, seed, scores, knownScores, shapeRewards, unscaledReward, isFree };
    checkCalls(next);
    [current, oracle] = [next, oracleOf(next)];
    fingerprint = fingerprintOf(model, current, { learnsDynamics });
  }

  function checkCalls({ scores, knownScores }: Pick<TrainerOptions, "scores" | "knownScores">): void {
    if (calls === undefined) return;
    checkCallBudget(calls, perCalls, {
      hasScoreFunction: typeof scores === "function",
      known: knownScores?.objects.length ?? 0,
    });
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

  async function collectorBeside(program: Pick<Program, "dispose">, calls: number) {
    try {
      return await collector({
        model,
        settings: { ...options, ...perCalls },
        calls,
        matchedScore,
        engine,
        threads,
      });
    } catch (error) {
      await program.dispose();
      throw error;
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

/** The cached score function; null if a table gives the scores. */
function oracleOf({ scores, knownScores, shapeRewards, isFree }: TrainerOptions): CachedScoreFunction | null {
  if (typeof scores !== "function") return null;
  return new CachedScoreFunction(scores, {
    known: knownScores,
    anyScore: shapeRewards !== undefined,
    isFree,
  });
}

function zeroScoreError(object: string): RangeError {
  return new RangeError(
    `the score of ${object} is 0, so its logarithm is not finite; set rewardFloor above 0`,
  );
}

function checkLargest(largest = 1): void {
  if (!(largest > 0)) throw new RangeError(`largestScore must be positive, got ${largest}`);
}
