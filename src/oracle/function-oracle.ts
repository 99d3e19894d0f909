// An oracle that is a function, or a JavaScript or TypeScript module with one.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { fileProblem, show, UserError } from "../issues.ts";
import { answerOf } from "./answers.ts";
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
      if (score) return Promise.all(strings.map((string) => scoreOne(score, string, objectives, signal)));
      const answers = await (scores as BatchScorer)(strings, signal);
      if (answers?.length !== strings.length) {
        throw new OracleError(
          `\`scores\` must return one score per string, got ${answers?.length ?? "no"} scores for ${strings.length} strings`,
        );
      }
      return Array.from(answers, (answer) => fromFunction(answer, objectives));
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
    return fromFunction(await score(string, signal), objectives);
  } catch (error) {
    signal?.throwIfAborted();
    return { failure: error instanceof Error ? error.message : show(error) };
  }
}

function fromFunction(value: FunctionAnswer, objectives?: readonly DesignObjective[]): Answer {
  if (objectives) return answerOfRecord(objectives, value);
  return typeof value === "object" && value !== null
    ? answerOf(value.score, value.uncertainty)
    : answerOf(value);
}

/** Options of `moduleOracle`. */
export interface ModuleOracleOptions {
  /** Path of a module that exports `score` or `scores`, and perhaps `version`, `batch` and `concurrency`. */
  readonly file: string;
  /** Default: the module's `version`, or a hash of the file, which does not notice changes of what it imports. */
  readonly version?: string;
  readonly batch?: number;
  readonly concurrency?: number;
  /** What the members of an answer are, if the module gives several values. Default: one score. */
  readonly objectives?: readonly DesignObjective[];
}

/** Loads a module and thereby runs it. Throws a UserError if it cannot be loaded or exports no score function. */
export async function moduleOracle(options: ModuleOracleOptions): Promise<Oracle> {
  const path = resolve(options.file);
  const source = await readFile(path).catch((cause: unknown) => {
    throw new UserError(`${path} cannot be read: ${fileProblem(cause)}`, { cause });
  });
  const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href).catch(
    (cause: Error & { readonly code?: string }) => {
      const isTypeScript = cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
      const remedy = isTypeScript ? "; this version of Node reads JavaScript only, so compile the file" : "";
      throw new UserError(`${path} cannot be loaded: ${cause.message.split("\n")[0]}${remedy}`, { cause });
    },
  );
  const { score, scores, version, batch, concurrency } = exported as FunctionOracleOptions;
  if ((typeof score === "function") === (typeof scores === "function")) {
    throw new UserError(
      `${path} must export one function, \`score\` or \`scores\`, got ${functionsIn(exported)}`,
    );
  }
  return functionOracle({
    ...(typeof score === "function" ? { score } : { scores }),
    label: `the module ${options.file}`,
    version: options.version ?? (version === undefined ? hashOf(source) : String(version)),
    ...(options.objectives && { objectives: options.objectives }),
    ...defined({ batch: options.batch ?? batch, concurrency: options.concurrency ?? concurrency }),
  });
}

/** The hash of a text or file, for the version of an oracle. */
export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function functionsIn(exported: object): string {
  return Object.keys(exported).join(", ") || "nothing";
}
