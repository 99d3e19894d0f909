// Options of the task `bit-sequence`: their defaults, help and rules.

import type { Issue } from "../../issues.ts";
import { is, type Keys, key } from "../../settings/keys.ts";
import { number, whole } from "../../settings/kinds.ts";
import { stickKey } from "../stick-key.ts";
import { MAX_TABLE_SIZE } from "../task.ts";

/** Options of `bitSequenceTask`. */
export interface BitSequenceOptions {
  /** Probability that the environment replaces an action by a uniform draw among the legal ones. */
  readonly stick: number;
  /** Length n of a string in bits. */
  readonly bits?: number;
  /** Bits per action, k: the letters of the environment are the 2^k words of k bits. */
  readonly word?: number;
  /** Number of modes. */
  readonly modes?: number;
  /** Seed of the random choice of modes. */
  readonly modeSeed?: number;
  /** β in the score exp(−β · distance to the nearest mode / n). */
  readonly sharpness?: number;
}

export const BIT_SEQUENCE_DEFAULTS = { bits: 16, word: 4, modes: 8, modeSeed: 0, sharpness: 8 } as const;

/** The number of bits is limited, because all scores must fit into a table. */
const MAX_BITS = Math.log2(MAX_TABLE_SIZE);

export const BIT_SEQUENCE_KEYS: Keys<Required<BitSequenceOptions>> = {
  stick: stickKey,
  bits: key(whole(1, MAX_BITS), "task", "number of bits of a string", is(BIT_SEQUENCE_DEFAULTS.bits)),
  word: key(whole(1, 8), "task", "number of bits that one action writes", is(BIT_SEQUENCE_DEFAULTS.word)),
  modes: key(whole(1, 2 ** MAX_BITS), "task", "number of modes", is(BIT_SEQUENCE_DEFAULTS.modes)),
  modeSeed: key(
    whole(0, Number.MAX_SAFE_INTEGER),
    "task",
    "random seed from which the modes are drawn",
    is(BIT_SEQUENCE_DEFAULTS.modeSeed),
  ),
  sharpness: key(
    number({ above: 0 }),
    "task",
    "β in the score exp(−β · distance to a mode / bits)",
    is(BIT_SEQUENCE_DEFAULTS.sharpness),
  ),
};

/** Issues with combinations of options, each of which is valid alone. */
export function bitSequenceIssues({ bits, word, modes }: Required<BitSequenceOptions>): Issue[] {
  const issues: Issue[] = [];
  if (bits % word !== 0) {
    const message = `must be divisible by \`word\`, got ${bits} bits in words of ${word}`;
    issues.push({ path: "bits", code: "conflict", message });
  }
  if (modes > 2 ** bits) {
    const message = `must be at most the ${2 ** bits} strings of ${bits} \`bits\`, got ${modes}`;
    issues.push({ path: "modes", code: "conflict", message });
  }
  return issues;
}
