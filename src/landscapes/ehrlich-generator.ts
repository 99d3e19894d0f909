// Draws Ehrlich instances of our own family from a seed. It is not the generator of holo-bench: the same sizes and seed
// give other motifs, spacings and forbidden pairs, so results on these instances cannot be compared with published ones.
//
// Every instance is feasible by construction. The allowed pairs contain a cycle through all letters and every repetition of
// a letter, so that each letter can be reached from each other one and their walk has no period (it is ergodic). All
// motifs, one after the other, are one walk over allowed pairs. A gap inside a motif can be filled by repeating the letter
// before it, and the motifs together fit into the length: a string of value 1 exists, and stands among the checks.

import { RandomStream } from "../engine/random-stream.ts";
import { type Issue, throwIssues } from "../issues.ts";
import { number, whole } from "../settings/kinds.ts";
import { ehrlichLandscape } from "./ehrlich.ts";
import { type EhrlichInstance, LARGEST_SIZES } from "./ehrlich-instance.ts";
import { kindIssues } from "./option-issues.ts";

/** Sizes of a drawn instance. */
export interface EhrlichOptions {
  /** Size of the alphabet, at least 2. */
  readonly states: number;
  /** Length of the strings; at least motifs · motifLength. */
  readonly length: number;
  readonly motifs: number;
  readonly motifLength: number;
  /** Levels of a motif above zero, from 1 to `motifLength`. Default: `motifLength`. */
  readonly quantization?: number;
  /** Fraction of the other letters that may not follow a letter, apart from the one that must be able to. Default: 0.25,
   * rounded to at least one letter. */
  readonly forbidden?: number;
  readonly seed: number;
}

/** The family of instances that `generateEhrlich` draws, as labels show it. */
export const OWN_FAMILY = "gflownet's own family, not holo-bench's";

/** Draws an instance. The same options give the same instance. Throws a UserError with all mistakes. */
export function generateEhrlich(options: EhrlichOptions): EhrlichInstance {
  throwIssues(optionIssues(options));
  const { states, length, motifs, motifLength, seed } = options;
  const { quantization = motifLength, forbidden = 0.25 } = options;
  const root = RandomStream.fromSeed(seed).split(
    ["ehrlich", states, length, motifs, motifLength, quantization, forbidden].join(" "),
  );
  const allowed = drawPairs(states, forbidden, root.split("pairs"));
  const walk = drawWalk(allowed, motifs * motifLength, root.split("motifs"), "moving");
  const motif = Array.from({ length: motifs }, (_, i) => walk.slice(i * motifLength, (i + 1) * motifLength));
  const gaps = root.split("spacing");
  const spacing = motif.map(() => drawGaps(motifLength, Math.floor(length / motifs), gaps));
  const optimum = fill(motif, spacing, length);
  const initial = drawWalk(allowed, length, root.split("initial"), "any");
  const instance: EhrlichInstance = {
    ...{
      family: OWN_FAMILY,
      states,
      length,
      motifs,
      motifLength,
      quantization,
      seed,
      motif,
      spacing,
      initial,
    },
    allowed: allowed.map((row) => row.map(Number).join("")),
  };
  const value = ehrlichLandscape(instance).score(initial) ?? Number.NaN;
  return {
    ...instance,
    checks: [
      [initial, value],
      [optimum, 1],
    ],
  };
}

function optionIssues(options: EhrlichOptions): Issue[] {
  const { states, length, motifs, motifLength, quantization, forbidden, seed } = options;
  const issues = [
    ...kindIssues([
      ["states", whole(2, LARGEST_SIZES.states), states],
      ["length", whole(1, LARGEST_SIZES.length), length],
      ["motifs", whole(1, LARGEST_SIZES.motifs), motifs],
      ["motifLength", whole(1, LARGEST_SIZES.motifLength), motifLength],
      ["seed", whole(0, Number.MAX_SAFE_INTEGER), seed],
    ]),
    ...(forbidden === undefined ? [] : kindIssues([["forbidden", number({ from: 0, to: 1 }), forbidden]])),
  ];
  if (issues.length > 0) return issues;
  if (motifs * motifLength > length) {
    const message = `must be at least \`motifs\` · \`motifLength\`, which is ${motifs * motifLength}, got ${length}`;
    issues.push({ path: "length", code: "range", message });
  }
  if (quantization !== undefined)
    issues.push(...kindIssues([["quantization", whole(1, motifLength), quantization]]));
  return issues;
}

/** Allowed pairs: all but a random choice of the same number for each letter, which leaves repetitions and a random cycle
 * through all letters. */
function drawPairs(states: number, forbidden: number, stream: RandomStream): boolean[][] {
  const cycle = shuffled(range(states), stream);
  const count = forbidden === 0 ? 0 : Math.max(1, Math.round(forbidden * (states - 2)));
  return range(states).map((letter) => {
    const follower = cycle[(cycle.indexOf(letter) + 1) % states];
    const others = range(states).filter((other) => other !== letter && other !== follower);
    const excluded = new Set(shuffled(others, stream).slice(0, count));
    return range(states).map((other) => !excluded.has(other));
  });
}

function shuffled(values: readonly number[], stream: RandomStream): number[] {
  const order = [...values];
  for (let i = order.length - 1; i > 0; i--) {
    const j = stream.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** A random walk over allowed pairs; a moving one never repeats a letter, so that no motif is one letter only. */
function drawWalk(
  allowed: readonly (readonly boolean[])[],
  steps: number,
  stream: RandomStream,
  kind: "moving" | "any",
): number[] {
  const walk = [stream.integer(allowed.length)];
  while (walk.length < steps) {
    const last = walk[walk.length - 1];
    const next = allowed[last].flatMap((is, letter) =>
      is && (kind === "any" || letter !== last) ? [letter] : [],
    );
    walk.push(next[stream.integer(next.length)]);
  }
  return walk;
}

/** Gaps of at least 1 whose motif takes at most `room` letters: each spare letter goes to a random gap, or to none. */
function drawGaps(motifLength: number, room: number, stream: RandomStream): number[] {
  const gaps = new Array<number>(motifLength - 1).fill(1);
  for (let spare = room - motifLength; spare > 0; spare--) {
    const gap = stream.integer(motifLength);
    if (gap < gaps.length) gaps[gap]++;
  }
  return gaps;
}

/** A string with all motifs one after the other; gaps and the rest repeat the letter before them. */
function fill(
  motif: readonly (readonly number[])[],
  spacing: readonly (readonly number[])[],
  length: number,
): number[] {
  const string: number[] = [];
  motif.forEach((letters, i) => {
    letters.forEach((letter, j) => {
      const copies = j < letters.length - 1 ? spacing[i][j] : 1;
      for (let copy = 0; copy < copies; copy++) string.push(letter);
    });
  });
  while (string.length < length) string.push(string[string.length - 1]);
  return string;
}
