// Episodes, unrolled: intentions drawn from the policy, outcomes drawn by the environment, or both given from outside.

import { numpy as np } from "@jax-js/jax";
import { gumbel, largest } from "./draw.ts";
import type { Environment, State } from "./environment.ts";
import type { StepTaken } from "./history-encoder.ts";

/** Rows that follow an episode known already instead of drawing their own. */
export interface Given {
  /** 1 where a row is given, float32 [B]. */
  readonly rows: np.Array;
  /** Intention of each step, int32 [T, B]; −1 where it is not known. */
  readonly actions: np.Array;
  /** Outcome of each step, int32 [T, B]; −1 for a stop and after the end. */
  readonly outcomes: np.Array;
}

export interface Behaviour {
  /** Share of steps at which a legal intention is drawn uniformly instead; float32 []. */
  readonly epsilon?: np.Array;
  /** Logits are divided by it before drawing; float32 []. */
  readonly temperature?: np.Array;
  /** What logits are divided by as well, [B] or [1]: of the logits, what is legal, and which rows are running, [B]. */
  readonly ratio?: (logits: np.Array, legal: np.Array, running: np.Array) => np.Array;
  /** Takes the likeliest legal intention instead of drawing one; the environment's noise stays. */
  readonly greedy?: boolean;
}

/** T steps of B episodes. */
export interface Episodes {
  /** T + 1 of them. */
  readonly states: readonly State[];
  /** One-hot, T × [B, actions]. */
  readonly actions: readonly np.Array[];
  /** One-hot, T × [B, outcomes]; all 0 for a stop and after the end. */
  readonly outcomes: readonly np.Array[];
  /** T × [B, actions] or [1, actions]. */
  readonly allowed: readonly np.Array[];
}

/** Below every score that can be drawn, so that what is not legal never is, however far a policy has run away. */
const BELOW_ALL = -3.4028e38;
/** What a divided logit is at least: above that, and finite. */
const LEAST = -3e38;

/** Uniform numbers that one episode step takes: one per action, two for the environment, one for exploration. */
export function uniformsPerStep({ actions }: Environment): number {
  return actions + 3;
}

/** Of these numbers those for exploration: a step explores where they are below ε, [T, B]. */
export function chancesOf({ actions }: Environment, uniform: np.Array): np.Array {
  const [T, B] = uniform.shape;
  return np.split(uniform, [actions + 2], 2)[1].reshape([T, B]); // [T, B]
}

/**
 * Runs episodes. `logits` is the policy, asked at every step with the step before it; `uniform` is [T, B, uniformsPerStep]. Exploration changes only which
 * intentions are drawn. All episodes begin in one state, of which the policy is asked in a single row.
 */
export function rollout(
  environment: Environment,
  logits: (state: State, before: StepTaken | null) => np.Array,
  uniform: np.Array,
  { epsilon, temperature, ratio, greedy = false }: Behaviour = {},
  given?: Given,
): Episodes {
  const [T, B] = uniform.shape;
  const { actions: A, outcomes: C } = environment;
  const perStep = np.split(uniform.reshape([T * B, uniformsPerStep(environment)]), T, 0); // T × [B, A + 3]
  const givenActions = given && np.split(oneHot(given.actions.reshape([T * B]), A), T, 0); // T × [B, A]
  const givenOutcomes = given && np.split(oneHot(given.outcomes.reshape([T * B]), C), T, 0); // T × [B, C]
  const isGiven = given && np.less(0.5, given.rows).reshape([B, 1]); // [B, 1]

  const states: State[] = [environment.start(B)];
  const actions: np.Array[] = [];
  const outcomes: np.Array[] = [];
  const allowed: np.Array[] = [];
  for (let t = 0; t < T; t++) {
    const state = states[t];
    const legal = environment.allowed(state, t); // [B, A] or [1, A]
    const [forGumbel, forNoise, forChance] = np.split(perStep[t], [A, A + 2], 1); // [B, A], [B, 2], [B, 1]
    const raw =
      t === 0
        ? logits(environment.start(1), null) // [1, A]
        : logits(state, { action: actions[t - 1], outcome: outcomes[t - 1] }); // [B, A]
    const tempered = temperature ? np.maximum(np.divide(raw, temperature), LEAST) : raw; // [B, A] or [1, A]
    const flattened = ratio ? flatter(tempered, ratio(raw, legal, state.running)) : tempered; // [B, A] or [1, A]
    const explored = epsilon ? np.where(np.less(forChance, epsilon), 0, flattened) : flattened; // [B, A]
    const wanted = greedy ? np.broadcastTo(explored, [B, A]) : np.add(explored, gumbel(forGumbel)); // [B, A]
    const scores = np.where(legal, wanted, BELOW_ALL); // [B, A]
    const drawn = largest(scores); // [B, A]
    const action = isGiven && givenActions ? np.where(isGiven, givenActions[t], drawn) : drawn; // [B, A]
    const realised = environment.realise(state, t, action, forNoise); // [B, C]
    const outcome = isGiven && givenOutcomes ? np.where(isGiven, givenOutcomes[t], realised) : realised; // [B, C]
    actions.push(action);
    outcomes.push(outcome);
    allowed.push(legal);
    states.push(environment.advance(state, t, action, outcome));
  }
  return { states, actions, outcomes, allowed };
}

/** Episodes known already in all rows, `actions` and `outcomes` as in `Given`. Nothing is drawn. */
export function follow(environment: Environment, { actions, outcomes }: Omit<Given, "rows">): Episodes {
  const [T, B] = actions.shape;
  const perStep = (numbers: np.Array, width: number) =>
    np.split(oneHot(numbers.reshape([T * B]), width), T, 0); // T × [B, width]
  const intended = perStep(actions, environment.actions); // T × [B, actions]
  const happened = perStep(outcomes, environment.outcomes); // T × [B, outcomes]
  const states: State[] = [environment.start(B)];
  const allowed: np.Array[] = [];
  for (let t = 0; t < T; t++) {
    allowed.push(environment.allowed(states[t], t)); // [B, actions] or [1, actions]
    states.push(environment.advance(states[t], t, intended[t], happened[t]));
  }
  return { states, actions: intended, outcomes: happened, allowed };
}

/** Episodes as numbers, int32 [T, B] each: −1 for the outcome of a stop, and for everything after the end. */
export function numbersOf({ states, actions, outcomes }: Episodes): Omit<Given, "rows"> {
  const T = actions.length;
  const [B] = actions[0].shape;
  const running = np.concatenate(
    states.slice(0, T).map((state) => state.running),
    0,
  ); // [N]
  const numbers = (steps: readonly np.Array[]) => {
    const flat = np.concatenate([...steps], 0); // [N, width]
    const counted = np.matmul(flat, np.arange(1, flat.shape[1] + 1).astype(np.float32)); // [N], 0 if none
    return np.subtract(np.multiply(counted, running), 1).astype(np.int32).reshape([T, B]); // [T, B]
  };
  return { actions: numbers(actions), outcomes: numbers(outcomes) };
}

/** Logits of a flatter policy, each row divided by its ratio. */
function flatter(logits: np.Array, ratio: np.Array): np.Array {
  return np.divide(logits, ratio.reshape([-1, 1])); // [B, A] or [1, A]
}

/** One-hot rows [N, width] of int32 numbers [N]; negative ones give rows of zeros. */
function oneHot(numbers: np.Array, width: number): np.Array {
  return np.equal(numbers.reshape([-1, 1]), np.arange(width)).astype(np.float32); // [N, width]
}
