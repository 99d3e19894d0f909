// An environment from ordinary values and functions: a start, the actions of a state, where an action leads, and a reward.
// Its states are enumerated once, and everything else is derived from them.

import { show } from "../../issues.ts";
import { plainFeatures } from "./plain-features.ts";
import { enumeratePairs } from "./plain-states.ts";
import { keyed } from "./plain-value.ts";
import { type PlainOutcome, plainWorld, type Refuse, refusal, type World } from "./plain-world.ts";
import { type TabularEnvironment, tabularEnvironment } from "./tabular-environment.ts";

/** A number, text, boolean, array or plain object; arrays and objects may contain null too. */
type PlainState = NonNullable<unknown> | [];

/**
 * The world that objects are built in. States, actions and objects are ordinary values: numbers, texts, booleans, arrays
 * and plain objects of them. They are compared by value. The functions must be pure: the same arguments give the same
 * result. They receive frozen states, so a new state must be a new value.
 */
export interface PlainEnvironmentOptions<S extends PlainState, A extends string | number, O> {
  /** The state in which every trajectory begins. */
  readonly start: S;
  /** The actions that can be taken in a state. In a state without actions, a trajectory ends. */
  actions(state: S): readonly A[];
  /**
   * The states that an action can lead to, with their probabilities, which sum to 1. A state may be one that was visited
   * before, or the same state. Without noise, it is a list of one state, whose probability can be left out:
   * `[{ state }]`.
   */
  step(state: S, action: A): readonly PlainOutcome<S>[];
  /** The object that a trajectory builds if it ends in this state. Write it before `reward`, so that TypeScript infers
   * the type of objects. Default: the state itself. */
  objectOf?(state: S): O;
  /** The reward of an object, finite and not negative. It is called once for every object. */
  reward(object: O): number;
  /** Number of steps after which a trajectory ends, in whatever state it is. */
  readonly steps: number;
  /** Name for messages. Default: "own environment". */
  readonly name?: string;
}

/** The environment that `environment` makes. */
export interface PlainEnvironment<O> extends TabularEnvironment {
  /** All objects, in the order of their indices. */
  readonly objects: readonly O[];
  /** The reward of each object, for the option `scores` of `train`. */
  readonly scores: Float64Array;
  /** The text of an object, as samples, files and `trajectoryOf` have it: a text itself if all objects are texts, and JSON
   * otherwise. Throws a RangeError if the value is not an object of this environment. */
  textOf(object: O): string;
  /** The object with this text. Throws a RangeError if there is none. */
  objectFromText(text: string): O;
}

/**
 * An environment from ordinary values and functions. The library adds the number of steps to the state, so the world may
 * have cycles: a trajectory may walk back, or bump into a wall and stay. The probability of an object is the sum over
 * all states and steps in which trajectories end with it.
 *
 * @example
 * ```ts
 * import { environment } from "gflownet";
 *
 * // A walker on a line takes four steps, and every fifth step slips.
 * const walk = environment({
 *   start: 0,
 *   actions: () => ["left", "right"],
 *   step: (place, action) => [
 *     { state: action === "left" ? place - 1 : place + 1, probability: 0.8 },
 *     { state: place, probability: 0.2 },
 *   ],
 *   reward: (place) => 1 + Math.abs(place),
 *   steps: 4,
 * });
 * console.log(walk.objects.length); // 9
 * ```
 */
export function environment<S extends PlainState, A extends string | number, O = S>(
  options: PlainEnvironmentOptions<S, A, O>,
): PlainEnvironment<O> {
  const { name = "own environment", steps } = options;
  const refuse = refusal(name);
  checkOptions(options, refuse);
  const world = plainWorld(options.start, options, refuse);
  const states = enumeratePairs(world, steps, refuse);
  const scores = scoresOf(world, options, refuse);
  const texts = textsOf(world);
  const features = plainFeatures(world, states, options.objectOf !== undefined, refuse);
  const unused = states.enumeration.actions - world.actionNames.length;
  const tabular = tabularEnvironment({
    name,
    enumeration: states.enumeration,
    features,
    objects: texts,
    // There may be more outcomes than actions; the actions with their numbers are never legal.
    actions: [...world.actionNames, ...new Array<string>(unused).fill("none")],
  });
  const objects = world.objects.map(({ value }) => value);
  const indexOfKey = new Map(world.objects.map(({ key }, i) => [key, i]));
  const indexOfText = new Map(texts.map((text, i) => [text, i]));
  const known = (index: number | undefined, what: string) => {
    if (index !== undefined) return index;
    throw new RangeError(
      `${name}: ${what} is not one of its ${objects.length} objects, such as ${JSON.stringify(texts[0])}`,
    );
  };
  return {
    ...tabular,
    objects,
    scores,
    textOf: (object) => texts[known(indexOfKey.get(keyed(object).key), show(object))],
    objectFromText: (text) => objects[known(indexOfText.get(text), `the text ${JSON.stringify(text)}`)],
  };
}

function checkOptions<S extends PlainState, A extends string | number, O>(
  options: PlainEnvironmentOptions<S, A, O>,
  refuse: Refuse,
): void {
  const { steps, name } = options;
  if (name !== undefined && (typeof name !== "string" || name === "")) {
    refusal("environment")("name", `must be a text, got ${show(name)}`);
  }
  for (const member of ["actions", "step", "reward", "objectOf"] as const) {
    const found: unknown = options[member];
    if (typeof found === "function" || (member === "objectOf" && found === undefined)) continue;
    refuse(member, `must be a function, got ${show(found)}`);
  }
  if (!Number.isSafeInteger(steps) || steps < 1) {
    refuse("steps", `must be a whole number from 1 on, got ${show(steps)}`);
  }
}

/** The reward of each object. */
function scoresOf<S extends PlainState, A extends string | number, O>(
  { objects }: World<S, O>,
  options: PlainEnvironmentOptions<S, A, O>,
  refuse: Refuse,
): Float64Array {
  const scores = Float64Array.from(objects, ({ key, value }) => {
    const reward: unknown = options.reward(value);
    const isReward = typeof reward === "number" && reward >= 0 && reward < Number.POSITIVE_INFINITY;
    return isReward
      ? reward
      : refuse("reward", `must be finite and not negative, got ${show(reward)} for ${key}`);
  });
  if (scores.some((score) => score > 0)) return scores;
  return refuse("reward", `must be above 0 for at least one object, got 0 for all ${scores.length}`);
}

/** The text of each object. */
function textsOf<S, O>({ objects }: World<S, O>): string[] {
  const values = objects.map(({ value }): unknown => value);
  return values.every((value) => typeof value === "string") ? values : objects.map(({ key }) => key);
}
