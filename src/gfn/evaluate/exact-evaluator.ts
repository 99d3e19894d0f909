// Exact evaluation of a trained model: where its policy ends under the true kernel, and how that compares with the
// target, with the best that any policy reaches, and with picking actions alike.

import type { EngineName } from "../../engine/index.ts";
import type { Enumeration } from "../enumeration.ts";
import type { Environment } from "../environment.ts";
import type { Model } from "../model.ts";
import type { Balance } from "../objectives/choice.ts";
import { normalise } from "./distances.ts";
import { dynamicsDivergence, type PolicyTable, uniformPolicy, visitation } from "./exact.ts";
import { listedStates } from "./listed-states.ts";
import { type Measures, measuresOf } from "./measures.ts";
import { type ModelParameters, networkReader } from "./network-tables.ts";

export interface ExactEvaluation {
  readonly reached: Measures & {
    /** Learned log Z less the true one; null for vargrad, which learns none. */
    readonly logZError: number | null;
    /** KL(K ‖ P̂) per noisy step, see `dynamicsDivergence`; null if the objective uses no dynamics. */
    readonly dynamicsKl: number | null;
  };
  readonly table: PolicyTable;
  /** Probability of each terminal object: the sum over all episodes that end in it. */
  readonly terminals: Float64Array;
}

/** The best that any policy reaches, nearest to the target in KL. */
export interface LimitMeasures extends Measures {
  /** By how much a still better policy could lower KL at most: 0 where the best is known in closed form, NaN where no
   * bound is known. */
  readonly gap: number;
}

export interface ExactEvaluator {
  readonly listed: Enumeration;
  readonly target: Float64Array;
  /** log of the sum of all rewards. */
  readonly logZ: number;
  readonly limit: LimitMeasures;
  /** The policy that picks among allowed actions alike. */
  readonly uniform: Measures;
  /** Calls must be awaited one after the other. */
  evaluate(parameters: ModelParameters): Promise<ExactEvaluation>;
  dispose(): Promise<void>;
}

export interface ExactEvaluatorOptions {
  /** Of an environment whose states can be listed, or histories if it reads the thought. */
  readonly model: Model;
  /** One reward per terminal object, all positive. */
  readonly reward: Float64Array;
  /** What the model is trained by; it says where log Z is learned. */
  readonly balance: Balance;
  /** Whether the objective uses the dynamics model. */
  readonly usesDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
}

export async function exactEvaluator(options: ExactEvaluatorOptions): Promise<ExactEvaluator> {
  const { model, reward, usesDynamics, engine, threads } = options;
  const states = listedStates(model);
  if (!states) throw new RangeError(`exactEvaluator: the states of ${model.environment.name} are not listed`);
  const { listed } = states;
  checkRewards(model.environment, listed, reward);
  const learnedLogZ = logZReader(options, listed);
  const { target, logZ } = normalise(reward);
  const measures = (terminals: Float64Array) => measuresOf(target, reward, terminals);
  const best = states.limit(target);
  const limit = { ...measures(best.terminals), gap: best.gap };
  const uniform = measures(visitation(listed, uniformPolicy(listed)).terminals);
  const reader = await networkReader({ model, states, usesDynamics, engine, threads });
  return {
    listed,
    target,
    logZ,
    limit,
    uniform,
    async evaluate(parameters) {
      const { table, logFlow, logDynamics } = await reader.read(parameters);
      const { states, terminals } = visitation(listed, table);
      const learned = learnedLogZ(parameters.policy, logFlow);
      const reached = {
        ...measures(terminals),
        logZError: learned === null ? null : learned - logZ,
        dynamicsKl: logDynamics && dynamicsDivergence(listed, table, states, logDynamics),
      };
      return { reached, table, terminals };
    },
    dispose: () => reader.dispose(),
  };
}

/** How to get log Z out of the policy's parameters and its log F of the start. */
function logZReader(
  { model, reward, balance }: ExactEvaluatorOptions,
  listed: Enumeration,
): (policy: Float32Array, logFlow: number) => number | null {
  if (balance === "vargrad") return () => null;
  if (model.policyLayout.entries.some(({ path }) => path === "logZ")) {
    return (policy) => model.policyLayout.view(policy).logZ?.[0] ?? null;
  }
  if (balance !== "fl-db") return (_, logFlow) => logFlow;
  // The flow of fl-db leaves out what a state is worth if the episode stops there.
  if (!model.environment.stops) {
    throw new RangeError(
      `exactEvaluator: fl-db rewards every state, but ${model.environment.name} cannot stop early`,
    );
  }
  const stopped = -1 - listed.targets[listed.offsets[listed.actions - 1]];
  const logReward = Math.log(reward[stopped]);
  return (_, logFlow) => logFlow + logReward;
}

function checkRewards({ name }: Environment, { terminals }: Enumeration, reward: Float64Array): void {
  if (reward.length !== terminals) {
    throw new RangeError(`exactEvaluator: ${name} are ${terminals} objects, got ${reward.length} rewards`);
  }
  const wrong = reward.findIndex((value) => !(value > 0 && value < Number.POSITIVE_INFINITY));
  if (wrong < 0) return;
  throw new RangeError(
    `exactEvaluator: the reward of terminal ${wrong} is ${reward[wrong]}; rewards must be positive and finite`,
  );
}
