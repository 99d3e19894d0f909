// What a run is made of, compiled and ready: one step at a time, parameters to look at, and back to the start.

import { compile, type EngineName, RandomStream, type TypedArray } from "../engine/index.ts";
import { checkEnvironment } from "./check-environment.ts";
import { courseAt, isAlways } from "./course.ts";
import { type Environment, isEnumerable, listingOf } from "./environment.ts";
import type { EpisodeNumbers } from "./episode-buffer.ts";
import {
  type InputName,
  type LogRewardTable,
  type OutputName,
  type StateName,
  trainingIteration,
} from "./iteration.ts";
import { keepsEpisodes, type Lessons, lessons, usesGiven } from "./lessons.ts";
import { type Model, model as modelOf } from "./model.ts";
import { Oracle, type ScoreFunction } from "./oracle.ts";
import { DEFAULT_FLOOR, exponentAt, logOf, logReward, rewardTable } from "./reward.ts";
import { uniformsPerStep } from "./rollout.ts";
import { checkSettings, type Settings } from "./settings.ts";

export interface TrainerOptions extends Settings {
  readonly environment: Environment;
  /** Scores of all terminals, or a function that scores objects when asked. */
  readonly scores: Float64Array | ScoreFunction;
  /** Objects known from elsewhere, for `mixture.offline`. */
  readonly known?: readonly string[];
  readonly seed: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export interface Parameters {
  readonly policy: Float32Array;
  readonly dynamics: Float32Array;
}

export interface StepReport {
  readonly loss: number;
  readonly dynamicsLoss: number | null;
  readonly gradientNorm: number;
}

export interface Trainer {
  readonly model: Model;
  readonly engine: EngineName;
  readonly programs: readonly string[];
  readonly learnsDynamics: boolean;
  /** Rewards of all terminals, which training aims at; null if scores come from a function. */
  readonly reward: Float64Array | null;
  readonly oracle: Oracle | null;
  /** Trains iteration t, counted from 0, at this progress of the run. */
  step(t: number, progress: number): Promise<StepReport>;
  /** Everything as it was before the first step. */
  restart(): void;
  parameters(): Promise<Parameters>;
  dispose(): Promise<void>;
}

export async function createTrainer(options: TrainerOptions): Promise<Trainer> {
  const { environment, scores, engine, threads, exploration, reward: transform } = options;
  checkSettings(options);
  checkEnvironment(environment);
  const table = typeof scores === "function" ? undefined : tableOf(environment, scores, transform);
  const oracle = typeof scores === "function" ? new Oracle(scores) : null;
  const model = modelOf(environment, options);
  const uses = {
    epsilon: !isAlways(exploration.epsilon, 0),
    temperature: !isAlways(exploration.temperature, 1),
    given: usesGiven(options),
    episodes: keepsEpisodes(options),
  };
  const training = trainingIteration(model, { ...options, rewards: table?.logRewards, uses });
  const { state, learnsDynamics } = training;
  const finite: OutputName[] = learnsDynamics ? ["loss", "dynamicsLoss"] : ["loss"];
  const { run, example } = oracle ? training.update : training.whole;
  const name = oracle ? "update" : "train";
  const learner = await compile(run, example, { name, state, finite, engine, threads });
  const player = oracle
    ? await compile(training.episodes.run, training.episodes.example, { name: "episodes", engine, threads })
    : undefined;

  const { batch, maxSteps } = { batch: options.batch, maxSteps: environment.maxSteps };
  const uniform = new Float32Array(maxSteps * batch * uniformsPerStep(environment));
  const scalar = (value: number) => Float32Array.of(value);
  let rollouts: RandomStream;
  let rows: Lessons;

  const trainer: Trainer = {
    model,
    engine: learner.engine,
    programs: [learner, ...(player ? [player] : [])].map(({ name }) => name),
    learnsDynamics,
    reward: table?.reward ?? null,
    oracle,

    restart() {
      const root = RandomStream.fromSeed(options.seed);
      const init = root.split("init");
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
      rollouts = root.split("rollout");
      rows = lessons(environment, options, root.split("lessons"));
    },

    async step(t, progress) {
      rows.choose(progress);
      const { given } = rows;
      const exponent = exponentAt(transform, t);
      const stored = learnsDynamics ? rows.drawStored() : null;
      const forPlay = {
        uniform: rollouts.fillUniform(uniform),
        ...(uses.epsilon && { epsilon: scalar(courseAt(exploration.epsilon, progress)) }),
        ...(uses.temperature && { temperature: scalar(courseAt(exploration.temperature, progress)) }),
        ...(uses.given && {
          givenRows: given.rows,
          givenActions: given.actions,
          givenOutcomes: given.outcomes,
        }),
      };
      const forLearning = {
        "policy.rate": scalar(courseAt(options.learningRate, progress)),
        ...(learnsDynamics && { "dynamics.rate": scalar(courseAt(options.dynamicsLearningRate, progress)) }),
        ...(stored && { storedActions: stored.actions, storedOutcomes: stored.outcomes }),
      };
      const outputs =
        player && oracle
          ? await askAndLearn(forPlay, forLearning, exponent)
          : await learnInOneCall(forPlay, forLearning, exponent);
      return {
        loss: outputs.loss[0],
        dynamicsLoss: learnsDynamics ? outputs.dynamicsLoss[0] : null,
        gradientNorm: outputs.gradientNorm[0],
      };
    },

    async parameters() {
      const read = async (name: StateName) => (await learner.read(name)) as Float32Array;
      return {
        policy: await read("policy"),
        dynamics: learnsDynamics ? await read("dynamics") : new Float32Array(model.dynamicsLayout.size),
      };
    },

    async dispose() {
      for (const program of player ? [learner, player] : [learner]) await program.dispose();
    },
  };

  type Inputs = Partial<Record<InputName, TypedArray>>;
  /** A call brings what the program was compiled for, which is not all that there could be. */
  const learn = (inputs: Inputs) => learner.run(inputs as Record<InputName, TypedArray>);

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
    >)) as unknown as EpisodeNumbers;
    const found = await (oracle as Oracle).scores(objectsOf(environment, played, batch));
    const { floor = DEFAULT_FLOOR, largest = 1 } = transform;
    const outputs = await learn({
      ...forLearning,
      actions: played.actions,
      outcomes: played.outcomes,
      logReward: Float32Array.from(found, (score) => logReward(score, exponent, floor, largest)),
      ...(uses.given && { drawn: rows.given.rows.map((given) => 1 - given) }),
      ...("uniform" in training.update.example && { uniform: forPlay.uniform }),
    });
    rows.keep(played, (row) => found[row]);
    return outputs;
  }

  trainer.restart();
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

/** Rewards of all terminals, and as the program looks them up. */
function tableOf(
  environment: Environment,
  scores: Float64Array,
  transform: Settings["reward"],
): { reward: Float64Array; logRewards: LogRewardTable } {
  if (isEnumerable(environment)) {
    const { terminals } = listingOf(environment);
    if (scores.length !== terminals) {
      throw new RangeError(
        `${environment.name} has ${terminals} objects, but ${scores.length} scores were given`,
      );
    }
  }
  const reward = rewardTable(scores, { ...transform, decode: decoderOf(environment) });
  if (!(transform.ramp && transform.ramp > 0)) {
    return { reward, logRewards: { values: Float32Array.from(reward, Math.log) } };
  }
  const { floor = DEFAULT_FLOOR } = transform;
  const logLargest = Math.log(scores.reduce((a, b) => Math.max(a, b)));
  const ramp = { logLargest, logFloor: logOf(floor) };
  return { reward, logRewards: { values: Float32Array.from(scores, logOf), ramp } };
}

/** How errors write a terminal. */
function decoderOf(environment: Environment): ((terminal: number) => string) | undefined {
  if (!isEnumerable(environment)) return undefined;
  return (terminal) => environment.describe(environment.wayTo(terminal, RandomStream.fromSeed(0)));
}
