// Task `regime`: strings of five letters under a hidden noise level, which is constant during a trajectory.
//
// The first two letters are free, so a policy can use them to detect the noise. The third letter is the decision: after
// an A the remaining letters must be A as well for a high score, which fails under noise; after any other letter the
// score does not depend on the remaining letters. A policy that has seen noise should therefore avoid A. Noise is
// visible only to a policy that is conditioned on its actions: the target makes the free letters uniform, so outcomes
// alone reveal nothing.

import { type RegimeEnvironment, regimeEnvironment } from "../../gfn/environment/regime.ts";
import { sequenceCodec } from "../../gfn/environment/sequence-codec.ts";
import { checkTaskOptions } from "../check-task-options.ts";
import { checkTerminal, type Task } from "../task.ts";
import { REGIME_DEFAULTS, REGIME_KEYS, type RegimeTaskOptions } from "./options.ts";

export type { RegimeTaskOptions };

const LETTERS = "ACGT";
const LENGTH = 5;
/** Number of strings. */
export const REGIME_STRINGS = LETTERS.length ** LENGTH;
const CODEC = sequenceCodec({ alphabet: LETTERS, length: LENGTH }, "regime");
/** Number of free letters at the start. */
const FREE = 2;
/**
 * Scores by the letters after the free ones: AAA, other endings that start with A, and all other endings. Strings with
 * AAA have half of the total score.
 */
const [SUCCESS, FAILURE, SAFE] = [48, 0.5, 1];

/**
 * Strings of five letters under a hidden noise level, which only a policy that is conditioned on its actions can detect.
 *
 * @example
 * ```ts
 * import { regimeTask } from "gflownet";
 *
 * const task = regimeTask({ quietStick: 0, noisyStick: 0.7, quietShare: 0.4 });
 * console.log(task.scores[task.encode("CGAAA")], task.scores[task.encode("CGACT")]); // 48 0.5
 * ```
 */
export function regimeTask({
  quietStick = REGIME_DEFAULTS.quietStick,
  noisyStick = REGIME_DEFAULTS.noisyStick,
  quietShare = REGIME_DEFAULTS.quietShare,
}: RegimeTaskOptions = {}): Task<RegimeEnvironment> {
  checkTaskOptions(REGIME_KEYS, undefined, { quietStick, noisyStick, quietShare });
  const regimes = [
    { stick: quietStick, share: quietShare },
    { stick: noisyStick, share: 1 - quietShare },
  ];
  const environment = regimeEnvironment({ alphabet: LETTERS, length: LENGTH, regimes });
  return {
    name: "regime",
    label: `${SUCCESS} if the last three letters are AAA, ${FAILURE} if they begin with A otherwise, ${SAFE} for all other strings`,
    environment,
    scores: Float64Array.from({ length: REGIME_STRINGS }, (_, string) => scoreOf(textOf(string))),
    strings: { letters: LETTERS.length, length: LENGTH },
    decode(terminal) {
      checkTerminal("regime", terminal, REGIME_STRINGS);
      return textOf(terminal);
    },
    encode(text) {
      return CODEC.encode(text).reduce((index, letter) => index * LETTERS.length + letter, 0);
    },
  };
}

function scoreOf(text: string): number {
  const end = text.slice(FREE);
  if (!end.startsWith("A")) return SAFE;
  return end === "A".repeat(LENGTH - FREE) ? SUCCESS : FAILURE;
}

/** The string of a terminal index: the digits of the index in base 4, as letters. */
function textOf(terminal: number): string {
  return CODEC.decode(Array.from(terminal.toString(LETTERS.length).padStart(LENGTH, "0"), Number));
}
