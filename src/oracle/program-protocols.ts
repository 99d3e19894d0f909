// The two protocols of a program that scores strings: lines of JSON that name the string, and plain lines in order.

import { AnswersByString, ProtocolError, readJsonLine, readNumberLine } from "./answers.ts";
import type { DesignObjective } from "./design-objectives.ts";
import type { Answer } from "./oracle.ts";

/** Names of the protocols. */
export const PROGRAM_PROTOCOLS = ["json-lines", "plain-lines"] as const;
/** How a program reads strings and prints scores. */
export type ProgramProtocol = (typeof PROGRAM_PROTOCOLS)[number];

/** The answers to one batch while its lines arrive. */
export interface BatchReader {
  /** The lines to send. */
  readonly request: string;
  /** Takes the next line of the program. Throws a ProtocolError if the program broke the protocol. */
  accept(line: string): void;
  readonly isComplete: boolean;
  /** The answers that are certain, even if the batch is not complete. */
  readonly answers: ReadonlyMap<string, Answer>;
}

/** With several design objectives, an answer has a value for each of them. */
export function batchReader(
  protocol: ProgramProtocol,
  strings: readonly string[],
  objectives?: readonly DesignObjective[],
): BatchReader {
  return protocol === "json-lines" ? jsonLines(strings, objectives) : plainLines(strings, objectives);
}

/** `{"string": …}` for each string; answers name their string and come in any order. */
function jsonLines(strings: readonly string[], objectives?: readonly DesignObjective[]): BatchReader {
  const collected = new AnswersByString(strings);
  return {
    request: strings.map((string) => `${JSON.stringify({ string })}\n`).join(""),
    accept(line) {
      collected.add(readJsonLine(line, objectives));
    },
    get isComplete() {
      return collected.isComplete;
    },
    get answers() {
      return collected.answers;
    },
  };
}

/** The string itself on a line; the n-th line of the answer is the score of the n-th string. */
function plainLines(strings: readonly string[], objectives?: readonly DesignObjective[]): BatchReader {
  const scores: Answer[] = [];
  return {
    request: strings.map((string) => `${string}\n`).join(""),
    accept(line) {
      if (scores.length === strings.length) {
        throw new ProtocolError(
          `${strings.length} strings must get ${strings.length} lines, got more; it must print nothing else, or use JSON lines`,
        );
      }
      scores.push(readNumberLine(line, objectives));
    },
    get isComplete() {
      return scores.length === strings.length;
    },
    // Before the last line, a line too many or too few may have shifted all others.
    get answers() {
      const isCertain = this.isComplete || (scores.length === 1 && new Set(strings).size === 1);
      return new Map(isCertain ? scores.map((score, i) => [strings[i], score]) : []);
    },
  };
}

/** Why a string cannot be sent in this protocol; null if it can. */
export function unsendable(protocol: ProgramProtocol, string: string): string | null {
  return protocol === "plain-lines" && /[\r\n]/.test(string)
    ? "a string with a line break cannot be sent as a plain line; use the protocol json-lines"
    : null;
}
