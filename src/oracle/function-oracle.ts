// An oracle that is a function.

import { createHash } from "node:crypto";
import { UserError } from "../issues.ts";
import { answerOf, failureOf } from "./answers.ts";
import { checkWholeNumbers } from "./attempts.ts";
import { answerOfRecord, type DesignObjective, versionFor } from "./design-objectives.ts";
import { type Answer, type Oracle, OracleError } from "./oracle.ts";

/** What a function may return for one string: its score, or the score with its uncertainty; with several design objectives,
 * a value for each of their names. */
export type FunctionAnswer =
  | number
  | { readonly score: number; readonly uncertainty?: number }
  | Readonly<Record<string, number>>;

/** Scores one string. An error that it throws is a failure of this string. */
export type StringScorer = (string: string, signal?: AbortSignal) => FunctionAnswer | Promise<FunctionAnswer>;

/** Scores a batch: one answer per string, in the same order. An error that it throws is a failure of the batch. */
export type BatchScorer = (
  strings: readonly string[],
  signal?: AbortSignal,
) => ArrayLike<FunctionAnswer> | Promise<ArrayLike<FunctionAnswer>>;

/** Options of `functionOracle`: `score` or `scores`, and how to call it. */
export interface FunctionOracleOptions {
  readonly score?: StringScorer;
  readonly scores?: BatchScorer;
  /** Default: the name of the function. */
  readonly label?: string;
  /** Default: a hash of the source text of the function. */
  readonly version?: string;
  /** Default: 128. */
  readonly batch?: number;
  /** How many calls of an asynchronous function may run at once. Default: 1. */
  readonly concurrency?: number;
  /** What the members of an answer are, if the function gives several values. Default: one score. */
  readonly objectives?: readonly DesignObjective[];
}

/** An oracle from a function. */
export function functionOracle(options: FunctionOracleOptions): Oracle {
  const { score, scores, batch = 128, concurrency = 1, objectives } = options;
  const given = scores ?? score;
  if (typeof given !== "function" || (score !== undefined && scores !== undefined)) {
    throw new UserError(
      `an oracle must have one function, \`score\` or \`scores\`, got ${functionsIn(options)}`,
    );
  }
  checkWholeNumbers({ batch: [batch, 1], concurrency: [concurrency, 1] });
  return {
    label: options.label ?? `the function ${given.name || "score"}`,
    version: versionFor(objectives, options.version ?? hashOf(`function ${given}`)),
    batch,
    concurrency,
    async score(strings, signal) {
      const scoring = score
        ? Promise.all(strings.map((string) => scoreOne(score, string, objectives, signal)))
        : batchAnswers(scores as BatchScorer, strings, objectives, signal);
      return orAborted(scoring, signal);
    },
    async close() {},
  };
}

async function scoreOne(
  score: StringScorer,
  string: string,
  objectives?: readonly DesignObjective[],
  signal?: AbortSignal,
): Promise<Answer> {
  try {
    return answerOfFunction(await score(string, signal), objectives);
  } catch (error) {
    signal?.throwIfAborted();
    return failureOf(error);
  }
}

/** The answers of a function that scores a batch. Throws an OracleError if their number is wrong. */
export async function batchAnswers(
  scores: BatchScorer,
  strings: readonly string[],
  objectives?: readonly DesignObjective[],
  signal?: AbortSignal,
): Promise<Answer[]> {
  const answers = await scores(strings, signal);
  if (answers?.length !== strings.length) {
    throw new OracleError(
      `\`scores\` must return one score per string, got ${answers?.length ?? "no"} scores for ${strings.length} strings`,
    );
  }
  return Array.from(answers, (answer) => answerOfFunction(answer, objectives));
}

/** The answer for one string, from what a function returned. */
export function answerOfFunction(value: FunctionAnswer, objectives?: readonly DesignObjective[]): Answer {
  if (objectives) return answerOfRecord(objectives, value);
  return typeof value === "object" && value !== null
    ? answerOf(value.score, value.uncertainty)
    : answerOf(value);
}

/** Rejects as soon as the signal aborts, because a function need not heed it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The hash of a text or file, for the version of an oracle. */
export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

function functionsIn(exported: object): string {
  return Object.keys(exported).join(", ") || "nothing";
}
