// Task `regime`: strings of five letters, with noise that is there in some episodes and not in others. Nobody says in
// which.
//
// The first two letters are free, so they can be used to find out. Then it is time to choose: a string whose third letter
// is A must be written to the end without a fault, every other one scores the same whatever follows. A policy that has
// seen noise does well to avoid A. That a letter came out otherwise shows only to those who know what was intended: the
// target wants the free letters to be anything, so what is written gives nothing away.

import { type RegimeEnvironment, regimeEnvironment } from "../../gfn/environments/regime.ts";
import { checkTerminal, type Task } from "../task.ts";

export interface RegimeTaskOptions {
  /** Noise level of quiet episodes. */
  readonly quiet?: number;
  /** Noise level of the others. */
  readonly noisy?: number;
  /** Share of quiet episodes. */
  readonly share?: number;
}

const LETTERS = "ACGT";
const LENGTH = 5;
const STRINGS = LETTERS.length ** LENGTH;
/** Letters that may be anything. */
const FREE = 2;
/** Scores of a string that chose A and was written without a fault, that chose A and was not, and that chose otherwise:
 * half of all score is for strings without a fault. */
const [FAULTLESS, SPOILT, SAFE] = [48, 0.5, 1];

export function regimeTask({
  quiet = 0,
  noisy = 0.7,
  share = 0.4,
}: RegimeTaskOptions = {}): Task<RegimeEnvironment> {
  if (!(share > 0 && share < 1)) {
    throw new RangeError(`regime: share must be above 0 and below 1, got ${share}`);
  }
  const regimes = [
    { stick: quiet, share },
    { stick: noisy, share: 1 - share },
  ];
  const environment = regimeEnvironment({ alphabet: LETTERS, length: LENGTH, regimes });
  return {
    name: "regime",
    label: `${FAULTLESS} for AAA after two free letters, ${SPOILT} for other ends that begin with A, ${SAFE} for all others`,
    environment,
    scores: Float64Array.from({ length: STRINGS }, (_, string) => scoreOf(textOf(string))),
    decode(terminal) {
      checkTerminal("regime", terminal, STRINGS);
      return textOf(terminal);
    },
    encode(text) {
      if (text.length !== LENGTH || !/^[ACGT]*$/.test(text)) {
        throw new RangeError(
          `regime: ${JSON.stringify(text)} is not a string of ${LENGTH} letters, each A, C, G or T`,
        );
      }
      return Array.from(text).reduce(
        (string, letter) => string * LETTERS.length + LETTERS.indexOf(letter),
        0,
      );
    },
  };
}

function scoreOf(text: string): number {
  const end = text.slice(FREE);
  if (!end.startsWith("A")) return SAFE;
  return end === "A".repeat(LENGTH - FREE) ? FAULTLESS : SPOILT;
}

/** A string's number, written with letters for digits. */
function textOf(string: number): string {
  return Array.from(string.toString(LETTERS.length).padStart(LENGTH, "0"), (digit) => LETTERS[+digit]).join(
    "",
  );
}
