// One training iteration as array functions: episodes, reward, dynamics update, residual, policy update.
//
// Where rewards stand in a table, all of it is one call (`whole`). Where the caller must be asked for rewards, it is two:
// `episodes` plays, the caller scores, `update` learns.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../engine/index.ts";
import { type AdamState, adam, clipByGlobalNorm, recorder } from "../nn/index.ts";
import { type Batch, flatten } from "./batch.ts";
import { crossEntropy, dynamicsBatch, logModel } from "./dynamics-update.ts";
import { flattening } from "./entropy-ratio/in-rollout.ts";
import { type StepEntropies, stepEntropies, withRatio } from "./entropy-ratio/in-training.ts";
import { ratioUsed, regularises } from "./entropy-ratio/options.ts";
import { meanRatio } from "./entropy-ratio/ratio.ts";
import { entropyRegulariser, ownRows } from "./entropy-ratio/regulariser.ts";
import type { State } from "./environment.ts";
import type { StepTaken } from "./history-encoder.ts";
import type { Model } from "./model.ts";
import type { PolicyOutputs } from "./networks.ts";
import { objectLaw, shareOfThought } from "./object-law.ts";
import { residualsOf, weightedMean } from "./objectives/balance.ts";
import { checkLiteral, literalKl } from "./objectives/literal-kl.ts";
import { lossOf } from "./objectives/loss.ts";
import { termsOf } from "./objectives/terms.ts";
import { policyPass, type RolloutSums } from "./policy-pass.ts";
import { type Episodes, follow, numbersOf, rollout, uniformsPerStep } from "./rollout.ts";
import { learnsDynamics, type Settings } from "./settings.ts";
import { withThoughts } from "./thoughts.ts";

/** Rewards of all terminals, as the program looks them up. */
export interface LogRewardTable {
  /** log R, or log scores if the exponent changes; one per terminal. */
  readonly values: Float32Array;
  /** For an exponent that changes: the largest log score, and the log of the floor. */
  readonly ramp?: { readonly logLargest: number; readonly logFloor: number };
}

export interface IterationOptions
  extends Pick<Settings, "objective" | "batch" | "clip" | "dynamicsClip" | "lambda" | "dynamicsReplay">,
    Pick<Settings, "entropyRatio" | "entropyRegulariser"> {
  readonly rewards?: LogRewardTable;
  /** What the programs take and give beside the least; whatever is not used is not compiled. */
  readonly uses?: {
    readonly epsilon?: boolean;
    readonly temperature?: boolean;
    /** Rows that follow objects from elsewhere. */
    readonly given?: boolean;
    /** The episodes come out, to be stored. */
    readonly episodes?: boolean;
    /** Numbers of the terminal objects come out. */
    readonly terminals?: boolean;
  };
}

type Network = "policy" | "dynamics";
/** What stays inside a program that learns; without a dynamics model only the policy's. */
export type StateName = Network | `${Network}.${"m" | "v" | "step"}`;
/** What goes in with a call, as far as it is used. */
export type InputName =
  | "uniform"
  | "epsilon"
  | "temperature"
  | "givenRows"
  | "givenActions"
  | "givenOutcomes"
  | `${Network}.rate`
  | "storedActions"
  | "storedOutcomes"
  | "exponent"
  | "actions"
  | "outcomes"
  | "logReward"
  | "drawn"
  | "entropyGamma"
  | "entropyCoefficient"
  | "own";
/** What comes out of a call, as far as there is any. */
export type OutputName =
  | "loss"
  | "gradientNorm"
  | "dynamicsLoss"
  | "entropyRatio"
  | "actions"
  | "outcomes"
  | "terminal";

type Arrays = Readonly<Record<string, np.Array>>;
type Specs = Readonly<Record<string, ArraySpec>>;

export function trainingIteration(model: Model, options: IterationOptions) {
  const { environment, policyLayout, dynamicsLayout } = model;
  const { objective, batch: B, rewards, uses = {}, dynamicsReplay } = options;
  const T = environment.maxSteps;
  const hasDynamics = learnsDynamics(objective);
  const needsThoughts = objective.dynamics === "joint" || objective.dynamics === "none-intended";
  const ratio = ratioUsed(options);
  const flattens = ratio?.use === "behaviour";
  const regularised = regularises(options);
  checkLiteral(objective, environment);
  if (objective.balance === "fl-db" && !(rewards && environment.stops)) {
    throw new RangeError(
      `fl-db needs rewards of unfinished objects, and ${rewards ? environment.name : "a score function"} gives none; use db`,
    );
  }

  function whole(inputs: Arrays): Arrays {
    const { episodes, known, ...played } = play(inputs);
    const batch = flatten(environment, episodes);
    const drawn = uses.given ? np.subtract(1, inputs.givenRows) : null; // [B]
    return {
      ...learn({ ...inputs, ...played.own }, batch, logReward(inputs, batch.terminal), drawn, known),
      ...played.ratio,
      ...(uses.episodes && numbersOf(episodes)),
      ...((uses.episodes || uses.terminals) && { terminal: batch.terminal }),
    };
  }

  function episodes(inputs: Arrays): Arrays {
    const { episodes, ...played } = play(inputs);
    return { ...numbersOf(episodes), ...played.own, ...played.ratio };
  }

  function update(inputs: Arrays): Arrays {
    const batch = flatten(
      environment,
      follow(environment, inputs as { actions: np.Array; outcomes: np.Array }),
    );
    return learn(inputs, batch, inputs.logReward, uses.given ? inputs.drawn : null);
  }

  /** Episodes, what the policy's layers said on the way, and where it is used, which rows are its own, and the ratio. */
  function play(inputs: Arrays): { episodes: Episodes; known: RolloutSums; own: Arrays; ratio: Arrays } {
    const { policy, uniform, epsilon, temperature, givenRows, givenActions, givenOutcomes } = inputs;
    const passes: np.Array[][] = [];
    const along = model.policyAlong(policy);
    const logits = (state: State, before: StepTaken | null) => {
      const { sums, each } = recorder();
      passes.push(sums);
      return along(state, before, each); // [B, actions] or [1, actions]
    };
    const given = uses.given
      ? { rows: givenRows, actions: givenActions, outcomes: givenOutcomes }
      : undefined;
    const flatter = ratio && flattens ? flattening(ratio, inputs.entropyGamma) : null;
    const behaviour = { epsilon, temperature, ...(flatter && { ratio: flatter.ratio }) };
    const episodes = rollout(environment, logits, uniform, behaviour, given);
    return {
      episodes,
      known: passes,
      own: regularised ? { own: ownRows(environment, { uniform, epsilon, temperature, givenRows }) } : {}, // [B]
      ratio: flatter ? { entropyRatio: flatter.mean() } : {}, // []
    };
  }

  /** log R of terminals by number, any shape. */
  function logReward(inputs: Arrays, terminals: np.Array): np.Array {
    const { values, ramp } = rewards as LogRewardTable;
    const found = np.take(np.array(values), terminals, 0); // [...]
    if (!ramp) return found; // [...]
    const lowest = np.add(np.multiply(inputs.exponent, ramp.logLargest), ramp.logFloor); // []
    return np.maximum(np.multiply(found, inputs.exponent), lowest); // [...]
  }

  /** log of A^steps · max R: each step sums over A intentions an expectation of what comes after it, [N]. Where rewards
   * are asked for, those are at most 1 that are not larger here. */
  function largestLogFlow(inputs: Arrays, terminal: np.Array): np.Array {
    const known = rewards && largestOf(rewards.values);
    const largest =
      known === undefined
        ? np.maximum(np.max(terminal), 0) // []
        : rewards?.ramp
          ? np.multiply(inputs.exponent, known) // []
          : np.array(known); // []
    const left = Float32Array.from({ length: T }, (_, t) => (T - 1 - t) * Math.log(environment.actions));
    const bound = np.add(np.array(left, { shape: [T, 1] }), largest); // [T, 1]
    return np.broadcastTo(bound, [T, B]).reshape([T * B]); // [N]
  }

  /** The dynamics first, then the policy on a residual with the updated, frozen dynamics. */
  function learn(
    inputs: Arrays,
    batch: Batch,
    terminal: np.Array,
    drawn: np.Array | null,
    known?: RolloutSums,
  ): Arrays {
    const dynamics = hasDynamics ? learnDynamics(inputs, batch, drawn) : null;
    /** Without the regulariser, []. */
    const lossWith = (flat: np.Array, outputs: PolicyOutputs, entropies: StepEntropies | null) => {
      const thoughtful =
        needsThoughts && uses.given
          ? withThoughts(environment, batch, outputs.backward, inputs.uniform.reshape([T * B, -1]))
          : batch;
      if (objective.loss === "kl-literal") {
        const margin = ratio?.use === "margin" && entropies ? entropies.logRatio : null; // [N]
        return weightedMean(literalKl(thoughtful, outputs, margin), batch.running); // []
      }
      const plain = termsOf(objective.dynamics, thoughtful, outputs, dynamics?.logDynamics ?? null);
      const terms = ratio && entropies ? withRatio(plain, ratio.use, batch, entropies) : plain;
      const law =
        objective.dynamics === "thought"
          ? objectLaw(model, flat, batch, outputs, dynamics!.logDynamics, drawn)
          : null;
      const end = law ? np.add(terminal, shareOfThought(terms, batch, law)) : terminal; // [B]
      const { residual, weight } = residualsOf(objective.balance, thoughtful, terms, end, {
        lambda: options.lambda,
        logZ: model.logZOf(flat),
        ...(terms.bootstraps && { largestLogFlow: largestLogFlow(inputs, terminal) }),
        ...(objective.balance === "fl-db" && { partialLogReward: logReward(inputs, batch.index) }),
      });
      const main = weightedMean(lossOf(objective.loss, residual), weight); // []
      return law ? np.add(main, law.crossEntropy) : main; // []
    };
    const loss = (flat: np.Array): [np.Array, Arrays] => {
      const last = !environment.stops && (needsThoughts || batch.sameParent !== null);
      const outputs = policyPass(model, flat, batch, { last, known });
      const entropies = ratio && !flattens ? stepEntropies(ratio, batch, outputs, inputs.entropyGamma) : null;
      const main = lossWith(flat, outputs, entropies); // []
      if (!entropies) return [main, {}];
      const seen = { entropyRatio: meanRatio(entropies, batch.running) }; // []
      if (!regularised) return [main, seen];
      const own = np.broadcastTo(inputs.own, [T, B]).reshape([T * B]); // [N]
      const weight = np.multiply(own, batch.running); // [N]
      const bonus = entropyRegulariser(entropies, inputs.entropyGamma, weight); // []
      return [np.add(main, np.multiply(bonus, inputs.entropyCoefficient)), seen];
    };
    const [[value, seen], gradient] = valueAndGrad(loss, { hasAux: true })(inputs.policy);
    const policy = step("policy", inputs, gradient, options.clip, model.rateScales.policy);
    return {
      ...policy.state,
      ...dynamics?.state,
      loss: value,
      gradientNorm: policy.norm,
      ...(dynamics && { dynamicsLoss: dynamics.loss }),
      ...seen,
    };
  }

  /** One update on the batch, or several on stored episodes; then log P̂ of the batch by the updated model. */
  function learnDynamics(inputs: Arrays, batch: Batch, drawn: np.Array | null) {
    const here = dynamicsBatch(model, batch, drawn);
    let current = inputs;
    const losses: np.Array[] = [];
    for (const lesson of dynamicsReplay ? storedLessons(inputs, dynamicsReplay.rounds) : [here]) {
      const { loss, gradient } = crossEntropy(model, current.dynamics, lesson);
      current = {
        ...current,
        ...step("dynamics", current, gradient, options.dynamicsClip, model.rateScales.dynamics).state,
      };
      losses.push(loss);
    }
    const { dynamics } = current;
    return {
      state: pick(current, stateNames("dynamics")),
      loss: np.divide(
        losses.reduce((a, b) => np.add(a, b)),
        losses.length,
      ), // []
      logDynamics: lax.stopGradient(logModel(model, dynamics, here)), // [N, a, c]
    };
  }

  function storedLessons(inputs: Arrays, rounds: number) {
    const perRound = (numbers: np.Array) => np.split(numbers, rounds, 0); // rounds × [1, T, episodes]
    const [actions, outcomes] = [perRound(inputs.storedActions), perRound(inputs.storedOutcomes)];
    return actions.map((_, round) => {
      const [, , E] = actions[round].shape;
      const known = { actions: actions[round].reshape([T, E]), outcomes: outcomes[round].reshape([T, E]) };
      const stored = flatten(environment, follow(environment, known));
      // A buffer that is still empty gives episodes in which nothing happens.
      const happened = np.sum(stored.outcomes, 1); // [N]
      const lesson = dynamicsBatch(model, stored, null);
      return { ...lesson, counts: np.multiply(lesson.counts, happened) }; // [N]
    });
  }

  const state = [...stateNames("policy"), ...(hasDynamics ? stateNames("dynamics") : [])];
  const scalar = spec([]);
  const numbers = spec([T, B], "int32");
  const stateSpecs: Specs = {
    ...stateSpecsOf("policy", policyLayout.size),
    ...(hasDynamics && stateSpecsOf("dynamics", dynamicsLayout.size)),
  };
  const forPlay: Specs = {
    uniform: spec([T, B, uniformsPerStep(environment)]),
    ...(uses.epsilon && { epsilon: scalar }),
    ...(uses.temperature && { temperature: scalar }),
    ...(uses.given && { givenRows: spec([B]), givenActions: numbers, givenOutcomes: numbers }),
    ...(flattens && { entropyGamma: scalar }),
  };
  const stored = dynamicsReplay && spec([dynamicsReplay.rounds, T, dynamicsReplay.episodes], "int32");
  const forLearning: Specs = {
    "policy.rate": scalar,
    ...(hasDynamics && { "dynamics.rate": scalar }),
    ...(hasDynamics && stored && { storedActions: stored, storedOutcomes: stored }),
    ...(ratio && !flattens && { entropyGamma: scalar }),
    ...(regularised && { entropyCoefficient: scalar }),
  };
  return {
    state,
    learnsDynamics: hasDynamics,
    /** Play, look the reward up, learn. */
    whole: part<StateName | InputName, StateName | OutputName>(whole, {
      ...stateSpecs,
      ...forPlay,
      ...forLearning,
      ...(rewards?.ramp && { exponent: scalar }),
    }),
    /** Play only, with parameters from outside. */
    episodes: part<"policy" | InputName, "actions" | "outcomes" | "own" | "entropyRatio">(episodes, {
      policy: spec([policyLayout.size]),
      ...forPlay,
    }),
    /** Learn from episodes that were scored outside. */
    update: part<StateName | InputName, StateName | OutputName>(update, {
      ...stateSpecs,
      ...forLearning,
      actions: numbers,
      outcomes: numbers,
      logReward: spec([B]),
      ...(uses.given && { drawn: spec([B]) }),
      ...(regularised && { own: spec([B]) }),
      ...(uses.given && needsThoughts && { uniform: forPlay.uniform }),
    }),
  };
}

/** A function to compile with its inputs. Names that are not used are in the types and not in the objects. */
function part<I extends string, O extends string>(run: (inputs: Arrays) => Arrays, example: Specs) {
  return { run: run as ArrayFunction<I, O>, example: example as Readonly<Record<I, ArraySpec>> };
}

/** One update by Adam, perhaps with a clipped gradient: the network's new state under the names of the old. */
function step(net: Network, inputs: Arrays, raw: np.Array, clip?: number, rateScale?: Float32Array) {
  const { gradient, norm } = clip
    ? clipByGlobalNorm(raw, clip) // [P], []
    : { gradient: raw, norm: np.sqrt(np.dot(raw, raw)) }; // [P], []
  const rate = { at: () => inputs[`${net}.rate`], value: () => Number.NaN }; // []
  const before: AdamState = { m: inputs[`${net}.m`], v: inputs[`${net}.v`], step: inputs[`${net}.step`] };
  const { params, state } = adam({ learningRate: rate, rateScale }).update(inputs[net], gradient, before);
  const [parameters, m, v, steps] = stateNames(net);
  return { state: { [parameters]: params, [m]: state.m, [v]: state.v, [steps]: state.step }, norm };
}

export function stateNames(net: Network): readonly StateName[] {
  return [net, `${net}.m`, `${net}.v`, `${net}.step`];
}

function stateSpecsOf(net: Network, size: number): Specs {
  const vector = spec([size]);
  return { [net]: vector, [`${net}.m`]: vector, [`${net}.v`]: vector, [`${net}.step`]: spec([], "int32") };
}

function largestOf(values: Float32Array): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

function pick(arrays: Arrays, names: readonly string[]): Arrays {
  return Object.fromEntries(names.map((name) => [name, arrays[name]]));
}
