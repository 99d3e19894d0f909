// Rollouts: a batch of trajectories, unrolled over the steps. The behaviour policy samples the actions and the environment
// samples the outcomes; off-policy rows follow stored actions and outcomes instead.

import { numpy as np } from "@jax-js/jax";
import { sampleCategorical } from "../../nn/categorical.ts";
import { oneHot, oneHotIndices } from "../../nn/one-hot.ts";
import type { Environment, State } from "../environment/environment.ts";
import type { HistoryStep } from "../policy/encoder.ts";

/** Trajectories as indices of actions and outcomes. */
export interface TrajectoryIndexArrays {
  /** Action of each step, int32 [T, B]; −1 if the action is unknown, and after the end. */
  readonly actions: np.Array;
  /** Outcome of each step, int32 [T, B]; −1 for a stop, and after the end. */
  readonly outcomes: np.Array;
}

/** The trajectories that the off-policy rows of a batch follow. */
export interface OffPolicyTrajectories extends TrajectoryIndexArrays {
  /** 1 for an off-policy row, 0 for a row that is sampled, float32 [B]; or the same for each step, float32 [T, B]. */
  readonly mask: np.Array;
}

/** How the actions of a rollout differ from samples of the policy. */
export interface BehaviourPolicy {
  /** Probability of a uniformly drawn legal action at each step, float32 []. Omit for 0. */
  readonly epsilon?: np.Array;
  /** Divisor of the logits, float32 []. Omit for 1. */
  readonly temperature?: np.Array;
  /** Additional divisor of each row of logits, [B] or [1], computed from the logits, the mask of legal actions and the
   * mask of running rows [B]. */
  readonly ratio?: (logits: np.Array, legal: np.Array, running: np.Array) => np.Array;
  /** Mask of the actions that may be taken at each step besides being legal, bool [T, actions]. Omit for all. */
  readonly allowed?: np.Array;
  /** Take the most probable legal action instead of sampling one. The noise of the environment stays on. */
  readonly greedy?: boolean;
}

/** T steps of B trajectories. */
export interface Trajectories {
  /** The T + 1 states before and after the steps. */
  readonly states: readonly State[];
  /** One-hot, T × [B, actions]. */
  readonly actions: readonly np.Array[];
  /** One-hot, T × [B, outcomes]; all 0 for a stop and after the end. */
  readonly outcomes: readonly np.Array[];
  /** Masks of the legal actions, T × [B, actions] or [1, actions]. */
  readonly allowed: readonly np.Array[];
}

/** Uniform random numbers per step of a trajectory: one per action, two for the environment, one for exploration. */
export function uniformsPerStep({ actions }: Environment): number {
  return actions + 3;
}

/** The random numbers for exploration, [T, B]: a step takes a uniform action if its number is below ε. */
export function explorationUniforms({ actions }: Environment, uniform: np.Array): np.Array {
  const [T, B] = uniform.shape;
  return np.split(uniform, [actions + 2], 2)[1].reshape([T, B]); // [T, B]
}

/**
 * Runs B trajectories for T steps. `logits` is the policy: it receives the state and the previous step, which is null at
 * the start. All trajectories share the start state, so the first call has a single row, unless the starts differ. `uniform` is
 * [T, B, uniformsPerStep].
 */
export function rollout(
  environment: Environment,
  logits: (state: State, previous: HistoryStep | null) => np.Array,
  uniform: np.Array,
  { epsilon, temperature, ratio, allowed: alsoAllowed, greedy = false }: BehaviourPolicy = {},
  offPolicy?: OffPolicyTrajectories,
): Trajectories {
  const [T, B] = uniform.shape;
  const { actions: A, outcomes: C } = environment;
  const perStep = np.split(uniform.reshape([T * B, uniformsPerStep(environment)]), T, 0); // T × [B, A + 3]
  const forcedActions = offPolicy && np.split(oneHot(offPolicy.actions.reshape([T * B]), A), T, 0); // T × [B, A]
  const forcedOutcomes = offPolicy && np.split(oneHot(offPolicy.outcomes.reshape([T * B]), C), T, 0); // T × [B, C]
  const restrictions = alsoAllowed && np.split(alsoAllowed, T, 0); // T × [1, A]
  const forcedAt = offPolicy && stepMasks(offPolicy.mask, T, B); // T × [B, 1]

  const states: State[] = [environment.start(B)];
  const actions: np.Array[] = [];
  const outcomes: np.Array[] = [];
  const allowed: np.Array[] = [];
  for (let t = 0; t < T; t++) {
    const state = states[t];
    const isForced = forcedAt?.[t]; // [B, 1]
    const possible = environment.allowed(state, t); // [B, A] or [1, A]
    const legal = restrictions ? np.logicalAnd(possible, restrictions[t]) : possible; // [B, A] or [1, A]
    const [forAction, forOutcome, forExploration] = np.split(perStep[t], [A, A + 2], 1); // [B, A], [B, 2], [B, 1]
    const raw =
      t === 0
        ? logits(environment.startsDiffer ? state : environment.start(1), null) // [B, A] or [1, A]
        : logits(state, { action: actions[t - 1], outcome: outcomes[t - 1] }); // [B, A]
    const action = sampleCategorical(raw, greedy ? B : forAction, {
      temperature,
      flattening: ratio?.(raw, legal, state.running).reshape([-1, 1]), // [B, 1] or [1, 1]
      ...(epsilon && { exploration: { epsilon, uniform: forExploration } }),
      allowed: legal,
      ...(isForced && forcedActions && { forced: { mask: isForced, rows: forcedActions[t] } }),
    }); // [B, A]
    const sampledOutcome = environment.sampleOutcome(state, t, action, forOutcome); // [B, C]
    const outcome =
      isForced && forcedOutcomes ? np.where(isForced, forcedOutcomes[t], sampledOutcome) : sampledOutcome; // [B, C]
    actions.push(action);
    outcomes.push(outcome);
    allowed.push(legal);
    states.push(environment.advance(state, t, action, outcome));
  }
  return { states, actions, outcomes, allowed };
}

/** Which rows are forced at each step, T × bool [B, 1]. */
function stepMasks(mask: np.Array, T: number, B: number): readonly np.Array[] {
  const isForced = np.less(0.5, mask); // [B] or [T, B]
  if (mask.shape.length === 2) return np.split(isForced.reshape([T * B, 1]), T, 0); // T × [B, 1]
  return new Array<np.Array>(T).fill(isForced.reshape([B, 1])); // T × [B, 1]
}

/** Trajectories that follow these actions and outcomes in every row. Nothing is sampled. */
export function followTrajectories(
  environment: Environment,
  { actions, outcomes }: TrajectoryIndexArrays,
): Trajectories {
  const [T, B] = actions.shape;
  const perStep = (indices: np.Array, width: number) =>
    np.split(oneHot(indices.reshape([T * B]), width), T, 0); // T × [B, width]
  const stepActions = perStep(actions, environment.actions); // T × [B, actions]
  const stepOutcomes = perStep(outcomes, environment.outcomes); // T × [B, outcomes]
  const states: State[] = [environment.start(B)];
  const allowed: np.Array[] = [];
  for (let t = 0; t < T; t++) {
    allowed.push(environment.allowed(states[t], t)); // [B, actions] or [1, actions]
    states.push(environment.advance(states[t], t, stepActions[t], stepOutcomes[t]));
  }
  return { states, actions: stepActions, outcomes: stepOutcomes, allowed };
}

/** Number of steps until the last trajectory has ended, []; one more than the steps that were run if one has not. */
export function longestTrajectory({ states }: Trajectories): np.Array {
  const [B] = states[0].running.shape;
  const running = np.concatenate(
    states.map((state) => state.running),
    0,
  ); // [(T + 1)·B]
  return np.sum(np.max(running.reshape([states.length, B]), 1)); // []
}

/** The actions and outcomes of trajectories as indices, int32 [T, B] each. */
export function trajectoryIndices({ states, actions, outcomes }: Trajectories): TrajectoryIndexArrays {
  const T = actions.length;
  const [B] = actions[0].shape;
  const running = np.concatenate(
    states.slice(0, T).map((state) => state.running),
    0,
  ); // [N]
  const indices = (steps: readonly np.Array[]) => {
    const flat = np.concatenate([...steps], 0); // [N, width]
    const fromOne = oneHotIndices(flat, 1); // [N], 0 for a row of zeros
    return np.subtract(np.multiply(fromOne, running), 1).astype(np.int32).reshape([T, B]); // [T, B]
  };
  return { actions: indices(actions), outcomes: indices(outcomes) };
}
