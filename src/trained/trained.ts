// A trained model that one can hold: it evaluates itself, samples objects, and has the log-probability of any object.
//
// Programs are compiled when they are first needed and kept until `dispose`. Nothing here uses the file system; `storage`
// saves the model where there is one.

import { RandomStream } from "../engine/index.ts";
import { Programs } from "../engine/programs.ts";
import { isConstrained } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { isPreference } from "../gfn/environment/preference.ts";
import { type HeldOutMetrics, heldOutMetrics } from "../gfn/evaluate/held-out.ts";
import { logPairEvaluator } from "../gfn/evaluate/log-pairs.ts";
import {
  isProductOfLetters,
  type LogProbability,
  type LogProbabilityEvaluator,
  type LogProbabilityOptions,
  logProbabilityEvaluator,
  logProbabilityMethod,
} from "../gfn/evaluate/log-probability.ts";
import { type EvaluatedModel, type Evaluation, modelEvaluator } from "../gfn/evaluate/model-evaluator.ts";
import type { ModelParameters } from "../gfn/evaluate/network-tables.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { exportModel } from "../gfn/policy/export-onnx.ts";
import { model as createModel, type Model } from "../gfn/policy/model.ts";
import { CachedScoreFunction } from "../gfn/reward/cached-score-function.ts";
import { rewardsFromScoreTable } from "../gfn/reward/score-table.ts";
import { environmentIntending } from "../gfn/sampling/constrained-template.ts";
import { type Sample, type Sampler, type SamplerOptions, sampler } from "../gfn/sampling/sampler.ts";
import {
  type ActionConditions,
  actionConditions,
  type SampleConditions,
  temperatureConditions,
} from "../gfn/sampling/template.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { UserError } from "../issues.ts";

/** A sampled object with its score and its log-probability. */
export interface ScoredSample extends Sample {
  /** Score of the object; null if the score function is not available, as in a reopened run. */
  readonly score: number | null;
  /** Exact log-probability of the object; null if it would have to be estimated (`logProbability` does that). For samples
   * with a template, a prefix or a temperature it is that of the distribution which they are drawn from. */
  readonly logProbability: number | null;
}

/**
 * Options of `Trained.sample` and `Trained.samples`. A template or a prefix says which letters are intended; the policy
 * chooses the others, position by position, without regard to fixed letters that follow, except for letters that would
 * leave no legal string. Under noise the environment may still write another letter than the intended one.
 */
export interface SampleOptions extends SampleConditions {
  /** Seed of the samples. Default: 0. */
  readonly seed?: number;
  /** Take the most probable action at every step. The noise of the environment stays on. Default: false. */
  readonly greedy?: boolean;
  /** For a model that was trained with preferences: a weight per objective, which sum to 1. Default: the preference of the
   * environment. */
  readonly preference?: readonly number[];
}

/** Options of `Trained.export`. */
export interface ExportOptions {
  /** Number of states per call of the exported model. Default: 1. */
  readonly rows?: number;
  /** Name and description of the task, for the metadata of the file. */
  readonly task?: { readonly name: string; readonly label: string };
}

/**
 * A trained model, from `fit` or `openRun`.
 *
 * @example
 * ```ts
 * import { fit, sequenceEnvironment } from "gflownet";
 *
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
 * const scores = (texts: readonly string[]) => texts.map((text) => text.split("A").length);
 * const trained = await fit({ environment, scores, iterations: 20, hidden: [16] });
 * const [first] = await trained.sample(1);
 * console.log(first.object, (await trained.logProbability("ABA")).logProbability);
 * await trained.dispose();
 * ```
 */
export interface Trained {
  /** The environment that the model was trained on. */
  readonly environment: Environment;
  /** All settings of the training, including defaults. */
  readonly options: TrainOptions;
  /** The state of the training, as `train` takes it to continue. */
  readonly snapshot: Snapshot;
  /** The events of the training without checkpoints: losses and evaluations. */
  readonly events: readonly TrainEvent[];
  /** Number of completed iterations. */
  readonly iterations: number;
  /** Duration of the training. */
  readonly seconds: number;
  /** Metrics of the policy: exact, beside the limit and the uniform policy, if the states can be enumerated and all scores
   * are known; otherwise from samples. `exact` says which. */
  evaluate(options?: Pick<SampleOptions, "preference">): Promise<Evaluation>;
  /** How well the log-probabilities of held-out objects follow their rewards, for objects that cannot be enumerated. The
   * score function scores them. */
  evaluateHeldOut(objects: readonly string[]): Promise<HeldOutMetrics>;
  /** Samples objects, under the noise of the environment. The same seed gives the same samples, and a larger count only
   * appends samples. */
  sample(count: number, options?: SampleOptions): Promise<ScoredSample[]>;
  /** The same samples as an endless sequence of batches. */
  samples(options?: SampleOptions): AsyncGenerator<ScoredSample[], never>;
  /** The probability with which the policy ends in an object, as a logarithm. */
  logProbability(object: string, options?: EstimateOptions): Promise<LogProbability>;
  /** The log-probabilities of several objects. */
  logProbabilities(objects: readonly string[], options?: EstimateOptions): Promise<LogProbability[]>;
  /** The networks as the bytes of an `.onnx` file, for any ONNX Runtime. */
  export(options?: ExportOptions): Uint8Array;
  /** Saves the model as a run folder, which `openRun` and the command line read. */
  save(folder: string): Promise<void>;
  /** Frees the compiled programs. */
  dispose(): Promise<void>;
}

/** Settings of an estimate by importance sampling. Exact log-probabilities ignore them. */
export type EstimateOptions = Pick<LogProbabilityOptions, "samples" | "seed"> &
  Pick<SampleOptions, "preference">;

/** Where trained models are saved. A browser has none. */
export interface Storage {
  save(folder: string, trained: Trained): Promise<void>;
}

/** For programs without a file system, such as a page in a browser. */
export const NO_STORAGE: Storage = {
  async save() {
    throw new UserError(
      "a trained model can be saved in Node only; `encodeCheckpoint(trained.snapshot)` of gflownet/gfn gives its bytes",
    );
  },
};

/** What a trained model consists of. `scores` may be missing, if it was a function of another program. */
export interface TrainedParts {
  readonly options: Omit<TrainOptions, "scores"> & { readonly scores: TrainOptions["scores"] | null };
  readonly snapshot: Snapshot;
  readonly events: readonly TrainEvent[];
}

/** Objects that one program call samples. */
const SAMPLE_BATCH = 512;

/** `shared` has programs that do not depend on the snapshot, for several snapshots of one training. It is not disposed. */
export function trainedModel(
  { options, snapshot, events }: TrainedParts,
  storage: Storage,
  shared?: Programs,
): Trained {
  const { environment, engine, threads, seed, scores } = options;
  const model = createModel(environment, options);
  const parameters = parametersOf(model, snapshot);
  const programs = new Programs();
  /** Models with other preferences, by preference. */
  const others = new Map<string, Trained>();
  const oracle = typeof scores === "function" ? new CachedScoreFunction(scores) : null;
  if (oracle && snapshot.oracle) oracle.restore(snapshot.oracle);
  const known = new Map(snapshot.oracle?.objects.map((object, i) => [object, snapshot.oracle?.scores[i]]));

  const evaluatorOptions = {
    ...{ model, parameters, learnsDynamics: learnsDynamics(options), engine, threads },
    programs: shared ?? programs,
  };
  const logProbabilityOf = (estimate: EstimateOptions = {}): Promise<LogProbabilityEvaluator> => {
    const { samples, seed: estimateSeed = seed } = estimate;
    return programs.once(`log-probability ${samples} ${estimateSeed}`, () =>
      logProbabilityEvaluator({ ...evaluatorOptions, samples, seed: estimateSeed }),
    );
  };

  const scoresOf = async (samples: readonly Sample[]): Promise<(number | null)[]> => {
    if (scores instanceof Float64Array) return samples.map(({ terminal }) => scores[terminal]);
    const objects = samples.map(({ object }) => object);
    if (oracle) return [...(await oracle.scores(objects))];
    return objects.map((object) => known.get(object) ?? null);
  };

  const trained: Trained = {
    environment,
    options: options as TrainOptions,
    snapshot,
    events,
    iterations: snapshot.iteration,
    seconds: snapshot.seconds,

    async evaluate({ preference } = {}) {
      if (preference) return at(preference).evaluate();
      const { rewarded, givenScores } = withRewards();
      const evaluator = await programs.once("evaluate", () =>
        modelEvaluator(rewarded, { ...options, scores: givenScores }),
      );
      return evaluator.evaluate(parameters);
    },

    async evaluateHeldOut(objects) {
      const { rewarded } = withRewards();
      const { rewardExponent: exponent, rewardFloor: floor, largestScore: largest } = options;
      const settings = {
        transform: { exponent, floor, largest },
        engine,
        threads,
        programs: shared ?? programs,
      };
      const { logPairs } = logPairEvaluator(rewarded, settings, "heldOut");
      return heldOutMetrics(await logPairs(parameters, [...new Set(objects)]));
    },

    async sample(count, sampleOptions) {
      if (!(Number.isSafeInteger(count) && count >= 0)) {
        throw new UserError(`sample: the count must be a whole number from 0 on, got ${count}`);
      }
      const result: ScoredSample[] = [];
      if (count === 0) return result;
      for await (const batch of trained.samples(sampleOptions)) {
        for (const sample of batch) if (result.length < count) result.push(sample);
        if (result.length === count) break;
      }
      return result;
    },

    async *samples({ seed: sampleSeed = 0, greedy = false, preference, ...restrictions } = {}) {
      if (preference) return yield* at(preference).samples({ seed: sampleSeed, greedy, ...restrictions });
      const { temperature = 1 } = restrictions;
      const intending = isConstrained(environment) ? environmentIntending(environment, restrictions) : null;
      const conditions = intending
        ? temperatureConditions(intending, temperature)
        : (actionConditions(environment, restrictions) ?? undefined);
      if (greedy && temperature !== 1) {
        const message = `must be 1 with \`greedy\`, which takes the most probable action at any temperature, got ${temperature}`;
        throw new UserError([{ path: "temperature", code: "conflict", message }]);
      }
      const conditioned = conditions !== undefined;
      // Programs hold the masks of their environment, so those of a template are its own.
      const used = intending
        ? { model: createModel(intending, options), programs: new Programs() }
        : { model, programs: shared ?? programs };
      try {
        const objects = await modelSampler(used.programs, used.model, {
          ...{ engine, threads, greedy, conditioned },
        });
        const stream = RandomStream.fromSeed(sampleSeed).split("samples");
        while (true) {
          const samples = await objects.sample(parameters.policy, SAMPLE_BATCH, stream, conditions);
          const scored = await scoresOf(samples);
          const logs = await exactLogProbabilities(samples, conditions, used);
          yield samples.map((sample, i) => ({ ...sample, score: scored[i], logProbability: logs[i] }));
        }
      } finally {
        if (intending) await used.programs.dispose();
      }
    },

    async logProbability(object, estimate) {
      return (await trained.logProbabilities([object], estimate))[0];
    },

    async logProbabilities(objects, { preference, ...estimate } = {}) {
      if (preference) return at(preference).logProbabilities(objects, estimate);
      return (await logProbabilityOf(estimate)).logProbabilities(objects);
    },

    export({ rows = 1, task } = {}) {
      return exportModel(model, parameters, {
        rows,
        includeDynamics: learnsDynamics(options),
        task,
        metadata: { iterations: String(snapshot.iteration), seed: String(seed) },
      });
    },

    save: (folder) => storage.save(folder, trained),

    async dispose() {
      await programs.dispose();
      for (const other of others.values()) await other.dispose();
    },
  };

  /** The same networks with another preference. */
  function at(preference: readonly number[]): Trained {
    if (!isPreference(environment)) {
      const message = "needs a model that was trained with preferences; see `preferenceEnvironment`";
      throw new UserError([{ path: "preference", code: "conflict", message }]);
    }
    const key = preference.join(" ");
    const preferred = environment.at(preference);
    const other =
      others.get(key) ??
      trainedModel(
        { options: { ...options, environment: preferred, scores: preferred.scores }, snapshot, events },
        storage,
      );
    others.set(key, other);
    return other;
  }

  /** The model with its rewards. Throws a UserError if the score function is not available. */
  function withRewards() {
    if (scores === null) {
      throw new UserError(
        "the score function of this run is not stored with it; give a module that exports `scores` with --module, or give `scores` to `openRun`",
      );
    }
    const { rewardExponent: exponent, rewardFloor: floor } = options;
    const reward =
      typeof scores === "function"
        ? null
        : rewardsFromScoreTable(environment, scores, { exponent, floor }).reward;
    const rewarded: EvaluatedModel = { model, reward, oracle, learnsDynamics: learnsDynamics(options) };
    return { rewarded, givenScores: scores };
  }

  /** Log-probabilities of samples where they are exact: estimates would take long for many samples. */
  async function exactLogProbabilities(
    samples: readonly Sample[],
    conditions: ActionConditions | undefined,
    used: { readonly model: Model; readonly programs: Programs },
  ): Promise<(number | null)[]> {
    const method = logProbabilityMethod(model, learnsDynamics(options));
    const isExact = conditions
      ? isProductOfLetters(used.model)
      : method === "product" || method === "enumeration";
    if (!isExact) return samples.map(() => null);
    const distinct = [...new Set(samples.map(({ object }) => object))];
    const results = conditions
      ? await (await logProbabilityEvaluator({ ...evaluatorOptions, ...used, conditions })).logProbabilities(
          distinct,
        )
      : await trained.logProbabilities(distinct);
    const logs = new Map(distinct.map((object, i) => [object, results[i].logProbability]));
    return samples.map(({ object }) => logs.get(object) as number);
  }

  return trained;
}

/** The program that samples objects in batches of `SAMPLE_BATCH`. */
export function modelSampler(
  programs: Programs,
  model: Model,
  options: Pick<SamplerOptions, "engine" | "threads" | "greedy" | "conditioned">,
): Promise<Sampler> {
  return programs.once(`sample ${options.greedy ?? false} ${options.conditioned ?? false}`, () =>
    sampler(model, { ...options, batch: SAMPLE_BATCH }),
  );
}

/** The flat parameter vectors of a snapshot. */
export function parametersOf(model: Model, { tensors }: Snapshot): ModelParameters {
  const dynamics = tensors.dynamics ?? new Float32Array(model.dynamicsLayout.size);
  return { policy: tensors.policy as Float32Array, dynamics: dynamics as Float32Array };
}
