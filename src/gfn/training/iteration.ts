// One training iteration as array functions: rollout, reward, and the gradients of the dynamics model and of the policy.
//
// With a table of rewards, the whole iteration is one program (`train`). With a score function, it consists of two
// programs: `rollout` samples trajectories, the caller scores their objects, and `update` trains on them.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../../engine/index.ts";
import { activationRecorder, adamUpdate } from "../../nn/index.ts";
import type { Environment, State } from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import { balanceTerms } from "../objectives/balance-terms.ts";
import { entropyFlattening } from "../objectives/entropy-ratio/flattening.ts";
import { entropyRatioOf, usesEntropyRegulariser } from "../objectives/entropy-ratio/options.ts";
import { meanRatio } from "../objectives/entropy-ratio/ratio.ts";
import {
  type StepEntropies,
  stepEntropies,
  withEntropyRatio,
} from "../objectives/entropy-ratio/ratio-terms.ts";
import { entropyRegulariser, onPolicyRows } from "../objectives/entropy-ratio/regulariser.ts";
import { literalKl } from "../objectives/literal-kl.ts";
import { residualLoss } from "../objectives/loss.ts";
import { logThoughtPosterior, objectMarginal } from "../objectives/object-marginal.ts";
import { learnsDynamics } from "../objectives/objective.ts";
import { type SummaryOutput, summariseResiduals } from "../objectives/residual-summary.ts";
import { balanceResiduals, weightedMean } from "../objectives/residuals.ts";
import type { HistoryStep } from "../policy/encoder.ts";
import type { Model } from "../policy/model.ts";
import type { PolicyOutputs } from "../policy/networks.ts";
import { policyPass, type RolloutActivations, stepsOfFirstStates } from "../policy/policy-pass.ts";
import { countReached } from "../policy/reached-states.ts";
import { type PreferenceRewards, preferenceLogReward } from "../reward/preference-reward.ts";
import { type Batch, flattenTrajectories } from "../sampling/batch.ts";
import { drawProbabilities } from "../sampling/draw-probabilities.ts";
import { withInferredActions } from "../sampling/infer-actions.ts";
import {
  followTrajectories,
  longestTrajectory,
  rollout,
  type Trajectories,
  trajectoryIndices,
  uniformsPerStep,
} from "../sampling/rollout.ts";
import { DYNAMICS_GRADIENT, dynamicsGradient, updateDynamics } from "./dynamics-update.ts";
import { type Network, type StateName, stateNames, stateSpecs } from "./network-state.ts";
import type { Settings } from "./settings.ts";

/** Log rewards of all terminals, for lookup inside the program. */
export interface LogRewardTable {
  /** log R of each terminal, or its log score if the reward exponent ramps up. */
  readonly values: Float32Array;
  /** For a ramp of the exponent: the largest log score, and the log of the floor. */
  readonly ramp?: { readonly logLargest: number; readonly logFloor: number };
  /** If each row has a preference: the scores of all objectives, instead of `values`. */
  readonly preference?: PreferenceRewards;
}

export interface IterationOptions
  extends Pick<Settings, "balance" | "dynamics" | "loss" | "batch" | "clip" | "dynamicsClip" | "lambda">,
    Pick<Settings, "dynamicsReplayCapacity" | "dynamicsReplayBatch" | "dynamicsReplayRounds">,
    Pick<Settings, "entropyRatio" | "entropyEstimator" | "entropyGamma" | "entropyQuantile">,
    Pick<Settings, "entropyRegulariser"> {
  readonly rewards?: LogRewardTable;
  /** The size of `train`. Default: that of the largest possible batch. */
  readonly size?: BatchSize;
  /** Optional inputs and outputs of the programs. Parts that are not used are not compiled. */
  readonly uses?: {
    readonly epsilon?: boolean;
    readonly temperature?: boolean;
    readonly offPolicy?: boolean;
    /** Off-policy rows may follow the beginning of a trajectory only; their mask has a value for each step. */
    readonly offPolicySteps?: boolean;
    /** Outputs the trajectories, for the replay buffers. */
    readonly trajectories?: boolean;
    /** Outputs the indices of the terminal objects. */
    readonly terminals?: boolean;
    /** `train` outputs the size of its batch, more than `size` if that was too small. */
    readonly size?: boolean;
    /** The rollout outputs which rows are on-policy, and their probabilities for mean matching. */
    readonly drawProbabilities?: boolean;
    /** Outputs the residuals by step, and the means of their terms. */
    readonly residuals?: boolean;
  };
}

/** Inputs of a call. A program has only the inputs that its `uses` and settings require. */
export type InputName =
  | "uniform"
  | "epsilon"
  | "temperature"
  | "offPolicyMask"
  | "offPolicyActions"
  | "offPolicyOutcomes"
  | `${Network}.rate`
  | "storedActions"
  | "storedOutcomes"
  | "preference"
  | "exponent"
  | "actions"
  | "outcomes"
  | "logReward"
  | "sampled"
  | "entropyGamma"
  | "entropyCoefficient"
  | "onPolicy";
/** Outputs of a call. Which ones a program has depends on `uses` and the settings. */
export type OutputName =
  | "loss"
  | "gradientNorm"
  | "dynamicsLoss"
  | "entropyRatio"
  | "actions"
  | "outcomes"
  | "terminal"
  | "longest"
  | "reached"
  | SummaryOutput;
/** Outputs of the rollout alone. */
export type RolloutOutputName =
  | "actions"
  | "outcomes"
  | "onPolicy"
  | "entropyRatio"
  | "logPolicyRatio"
  | "logTargetRatio";

/** How many steps a program has, and how many states its networks evaluate. */
export interface BatchSize {
  /** Steps of the longest trajectory. */
  readonly steps: number;
  /** States that trajectories reach after the first steps, whose states rows share. Omit to evaluate the states after the end of
   * trajectories, too. */
  readonly rows?: number;
}

/** Name of the output with the gradient of the policy's parameters. */
const POLICY_GRADIENT = "policy.gradient";

type Arrays = Readonly<Record<string, np.Array>>;
type Specs = Readonly<Record<string, ArraySpec>>;

export function trainingIteration(model: Model, options: IterationOptions) {
  const { environment, policyLayout, dynamicsLayout } = model;
  const { balance, dynamics: form, loss: lossName, batch: B, rewards, uses = {} } = options;
  const { maxSteps } = environment;
  const T = options.size?.steps ?? maxSteps;
  const hasDynamics = learnsDynamics(options);
  const replaysDynamics = hasDynamics && options.dynamicsReplayCapacity > 0;
  const needsActions = form === "joint" || form === "none-intended";
  const ratio = entropyRatioOf(options);
  const flattens = ratio?.use === "behaviour";
  const regularised = usesEntropyRegulariser(options);

  /** The environment of a batch: rows with a preference each start with it. */
  function environmentOf({ preference }: Arrays): Environment {
    return isPreference(environment) && preference ? environment.withRows(preference) : environment;
  }

  function train(inputs: Arrays): Arrays {
    const { trajectories, activations, onPolicy, ratio } = sample(inputs);
    const batch = flattenTrajectories(environmentOf(inputs), trajectories);
    const sampled = uses.offPolicy ? np.subtract(1, inputs.offPolicyMask) : null; // [B]
    return {
      ...learn({ ...inputs, ...onPolicy }, batch, logReward(inputs, batch.terminal), sampled, activations),
      ...ratio,
      ...(uses.trajectories && trajectoryIndices(trajectories)),
      ...((uses.trajectories || uses.terminals) && { terminal: batch.terminal }),
      ...(uses.size && {
        longest: longestTrajectory(trajectories), // []
        reached: countReached(batch, stepsOfFirstStates(model, batch)), // []
      }),
    };
  }

  function rolloutOnly(inputs: Arrays): Arrays {
    const { trajectories, logits, onPolicy, ratio } = sample(inputs);
    return {
      ...trajectoryIndices(trajectories),
      ...onPolicy,
      ...ratio,
      ...(uses.drawProbabilities && drawProbabilities(environment, trajectories, logits)),
    };
  }

  function update(inputs: Arrays): Arrays {
    const batch = flattenTrajectories(
      environment,
      followTrajectories(environment, inputs as { actions: np.Array; outcomes: np.Array }),
    );
    return learn(inputs, batch, inputs.logReward, uses.offPolicy ? inputs.sampled : null);
  }

  /** Samples trajectories. Also returns the activations of the policy for reuse, the mask of on-policy rows for the
   * regulariser, and the mean entropy ratio of the behaviour policy. */
  function sample(inputs: Arrays): {
    trajectories: Trajectories;
    /** The logits of the policy before each step, T × [B, actions] or [1, actions]. */
    logits: readonly np.Array[];
    activations: RolloutActivations;
    onPolicy: Arrays;
    ratio: Arrays;
  } {
    const { policy, uniform, epsilon, temperature, offPolicyMask: mask } = inputs;
    const activations: np.Array[][] = [];
    const logits: np.Array[] = [];
    const stepPolicy = model.incrementalPolicy(policy, B);
    const logitsAt = (state: State, before: HistoryStep | null) => {
      const { recorded, hook } = activationRecorder();
      logits.push(stepPolicy(state, before, hook)); // [B, actions] or [1, actions]
      if (recorded.length > 0) activations.push(recorded);
      return logits[logits.length - 1]; // [B, actions] or [1, actions]
    };
    const offPolicy = uses.offPolicy
      ? { mask, actions: inputs.offPolicyActions, outcomes: inputs.offPolicyOutcomes }
      : undefined;
    const flattening = ratio && flattens ? entropyFlattening(ratio, inputs.entropyGamma) : null;
    const behaviour = { epsilon, temperature, ...(flattening && { ratio: flattening.ratio }) };
    const trajectories = rollout(environmentOf(inputs), logitsAt, uniform, behaviour, offPolicy);
    const offPolicyMask = mask && uses.offPolicySteps ? np.max(mask, 0) : mask; // [B]
    return {
      trajectories,
      logits,
      activations,
      onPolicy:
        regularised || uses.drawProbabilities
          ? { onPolicy: onPolicyRows(environment, { uniform, epsilon, temperature, offPolicyMask }) }
          : {}, // [B]
      ratio: flattening ? { entropyRatio: flattening.meanRatio() } : {}, // []
    };
  }

  /** log R of terminals by index, any shape. */
  function logReward(inputs: Arrays, terminals: np.Array): np.Array {
    const { values, ramp, preference } = rewards as LogRewardTable;
    if (preference) {
      const [rows] = terminals.shape;
      const K = preference.objectives;
      const each = np.broadcastTo(inputs.preference, [rows / B, B, K]).reshape([rows, K]); // [R, K]
      const exponent = ramp ? inputs.exponent : np.array(preference.exponent); // []
      return preferenceLogReward(preference, terminals, each, exponent); // [R]
    }
    const found = np.take(np.array(values), terminals, 0); // [...]
    if (!ramp) return found; // [...]
    const lowest = np.add(np.multiply(inputs.exponent, ramp.logLargest), ramp.logFloor); // []
    return np.maximum(np.multiply(found, inputs.exponent), lowest); // [...]
  }

  /** An upper bound of the log flow after each step, log(A^(steps left) · max R), [N]: each step sums over A actions. With
   * a score function, max R is 1, or the largest reward of the batch if that is larger. */
  function maxLogFlow(inputs: Arrays, terminal: np.Array): np.Array {
    const { preference } = rewards ?? {};
    const tableMax = rewards && (preference ? preference.logLargest : largestOf(rewards.values));
    const largest =
      preference && !rewards?.ramp
        ? np.array(preference.exponent * preference.logLargest) // []
        : tableMax === undefined
          ? np.maximum(np.max(terminal), 0) // []
          : rewards?.ramp
            ? np.multiply(inputs.exponent, tableMax) // []
            : np.array(tableMax); // []
    const left = Float32Array.from(
      { length: T },
      (_, t) => (maxSteps - 1 - t) * Math.log(environment.actions),
    );
    const bound = np.add(np.array(left, { shape: [T, 1] }), largest); // [T, 1]
    return np.broadcastTo(bound, [T, B]).reshape([T * B]); // [N]
  }

  /** The loss of the policy on residuals with the fixed dynamics, and the gradients of both networks. `terminal` has the log
   * rewards [B], `sampled` is 1 for rows that the rollout sampled [B]. */
  function learn(
    inputs: Arrays,
    batch: Batch,
    terminal: np.Array,
    sampled: np.Array | null,
    activations?: RolloutActivations,
  ): Arrays {
    const dynamics = !hasDynamics
      ? null
      : replaysDynamics
        ? updateDynamics(model, options, inputs, batch, sampled)
        : dynamicsGradient(model, inputs, batch, sampled);
    /** The loss without the regulariser, [], and the residuals if they are asked for. */
    const lossWith = (
      flat: np.Array,
      outputs: PolicyOutputs,
      entropies: StepEntropies | null,
    ): [np.Array, Arrays] => {
      const withActions =
        needsActions && uses.offPolicy
          ? withInferredActions(environment, batch, outputs.backward, inputs.uniform.reshape([T * B, -1]))
          : batch;
      if (lossName === "kl-literal") {
        const margin = ratio?.use === "margin" && entropies ? entropies.logRatio : null; // [N]
        return [weightedMean(literalKl(withActions, outputs, margin), batch.running), {}]; // []
      }
      const plain = balanceTerms(form, withActions, outputs, dynamics?.logDynamics ?? null);
      const terms = ratio && entropies ? withEntropyRatio(plain, ratio.use, batch, entropies) : plain;
      const marginal =
        form === "thought"
          ? objectMarginal(model, flat, batch, outputs, dynamics!.logDynamics, sampled)
          : null;
      const posterior = marginal && logThoughtPosterior(terms, batch, marginal); // [B]
      const end = posterior ? np.add(terminal, posterior) : terminal; // [B]
      const forBalance = {
        lambda: options.lambda,
        logZ: model.learnedLogZ(flat),
        ...(terms.bootstraps && { maxLogFlow: maxLogFlow(inputs, terminal) }),
        ...(balance === "fl-db" && { partialLogReward: logReward(inputs, batch.index) }),
      };
      const residuals = balanceResiduals(balance, withActions, terms, end, forBalance);
      const main = weightedMean(residualLoss(lossName, residuals.residual), residuals.weight); // []
      const ends = { logReward: terminal, ...(posterior && { logThoughtPosterior: posterior }) };
      const summary = uses.residuals
        ? summariseResiduals(balance, withActions, terms, ends, residuals, forBalance)
        : {};
      return [marginal ? np.add(main, marginal.crossEntropy) : main, summary as Arrays]; // []
    };
    const loss = (flat: np.Array): [np.Array, Arrays] => {
      const finalStates = !environment.hasStop && (needsActions || batch.sameParent !== null);
      const outputs = policyPass(model, flat, batch, {
        ...{ finalStates, rolloutActivations: activations, rows: options.size?.rows },
      });
      const entropies = ratio && !flattens ? stepEntropies(ratio, batch, outputs, inputs.entropyGamma) : null;
      const [main, residuals] = lossWith(flat, outputs, entropies); // []
      if (!entropies) return [main, residuals];
      const metrics = { ...residuals, entropyRatio: meanRatio(entropies, batch.running) }; // []
      if (!regularised) return [main, metrics];
      const onPolicy = np.broadcastTo(inputs.onPolicy, [T, B]).reshape([T * B]); // [N]
      const weight = np.multiply(onPolicy, batch.running); // [N]
      const bonus = entropyRegulariser(entropies, inputs.entropyGamma, weight); // []
      return [np.add(main, np.multiply(bonus, inputs.entropyCoefficient)), metrics];
    };
    const [[value, metrics], gradient] = valueAndGrad(loss, { hasAux: true })(inputs.policy);
    return {
      ...dynamics?.outputs,
      [POLICY_GRADIENT]: gradient,
      loss: value,
      ...(dynamics && { dynamicsLoss: dynamics.loss }),
      ...metrics,
    };
  }

  const state = [...stateNames("policy"), ...(hasDynamics ? stateNames("dynamics") : [])];
  const updates = [
    adamUpdate("policy", {
      ...{ gradient: POLICY_GRADIENT, rate: "policy.rate", norm: "gradientNorm", clip: options.clip },
      rateScale: model.rateScales.policy,
    }),
  ];
  if (hasDynamics && !replaysDynamics) {
    updates.push(
      adamUpdate("dynamics", {
        ...{ gradient: DYNAMICS_GRADIENT, rate: "dynamics.rate", clip: options.dynamicsClip },
        rateScale: model.rateScales.dynamics,
      }),
    );
  }
  const scalar = spec([]);
  const indices = spec([T, B], "int32");
  const specsOfState: Specs = {
    ...stateSpecs("policy", policyLayout.size),
    ...(hasDynamics && stateSpecs("dynamics", dynamicsLayout.size)),
  };
  const forRollout: Specs = {
    uniform: spec([T, B, uniformsPerStep(environment)]),
    ...(rewards?.preference && { preference: spec([B, rewards.preference.objectives]) }),
    ...(uses.epsilon && { epsilon: scalar }),
    ...(uses.temperature && { temperature: scalar }),
    ...(uses.offPolicy && {
      offPolicyMask: spec(uses.offPolicySteps ? [T, B] : [B]),
      offPolicyActions: indices,
      offPolicyOutcomes: indices,
    }),
    ...(flattens && { entropyGamma: scalar }),
  };
  const stored = spec([options.dynamicsReplayRounds, maxSteps, options.dynamicsReplayBatch], "int32");
  const forUpdate: Specs = {
    "policy.rate": scalar,
    ...(hasDynamics && { "dynamics.rate": scalar }),
    ...(replaysDynamics && { storedActions: stored, storedOutcomes: stored }),
    ...(ratio && !flattens && { entropyGamma: scalar }),
    ...(regularised && { entropyCoefficient: scalar }),
  };
  return {
    state,
    /** The optimiser steps after a call of `train` or `update`. */
    updates,
    learnsDynamics: hasDynamics,
    /** Rollout, lookup of the rewards, update. */
    train: part<StateName | InputName, StateName | OutputName>(train, {
      ...specsOfState,
      ...forRollout,
      ...forUpdate,
      ...(rewards?.ramp && { exponent: scalar }),
    }),
    /** The rollout alone, with the policy's parameters as an input. */
    rollout: part<"policy" | InputName, RolloutOutputName>(rolloutOnly, {
      policy: spec([policyLayout.size]),
      ...forRollout,
    }),
    /** The update on trajectories that the caller has scored. */
    update: part<StateName | InputName, StateName | OutputName>(update, {
      ...specsOfState,
      ...forUpdate,
      actions: indices,
      outcomes: indices,
      logReward: spec([B]),
      ...(uses.offPolicy && { sampled: spec([B]) }),
      ...(regularised && { onPolicy: spec([B]) }),
      ...(uses.offPolicy && needsActions && { uniform: forRollout.uniform }),
    }),
  };
}

/** A function to compile, with its inputs. The types list all possible names; the objects have only those in use. */
function part<I extends string, O extends string>(run: (inputs: Arrays) => Arrays, example: Specs) {
  return { run: run as ArrayFunction<I, O>, example: example as Readonly<Record<I, ArraySpec>> };
}

function largestOf(values: Float32Array): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
