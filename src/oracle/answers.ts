// Reads answers of programs and HTTP services, and matches them with the strings that were asked.

import { shortLine, show } from "../issues.ts";
import { answerOfRecord, answerOfValues, type DesignObjective } from "./design-objectives.ts";
import type { Answer } from "./oracle.ts";

/** An answer of the form that programs and services give: `{ string, score, uncertainty?, error? }`, or with several
 * design objectives `{ string, scores, error? }`. */
export interface NamedAnswer {
  readonly string: string;
  readonly answer: Answer;
}

/** Answers that break the protocol, so that nothing more from the same source can be trusted. */
export class ProtocolError extends Error {
  override readonly name: string = "ProtocolError";
}

/** Reads one answer. Throws a ProtocolError if it does not say which string it is for. */
export function readNamedAnswer(value: unknown, objectives?: readonly DesignObjective[]): NamedAnswer {
  const { string, score, scores, uncertainty, error } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof string !== "string") {
    throw new ProtocolError(
      `an answer must be an object with the \`string\` that it is for, got ${show(value)}`,
    );
  }
  if (error !== undefined && error !== null && error !== "") {
    return { string, answer: failureOf(error) };
  }
  if (objectives) return { string, answer: answerOfRecord(objectives, scores) };
  return { string, answer: answerOf(score, uncertainty ?? undefined) };
}

/** An answer from values of any type. A score that is no finite number is a failure of its string. */
export function answerOf(score: unknown, uncertainty?: unknown): Answer {
  if (!isFiniteNumber(score)) return { failure: `its score must be a finite number, got ${show(score)}` };
  // Adding 0 turns −0 into 0, which JSON can store.
  if (uncertainty === undefined) return { score: score + 0 };
  if (!isFiniteNumber(uncertainty) || uncertainty < 0) {
    return { failure: `its uncertainty must be a finite number of at least 0, got ${show(uncertainty)}` };
  }
  return { score: score + 0, uncertainty: uncertainty + 0 };
}

/** Checks an answer of any oracle again: its score, its uncertainty and its values must be finite, and a failure must be a
 * short text that a terminal can show. */
export function checkedAnswer(answer: Answer): Answer {
  if ("failure" in answer) return failureOf(answer.failure);
  const { score, uncertainty, values } = answer;
  const checked = answerOf(score, uncertainty);
  if (values === undefined || "failure" in checked) return checked;
  const wrong = values.find((value) => !isFiniteNumber(value));
  return wrong === undefined
    ? { ...checked, values }
    : { failure: `its values must be finite numbers, got ${show(wrong)}` };
}

/** A failure with a text that a terminal can show, whatever a program or a service said. */
export function failureOf(text: unknown): { readonly failure: string } {
  const failure = shortLine(
    text instanceof Error ? text.message : typeof text === "string" ? text : show(text),
  );
  return { failure: failure === "" ? "it failed without a reason" : failure };
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** How languages print numbers that are missing or not finite. */
const NO_NUMBER = /^([+-]?(nan|inf|infinity)|none|null|na|n\/a)$/i;

/** Reads a line with one number, or with one number per objective between white space. Throws a ProtocolError for other
 * text. */
export function readNumberLine(line: string, objectives?: readonly DesignObjective[]): Answer {
  const text = line.trim();
  if (objectives) return readNumbers(text, objectives);
  if (NUMBER.test(text)) return answerOf(Number(text));
  if (NO_NUMBER.test(text)) return { failure: `its score must be a finite number, got ${show(text)}` };
  throw new ProtocolError(`a line must be one number, got ${show(text)}`);
}

function readNumbers(text: string, objectives: readonly DesignObjective[]): Answer {
  const words = text.split(/\s+/);
  if (words.some((word) => !NUMBER.test(word) && !NO_NUMBER.test(word))) {
    throw new ProtocolError(
      `a line must be one number for each of ${objectives.map(({ name }) => name).join(", ")}, got ${show(text)}`,
    );
  }
  if (words.length === 1 && NO_NUMBER.test(text)) {
    return { failure: `its scores must be ${objectives.length} finite numbers, got ${show(text)}` };
  }
  if (words.length !== objectives.length) {
    return { failure: `its scores must be ${objectives.length} numbers, got ${words.length}: ${show(text)}` };
  }
  return answerOfValues(
    objectives,
    words.map((word) => (NUMBER.test(word) ? Number(word) : word)),
  );
}

/** Reads a line with one answer as JSON. */
export function readJsonLine(line: string, objectives?: readonly DesignObjective[]): NamedAnswer {
  return readNamedAnswer(parseJson(line), objectives);
}

/** Parses JSON in which numbers may also be NaN, Infinity and -Infinity, as Python writes them. They become null. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(text.replaceAll(/(:\s*)(NaN|-?Infinity)(?=\s*[,}])/g, "$1null"));
    } catch {
      throw new ProtocolError(`an answer must be JSON, got ${show(text)}`);
    }
  }
}

/** The answers for a batch of different strings, as they arrive in any order. */
export class AnswersByString {
  readonly #asked: ReadonlySet<string>;
  readonly #answers = new Map<string, Answer>();

  constructor(strings: readonly string[]) {
    this.#asked = new Set(strings);
  }

  /** Throws a ProtocolError if this string was not asked, or has an answer already. */
  add({ string, answer }: NamedAnswer): void {
    if (!this.#asked.has(string)) {
      throw new ProtocolError(`an answer must be for a string that was asked, got one for ${show(string)}`);
    }
    if (this.#answers.has(string)) {
      throw new ProtocolError(`a string must get one answer, got another one for ${show(string)}`);
    }
    this.#answers.set(string, answer);
  }

  get answers(): ReadonlyMap<string, Answer> {
    return this.#answers;
  }

  get isComplete(): boolean {
    return this.#answers.size === this.#asked.size;
  }
}
