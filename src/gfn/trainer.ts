// What a run is made of, compiled and ready: one step at a time, parameters to look at, all of it to keep and to put
// back, and back to the start.

import { compile, type EngineName, type Program, RandomStream, type TypedArray } from "../engine/index.ts";
import { checkEnvironment } from "./check-environment.ts";
import { courseAt, isAlways } from "./course.ts";
import { ratioUsed, regularises } from "./entropy-ratio/options.ts";
import type { Environment } from "./environment.ts";
import type { EpisodeNumbers } from "./episode-buffer.ts";
import type { ModelParameters } from "./evaluate/network-tables.ts";
import { type InputName, type OutputName, type StateName, trainingIteration } from "./iteration.ts";
import { keepsEpisodes, lessons, usesGiven } from "./lessons.ts";
import { type Model, model as modelOf } from "./model.ts";
import { Oracle, type ScoreFunction } from "./oracle.ts";
import { DEFAULT_FLOOR, exponentAt, logReward } from "./reward.ts";
import { uniformsPerStep } from "./rollout.ts";
import { scoreTable } from "./score-table.ts";
import { checkSettings, type Settings } from "./settings.ts";
import { aboutOf, checkFit, type TrainerState } from "./snapshot.ts";
import { restoreStreams, saveStreams, streamsOf } from "./streams.ts";

export interface TrainerOptions extends Settings {
  readonly environment: Environment;
  /** Scores of all terminals, or a function that scores objects when asked. */
  readonly scores: Float64Array | ScoreFunction;
  /** Objects known from elsewhere, for `mixture.offline`. */
  readonly known?: readonly string[];
  readonly seed: number;
  /** Every step reports which objects its batch ended in. Scores must stand in a table. */
  readonly reportObjects?: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export interface StepReport {
  readonly loss: number;
  readonly dynamicsLoss: number | null;
  readonly gradientNorm: number;
  /** Mean of the entropy ratio over the steps of the batch; only in a run that uses it. */
  readonly entropyRatio?: number;
  /** Numbers of the terminal objects of the batch, given rows included; only with `reportObjects`. */
  readonly terminals?: Int32Array;
}

export interface Trainer {
  readonly model: Model;
  readonly engine: EngineName;
  readonly programs: readonly string[];
  readonly learnsDynamics: boolean;
  /** Rewards of all terminals, which training aims at; null if scores come from a function. */
  readonly reward: Float64Array | null;
  readonly oracle: Oracle | null;
  /** Trains iteration t, counted from 0, at this progress of the run. If it fails, all is as before it. */
  step(t: number, progress: number): Promise<StepReport>;
  /** All of it, copied: a trainer that gets it back takes the same next step. */
  save(): Promise<TrainerState>;
  /** Throws one sentence, and changes nothing, if the state was saved by a trainer of something else. */
  restore(state: TrainerState): void;
  /** Everything as it was before the first step. */
  restart(): void;
  parameters(): Promise<ModelParameters>;
  dispose(): Promise<void>;
}

export async function createTrainer(options: TrainerOptions): Promise<Trainer> {
  const { environment, scores, engine, threads, exploration, reward: transform } = options;
  const { reportObjects = false } = options;
  checkSettings(options);
  if (reportObjects && typeof scores === "function") {
    throw new RangeError(
      "reportObjects: objects have numbers where a table scores them; a function was given",
    );
  }
  checkEnvironment(environment);
  const table = typeof scores === "function" ? undefined : scoreTable(environment, scores, transform);
  const oracle = typeof scores === "function" ? new Oracle(scores) : null;
  const model = modelOf(environment, options);
  const uses = {
    epsilon: !isAlways(exploration.epsilon, 0),
    temperature: !isAlways(exploration.temperature, 1),
    given: usesGiven(options),
    episodes: keepsEpisodes(options),
    terminals: reportObjects,
  };
  const ratio = ratioUsed(options);
  const training = trainingIteration(model, { ...options, rewards: table?.logRewards, uses });
  const { state, learnsDynamics } = training;
  const finite: OutputName[] = learnsDynamics ? ["loss", "dynamicsLoss"] : ["loss"];
  const { run, example } = oracle ? training.update : training.whole;
  const name = oracle ? "update" : "train";
  const about = aboutOf(model, options, { learnsDynamics, asks: oracle !== null });
  const begin = () => {
    const streams = streamsOf(options.seed);
    return { streams, rows: lessons(environment, options, streams) };
  };
  // What is wrong with the lessons is said before anything is compiled.
  let { streams, rows } = begin();
  let busy = false;
  const { batch, maxSteps } = { batch: options.batch, maxSteps: environment.maxSteps };
  const uniform = new Float32Array(maxSteps * batch * uniformsPerStep(environment));
  const scalar = (value: number) => Float32Array.of(value);
  const learner = await compile(run, example, { name, state, finite, engine, threads });
  const player = oracle ? await playerBeside(learner) : undefined;
  const programs = player ? [learner, player] : [learner];

  const trainer: Trainer = {
    model,
    engine: learner.engine,
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
      learner.write({ ...fresh("policy"), ...(learnsDynamics && fresh("dynamics")) });
      ({ streams, rows } = begin());
    },

    step(t, progress) {
      return alone(async () => {
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
      return alone(async () => {
        const tensors: Record<string, Float32Array | Int32Array> = {};
        for (const name of state) {
          const tensor = (await learner.read(name)) as Float32Array | Int32Array;
          // A loss is watched before its update: what the last one made of the weights shows only here.
          if (!tensor.every(Number.isFinite)) {
            throw new RangeError(
              `${name} is not finite any more, though every loss was; lower the learning rate or clip the gradient`,
            );
          }
          tensors[name] = tensor;
        }
        return {
          about,
          tensors,
          streams: saveStreams(streams),
          buffers: rows.save(),
          oracle: oracle?.save() ?? null,
        };
      });
    },

    restore(saved) {
      checkIdle();
      checkFit(saved, about, state);
      const beginning = begin();
      restoreStreams(beginning.streams, saved.streams);
      beginning.rows.restore(saved.buffers);
      learner.write(saved.tensors);
      if (saved.oracle) oracle?.restore(saved.oracle);
      ({ streams, rows } = beginning);
    },

    async parameters() {
      const read = async (name: StateName) => (await learner.read(name)) as Float32Array;
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
  /** A call brings what the program was compiled for, which is not all that there could be. */
  const learn = (inputs: Inputs) => learner.run(inputs as Record<InputName, TypedArray>);

  async function takeStep(t: number, progress: number): Promise<StepReport> {
    rows.choose(progress);
    const { given } = rows;
    const exponent = exponentAt(transform, t);
    const stored = learnsDynamics ? rows.drawStored() : null;
    const forPlay = {
      uniform: streams.rollout.fillUniform(uniform),
      ...(uses.epsilon && { epsilon: scalar(courseAt(exploration.epsilon, progress)) }),
      ...(uses.temperature && { temperature: scalar(courseAt(exploration.temperature, progress)) }),
      ...(uses.given && {
        givenRows: given.rows,
        givenActions: given.actions,
        givenOutcomes: given.outcomes,
      }),
      ...(ratio?.use === "behaviour" && gammaAt(progress)),
    };
    const forLearning = {
      "policy.rate": scalar(courseAt(options.learningRate, progress)),
      ...(learnsDynamics && { "dynamics.rate": scalar(courseAt(options.dynamicsLearningRate, progress)) }),
      ...(stored && { storedActions: stored.actions, storedOutcomes: stored.outcomes }),
      ...(ratio && ratio.use !== "behaviour" && gammaAt(progress)),
      ...(options.entropyRegulariser &&
        regularises(options) && {
          entropyCoefficient: scalar(courseAt(options.entropyRegulariser.coefficient, progress)),
        }),
    };
    const outputs =
      player && oracle
        ? await askAndLearn(forPlay, forLearning, exponent)
        : await learnInOneCall(forPlay, forLearning, exponent);
    return {
      loss: outputs.loss[0],
      dynamicsLoss: learnsDynamics ? outputs.dynamicsLoss[0] : null,
      gradientNorm: outputs.gradientNorm[0],
      ...(ratio && { entropyRatio: outputs.entropyRatio[0] }),
      ...(reportObjects && { terminals: outputs.terminal as Int32Array }),
    };
  }

  function gammaAt(progress: number): Inputs {
    return ratio ? { entropyGamma: scalar(courseAt(ratio.gamma, progress)) } : {};
  }

  async function learnInOneCall(forPlay: Inputs, forLearning: Inputs, exponent: number) {
    const ramp = table?.logRewards.ramp ? { exponent: scalar(exponent) } : {};
    const outputs = await learn({ ...forPlay, ...forLearning, ...ramp });
    if (uses.episodes) {
      rows.keep(
        outputs as unknown as EpisodeNumbers,
        (row) => (scores as Float64Array)[outputs.terminal[row]],
      );
    }
    return outputs;
  }

  async function askAndLearn(forPlay: Inputs, forLearning: Inputs, exponent: number) {
    const policy = await learner.read("policy");
    const played = (await player?.run({ policy, ...forPlay } as Record<
      "policy" | InputName,
      TypedArray
    >)) as unknown as EpisodeNumbers & { readonly own?: TypedArray; readonly entropyRatio?: TypedArray };
    const { own, entropyRatio } = played;
    const objects = objectsOf(environment, played, batch);
    const found = await (oracle as Oracle).scores(objects);
    const { floor = DEFAULT_FLOOR, largest = 1 } = transform;
    const worthless = floor === 0 ? found.indexOf(0) : -1;
    if (worthless >= 0) {
      throw new RangeError(
        `the score of ${JSON.stringify(objects[worthless])} is 0, and its logarithm is not finite; give a reward.floor above 0`,
      );
    }
    const outputs = await learn({
      ...forLearning,
      actions: played.actions,
      outcomes: played.outcomes,
      logReward: Float32Array.from(found, (score) => logReward(score, exponent, floor, largest)),
      ...(uses.given && { drawn: rows.given.rows.map((given) => 1 - given) }),
      ...(own && { own }),
      ...("uniform" in training.update.example && { uniform: forPlay.uniform }),
    });
    rows.keep(played, (row) => found[row]);
    return { ...outputs, ...(entropyRatio && { entropyRatio }) };
  }

  function checkIdle(): void {
    if (busy) throw new Error("trainer: used again before the previous call was awaited");
  }

  async function alone<T>(work: () => Promise<T>): Promise<T> {
    checkIdle();
    busy = true;
    try {
      return await work();
    } finally {
      busy = false;
    }
  }

  async function playerBeside(program: Pick<Program, "dispose">) {
    const { run, example } = training.episodes;
    try {
      return await compile(run, example, { name: "episodes", engine, threads });
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

/** The objects of episodes side by side. */
function objectsOf(environment: Environment, { outcomes }: EpisodeNumbers, batch: number): string[] {
  return Array.from({ length: batch }, (_, row) => {
    const way: number[] = [];
    for (let t = 0; t < environment.maxSteps; t++) {
      const outcome = outcomes[t * batch + row];
      if (outcome >= 0) way.push(outcome);
    }
    return environment.describe(way);
  });
}
