// Exact evaluation of a model: the terminal distribution of its policy under the true kernel, compared with the target
// beside the limit (the best that any policy can reach) and the uniform policy.

import type { EngineName } from "../../engine/index.ts";
import { normaliseRewards } from "../../math/distances.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import type { Environment } from "../environment/environment.ts";
import type { Balance } from "../objectives/objective.ts";
import type { Model } from "../policy/model.ts";
import { type DistributionMetrics, distributionMetrics } from "./distribution-metrics.ts";
import { enumeratedStates } from "./enumerated-states.ts";
import { dynamicsDivergence, type PolicyTable, uniformPolicy, visitation } from "./exact.ts";
import { type ModelParameters, networkTabulator } from "./network-tables.ts";
import { rememberedLimit } from "./remembered-limit.ts";

/** An exact evaluation of a policy. */
export interface ExactEvaluation {
  /** Metrics of the evaluated policy. */
  readonly reached: DistributionMetrics & {
    /** Learned log Z minus the true log Z; null for vargrad, which does not learn log Z. */
    readonly logZError: number | null;
    /** KL(P ‖ P̂) per step, see `dynamicsDivergence`; null if the objective uses no dynamics model. */
    readonly dynamicsKl: number | null;
  };
  readonly policy: PolicyTable;
  /** log P̂(c | s, a), [states · outcomes · outcomes]; null if the objective uses no dynamics model. */
  readonly logDynamics: Float32Array | null;
  /** Probability of each terminal object. */
  readonly terminals: Float64Array;
}

/** Metrics of the policy that is nearest to the target in KL. */
export interface LimitMetrics extends DistributionMetrics {
  /** Upper bound on how much another policy can lower the KL: 0 for a closed form, NaN if no bound is known. */
  readonly gap: number;
}

/** Evaluates models exactly, by dynamic programming over all states or histories. */
export interface ExactEvaluator {
  readonly enumeration: Enumeration;
  readonly target: Float64Array;
  /** Logarithm of the sum of all rewards. */
  readonly logZ: number;
  readonly limit: LimitMetrics;
  /** Metrics of the policy that is uniform over legal actions. */
  readonly uniform: DistributionMetrics;
  /** Probability of each terminal object under these two policies. */
  readonly terminals: { readonly limit: Float64Array; readonly uniform: Float64Array };
  /** Calls must not overlap: await each one before the next. */
  evaluate(parameters: ModelParameters): Promise<ExactEvaluation>;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

export interface ExactEvaluatorOptions {
  /** Its states, or its histories if a network is conditioned on the thought, must be enumerable. */
  readonly model: Model;
  /** Reward of each terminal object, positive and finite. */
  readonly reward: Float64Array;
  /** The balance that trains the model, which decides where log Z is learned. */
  readonly balance: Balance;
  /** Whether the objective uses a dynamics model. */
  readonly usesDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/**
 * Compiles an exact evaluator. The states of the environment must be enumerable; for a policy that is conditioned on
 * its earlier actions, the histories.
 */
export async function exactEvaluator(options: ExactEvaluatorOptions): Promise<ExactEvaluator> {
  const { model, reward, usesDynamics, engine, threads } = options;
  const states = enumeratedStates(model);
  if (!states) {
    throw new RangeError(
      `exactEvaluator: the states of ${model.environment.name} cannot be enumerated; evaluate from samples`,
    );
  }
  const { enumeration } = states;
  checkRewards(model.environment, enumeration, reward);
  const readLogZ = logZReader(options, enumeration);
  const { target, logZ } = normaliseRewards(reward);
  const metrics = (terminals: Float64Array) => distributionMetrics(target, reward, terminals);
  const best = rememberedLimit(model, target, () => states.limit(target));
  const limit = { ...metrics(best.terminals), gap: best.gap };
  const uniformTerminals = visitation(enumeration, uniformPolicy(enumeration)).terminals;
  const uniform = metrics(uniformTerminals);
  const tabulator = await networkTabulator({ model, states, usesDynamics, engine, threads });
  return {
    enumeration,
    target,
    logZ,
    limit,
    uniform,
    terminals: { limit: best.terminals, uniform: uniformTerminals },
    async evaluate(parameters) {
      const { policy, logFlow, logDynamics } = await tabulator.tabulate(parameters);
      const { states, terminals } = visitation(enumeration, policy);
      const learned = readLogZ(parameters.policy, logFlow);
      const reached = {
        ...metrics(terminals),
        logZError: learned === null ? null : learned - logZ,
        dynamicsKl: logDynamics && dynamicsDivergence(enumeration, policy, states, logDynamics),
      };
      return { reached, policy, logDynamics, terminals };
    },
    dispose: () => tabulator.dispose(),
  };
}

/** Returns a function that takes log Z from the parameters of the policy and the log flow of the start state. */
function logZReader(
  { model, reward, balance }: ExactEvaluatorOptions,
  enumeration: Enumeration,
): (policy: Float32Array, logFlow: number) => number | null {
  if (balance === "vargrad") return () => null;
  if (model.policyLayout.entries.some(({ path }) => path === "logZ")) {
    return (policy) => model.policyLayout.view(policy).logZ?.[0] ?? null;
  }
  if (balance !== "fl-db") return (_, logFlow) => logFlow;
  // The flow that fl-db learns excludes the reward of stopping in the state.
  if (!model.environment.hasStop) {
    throw new RangeError(
      `exactEvaluator: fl-db needs an environment with a stop action, got ${model.environment.name} without one`,
    );
  }
  const stopped = -1 - enumeration.targets[enumeration.offsets[enumeration.actions - 1]];
  const logReward = Math.log(reward[stopped]);
  return (_, logFlow) => logFlow + logReward;
}

function checkRewards({ name }: Environment, { terminals }: Enumeration, reward: Float64Array): void {
  if (reward.length !== terminals) {
    throw new RangeError(
      `exactEvaluator: there must be one reward for each of the ${terminals} objects of ${name}, got ${reward.length}`,
    );
  }
  const wrong = reward.findIndex((value) => !(value > 0 && value < Number.POSITIVE_INFINITY));
  if (wrong < 0) return;
  throw new RangeError(
    `exactEvaluator: rewards must be positive and finite, got ${reward[wrong]} for terminal ${wrong}`,
  );
}
