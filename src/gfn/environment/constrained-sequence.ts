// Strings that are written letter by letter under constraints: of a fixed or variable number of tokens, with stick noise or
// a substitution matrix.
//
// States, features and backward actions are those of other sequences (sequence.ts). Masks and steps are looked up by the
// node of the automaton. With an enumeration a table gives the node of each state; without one the node is part of the
// state.

import { numpy as np } from "@jax-js/jax";
import {
  type Automaton,
  type Constraint,
  compileConstraints,
  intendedAutomaton,
  isAccepted,
  restrictAutomaton,
  type SequenceSpace,
  type Template,
  tokenText,
  uniformSampler,
  violationOf,
} from "../../constraints/index.ts";
import type { RandomStream } from "../../engine/index.ts";
import { throwIssues, UserError } from "../../issues.ts";
import { HASH_MULTIPLIER, int32 } from "../../nn/hash.ts";
import { oneHotIndices } from "../../nn/one-hot.ts";
import { constantTable } from "./constant-table.ts";
import {
  enumerateConstrained,
  illegalObjects,
  lettersOf,
  stateTables,
  treeSizes,
} from "./constrained-states.ts";
import { type ConstrainedSteps, constrainedSteps } from "./constrained-steps.ts";
import { constrainedStickLevel } from "./constrained-stick.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import { type LetterNoise, lettersUnder, noiseIssues } from "./letter-noise.ts";
import { withRecipe } from "./recipe.ts";
import type { SequenceEnvironment } from "./sequence.ts";

/** Options of `constrainedSequenceEnvironment`. */
export interface ConstrainedSequenceOptions {
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly noise: LetterNoise;
  /** Whether the environment has an enumeration. Default: if there are at most 2²² prefixes and strings. */
  readonly enumerable?: boolean;
}

/** Strings under constraints. Under free noise an illegal string is an object too. */
export interface ConstrainedSequenceEnvironment extends SequenceEnvironment {
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly noise: LetterNoise;
  /** The automaton of the legal strings. */
  readonly automaton: Automaton;
  /** The steps at each node of the automaton. */
  readonly steps: ConstrainedSteps;
  /** Whether a text is a legal string. */
  isLegal(text: string): boolean;
  /** Why a text is not a legal string, as half a sentence; null if it is. */
  problemWith(text: string): string | null;
  uniformObject(stream: RandomStream): number[];
}

/** Strings under constraints, with an enumeration of all prefixes that can occur. */
export interface EnumerableConstrainedEnvironment
  extends EnumerableEnvironment,
    ConstrainedSequenceEnvironment {
  readonly kind: "sequence";
  uniformObject(stream: RandomStream): number[];
  /** 1 for each terminal object that is an illegal string; all 0 unless the noise is free. */
  illegalObjects(): Uint8Array;
}

/** States of strings under constraints, without an enumeration. */
interface NodeState extends State {
  /** Node of the automaton, int32 [B]. */
  readonly node: np.Array;
  /** Node before the last letter, int32 [B]. */
  readonly parent: np.Array;
}

/** Largest number of prefixes and strings of the default enumeration: each takes 12 bytes in every program. */
const MOST_ENUMERATED = 2 ** 22;
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Strings over tokens that meet all constraints, written letter by letter. The policy can intend only letters that still
 * have a legal completion, so it never gets stuck. Throws a UserError if no string meets the constraints.
 *
 * @example
 * ```ts
 * import { constrainedSequenceEnvironment } from "gflownet/gfn";
 *
 * const environment = constrainedSequenceEnvironment({
 *   space: { tokens: ["A", "C", "G", "T"], length: { min: 6, max: 6 } },
 *   constraints: [{ kind: "homopolymer", longest: 2 }],
 *   noise: { kind: "stick", stick: 0.1, mode: "within" },
 * });
 * console.log(environment.isLegal("GATTAC"), environment.problemWith("GATTTA"));
 * ```
 */
export function constrainedSequenceEnvironment(
  options: ConstrainedSequenceOptions,
): ConstrainedSequenceEnvironment | EnumerableConstrainedEnvironment {
  const { space, constraints, noise } = options;
  const automaton = compileConstraints(space, constraints);
  throwIssues(noiseIssues(noise, space.tokens.length, space.length.max));
  const environment = environmentOver(options, automaton, automaton);
  return withRecipe(environment, { factory: "constrainedSequenceEnvironment", options });
}

/**
 * The same environment with fewer legal letters: the policy can intend only letters that lead to a string that matches the
 * template, and noise `within` stays there too. States keep their indices and features, so a model that was trained in the
 * environment can be used. There is no enumeration. Throws a UserError if no legal string matches.
 */
export function withTemplate(
  environment: ConstrainedSequenceEnvironment,
  template: Pick<Template, "pattern" | "open">,
): ConstrainedSequenceEnvironment {
  return restrictedTo(environment, template, restrictAutomaton(environment.automaton, template));
}

/**
 * The same environment for a policy that intends letters of the template wherever it can: as `withTemplate`, but noise
 * writes the same letters as without the template. Where noise has made a match impossible, letters of the template are
 * still intended if they are legal. Throws a UserError if no legal string matches.
 */
export function withIntendedTemplate(
  environment: ConstrainedSequenceEnvironment,
  template: Pick<Template, "pattern" | "open">,
): ConstrainedSequenceEnvironment {
  const masks = intendedAutomaton(environment.automaton, template);
  return restrictedTo(environment, template, masks, template);
}

function restrictedTo(
  environment: ConstrainedSequenceEnvironment,
  template: Pick<Template, "pattern" | "open">,
  masks: Automaton | null,
  intended?: Pick<Template, "pattern" | "open">,
): ConstrainedSequenceEnvironment {
  const { space, constraints, noise, automaton } = environment;
  if (masks === null) {
    // The error names the constraints that clash with the template.
    compileConstraints(space, [...constraints, { kind: "template", ...template }]);
    throw new UserError("no legal string matches the template");
  }
  const enumerable = "enumerate" in environment;
  const options = { space, constraints, noise, enumerable };
  const restricted = environmentOver(options, automaton, masks, intended);
  if (!enumerable) return restricted;
  const { enumerate, illegalObjects, tree, sampleTrajectoryTo, featuresOf, ...others } =
    restricted as EnumerableConstrainedEnvironment;
  return others;
}

/** `masks` is the automaton or a restriction of it. The automaton decides the indices of states, the masks decide what is
 * legal, or with `intended` what is intended. */
function environmentOver(
  { space, constraints, noise, enumerable }: ConstrainedSequenceOptions,
  automaton: Automaton,
  masks: Automaton,
  intended?: Pick<Template, "pattern" | "open">,
): ConstrainedSequenceEnvironment | EnumerableConstrainedEnvironment {
  const { tokens } = space;
  const [A, length] = [tokens.length, space.length.max];
  const text = tokenText(tokens);
  const letters = lettersUnder(noise, A);
  const whole = constrainedSteps(automaton, letters);
  const steps = masks === automaton ? whole : constrainedSteps(automaton, letters, masks, intended);
  const { variable } = steps;
  const sizes = treeSizes(whole);
  const total = sizes.states + sizes.objects;
  if (enumerable && total > MAX_INT32) {
    throw new UserError(
      `the ${tokens.length} tokens and ${length} positions give too many strings to enumerate them`,
    );
  }
  const isEnumerable = enumerable ?? total <= MOST_ENUMERATED;
  const tables = isEnumerable ? stateTables(whole, sizes) : null;
  const actions = variable ? A + 1 : A;
  const stickNoise = letters.stick ?? constrainedStickLevel(steps) ?? letters.largestFailure;
  const sample = uniformSampler(masks);

  // Tables by node and, with an enumeration, by the index of a state.
  const mask = constantTable(actionMask(steps), [steps.nodes, actions]);
  const next = constantTable(steps.next, [steps.nodes * A]);
  const possible = constantTable(writable(steps), [steps.nodes, A]);
  const ofIndex = tables && {
    node: constantTable(tables.node, [sizes.states]),
    parent: constantTable(tables.parentNode, [tables.parentNode.length]),
    objectsBefore: constantTable(tables.objectsBefore, [sizes.states]),
    stateOffset: constantTable(Int32Array.from(sizes.stateOffset), [steps.nodes * A]),
    objectOffset: constantTable(Int32Array.from(sizes.objectOffset), [steps.nodes * A]),
  };
  const nodeOf = (state: State) =>
    ofIndex ? np.take(ofIndex.node(), state.index, 0) : (state as NodeState).node; // [B]
  const parentOf = (state: State) =>
    ofIndex ? np.take(ofIndex.parent(), state.index, 0) : (state as NodeState).parent; // [B]
  const letterOf = (action: np.Array) => (variable ? np.split(action, [A], 1)[0] : action); // [B, A]
  const stopOf = (action: np.Array) => np.split(action, [A], 1)[1]; // [B, 1]
  const multiplier = HASH_MULTIPLIER | 0;
  /** The letter that step t wrote, one-hot [B, A]; zeros if it wrote none. */
  const writtenAt = (features: np.Array, t: number) => {
    const [, rest] = t > 0 ? np.split(features, [t * A], 1) : [null, features];
    return t < length - 1 ? np.split(rest, [A], 1)[0] : rest; // [B, A]
  };

  const environment: ConstrainedSequenceEnvironment = {
    kind: "sequence",
    name: nameOf(space, constraints),
    space,
    constraints,
    noise,
    automaton,
    steps,
    alphabet: alphabetOf(tokens),
    length,
    variable,
    ...(isEnumerable ? { indexOf: (prefix) => walk(prefix).index } : { indexFactor: multiplier }),
    actions,
    hasStop: variable,
    ...(variable && steps.ends.includes(0) && { stopsEverywhere: false }),
    outcomes: A,
    maxSteps: variable ? length + 1 : length,
    states: isEnumerable ? sizes.states : MAX_INT32,
    features: length * A,
    featureBlock: A,
    stick: stickNoise,
    ...noiseText(noise, letters.isFree),
    backwardActions: A,

    start(batch): State {
      const zeros = () => np.zeros([batch], { dtype: np.int32 }); // [B]
      return {
        index: zeros(),
        features: np.zeros([batch, length * A]), // [B, L·A]
        running: np.ones([batch]), // [B]
        ...(!isEnumerable && { node: zeros(), parent: zeros() }), // [B], [B]
      };
    },
    allowed: (state) => np.less(0.5, np.take(mask(), nodeOf(state), 0)), // [B, actions]
    ...(letters.isFree && {
      outcomeAllowed: (state: State) => np.less(0.5, np.take(possible(), nodeOf(state), 0)), // [B, A]
    }),
    sampleOutcome(state, t, action, uniform) {
      const letter = letterOf(action); // [B, A]
      if (t >= length) return np.zeros([letter.shape[0], A]); // [B, A], only the stop is legal
      if (!letters.isNoisy) return letter; // [B, A]
      const canBeWritten = np.take(possible(), nodeOf(state), 0); // [B, A]
      const outcome = letters.sample(t, letter, canBeWritten, uniform); // [B, A]
      return variable ? np.multiply(outcome, np.subtract(1, stopOf(action))) : outcome; // [B, A]
    },
    advance(state, t, action, outcome) {
      if (t >= length) return { ...state, running: np.zeros(state.running.shape) };
      const [batch] = outcome.shape;
      const runs = variable
        ? np.multiply(state.running, np.subtract(1, stopOf(action).reshape([batch]))) // [B]
        : state.running; // [B]
      const written = variable ? np.multiply(outcome, runs.reshape([batch, 1])) : outcome; // [B, A]
      const slot: [number, number] = [t * A, (length - 1 - t) * A];
      const features = np.add(state.features, np.pad(written, [[0, 0], slot])); // [B, L·A]
      const ends = !variable && t === length - 1;
      const running = ends ? np.zeros([batch]) : runs; // [B]
      const digit = oneHotIndices(written, 1).astype(np.int32); // [B], 0 after the end
      const wrote = np.less(0, digit); // [B]
      const node = nodeOf(state); // [B]
      // Without a letter the place is that of the first one, and the result is not used.
      const letter = np.maximum(np.subtract(digit, int32(1)), int32(0)); // [B]
      const place = np.add(np.multiply(node, int32(A)), letter); // [B]
      if (ofIndex) {
        const child = ends
          ? np.add(
              np.add(
                np.take(ofIndex.objectsBefore(), state.index, 0),
                np.take(ofIndex.objectOffset(), place, 0),
              ),
              int32(sizes.states),
            ) // [B]
          : np.add(state.index, np.take(ofIndex.stateOffset(), place, 0)); // [B]
        return { index: np.where(wrote, child, state.index), features, running };
      }
      const child = np.add(np.multiply(state.index, int32(multiplier)), digit); // [B]
      const after = np.maximum(np.take(next(), place, 0), int32(0)); // [B]
      return {
        index: np.where(wrote, child, state.index), // [B]
        features,
        running,
        node: np.where(wrote, after, node), // [B]
        parent: np.where(wrote, node, parentOf(state)), // [B]
      } as NodeState;
    },
    terminalIndex(state) {
      if (!ofIndex) return state.index; // [B]
      return variable
        ? np.take(ofIndex.objectsBefore(), state.index, 0) // [B]
        : np.subtract(state.index, int32(sizes.states)); // [B]
    },
    backwardAllowed(state, t) {
      if (t >= length) return np.ones([1, A], { dtype: np.bool }); // [1, A]
      const written = writtenAt(state.features, t); // [B, A]
      const stopped = np.less(np.sum(written, 1, { keepdims: true }), 0.5); // [B, 1]
      if (!letters.isNoisy) return np.logicalOr(np.less(0.5, written), stopped); // [B, A]
      const [couldIntend] = variable
        ? np.split(np.take(mask(), parentOf(state), 0), [A], 1)
        : [np.take(mask(), parentOf(state), 0)]; // [B, A]
      const sources = np.logicalAnd(np.less(0.5, couldIntend), letters.sourcesOf(t, written)); // [B, A]
      return np.logicalOr(sources, stopped); // [B, A]
    },
    backwardAction: (_, action) => letterOf(action), // [B, A]
    sameParent: () => null,

    kernelAt: (outcomes) => steps.kernel(walk(outcomes).node),
    describe(outcomes) {
      if (outcomes.length < space.length.min || outcomes.length > length) {
        throw new RangeError(
          `${environment.name}: an object has ${variable ? `${space.length.min} to ` : ""}${length} tokens, got ${outcomes.length}`,
        );
      }
      return text.join(outcomes);
    },
    trajectoryOf(object) {
      const found = parse(object);
      const { node } = walk(found);
      const hasLength = found.length >= space.length.min && found.length <= length;
      if (hasLength && node >= 0 && (node >= steps.firstIllegal || steps.ends[node] === 1)) return found;
      // Noise may be free to write an illegal string, but the last letter may also be one that noise cannot write.
      const problem = violationOf(space, constraints, found)?.message ?? "cannot result from this noise";
      throw new RangeError(`${environment.name}: ${JSON.stringify(object)} ${problem}`);
    },
    uniformObject: (stream) => sample(() => stream.uniform()),
    isLegal: (object) => environment.problemWith(object) === null,
    problemWith(object) {
      let found: number[];
      try {
        found = text.parse(object);
      } catch (error) {
        return (error as RangeError).message;
      }
      if (isAccepted(automaton, found)) return null;
      return `${JSON.stringify(object)} ${violationOf(space, constraints, found)?.message}`;
    },
  };
  if (!isEnumerable || !tables) return environment;
  const enumerableEnvironment: EnumerableConstrainedEnvironment = {
    ...environment,
    kind: "sequence",
    tree: true,
    enumerate: () => enumerateConstrained(whole, sizes, tables),
    illegalObjects: () => illegalObjects(whole, sizes, tables),
    sampleTrajectoryTo: (terminal) => objectLetters(terminal),
    featuresOf(indices) {
      const features = new Float32Array(indices.length * length * A);
      for (let row = 0; row < indices.length; row++) {
        const index = indices[row];
        const prefix =
          index < sizes.states
            ? lettersOf(whole, sizes.stateOffset, index, () => true)
            : objectLetters(index - sizes.states);
        prefix.forEach((letter, position) => {
          features[(row * length + position) * A + letter] = 1;
        });
      }
      return features;
    },
  };
  return enumerableEnvironment;

  /** The node after these letters, −1 if they cannot be written, and their index in the enumeration. */
  function walk(prefix: readonly number[]): { readonly node: number; readonly index: number } {
    let [node, index, objects] = [0, 0, 0];
    for (const letter of prefix) {
      const place = node * A + letter;
      if (node < 0 || !(letter >= 0 && letter < A) || steps.layer[node] === length)
        return { node: -1, index: -1 };
      const isLast = !variable && steps.layer[node] === length - 1;
      objects += sizes.objectOffset[place];
      index = isLast ? sizes.states + objects : index + sizes.stateOffset[place];
      node = steps.next[place];
    }
    return { node, index };
  }

  function parse(object: string): number[] {
    try {
      return text.parse(object);
    } catch (error) {
      throw new RangeError(`${environment.name}: ${(error as RangeError).message}`);
    }
  }

  function objectLetters(terminal: number): number[] {
    return lettersOf(whole, sizes.objectOffset, terminal, (node) =>
      variable ? whole.ends[node] === 1 : whole.layer[node] === length,
    );
  }
}

/** 1 for each action that is legal at a node, [nodes · actions]. */
function actionMask({ letters: A, variable, nodes, allowed, ends }: ConstrainedSteps): Float32Array {
  const actions = variable ? A + 1 : A;
  const mask = new Float32Array(nodes * actions);
  for (let node = 0; node < nodes; node++) {
    mask.set(allowed.subarray(node * A, (node + 1) * A), node * actions);
    if (variable) mask[node * actions + A] = ends[node];
  }
  return mask;
}

/** 1 for each letter that noise may write at a node, [nodes · A]. */
function writable({ next }: ConstrainedSteps): Float32Array {
  // A loop: `Float32Array.from` takes ten times as long.
  const possible = new Float32Array(next.length);
  for (let i = 0; i < next.length; i++) possible[i] = +(next[i] >= 0);
  return possible;
}

function nameOf({ tokens, length }: SequenceSpace, constraints: readonly Constraint[]): string {
  const isLetters = tokens.every((token) => token.length === 1);
  const unit = isLetters ? "letters" : "tokens";
  const list = tokens.length > 40 ? `${tokens.length}` : tokens.join(isLetters ? "" : " ");
  const count = length.min === length.max ? `${length.max}` : `${length.min} to ${length.max}`;
  const under =
    constraints.length === 0
      ? ""
      : ` under ${constraints.length} ${constraints.length === 1 ? "constraint" : "constraints"}`;
  return `strings of ${count} ${unit} out of ${list}${under}`;
}

/** One character for each token: the token itself, or a sign that stands for it. */
function alphabetOf(tokens: readonly string[]): string {
  if (tokens.every((token) => token.length === 1)) return tokens.join("");
  // The 256 Braille patterns, or Chinese characters if there are more tokens.
  const first = tokens.length <= 256 ? 0x2800 : 0x4e00;
  return tokens.map((_, token) => String.fromCharCode(first + token)).join("");
}

function noiseText(noise: LetterNoise, isFree: boolean): Pick<Environment, "noiseDescription"> {
  const parts = [
    ...(noise.kind === "substitution" ? ["a substitution matrix"] : []),
    ...(isFree ? ["noise that ignores the constraints"] : []),
  ];
  return parts.length === 0 ? {} : { noiseDescription: parts.join(" and ") };
}
